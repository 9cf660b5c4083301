"""A bot that writes what it hears to a file and discards what it draws: `listener.py STYLE FOLDER SEAT`."""

import json
import sys

style, folder, seat = sys.argv[1], sys.argv[2], int(sys.argv[3])


def answer(event):
    if event["type"] == "tsumo" and event["actor"] == seat:
        return {"type": "dahai", "actor": seat, "pai": event["pai"], "tsumogiri": True}
    return {"type": "none"}


with open(f"{folder}/{seat}.jsonl", "a") as heard:
    for line in sys.stdin:
        heard.write(line)
        heard.flush()
        given = json.loads(line)
        last = given[-1] if style == "array" else given
        if style != "acting" or last["can_act"]:
            print(json.dumps(answer(last)), flush=True)
