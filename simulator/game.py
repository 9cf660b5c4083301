"""`Game`: a single game, played step by step.

```
game = Game(seed=1)
while not game.over:
    actions = {seat: random.choice(seen.legal_actions()) for seat, seen in game.observations().items()}
    game.step(actions)
print(game.scores, game.ranks)
```
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from simulator.actions import Event, legal_actions, legal_mask, read_reply
from simulator.logs.mjai_writer import player_view
from simulator.logs.model import MOST_POINTS
from simulator.record import GAME, PHASE_DEAL, PHASE_GAME_OVER, SEATS
from simulator.rules import Rules
from simulator.tables import IllegalAction, Tables
from simulator.tiles import NotationError
from simulator.views.mjai_events import EventFeed
from simulator.views.observation import Observation, observe
from simulator.views.results import RoundResult, round_result
from simulator.views.table import TableView, table_view
from simulator.walls import TenhouWalls, build_wall

#: What `step` takes for one seat: an action, its number, an mjai event, mjai JSON, or None for a pass.
Reply = int | str | bytes | Event | None


class _Observations(dict[int, Observation]):
    """Observations by seat; asking for that of another seat says which there are."""

    def __missing__(self, seat: int) -> Observation:
        raise KeyError(f"seat {seat} has nothing to choose, but {tuple(self)}; Game.observation(seat) is for any seat")


class GameOver(ValueError):
    """`step` was called in a game that is over."""


def _whole(name: str, value: object) -> int:
    """Return a whole number; raise ValueError, naming the argument, for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ValueError(f"{name} is {value!r}, not a whole number")
    return int(value)


def rules_given(rules: Rules | str | None) -> Rules:
    """Return rules, those of a preset's name, or Tenhou's; raise ValueError for anything else."""
    if not isinstance(rules, Rules | str | None):
        raise ValueError(f"rules is {rules!r}, neither Rules nor the name of a preset")
    return Rules.preset(rules) if isinstance(rules, str) else rules or Rules.tenhou()


class Game:
    """One game. Decisions with a single legal action are made, and following rounds are dealt, automatically."""

    def __init__(
        self, rules: Rules | str | None = None, seed: int = 0, *, wall: np.ndarray | None = None,
        tenhou_seed: str | None = None, names: Sequence[str] = ("", "", "", ""),
    ) -> None:  # fmt: skip
        """Deal the first round.

        Args:
            rules: the rules of the game, or the name of a preset such as `"m_league"`; Tenhou's by default.
            seed: random seed that determines all walls; 0 to 2^64 - 1.
            wall: u8[136], the wall of the first round, as in `simulator.walls`; later walls come from the seed.
            tenhou_seed: the SHUFFLE seed of a Tenhou log; if given, the walls come from it instead.
            names: names of the four seats, for the mjai events.

        Raises:
            ValueError: if the wall, a seed, the name of the rules or the number of names is not valid.
        """
        rules, seed = rules_given(rules), _whole("seed", seed)
        walls = None if tenhou_seed is None else TenhouWalls(tenhou_seed)
        source = None if walls is None else lambda *_: walls.next_round()[0]
        self._tables = Tables(1, rules, seed, restart=False, walls=source)
        if wall is not None:
            self._tables.set_wall(0, wall)
            self._tables.restart([0], [0])
        self._begin(names)

    def _begin(self, names: Sequence[str]) -> None:
        if len(names) != SEATS:
            raise ValueError(f"{len(names)} names for {SEATS} seats")
        self.results: list[RoundResult] = []
        """How each finished round ended."""
        self.events: list[Event] = []
        """All mjai events so far, with no tile hidden."""
        self._seen_by: list[list[Event]] = [[] for _ in range(SEATS)]
        self._n_seen = [0] * SEATS
        self._feed = EventFeed()
        self._add([{"type": "start_game", "names": list(names)}])
        self._add(self._feed.new(self.record))

    @classmethod
    def from_hands(
        cls, hands: Sequence[str] = (), draws: str = "", indicator: str = "", *, ura: str = "", replacements: str = "",
        last: str = "", round: int = 0, repeat_counter: int = 0, bets: int = 0, scores: Sequence[int] | None = None,
        rules: Rules | str | None = None, seed: int = 0,
    ) -> Game:  # fmt: skip
        """Return a game that begins with a round dealt from tiles in notation (see `walls.build_wall`).

        Args:
            hands: tiles of seats 0 to 3, up to thirteen each; missing tiles are dealt at random. The dealer's hand may
                include the first draw as its fourteenth tile.
            draws: tiles of the live wall in the order in which they are drawn.
            indicator: dora indicators: the first one, then those that kongs reveal.
            ura: the ura indicators under them.
            replacements: tiles drawn after kongs.
            last: the last tiles of the live wall.
            round: 0 = East 1 .. 11 = West 4; its dealer is seat `round % 4`.
            repeat_counter: number of repeat counters (honba).
            bets: number of riichi bets on the table.
            scores: points of the seats; the rules' starting points if not given.
            rules: the rules of the game, or the name of a preset; Tenhou's by default.
            seed: random seed for the tiles that are not given, and for the later rounds.

        Raises:
            NotationError: if tiles cannot be read, do not fit where they are placed, or occur too often.
            ValueError: if the round, the counters or the scores are out of range.
        """
        for hand in hands:
            if not isinstance(hand, str):
                raise NotationError(f"hands has {hand!r}, not tiles in notation such as 123m406p77z")
        rules, round = rules_given(rules), _whole("round", round)
        repeat_counter, bets = _whole("repeat_counter", repeat_counter), _whole("bets", bets)
        scores = [rules.starting_points] * SEATS if scores is None else list(scores)
        if not (0 <= round < 12 and 0 <= repeat_counter < 256 and 0 <= bets < 256):
            raise ValueError(f"round {round} must be 0..11, repeat counter {repeat_counter} and bets {bets} 0..255")
        if len(scores) != SEATS or any(score % 100 or abs(score) > MOST_POINTS for score in scores):
            raise ValueError(f"scores {scores} must be {SEATS} multiples of 100, none beyond {MOST_POINTS:,}")
        dealer = round % SEATS
        game = cls(rules, seed)
        records = game._tables.snapshot()
        record = records[0]
        record["wall"] = build_wall(
            hands, draws, dealer=dealer, indicators=indicator, ura=ura, replacements=replacements, last=last,
            seed=seed, red_fives=rules.red_fives,
        )  # fmt: skip
        record["wall_given"], record["phase"], record["deals"] = 1, PHASE_DEAL, 0
        record["round"], record["dealer"] = round, dealer
        record["repeat_counter"], record["bets"], record["scores"] = repeat_counter, bets, scores
        return cls.from_record(record, rules)

    @classmethod
    def from_record(cls, record: np.void, rules: Rules, names: Sequence[str] = ("", "", "", "")) -> Game:
        """Return a game that continues from a GAME record, such as one of `Tables.games`; the record is not changed.

        The mjai events begin with the record's round. Raises ValueError if its `rules` are not the ones given.
        """
        if record["rules"] != rules.to_record():
            raise ValueError("the record was played under other rules")
        game = cls.__new__(cls)
        game._tables = Tables(1, rules, restart=False)
        game._tables.restore(np.array([record], GAME))
        game._begin(names)
        return game

    def copy(self) -> Game:
        """Return an independent copy that continues from here.

        If the walls come from a Tenhou seed, the copy takes its later walls from the `seed` of the record instead.
        """
        other = Game.from_record(self.record, self.rules)
        other.results, other.events = list(self.results), list(self.events)
        other._seen_by, other._n_seen = [list(seen) for seen in self._seen_by], list(self._n_seen)
        return other

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._tables.rules

    @property
    def record(self) -> np.void:
        """The GAME record itself, not a copy: writing to it changes the game."""
        return self._tables.games[0]

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return bool(self.record["phase"] == PHASE_GAME_OVER)

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of each seat."""
        return tuple(self.record["scores"].tolist())

    @property
    def ranks(self) -> tuple[int, ...] | None:
        """Rank of each seat, 1 to 4, once the game is over."""
        return tuple(rank + 1 for rank in self.record["result"]["ranks"].tolist()) if self.over else None

    @property
    def final_points(self) -> tuple[float, ...] | None:
        """Final points of each seat in thousands, uma and oka included, once the game is over."""
        return tuple(points / 10 for points in self.record["result"]["final_points"].tolist()) if self.over else None

    @property
    def seats_to_act(self) -> tuple[int, ...]:
        """Seats that must choose now; more than one if several seats may claim a discard or kong."""
        return tuple(seat for seat in range(SEATS) if self.record["pending"] >> seat & 1)

    def observations(self) -> dict[int, Observation]:
        """Return what each seat that must choose sees; empty once the game is over."""
        return _Observations({seat: self.observation(seat) for seat in self.seats_to_act})

    def observation(self, seat: int) -> Observation:
        """Return what a seat sees now, asked or not; its `new_events` are those since it last chose.

        While others decide on a claim, a seat that is not asked can tell that somebody does, as at a real table.
        """
        return observe(self.record, seat, self._seen_by[seat], self._n_seen[seat])

    def mask(self, seat: int) -> np.ndarray:
        """Return bool[ACTIONS]: the actions that a seat may choose; all False if it is not asked."""
        return legal_mask(self.record, seat)

    def step(self, actions: Mapping[int, Reply] | Reply) -> RoundResult | None:
        """Carry out the choices of all asked seats; return how the round ended, or None if it goes on.

        actions: maps each asked seat to an `Action`, its number, an mjai event, mjai JSON or None for a pass; if only
        one seat is asked, its action alone will do. Raises IllegalAction (the game is unchanged then), ValueError if
        the seats are not those that are asked, and GameOver.
        """
        seats = self.seats_to_act
        if not seats:
            raise GameOver("the game is over")
        if isinstance(actions, Mapping) and "type" not in actions:
            replies: dict[Any, Reply] = dict(actions)
        elif len(seats) == 1:
            replies = {seats[0]: cast(Reply, actions)}
        else:
            raise ValueError(f"seats {seats} must choose: give a dict with an action for each")
        if set(replies) != set(seats):
            raise ValueError(f"seats {seats} must choose, not {tuple(replies)}")
        chosen = [self._read(seat, replies[seat]) for seat in seats]
        for seat in seats:
            self._n_seen[seat] = len(self.events)
        ended = self._tables.step(np.array(chosen, np.int64))
        if not len(ended):
            self._add(self._feed.new(self.record))
            return None
        self._add(self._feed.end_round(ended.records[0]))
        result = round_result(ended.records[0], self.rules)
        self.results.append(result)
        if not result.game_over:
            self._add(self._feed.new(self.record))
        return result

    def _read(self, seat: int, reply: Reply) -> int:
        """Return the number of the legal action that a reply means; raise IllegalAction if there is none."""
        mask = self.mask(seat)
        if isinstance(reply, (int, np.integer)):
            if not 0 <= reply < len(mask) or not mask[reply]:
                raise IllegalAction(0, seat, int(reply), mask)
            return int(reply)
        return int(read_reply(reply, seat, legal_actions(self.record, seat, mask)))

    def _add(self, events: Sequence[Event]) -> None:
        self.events += events
        for seat in range(SEATS):
            self._seen_by[seat] += player_view(events, seat)

    def to_mjai(self) -> str:
        """Return the events so far as mjai JSON lines, with no tile hidden."""
        return "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in self.events)

    def view(self, seat: int | None = None) -> TableView:
        """Return a view of the table as one seat sees it, or with all hands open if no seat is given."""
        return table_view(self.record, range(SEATS) if seat is None else (seat,))

    def __str__(self) -> str:
        """Return a picture of the table with all hands open; `print(game.view(seat))` shows one seat's view."""
        if not self.over:
            return str(self.view())
        order = sorted(range(SEATS), key=lambda seat: (self.ranks or ())[seat])
        points = self.final_points or ()
        lines = [f"{place}. seat {seat} {self.scores[seat]:>7,} {points[seat]:+.1f}"
                 for place, seat in enumerate(order, 1)]  # fmt: skip
        return "\n".join(["game over", *lines])

    def _repr_html_(self) -> str:
        """Return the picture that notebooks show: the table with all hands open, or how the game ended."""
        return f"<pre>{self}</pre>" if self.over else self.view().html()
