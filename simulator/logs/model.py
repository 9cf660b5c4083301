"""The format-independent form of a log: every reader produces it and every writer takes it.

Tiles are physical ids (see `simulator.tiles`). For formats that only name kinds, the reader assigns consistent ids.
What a format does not state is None and is not verified.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from unicodedata import category

import numpy as np

from simulator.rules import Rules

#: One event of a round as stated by a log. `type` is an EVENT_* of `simulator.record`.
LOG_EVENT = np.dtype([
    ("type", "u1"),
    ("seat", "u1"),  # the acting seat; 0 for EVENT_DORA and EVENT_NO_WINNER
    ("tile", "u1"),  # as in the record's events: drawn, discarded, called, added, lowest of a closed kong, indicator
    ("source", "u1"),  # chow, pong, open kong, win: seat the tile came from (tsumo: the winner); else NO_SEAT
    ("consumed", "u1", (3,)),  # calls: own tiles used, ascending; closed kong: the three higher ones; else NO_TILE
    ("drawn", "u1"),  # discards: 1 if it was the tile just drawn
])  # fmt: skip


def shown_text(text: str) -> str:
    """Return the text of a log, or a name, made safe for printing: control characters are escaped."""
    return "".join(char if char.isprintable() or category(char) == "Zs" else repr(char)[1:-1] for char in text)


class LogError(ValueError):
    """A log cannot be read or is inconsistent; the message names the file and the place in it."""

    def __init__(self, message: str, source: str = "", place: str = "") -> None:
        self.message, self.source, self.place = message, source, place
        super().__init__(shown_text(": ".join(part for part in (source, place, message) if part)))


class SkippedLog(LogError):
    """A log is valid but of an unsupported game, such as a three-player one; counted separately from errors."""


#: Largest absolute value of a seat's points that is accepted.
MOST_POINTS = 10_000_000
#: Most han of any single item of a win: dora, with four tiles for each of five indicators.
MOST_HAN = 20
_MOST_RATE = 1_000_000


def checked_rates(rates: Sequence[float]) -> list[float]:
    """Return the players' rates as floats; raise LogError for impossible ones, such as infinity, NaN or 10^400."""
    if not all(abs(rate) < _MOST_RATE for rate in rates):
        raise LogError(f"`rate` has a number that is not between {-_MOST_RATE:,} and {_MOST_RATE:,}")
    return [float(rate) for rate in rates]


def check_texts(texts: Iterable[str]) -> None:
    """Raise LogError for a text with an unpaired surrogate: JSON can escape one, but UTF-8 cannot encode it."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise LogError(f"{text[:40]!a} has half a surrogate pair, which is not a character") from error


class Places:
    """The place of each event in the file, stored as a number and formatted only for messages: `tag 17`, `line 3`."""

    def __init__(self, unit: str = "", numbers: Sequence[int] | np.ndarray = ()) -> None:
        self.unit, self.numbers = unit, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: int) -> str:
        return f"{self.unit} {self.numbers[index]}"


@dataclass(frozen=True)
class Connection:
    """A seat disconnected or reconnected; in between the server made its discards."""

    round: int
    """Index in `GameLog.rounds`."""
    event: int
    """Number of events of that round before it."""
    seat: int
    present: bool


@dataclass
class WinLog:
    """One win as stated by a log."""

    seat: int
    source: int
    tile: int | None = None
    fu: int | None = None
    points: int | None = None
    """Points of the hand from all payers together, without bets and repeat counters."""
    yaku: list[tuple[int, int]] | None = None
    """(Tenhou's yaku number, han) as stated, including dora (52), ura (53) and red fives (54); yakuman with 13 han."""
    yakuman: bool = False
    han: int | None = None
    """With dora; None for a yakuman."""
    limit: int | None = None
    """By Tenhou's number: 0 none, 1 mangan, 2 haneman, 3 baiman, 4 sanbaiman, 5 yakuman."""
    mjai_yaku: dict[str, int] | None = None
    """mjai's names of the yaku, each with the sum of its han; the same dragon counts once for each dragon."""
    hand: list[int] | None = None
    """Concealed tiles, ascending, the winning tile included."""
    meld_codes: list[int] | None = None
    """Tenhou's codes of the melds, the last one first."""
    table: tuple[int, int] | None = None
    """Repeat counter and riichi bets that this win pays out."""
    indicators: list[int] | None = None
    """All dora indicators shown, including the first one."""
    ura_indicators: list[int] | None = None
    liable: int | None = None
    """The seat that pays for the winner's yakuman; None for nobody, or where the format does not say."""
    says_liable: bool = True
    deltas: list[int] | None = None


@dataclass(frozen=True)
class Standing:
    """The points of all seats, riichi bets taken off, as stated within a round."""

    event: int
    """Number of events of the round before it."""
    scores: list[int]


@dataclass
class RoundLog:
    """One round as stated by a log."""

    round: int
    """0 = East 1."""
    repeat_counter: int
    bets: int
    dealer: int
    scores: list[int]
    """Points at the start."""
    hands: list[list[int]]
    """Thirteen tiles of each seat."""
    indicator: int
    events: np.ndarray
    """LOG_EVENT[n], EVENT_WIN and EVENT_NO_WINNER included; EVENT_DORA where the log shows it."""
    wins: list[WinLog] = field(default_factory=list)
    draw_type: int | None = None
    """RESULT_* of a round without a winner."""
    tenpai: list[bool] | None = None
    """For a round without a winner: the seats that show their hands (tenpai, or nine terminals)."""
    shown: list[list[int] | None] | None = None
    """The hands that they show, ascending; None for the others."""
    table: tuple[int, int] | None = None
    """For a round without a winner: repeat counter and riichi bets at its end."""
    standings: list[Standing] = field(default_factory=list)
    deltas: list[int] | None = None
    """Points each seat gains at the end of the round, summed over all wins."""
    dice: tuple[int, int] | None = None
    places: Places = field(default_factory=Places)
    """The place of each event in the file, for messages; may be empty."""

    @property
    def has_result(self) -> bool:
        """Whether the round is whole, with its winners or the kind of its draw."""
        return bool(self.wins) or self.draw_type is not None


@dataclass
class GameLog:
    """One game as stated by a log."""

    rules: Rules
    rounds: list[RoundLog]
    unsure: str = ""
    """Why not all rules of the game are known; what differs is then counted apart from contradictions."""
    missing: str = ""
    """That the text of the log ends early, and what of it was read."""
    remark: str = ""
    """What is wrong with the text without a loss, such as an attribute that it states twice."""
    names: list[str] = field(default_factory=lambda: ["", "", "", ""])
    source: str = ""
    """Path of the file, including its path within an archive."""
    seed: str | None = None
    """Tenhou's SHUFFLE seed, `mt19937ar-sha512-n288-base64,...`."""
    ref: str = ""
    """The game's id: at Tenhou `2024010100gm-00a9-0000-0123abcd`, at Mahjong Soul a UUID after a date."""
    date: str = ""
    """As the log states it."""
    lobby: str = ""
    """Tenhou's number of the lobby; 0000 is the ranked one."""
    own_rules: bool = False
    """The log says that its lobby has rules of its own."""
    room: str = ""
    """`normal`, `advanced`, `expert`, `phoenix`, or whatever the log states."""
    dan: list[int] | None = None
    """Tenhou's rank numbers, 0 = beginner, 10 = 1 dan, 20 = Tenhoui."""
    rates: list[float] | None = None
    first_dealer: int = 0
    final_scores: list[int] | None = None
    final_points: list[float] | None = None
    cut: RoundLog | None = None
    """The beginning of a round that has no result, after all others: the log ends there."""
    connections: list[Connection] = field(default_factory=list)

    @property
    def played(self) -> list[RoundLog]:
        """All rounds, the one that is cut off included."""
        return [*self.rounds, *([self.cut] if self.cut else [])]

    def settle_cut(self) -> None:
        """Move a last round without a result to `cut`; raise LogError if another round has none."""
        if self.rounds and not self.rounds[-1].has_result:
            self.cut = self.rounds.pop()
        for number, each in enumerate(self.rounds, 1):
            if not each.has_result:
                raise LogError("the round has no result, but the log goes on", self.source, f"round {number}")
