"""The pairs of logged games, found another way: the flow itself is asked, with networks that answer as the seats did.

What of that a log hides is taken out again here, in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simulator.logs.model import GameLog
from simulator.lookup import get_lookup
from simulator.record import (
    ACTIONS,
    DECLARE_RIICHI,
    DISCARD_DRAWN,
    DISCARD_RED,
    EVENT_DISCARD,
    EVENT_DORA,
    EVENT_NO_WINNER,
    EVENT_OPEN_KONG,
    EVENT_PONG,
    EVENT_RIICHI_ACCEPTED,
    EVENT_WIN,
    GAME,
    NINE_TERMINALS,
    PHASE_CLAIM,
    RESULT_TRIPLE_RON,
    RON,
    SEATS,
    TSUMO,
    WORD_BITS,
)
from simulator.tables import Decisions
from suphx.agent.flow import Flow, Sampling
from suphx.agent.model_decisions import MODEL_DECISION
from suphx.dataset.pairs import COUNTS, collect_pairs
from suphx.dataset.prepared import Prepared
from suphx.features.layout import CALL_PLANES, PLANES
from suphx.features.positions import Position, positions_of_round
from suphx.networks.models import MODELS, NO, YES

ALL_SEATS = (1 << SEATS) - 1
ALL_MODELS = (1 << len(MODELS)) - 1
BY_RULE = (TSUMO, RON, NINE_TERMINALS)


class Pair(NamedTuple):
    """One question, its answer, and where it was asked."""

    round: int
    events: int
    """How many events the round had had."""
    seat: int
    model: str
    option: int
    answer: int


# As `collect_pairs` finds them.


@dataclass
class Collected:
    pairs: list[Pair]
    positions: list[np.void]
    """GAME, of each pair."""
    counts: np.ndarray
    """i64[rounds, 4, COUNTS]"""
    kept: int
    """How many positions were kept."""


def collect(
    prepared: Prepared, which: np.ndarray | None = None, seats: int = ALL_SEATS, wanted: int = ALL_MODELS
) -> Collected:
    """Return the pairs of some rounds (by default all) and seats; wanted: bits of the models."""
    which = np.arange(len(prepared.rounds)) if which is None else which
    counts = np.zeros((len(which), SEATS, COUNTS), np.int64)
    logs = (prepared.rules_records(), prepared.rounds, prepared.events, prepared.absent)
    chosen_seats = np.full(len(which), seats)

    def write(positions: np.ndarray, pairs: np.ndarray) -> tuple[int, int]:
        counts[:] = 0
        tables = np.zeros(3, GAME)
        return collect_pairs(get_lookup(), tables, *logs, which, chosen_seats, wanted, positions, pairs, counts)

    kept, n = write(np.zeros(0, GAME), np.zeros(0, MODEL_DECISION))  # how much room they need
    assert n >= 0, f"round {-1 - kept} cannot be replayed"
    positions, pairs = np.zeros(kept, GAME), np.zeros(n, MODEL_DECISION)
    assert write(positions, pairs) == (kept, n)
    chosen = [model for model in range(len(MODELS)) if wanted >> model & 1]
    of_seats = [seat for seat in range(SEATS) if seats >> seat & 1]
    rounds = np.repeat(which, counts[:, of_seats][:, :, chosen].sum(axis=(1, 2)))
    at = [positions[pair["position"]] for pair in pairs]
    found = [
        Pair(int(number), int(game["n_events"]), int(pair["seat"]), MODELS[pair["model"]], *map(int, answered(pair)))
        for number, game, pair in zip(rounds, at, pairs, strict=True)
    ]
    return Collected(found, at, counts, kept)


def answered(pair: np.void) -> tuple[int, int]:
    return pair["option"], pair["action"]


# As the flow asks.


class Followers:
    """Networks and their encoder: each answers a decision as the seat did in the log."""

    def __init__(self, actions: list[int], kinds: list[int]) -> None:
        """actions: by decision, which are rows of the batch; kinds: the kinds discarded, or -1."""
        self.networks = {model: self._network(model) for model in MODELS}
        self._actions, self._kinds = actions, kinds

    def positions(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        planes = np.zeros((len(index), PLANES), np.uint64)
        planes[:, 0] = index
        return planes

    def proposals(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> np.ndarray:
        planes = np.zeros((len(index), CALL_PLANES), np.uint64)
        planes[:, 0], planes[:, 1] = index, actions
        return planes

    def _network(self, model: str) -> Callable[[np.ndarray], np.ndarray]:
        def answer(planes: np.ndarray) -> np.ndarray:
            logits = np.zeros((len(planes), 34 if model == "discard" else 2), np.float32)
            for row, (decision, proposed) in enumerate(planes[:, :2].astype(int).tolist()):
                option = DECLARE_RIICHI if model == "riichi" else proposed
                if model == "discard":
                    logits[row, self._kinds[decision]] = self._kinds[decision] >= 0
                else:
                    logits[row, YES if self._actions[decision] == option else NO] = 1
            return logits

        return answer


def discarded_kind(game: np.void, action: int) -> int:
    if action == DISCARD_DRAWN:
        return int(game["drawn"]) // 4
    if action >= DISCARD_RED:
        return {DISCARD_RED: 4, DISCARD_RED + 1: 13, DISCARD_RED + 2: 22}.get(action, -1)
    return action


def hides(position: Position, events: np.ndarray) -> set[str]:
    """Return the models whose answers a log does not show, by what was done instead."""
    if position.action in BY_RULE:
        return set(MODELS)
    if position.games["phase"][0] != PHASE_CLAIM:
        return set()
    shown = (EVENT_DORA, EVENT_RIICHI_ACCEPTED)
    then = next(event for event in events[position.event :] if event["type"] not in shown)
    won = then["type"] == EVENT_WIN
    if won or (then["type"] == EVENT_NO_WINNER and then["tile"] == RESULT_TRIPLE_RON):
        return set(MODELS)
    taken = then["type"] in (EVENT_PONG, EVENT_OPEN_KONG) and then["seat"] != position.seat
    return {"chow"} if taken else set()


def is_away(log: GameLog, number: int, event: int, seat: int) -> bool:
    """Return whether a seat had left the table before an event of a round."""
    before = [each for each in log.connections if each.seat == seat and (each.round, each.event) <= (number, event)]
    return bool(before) and not before[-1].present


@dataclass
class Asked:
    """What the flow asks in one game, and what it was not asked."""

    pairs: list[Pair]
    tables: dict[tuple[int, int], np.void]
    """GAME by round and number of events."""
    forced: np.ndarray
    """i64[rounds, 4]: discards that nobody was asked about."""
    hidden: dict[str, int]
    """How many questions a log hides, by what the seat was asked."""
    by_rule: int
    """Decisions that the flow's rules make otherwise than the seat did."""


def flow_pairs(log: GameLog, first: int = 0) -> Asked:
    """Return the pairs of a game by asking the flow; its rounds are counted from `first`."""
    found = [(n, each) for n, this in enumerate(log.rounds) for each in positions_of_round(log.rules, this)]
    games = np.concatenate([each.games for _, each in found])
    actions = [each.action for _, each in found]
    seats = np.array([each.seat for _, each in found], np.uint8)
    kinds = [discarded_kind(*each) for each in zip(games, actions, strict=True)]
    words = games["legal"][np.arange(len(games)), seats].astype(np.int64)
    legal = np.array([words[:, a // WORD_BITS] >> (a % WORD_BITS) & 1 for a in range(ACTIONS)], bool).T
    decisions = Decisions(np.arange(len(games), dtype=np.int32), seats, games["phase"], legal)
    followers = Followers(actions, kinds)
    choice = Flow(followers.networks, followers, Sampling()).act(games, decisions)
    decided: list[list[tuple[str, int]]] = [[] for _ in found]
    for output in choice.outputs:
        for row, option in zip(output.decision.tolist(), output.option.tolist(), strict=True):
            decided[row].append((output.model, option))

    result = Asked([], {}, np.zeros((len(log.rounds), SEATS), np.int64), dict.fromkeys(MODELS, 0), 0)
    for n, this in enumerate(log.rounds):
        for at in np.flatnonzero(this.events["type"] == EVENT_DISCARD).tolist():
            seat = int(this.events["seat"][at])
            result.forced[n, seat] += not is_away(log, n, at, seat)
    for row, (n, each) in enumerate(found):
        if is_away(log, n, each.event, each.seat):
            continue
        game, chosen = games[row], int(choice.actions[row])
        if chosen in BY_RULE:
            assert not decided[row]
            result.by_rule += chosen != each.action
            result.forced[n, each.seat] -= kinds[row] >= 0
        elif each.action not in BY_RULE:
            same = chosen == each.action or discarded_kind(game, chosen) == kinds[row] >= 0
            assert same, "the flow does what the seat did"
        hidden = hides(each, log.rounds[n].events)
        for model, option in decided[row]:
            if model in hidden:
                result.hidden[model] += 1
                continue
            answer = kinds[row] if model == "discard" else int(option == each.action)
            result.forced[n, each.seat] -= model == "discard"
            result.pairs.append(Pair(first + n, int(game["n_events"]), each.seat, model, option, answer))
            result.tables[first + n, int(game["n_events"])] = game
    return result
