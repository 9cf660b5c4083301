"""The paper's decision flow (section 2.1, Figure 1), over a batch of decisions at once.

In the own turn: win? kong? riichi? then a discard. On another's discard or kong: win? then chow, pong or kong,
whichever network says yes with the highest confidence. The flow goes in waves: all networks that are asked at the
same step are asked for all decisions together. Forced discards ask nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from simulator.record import (
    ACTIONS,
    ADDED_KONG,
    CHOW_LOW,
    CLOSED_KONG,
    DECLARE_RIICHI,
    DISCARD_RED,
    NINE_TERMINALS,
    NO_ACTION,
    OPEN_KONG,
    PASS,
    PONG,
    STOP,
    WIN_BY_CLAIM,
    WIN_BY_DRAW,
)
from simulator.tables import Decisions
from simulator.tiles import KINDS
from suphx.agent.interface import Choice, Consultation
from suphx.agent.rules import (
    abort_for_nine_terminals,
    discard_actions,
    drawn_tiles,
    legal_kinds,
    win_ends_in_fourth_place,
)
from suphx.agent.sampling import choose, uniform
from suphx.errors import InputError
from suphx.networks.sizes import NO, YES

#: The network that is asked about each action that may be proposed.
PROPOSALS = {
    **dict.fromkeys(range(CHOW_LOW, PONG), "chow"),
    **dict.fromkeys(range(PONG, OPEN_KONG), "pong"),
    OPEN_KONG: "kong",
    **dict.fromkeys(range(CLOSED_KONG, CLOSED_KONG + KINDS), "kong"),
    **dict.fromkeys(range(ADDED_KONG, ADDED_KONG + KINDS), "kong"),
}
_CALL_MODELS = ("chow", "pong", "kong")
_MODEL_OF = np.array([_CALL_MODELS.index(PROPOSALS[a]) if a in PROPOSALS else -1 for a in range(ACTIONS)])
_PROPOSED = np.array(list(PROPOSALS))

#: A network: packed planes uint64[n, planes] -> logits f32[n, 34 or 2].
Network = Callable[[np.ndarray], np.ndarray]


class Encoder(Protocol):
    """What turns decisions into packed planes."""

    def positions(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return uint64[n, 838] for seats u8[n] of games[index[n]]."""
        ...

    def proposals(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Return uint64[n, 958]: the same, and what comes of the proposed chow, pong or kong, actions i64[n]."""
        ...


@dataclass(frozen=True)
class Sampling:
    """How an answer comes of a network's logits."""

    temperature: float | None = None
    """Of the softmax that answers are drawn from, above 0; None takes the likeliest."""
    seed: int = 0
    """Of the random numbers, 0 to 2^64 - 1; with it, a decision draws the same ones in every batch."""

    def __post_init__(self) -> None:
        if self.temperature is not None and not self.temperature > 0:
            raise InputError(f"a temperature is above 0, not {self.temperature}; without one the likeliest is taken")


class Flow:
    """The five networks and the order they are asked in."""

    def __init__(
        self,
        networks: Mapping[str, Network],
        encoder: Encoder,
        sampling: Sampling,
        sampling_of: Mapping[str, Sampling] | None = None,
    ) -> None:
        """networks: by model. sampling_of: of single models, by name, where another one than `sampling`."""
        self.networks = networks
        self.encoder = encoder
        self.sampling_of = dict.fromkeys(networks, sampling) | dict(sampling_of or {})

    def decide(self, games: np.ndarray, asked: Decisions) -> Choice:
        """Choose for each decision of a batch; games GAME[...]."""
        batch = _Batch(self, games, asked)
        batch.apply_rules()
        batch.propose()
        batch.discard()
        return batch.choice()


def decided_by_rules(games: np.ndarray, asked: Decisions) -> np.ndarray:
    """Return i64[n]: the action of each decision that no network is asked about, NO_ACTION for the others.

    Those are the wins that the win rule takes, the end of the game by its dealer, and nine terminals.
    """
    legal, actions = asked.legal, np.full(len(asked), NO_ACTION, np.int64)
    rows = np.flatnonzero(legal[:, WIN_BY_DRAW] | legal[:, WIN_BY_CLAIM])
    rows = rows[~win_ends_in_fourth_place(games, asked.game[rows], asked.seat[rows])]
    actions[rows] = np.where(legal[rows, WIN_BY_DRAW], WIN_BY_DRAW, WIN_BY_CLAIM)
    actions[legal[:, STOP]] = STOP  # only who stands first with the target reached is asked
    rows = np.flatnonzero(legal[:, NINE_TERMINALS] & (actions == NO_ACTION))
    actions[rows[abort_for_nine_terminals(games, asked.game[rows], asked.seat[rows])]] = NINE_TERMINALS
    return actions


class _Batch:
    """A batch of decisions on its way through the flow: each has NO_ACTION until a step decides it."""

    def __init__(self, flow: Flow, games: np.ndarray, asked: Decisions) -> None:
        self._flow = flow
        self._games = games
        self._index, self._seats, self._legal = asked.game, asked.seat, asked.legal
        self._asked = asked
        self._actions = np.full(len(asked), NO_ACTION, np.int64)
        self._consulted: list[Consultation] = []

    def choice(self) -> Choice:
        """Return what came of it."""
        total = np.zeros(len(self._actions), np.float32)
        for each in self._consulted:
            np.add.at(total, each.decision, each.log_probability)
        return Choice(self._actions, total, self._consulted)

    def apply_rules(self) -> None:
        """Decide what no network is asked about."""
        self._actions[:] = decided_by_rules(self._games, self._asked)

    def propose(self) -> None:
        """Ask about every chow, pong and kong that is possible, and make the surest; pass where claims are let go.

        Each option is a question of its own, a chow with the red five and one without too. Of equally sure ones the
        higher action is made: with the red five, which then cannot be lost by a discard.
        """
        open_rows = np.flatnonzero(self._actions == NO_ACTION)
        row, column = np.nonzero(self._legal[np.ix_(open_rows, _PROPOSED)])
        decision, option = open_rows[row], _PROPOSED[column]
        planes = self._flow.encoder.proposals(self._games, self._index[decision], self._seats[decision], option)
        sureness = np.full(len(decision), -np.inf)
        for number, model in enumerate(_CALL_MODELS):
            rows = np.flatnonzero(_MODEL_OF[option] == number)
            said = self._ask(model, decision[rows], option[rows], planes[rows])
            if said is not None:
                sureness[rows] = np.where(said.answer == YES, said.logits[:, YES] - said.logits[:, NO], -np.inf)
        order = np.lexsort((option, sureness))  # the last one written wins
        order = order[np.isfinite(sureness[order])]
        self._actions[decision[order]] = option[order]
        self._actions[(self._actions == NO_ACTION) & self._legal[:, PASS]] = PASS

    def discard(self) -> None:
        """Ask about riichi, then which kind to discard."""
        rows = np.flatnonzero(self._actions == NO_ACTION)
        legal, index = self._legal[rows], self._index[rows]
        drawn = drawn_tiles(self._games, index, legal)
        kinds = legal_kinds(legal, drawn)
        has_choice = kinds.sum(axis=1) > 1
        may_riichi = legal[:, DECLARE_RIICHI]
        encoded = np.flatnonzero(may_riichi | has_choice)  # places in `rows`; both networks see the same planes
        planes = self._flow.encoder.positions(self._games, index[encoded], self._seats[rows[encoded]])

        asks = np.flatnonzero(may_riichi[encoded])
        said = self._ask("riichi", rows[encoded[asks]], np.full(len(asks), DECLARE_RIICHI), planes[asks])
        if said is not None:
            self._actions[said.decision[said.answer == YES]] = DECLARE_RIICHI

        chosen = kinds.argmax(axis=1)  # where there is one kind only
        undecided = self._actions[rows] == NO_ACTION
        asks = np.flatnonzero((has_choice & undecided)[encoded])
        which = encoded[asks]
        said = self._ask("discard", rows[which], np.full(len(asks), NO_ACTION), planes[asks], kinds[which])
        if said is not None:
            chosen[which] = said.answer
        red_fives = self._games["rules"]["red_fives"][index] != 0
        self._actions[rows[undecided]] = discard_actions(legal, drawn, red_fives, chosen)[undecided]

    def _ask(
        self,
        model: str,
        decision: np.ndarray,
        option: np.ndarray,
        planes: np.ndarray,
        legal: np.ndarray | None = None,
    ) -> Consultation | None:
        """Ask one network for some decisions; note and return what it said, None for no questions."""
        if not len(decision):
            return None
        logits = self._flow.networks[model](planes)
        if legal is None:
            legal = np.ones(logits.shape, np.bool_)
        sampling = self._flow.sampling_of[model]
        draws = uniform(self._games, self._index[decision], self._seats[decision], option, sampling.seed)
        answer, log_probability = choose(logits, legal, sampling.temperature, draws)
        said = Consultation(model, decision, option, planes, logits, legal, answer, log_probability)
        self._consulted.append(said)
        return said


assert DISCARD_RED == KINDS
