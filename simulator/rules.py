"""`Rules`: all supported rule variations as one small validated value, with presets and a compiled form.

The compiled form is a `RULES` record inside each game, so that a game carries its own rules.
The sources of the presets are listed in `docs/rules.md`.
"""

from __future__ import annotations

import dataclasses
import functools
import typing
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np


class RulesError(ValueError):
    """A rule value that is not valid; the message names the field."""


@functools.cache  # it takes half a millisecond, and each log has its rules
def _hints() -> dict[str, Any]:
    return typing.get_type_hints(Rules)


@dataclass(frozen=True)
class Rules:
    """The rules of a table; the defaults are Tenhou's. Points are in single points, final points in thousands."""

    length: Literal["east", "east_south"] = "east_south"
    """The winds that are played before the game can end."""
    red_fives: bool = True
    """One red five in each suit, each worth one dora."""
    open_tanyao: bool = True
    """Whether all simples (tanyao) counts with an open hand (kuitan)."""
    starting_points: int = 25000
    """Points of each seat at the start; a multiple of 100."""
    target_points: int = 30000
    """Points that someone must have for the game to end after its last wind (see `west_entry`)."""
    return_points: int = 30000
    """Points that count as zero in the final points; the oka of the first is four times (these - `starting_points`)."""
    uma: tuple[float, float, float, float] = (20, 10, -10, -20)
    """Final points added by rank, in thousands; they add up to zero."""
    final_rounding: Literal["none", "thousands"] = "none"
    """Final points to a tenth, or from points rounded to thousands: halves away from zero, and the first place takes
    the rest."""
    ties: Literal["seat", "shared"] = "seat"
    """Equal points: the seat nearer the first dealer ranks higher, or the uma and oka of the places are shared."""
    multiple_ron: Literal["all", "head_bump"] = "all"
    """Who wins if several seats would: all of them, or only the next in turn (then three wins never abort)."""
    abort_triple_ron: bool = True
    """Three wins on one tile end the round without a winner."""
    abort_nine_terminals: bool = True
    """A first draw with nine kinds of terminals and honors may end the round."""
    abort_four_winds: bool = True
    """Four first discards of the same wind, uninterrupted, end the round."""
    abort_four_riichi: bool = True
    """The fourth riichi ends the round once its discard has passed."""
    abort_four_kongs: bool = True
    """The fourth kong ends the round once the discard after it has passed, unless one seat made all four."""
    swap_calling: Literal["allowed", "same", "forbidden"] = "forbidden"
    """Kuikae after a chow or pong: `same` forbids discarding the called kind, `forbidden` also the chow's other end."""
    kong_dora: bool = True
    """Each kong reveals a further dora indicator."""
    open_kong_dora: Literal["discard", "immediate"] = "discard"
    """When an open or added kong reveals it: with the next discard (or before a further replacement), or at once."""
    ura_dora: bool = True
    """A winner in riichi also counts the ura indicator under the first dora indicator."""
    kong_ura: bool = True
    """A winner in riichi also counts the ura indicators under the kongs' dora indicators."""
    bust: bool = True
    """The game ends when a seat has less than zero points."""
    dealer_stop: Literal["never", "automatic", "choice", "win"] = "automatic"
    """A dealer who would repeat in the last round, but leads with the target reached, plays on, stops, or chooses;
    `win`: stops after a win, and plays on in tenpai."""
    west_entry: bool = True
    """If nobody has reached the target after the last wind, one more wind is played."""
    east_into_west: bool = False
    """An East-only game goes on through the South and the West, not only the South, until someone has the target."""
    sudden_death: bool = True
    """In the extra wind, the game ends once someone has reached the target and the dealer does not repeat."""
    multiple_yakuman: bool = True
    """Several yakuman in one hand add up."""
    double_yakuman: bool = False
    """Thirteen-sided orphans, single-wait four concealed triplets, pure nine gates, big four winds count twice."""
    counted_yakuman: bool = True
    """Thirteen han or more count as a yakuman; without this rule, as a sanbaiman."""
    kiriage_mangan: bool = False
    """4 han 30 fu and 3 han 60 fu count as a mangan."""
    nagashi_mangan: bool = True
    """At an exhaustive draw, a seat that discarded only terminals and honors, none of them called, gets a mangan."""
    liability_dragons: bool = True
    """Pao for big three dragons: the seat whose discard completes the third dragon set pays."""
    liability_winds: bool = True
    """Pao for big four winds."""
    liability_kongs: bool = False
    """Pao for four kongs."""
    liability_whole: bool = True
    """Pao covers the whole hand, other yakuman included (Tenhou's manual), not only the yakuman that it is for."""
    double_wind_fu: Literal[2, 4] = 4
    """Fu of a pair that is both seat and round wind."""
    thirteen_orphans_rob_closed_kong: bool = False
    """Thirteen orphans may rob a closed kong."""
    riichi_min_points: int = 1000
    """Points needed to declare riichi; not checked with `riichi_below_zero`."""
    riichi_below_zero: bool = False
    """Riichi may be declared with any points, even negative."""
    riichi_min_tiles: int = 4
    """Tiles that must be left in the live wall to declare riichi."""
    closed_kong_in_riichi: Literal["never", "same_waits", "same_hand"] = "same_waits"
    """Closed kong of the drawn tile in riichi: never, if the waits stay, or if also no reading of the hand is lost."""
    repeat_points: int = 300
    """Points that each repeat counter (honba) adds to a win in total; a multiple of 300."""
    leftover_bets: Literal["first", "lost"] = "first"
    """Riichi bets left at the end of the game go to the first place, or to nobody."""

    def __post_init__(self) -> None:
        hints = _hints()
        for field in dataclasses.fields(self):
            self._check_type(field.name, getattr(self, field.name), hints[field.name])
        for name in ("starting_points", "target_points", "return_points", "riichi_min_points"):
            value = getattr(self, name)
            if not 0 <= value <= 1_000_000 or value % 100:
                raise RulesError(f"rules: {name} is {value}; it must be 0 to 1,000,000 in hundreds")
        if not (abs(sum(self.uma)) <= 1e-9 and all(abs(value) <= 1000 for value in self.uma)):  # NaN fails both
            raise RulesError(f"rules: uma {self.uma} must add up to zero, each within 1000")
        if not 0 <= self.repeat_points <= 30_000 or self.repeat_points % 300:
            raise RulesError(f"rules: repeat_points is {self.repeat_points}; it must be a multiple of 300")
        if not 0 <= self.riichi_min_tiles <= 70:
            raise RulesError(f"rules: riichi_min_tiles is {self.riichi_min_tiles}; it must be 0 to 70")

    @staticmethod
    def _check_type(name: str, value: Any, wanted: Any) -> None:
        choices = typing.get_args(wanted)
        if typing.get_origin(wanted) is Literal:
            if value not in choices or isinstance(value, bool) != isinstance(choices[0], bool):
                raise RulesError(f"rules: {name} is {value!r}; it must be one of {', '.join(map(repr, choices))}")
        elif typing.get_origin(wanted) is tuple:
            numbers = isinstance(value, tuple) and all(type(part) in (int, float) for part in value)
            if not numbers or len(value) != len(choices):
                raise RulesError(f"rules: {name} is {value!r}; it must be {len(choices)} numbers")
        elif type(value) is not wanted:
            raise RulesError(f"rules: {name} is {value!r}; it must be {wanted.__name__}")

    @classmethod
    def tenhou(cls) -> Rules:
        """Return the rules of East-South at Tenhou with red fives and open tanyao: the default everywhere."""
        return cls()

    @classmethod
    def tenhou_east(cls) -> Rules:
        """Return the rules of East-only games at Tenhou."""
        return cls(length="east")

    @classmethod
    def tenhou_2009(cls) -> Rules:
        """Return the rules of East-South at Tenhou until May 2010."""
        return cls(dealer_stop="win")

    @classmethod
    def tenhou_east_2009(cls) -> Rules:
        """Return the rules of East-only games at Tenhou in 2009 and before."""
        return cls(length="east", dealer_stop="win", east_into_west=True, uma=(10, 5, -5, -10))

    @classmethod
    def mahjong_soul(cls) -> Rules:
        """Return the rules of East-South ranked games at Mahjong Soul."""
        return cls(
            return_points=25000,
            uma=(15, 5, -5, -15),
            abort_triple_ron=False,
            double_yakuman=True,
            liability_whole=False,
            thirteen_orphans_rob_closed_kong=True,
        )

    @classmethod
    def m_league(cls) -> Rules:
        """Return the rules of official M.League games."""
        return cls(
            uma=(30, 10, -10, -30),
            ties="shared",
            multiple_ron="head_bump",
            abort_triple_ron=False,
            abort_nine_terminals=False,
            abort_four_winds=False,
            abort_four_riichi=False,
            abort_four_kongs=False,
            open_kong_dora="immediate",
            bust=False,
            dealer_stop="never",
            west_entry=False,
            counted_yakuman=False,
            kiriage_mangan=True,
            nagashi_mangan=False,
            liability_kongs=True,
            liability_whole=False,
            double_wind_fu=2,
            riichi_min_points=0,
            riichi_below_zero=True,
            riichi_min_tiles=1,
            closed_kong_in_riichi="same_hand",
        )

    @classmethod
    def preset(cls, name: str) -> Rules:
        """Return the preset with this name; raise RulesError, listing the presets, if there is none."""
        if name not in PRESETS:
            raise RulesError(f"rules: no preset {name!r}; there are {', '.join(PRESETS)}")
        return PRESETS[name]

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Rules:
        """Build rules from plain values (`{"preset": "tenhou", "red_fives": false}`); unknown fields are refused."""
        rest = dict(values)
        base = cls.preset(str(rest.pop("preset", "tenhou")))
        unknown = set(rest) - {field.name for field in dataclasses.fields(cls)}
        if unknown:
            raise RulesError(f"rules: unknown field {', '.join(sorted(map(str, unknown)))}")
        if isinstance(rest.get("uma"), list):
            rest["uma"] = tuple(rest["uma"])
        return dataclasses.replace(base, **rest)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that `from_dict` reads back."""
        return {**dataclasses.asdict(self), "uma": list(self.uma)}

    def to_record(self) -> np.ndarray:
        """Return the compiled form, a zero-dimensional RULES array; choices are stored by position."""
        record = np.zeros((), RULES)
        hints = _hints()
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if typing.get_origin(hints[field.name]) is Literal and isinstance(value, str):
                value = typing.get_args(hints[field.name]).index(value)
            elif field.name == "uma":
                value = [round(part * 10) for part in value]
            record[field.name] = value
        return record


def _rules_dtype() -> np.dtype:
    wide = {"starting_points", "target_points", "return_points", "riichi_min_points", "repeat_points"}
    parts: list[tuple] = []
    for field in dataclasses.fields(Rules):
        if field.name == "uma":
            parts.append(("uma", np.int16, (4,)))  # tenths of a thousand
        else:
            parts.append((field.name, np.int32 if field.name in wide else np.uint8))
    return np.dtype(parts, align=True)


#: The compiled form of `Rules`: the same fields, with booleans as 0/1, choices by position, uma in hundreds of points.
RULES = _rules_dtype()

PRESETS: dict[str, Rules] = {
    "tenhou": Rules.tenhou(),
    "tenhou_east": Rules.tenhou_east(),
    "tenhou_2009": Rules.tenhou_2009(),
    "tenhou_east_2009": Rules.tenhou_east_2009(),
    "mahjong_soul": Rules.mahjong_soul(),
    "m_league": Rules.m_league(),
}

EAST_ONLY = 0  # Rules.length
DEALER_STOP_NEVER, DEALER_STOP_AUTOMATIC, DEALER_STOP_CHOICE, DEALER_STOP_WIN = range(4)
SWAP_ALLOWED, SWAP_SAME, SWAP_FORBIDDEN = range(3)
KONG_NEVER, KONG_SAME_WAITS, KONG_SAME_HAND = range(3)
OPEN_KONG_DORA_DISCARD = 0
MULTIPLE_RON_ALL = 0
LEFTOVER_BETS_FIRST = 0
TIES_SEAT = 0
ROUNDING_NONE = 0
