"""The paper's decision flow (section 2.1, Figure 1), over a batch of decisions at once.

On a seat's own turn: win? kong? riichi? then a discard. On another seat's discard or kong: win? then chow, pong or
kong, whichever network says yes with the highest confidence. The flow is evaluated step by step for the whole batch:
each network gets one call per step with all decisions that need it. Forced discards need no network.
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

#: The network that decides about each action that can be proposed.
PROPOSALS = {
    **dict.fromkeys(range(CHOW_LOW, PONG), "chow"),
    **dict.fromkeys(range(PONG, OPEN_KONG), "pong"),
    OPEN_KONG: "kong",
    **dict.fromkeys(range(CLOSED_KONG, CLOSED_KONG + KINDS), "kong"),
    **dict.fromkeys(range(ADDED_KONG, ADDED_KONG + KINDS), "kong"),
}
#: The networks whose proposals compete: of those answered yes, the surest is made.
CALL_MODELS = ("chow", "pong", "kong")
_MODEL_OF = np.array([CALL_MODELS.index(PROPOSALS[a]) if a in PROPOSALS else -1 for a in range(ACTIONS)])
_PROPOSED = np.array(list(PROPOSALS))

#: A network: packed planes uint64[n, planes] -> logits f32[n, 34 or 2].
Network = Callable[[np.ndarray], np.ndarray]


class Encoder(Protocol):
    """Turns decisions into packed planes."""

    def positions(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return the planes uint64[n, 838] for seats u8[n] of games[index[n]]."""
        ...

    def proposals(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Return uint64[n, 958]: the same planes plus the result of the proposed chow, pong or kong, actions i64[n]."""
        ...


@dataclass(frozen=True)
class Sampling:
    """How an answer is chosen from a network's logits."""

    temperature: float | None = None
    """Temperature of the softmax to sample from, above 0; None takes the likeliest answer."""
    seed: int = 0
    """Random seed, 0 to 2^64 - 1; a decision gets the same random numbers whatever batch it is in."""

    def __post_init__(self) -> None:
        if self.temperature is not None and not self.temperature > 0:
            raise InputError(f"a temperature is above 0, not {self.temperature}; omit it to take the likeliest answer")


class Flow:
    """The decision flow: the five networks and the order in which they are consulted."""

    def __init__(
        self,
        networks: Mapping[str, Network],
        encoder: Encoder,
        sampling: Sampling,
        sampling_of: Mapping[str, Sampling] | None = None,
    ) -> None:
        """networks: by model name. sampling_of: exceptions to `sampling`, by model name."""
        self.networks = networks
        self.encoder = encoder
        self.sampling_of = dict.fromkeys(networks, sampling) | dict(sampling_of or {})

    def decide(self, games: np.ndarray, asked: Decisions) -> Choice:
        """Choose an action for each decision of a batch; games GAME[...]."""
        batch = _Batch(self, games, asked)
        batch.apply_rules()
        batch.propose()
        batch.discard()
        return batch.choice()


def decided_by_rules(games: np.ndarray, asked: Decisions) -> np.ndarray:
    """Return i64[n]: the action for each decision that needs no network, NO_ACTION for the others.

    These are the wins that the win rule takes, the dealer's choice to end the game, and the abortive draw by nine
    terminals.
    """
    legal, actions = asked.legal, np.full(len(asked), NO_ACTION, np.int64)
    rows = np.flatnonzero(legal[:, WIN_BY_DRAW] | legal[:, WIN_BY_CLAIM])
    rows = rows[~win_ends_in_fourth_place(games, asked.game[rows], asked.seat[rows])]
    actions[rows] = np.where(legal[rows, WIN_BY_DRAW], WIN_BY_DRAW, WIN_BY_CLAIM)
    actions[legal[:, STOP]] = STOP  # legal only for a dealer in first place who has reached the target score
    rows = np.flatnonzero(legal[:, NINE_TERMINALS] & (actions == NO_ACTION))
    actions[rows[abort_for_nine_terminals(games, asked.game[rows], asked.seat[rows])]] = NINE_TERMINALS
    return actions


class _Batch:
    """A batch of decisions passing through the flow: each has NO_ACTION until a step decides it."""

    def __init__(self, flow: Flow, games: np.ndarray, asked: Decisions) -> None:
        self._flow = flow
        self._games = games
        self._index, self._seats, self._legal = asked.game, asked.seat, asked.legal
        self._asked = asked
        self._actions = np.full(len(asked), NO_ACTION, np.int64)
        self._consulted: list[Consultation] = []

    def choice(self) -> Choice:
        """Return the chosen actions, their log-probabilities and all consultations."""
        total = np.zeros(len(self._actions), np.float32)
        for each in self._consulted:
            np.add.at(total, each.decision, each.log_probability)
        return Choice(self._actions, total, self._consulted)

    def apply_rules(self) -> None:
        """Decide everything that needs no network."""
        self._actions[:] = decided_by_rules(self._games, self._asked)

    def propose(self) -> None:
        """Consult the networks about every legal chow, pong and kong, make the most confident one, else pass if legal.

        Each option is a separate question, even the same chow with and without the red five. Among equally confident
        options the higher action wins: the one with the red five, which then cannot be lost by a discard.
        """
        open_rows = np.flatnonzero(self._actions == NO_ACTION)
        row, column = np.nonzero(self._legal[np.ix_(open_rows, _PROPOSED)])
        decision, option = open_rows[row], _PROPOSED[column]
        planes = self._flow.encoder.proposals(self._games, self._index[decision], self._seats[decision], option)
        sureness = np.full(len(decision), -np.inf)
        for number, model in enumerate(CALL_MODELS):
            rows = np.flatnonzero(_MODEL_OF[option] == number)
            said = self._ask(model, decision[rows], option[rows], planes[rows])
            if said is not None:
                sureness[rows] = np.where(said.answer == YES, said.logits[:, YES] - said.logits[:, NO], -np.inf)
        order = np.lexsort((option, sureness))  # ascending: for each decision the last one written wins
        order = order[np.isfinite(sureness[order])]
        self._actions[decision[order]] = option[order]
        self._actions[(self._actions == NO_ACTION) & self._legal[:, PASS]] = PASS

    def discard(self) -> None:
        """Consult the networks about riichi, then about which kind to discard."""
        rows = np.flatnonzero(self._actions == NO_ACTION)
        legal, index = self._legal[rows], self._index[rows]
        drawn = drawn_tiles(self._games, index, legal)
        kinds = legal_kinds(legal, drawn)
        has_choice = kinds.sum(axis=1) > 1
        may_riichi = legal[:, DECLARE_RIICHI]
        encoded = np.flatnonzero(may_riichi | has_choice)  # positions in `rows`; both networks see the same planes
        planes = self._flow.encoder.positions(self._games, index[encoded], self._seats[rows[encoded]])

        asks = np.flatnonzero(may_riichi[encoded])
        said = self._ask("riichi", rows[encoded[asks]], np.full(len(asks), DECLARE_RIICHI), planes[asks])
        if said is not None:
            self._actions[said.decision[said.answer == YES]] = DECLARE_RIICHI

        chosen = kinds.argmax(axis=1)  # right where only one kind is legal
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
        """Consult one network for some decisions; record and return the consultation, None without questions."""
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
