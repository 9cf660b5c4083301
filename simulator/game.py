"""`Game`: one table played by hand.

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
from simulator.logs.mjai_writer import event_view
from simulator.logs.model import MOST_POINTS
from simulator.mjai_events import round_events, start_round
from simulator.observation import Observation, observe
from simulator.record import GAME, PHASE_DEAL, PHASE_GAME_OVER, SEATS
from simulator.results import RoundResult, round_result
from simulator.rules import Rules
from simulator.tables import IllegalAction, Tables
from simulator.view import TableView, table_view
from simulator.wall import TenhouWalls
from simulator.wall_building import build_wall

#: What `step` takes for one seat: an action, its number, an mjai event, mjai JSON, or None for a pass.
Reply = int | str | bytes | Event | None


class GameOver(ValueError):
    """A step in a game that is over."""


class Game:
    """One game. Decisions with a single legal action play themselves; rounds follow one another by themselves."""

    def __init__(
        self, rules: Rules | None = None, seed: int = 0, *, wall: np.ndarray | None = None,
        tenhou_seed: str | None = None, names: Sequence[str] = ("", "", "", ""),
    ) -> None:  # fmt: skip
        """Deal the first round.

        Args:
            rules: Tenhou's by default.
            seed: names all walls; 0 to 2^64 - 1.
            wall: u8[136] for the first round, as in `simulator.wall`; later ones come from the seed.
            tenhou_seed: the SHUFFLE seed of a Tenhou log, where all walls come from then.
            names: of the seats, for the mjai events.

        Raises:
            ValueError: for a wall or a Tenhou seed that is none.
        """
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
        """How each round so far ended."""
        self.events: list[Event] = []
        """All mjai events so far, all tiles open."""
        self._seen_by: list[list[Event]] = [[] for _ in range(SEATS)]
        self._n_seen = [0] * SEATS
        self._in_round = 0
        self._add([{"type": "start_game", "names": list(names)}])
        self._note_round()

    @classmethod
    def from_hands(
        cls, hands: Sequence[str] = (), draws: str = "", indicator: str = "", *, ura: str = "", replacements: str = "",
        last: str = "", round: int = 0, repeat_counter: int = 0, bets: int = 0, scores: Sequence[int] | None = None,
        rules: Rules | None = None, seed: int = 0,
    ) -> Game:  # fmt: skip
        """Return a game that begins with a round dealt from written tiles (`wall_building.build_wall`).

        Args:
            hands: tiles of seats 0 to 3, up to thirteen; `""` is filled up. The dealer's may have its first draw too.
            draws: tiles of the live wall in the order in which they are drawn.
            indicator: dora indicators, the first one and those of kongs.
            ura: indicators under them.
            replacements: tiles drawn after kongs.
            last: the last tiles of the live wall.
            round: 0 = East 1 .. 11 = West 4; its dealer is seat `round % 4`.
            repeat_counter: repeat counters (honba).
            bets: riichi bets on the table.
            scores: points of the seats; the rules' starting points if not given.
            rules: Tenhou's by default.
            seed: fills up what is not written, and deals the later rounds.

        Raises:
            NotationError: for tiles that cannot be read, do not fit or are too many.
            ValueError: for a round, counters or scores out of range.
        """
        rules = rules or Rules.tenhou()
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
        """Return a game that goes on from a GAME record, such as one of `Tables.games`, which stays as it is.

        The mjai events begin with the record's round; its `rules` must be the ones given.
        """
        if record["rules"] != rules.to_record():
            raise ValueError("the record was played by other rules")
        game = cls.__new__(cls)
        game._tables = Tables(1, rules, restart=False)
        game._tables.restore(np.array([record], GAME))
        game._begin(names)
        return game

    def copy(self) -> Game:
        """Return a game that goes on from here on its own; walls of a Tenhou seed go on from the game's own seed."""
        other = Game.from_record(self.record, self.rules)
        other.results, other.events = list(self.results), list(self.events)
        other._seen_by, other._n_seen = [list(seen) for seen in self._seen_by], list(self._n_seen)
        return other

    @property
    def rules(self) -> Rules:
        """The rules that it is played by."""
        return self._tables.rules

    @property
    def record(self) -> np.void:
        """The GAME record itself; what is written into it changes the game."""
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
    def asked(self) -> tuple[int, ...]:
        """Seats that must choose now; several where a discard or kong may be claimed by several."""
        return tuple(seat for seat in range(SEATS) if self.record["pending"] >> seat & 1)

    def observations(self) -> dict[int, Observation]:
        """Return what each seat that must choose sees. Empty once the game is over."""
        return {seat: self.observation(seat) for seat in self.asked}

    def observation(self, seat: int) -> Observation:
        """Return what a seat sees now, asked or not; its `new_events` are those since it last chose.

        To a seat that is not asked while others may claim it shows that somebody is thinking, as a table does.
        """
        return observe(self.record, seat, self._seen_by[seat], self._n_seen[seat])

    def mask(self, seat: int) -> np.ndarray:
        """Return bool[ACTIONS], what a seat may choose; all False if it is not asked."""
        return legal_mask(self.record, seat)

    def step(self, actions: Mapping[int, Reply] | Reply) -> RoundResult | None:
        """Carry out what every asked seat chooses, and return how the round ended if it did.

        actions: by seat an `Action`, its number, an mjai event, mjai JSON or None for a pass; without a seat where
        only one is asked. Raises IllegalAction (nothing has changed then), ValueError for seats that do not fit, and
        GameOver.
        """
        asked = self.asked
        if not asked:
            raise GameOver("the game is over")
        if isinstance(actions, Mapping) and "type" not in actions:
            replies: dict[Any, Reply] = dict(actions)
        elif len(asked) == 1:
            replies = {asked[0]: cast(Reply, actions)}
        else:
            raise ValueError(f"seats {asked} must choose: give a dict with an action for each")
        if set(replies) != set(asked):
            raise ValueError(f"seats {asked} must choose, not {tuple(replies)}")
        chosen = [self._read(seat, replies[seat]) for seat in asked]
        for seat in asked:
            self._n_seen[seat] = len(self.events)
        ended = self._tables.step(np.array(chosen, np.int64))
        if not len(ended):
            self._note_events(self.record)
            return None
        last = ended.records[0]
        self._note_events(last)
        self._add([{"type": "end_kyoku"}])
        result = round_result(last, self.rules)
        self.results.append(result)
        self._in_round = 0
        if result.game_over:
            self._add([{"type": "end_game", "scores": list(self.scores)}])
        else:
            self._note_round()
        return result

    def _read(self, seat: int, reply: Reply) -> int:
        """Return the number of a legal action; raise IllegalAction."""
        mask = self.mask(seat)
        if isinstance(reply, (int, np.integer)):
            if not 0 <= reply < len(mask) or not mask[reply]:
                raise IllegalAction(0, seat, int(reply), mask)
            return int(reply)
        return int(read_reply(reply, seat, legal_actions(self.record, seat, mask)))

    def _note_round(self) -> None:
        """Add the events of a round that has been dealt."""
        self._add([start_round(self.record)])
        self._note_events(self.record)

    def _note_events(self, record: np.void) -> None:
        """Add the events of the round that are new in a record of it."""
        self._add(round_events(record, self._in_round))
        self._in_round = int(record["n_events"])

    def _add(self, events: Sequence[Event]) -> None:
        self.events += events
        for seat in range(SEATS):
            self._seen_by[seat] += [event_view(event, seat) for event in events]

    def to_mjai(self) -> str:
        """Return the events so far as mjai JSON lines, all tiles open."""
        return "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in self.events)

    def view(self, seat: int | None = None) -> TableView:
        """Return the table as it lies, as one seat sees it, or with all hands open."""
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
