"""A bot that discards what it draws until its N-th question, and then does what it must not: `faulty.py FAULT N`.

It reads arrays of events and answers every line. With the fault `none` it never does anything wrong.
"""

import json
import os
import signal
import subprocess
import sys
import time

FOREVER = 1000


def answer(events, seat):
    last = events[-1]
    if last["type"] == "tsumo" and last["actor"] == seat:
        return {"type": "dahai", "actor": seat, "pai": last["pai"], "tsumogiri": True}
    return {"type": "none"}


def say(value):
    print(json.dumps(value), flush=True)


def misbehave(fault, events, seat):
    """Do what must not be done, in the place of an answer."""
    if fault in ("late", "late once"):
        time.sleep(3.0)
        say(answer(events, seat))
    elif fault == "hangs":
        time.sleep(FOREVER)
    elif fault == "dies":
        sys.exit("out of luck")
    elif fault == "crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif fault == "closes output":
        os.close(1)
        time.sleep(FOREVER)
    elif fault == "closes input":
        say(answer(events, seat))
        os.close(0)
        time.sleep(FOREVER)
    elif fault == "floods":
        while True:
            os.write(1, b'{"type":"none"}\n' * 10_000)
    elif fault == "one huge line":
        for _ in range(100):
            os.write(1, b"x" * (1 << 20))
        say(answer(events, seat))
    elif fault == "stderr":
        for _ in range(100):
            os.write(2, b"x" * (1 << 20))
        os.write(2, b"\nstill well\n")
        say(answer(events, seat))
    elif fault == "no JSON":
        print("I would rather not", flush=True)
    elif fault == "markup":
        print("[/x]", flush=True)
    elif fault == "no UTF-8":
        os.write(1, b"\xff\xfe\n")
    elif fault == "deep":
        print("[" * 100_000, flush=True)
    elif fault == "no action":
        say(["dahai", "1m"])
    elif fault == "odd fields":
        say({"type": "ankan", "actor": seat, "consumed": 5})
    elif fault == "illegal":
        say({"type": "dahai", "actor": seat, "pai": "9z", "tsumogiri": False})
    elif fault == "another's":
        say({"type": "dahai", "actor": (seat + 1) % 4, "pai": "1m", "tsumogiri": True})
    elif fault == "twice":
        say(answer(events, seat))
        say(answer(events, seat))
    else:
        say(answer(events, seat))


def main():
    fault, first, *rest = sys.argv[1:]
    if fault == "does not end":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen(["sleep", str(FOREVER)])
        with open(rest[0], "w") as file:
            file.write(f"{os.getpid()} {child.pid}")
    if fault == "slow to start":
        time.sleep(3.0)
    seat, asked = None, 0
    for line in sys.stdin:
        events = json.loads(line)
        for event in events:
            if event["type"] == "start_game":
                seat = event["id"]
        if events[-1]["type"] in ("start_game", "end_game"):
            say({"type": "none"})
            continue
        asked += 1
        if asked == int(first) if fault == "late once" else asked >= int(first):
            misbehave(fault, events, seat)
        else:
            say(answer(events, seat))
    if fault == "does not end":
        time.sleep(FOREVER)


main()
