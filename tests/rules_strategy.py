"""Any rules that a table can be played by, for hypothesis."""

from __future__ import annotations

import typing

from hypothesis import strategies as st

from simulator.rules import Rules

_HUNDREDS = st.integers(0, 500).map(lambda hundreds: 100 * hundreds)
_UMA = st.tuples(*[st.integers(-60, 60)] * 3).map(lambda uma: (*uma, -sum(uma)))
_SPECIAL: dict[str, st.SearchStrategy] = {
    "starting_points": _HUNDREDS,
    "target_points": _HUNDREDS,
    "return_points": _HUNDREDS,
    "riichi_min_points": st.sampled_from([0, 500, 1000, 2000, 30000]),
    "riichi_min_tiles": st.integers(0, 20),
    "repeat_points": st.sampled_from([0, 300, 1500]),
    "uma": _UMA,
}


def _field(name: str, hint: typing.Any) -> st.SearchStrategy:
    if name in _SPECIAL:
        return _SPECIAL[name]
    return st.booleans() if hint is bool else st.sampled_from(typing.get_args(hint))


_HINTS = typing.get_type_hints(Rules)
any_rules = st.builds(Rules, **{name: _field(name, hint) for name, hint in _HINTS.items()})
