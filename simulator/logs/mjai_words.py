"""Names of tiles and of drawn rounds in mjai."""

from __future__ import annotations

from typing import Any

from simulator.record import (
    RESULT_EXHAUSTIVE,
    RESULT_FOUR_KONGS,
    RESULT_FOUR_RIICHI,
    RESULT_FOUR_WINDS,
    RESULT_NAGASHI,
    RESULT_NINE_TERMINALS,
    RESULT_TRIPLE_RON,
)

TILE_NAMES = (
    *(f"{number}{suit}" for suit in "mps" for number in range(1, 10)),
    *("E", "S", "W", "N", "P", "F", "C"),
    *("5mr", "5pr", "5sr"),
)
_FACES = {name: face for face, name in enumerate(TILE_NAMES)}

#: `reason` of a ryukyoku, as the dialects write it; the first of each kind is what the writer says.
DRAW_REASONS = {
    "exhaustive_draw": RESULT_EXHAUSTIVE,
    "fanpai": RESULT_EXHAUSTIVE,
    "nagashi_mangan": RESULT_NAGASHI,
    "nagashimangan": RESULT_NAGASHI,
    "nm": RESULT_NAGASHI,
    "kyushu_kyuhai": RESULT_NINE_TERMINALS,
    "kyushukyuhai": RESULT_NINE_TERMINALS,
    "yao9": RESULT_NINE_TERMINALS,
    "sufuurenta": RESULT_FOUR_WINDS,
    "sufonrenta": RESULT_FOUR_WINDS,
    "kaze4": RESULT_FOUR_WINDS,
    "suucha_riichi": RESULT_FOUR_RIICHI,
    "suchareach": RESULT_FOUR_RIICHI,
    "reach4": RESULT_FOUR_RIICHI,
    "suukansansen": RESULT_FOUR_KONGS,
    "sukaikan": RESULT_FOUR_KONGS,
    "kan4": RESULT_FOUR_KONGS,
    "sanchaho": RESULT_TRIPLE_RON,
    "sanchahoh": RESULT_TRIPLE_RON,
    "ron3": RESULT_TRIPLE_RON,
}
REASON_NAMES = {result: reason for reason, result in reversed(DRAW_REASONS.items())}


def read_tile(name: Any) -> int:
    """Return the face of a tile name; raises ValueError."""
    if not isinstance(name, str) or name not in _FACES:
        raise ValueError(f"{str(name)[:20]!r} is not a tile; tiles are 1m to 9s, 5mr, 5pr, 5sr, E S W N P F C")
    return _FACES[name]
