"""`suphx features`: what the networks see of a position in a log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from suphx.commands.options import AsJson

if TYPE_CHECKING:
    import numpy as np

    from suphx.features.layout_groups import Plane


def features(
    path: Annotated[Path, Argument(help="A log; if it holds several games, the first.")],
    round_number: Annotated[int, Option("--round", min=1, help="Which round of the game, from 1.")] = 1,
    at: Annotated[int, Option("--at", min=1, help="Which decision of the round, from 1.")] = 1,
    seat: Annotated[int | None, Option(min=0, max=3, help="Count only this seat's decisions, 0 to 3.")] = None,
    oracle: Annotated[bool, Option("--oracle", help="Also show the planes that only the oracle sees.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print what the networks see of one decision of a logged game: each plane that is not empty, and its tiles.

    If the seat made a call, it is shown as proposed, with the planes that describe it.
    """
    from simulator.logs.formats import read_games
    from simulator.logs.model import LogError
    from simulator.record import ACTION_NAMES, PHASE_NAMES
    from simulator.views.table import round_name
    from suphx.features.encode import encode_batch, encode_call_batch, encode_oracle_batch, is_call
    from suphx.features.layout import CALL_LAYOUT, LAYOUT, ORACLE_LAYOUT, VERSION
    from suphx.features.positions import positions_of_round

    log = next(read_games([path]))
    if round_number > len(log.rounds):
        raise LogError(f"there is no round {round_number}; the game has {len(log.rounds)}", log.source)
    round_log = log.rounds[round_number - 1]
    positions = [each for each in positions_of_round(log.rules, round_log) if seat in (None, each.seat)]
    if at > len(positions):
        who = "" if seat is None else f" of seat {seat}"
        raise LogError(f"there is no decision {at}{who}; the round has {len(positions)}", log.source)
    position = positions[at - 1]
    place = [0], [position.seat]
    if is_call(position.action):
        shown = {"planes": (CALL_LAYOUT, encode_call_batch(position.games, *place, [position.action])[0])}
    else:
        shown = {"planes": (LAYOUT, encode_batch(position.games, *place)[0])}
    if oracle:
        shown["oracle"] = ORACLE_LAYOUT, encode_oracle_batch(position.games, *place)[0]
    name = round_name(round_log.round, round_log.repeat_counter)
    situation, chosen = PHASE_NAMES[position.games["phase"][0]], ACTION_NAMES[position.action]
    if as_json:
        words = {"round": name, "seat": position.seat, "situation": situation, "chosen": chosen, "layout": VERSION}
        print(json.dumps({**words, **{name: _values(*each) for name, each in shown.items()}}))
        return
    heading = f"{name}, decision {at} of {len(positions)}: seat {position.seat}, {situation}"
    print(f"{log.source}: {heading}; chosen: {chosen}")
    for planes in shown.values():
        block = ""
        for each in _values(*planes):
            if each["block"] != block:
                block = each["block"]
                print(f"{block}:")
            print(f"  {each['plane']:4} {each['name']}" + ("" if each["value"] is True else f": {each['value']}"))


def _values(layout: Sequence[Plane], planes: np.ndarray) -> list[dict[str, Any]]:
    """Return every non-empty plane's index, block, name and value: `True` for a flag, kinds, or a bar's number."""
    from simulator.tiles import KINDS, format_tiles
    from suphx.features.layout_groups import BAR, FLAG

    values = []
    for place, (plane, mask) in enumerate(zip(layout, planes.tolist(), strict=True)):
        if mask:
            kinds = format_tiles((4 * kind for kind in range(KINDS) if mask >> kind & 1), red_fives=False)
            value: Any = True if plane.range == FLAG else mask.bit_length() if plane.range == BAR else kinds
            values.append({"plane": place, "block": plane.block, "name": plane.name, "value": value})
    return values
