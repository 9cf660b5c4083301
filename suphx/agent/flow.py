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
    """Of the softmax that answers are drawn from; None takes the likeliest."""
    seed: int = 0
    """Of the random numbers, 0 to 2^64 - 1; with it, a decision draws the same ones in every batch."""


class Flow:
    """The five networks and the order they are asked in."""

    def __init__(self, networks: Mapping[str, Network], encoder: Encoder, sampling: Sampling) -> None:
        """networks: by model."""
        self._networks = networks
        self._encoder = encoder
        self._sampling = sampling

    def decide(self, games: np.ndarray, asked: Decisions) -> Choice:
        """Choose for each decision of a batch; games GAME[...]."""
        actions = np.full(len(asked), NO_ACTION, np.int64)
        consulted: list[Consultation] = []
        self._apply_rules(games, asked, actions)
        self._propose(games, asked, actions, consulted)
        self._discard(games, asked, actions, consulted)
        total = np.zeros(len(asked), np.float32)
        for each in consulted:
            np.add.at(total, each.decision, each.log_probability)
        return Choice(actions, total, consulted)

    def _apply_rules(self, games: np.ndarray, asked: Decisions, actions: np.ndarray) -> None:
        """Take the wins that the win rule takes, and decide what no network is asked about."""
        winning = np.flatnonzero(asked.legal[:, WIN_BY_DRAW] | asked.legal[:, WIN_BY_CLAIM])
        take = winning[~win_ends_in_fourth_place(games, asked.game[winning], asked.seat[winning])]
        actions[take] = np.where(asked.legal[take, WIN_BY_DRAW], WIN_BY_DRAW, WIN_BY_CLAIM)
        actions[asked.legal[:, STOP]] = STOP  # only who stands first with the target reached is asked
        rows = np.flatnonzero(asked.legal[:, NINE_TERMINALS] & (actions == NO_ACTION))
        actions[rows[abort_for_nine_terminals(games, asked.game[rows], asked.seat[rows])]] = NINE_TERMINALS

    def _propose(self, games: np.ndarray, asked: Decisions, actions: np.ndarray, consulted: list[Consultation]) -> None:
        """Ask about every chow, pong and kong that is possible, and make the surest; pass where claims are let go.

        Each option is a question of its own, a chow with the red five and one without too. Of equally sure ones the
        higher action is made: with the red five, which then cannot be lost by a discard.
        """
        open_rows = np.flatnonzero(actions == NO_ACTION)
        row, column = np.nonzero(asked.legal[np.ix_(open_rows, _PROPOSED)])
        decision, option = open_rows[row], _PROPOSED[column]
        planes = self._encoder.proposals(games, asked.game[decision], asked.seat[decision], option)
        sureness = np.full(len(decision), -np.inf)
        for number, model in enumerate(_CALL_MODELS):
            rows = np.flatnonzero(_MODEL_OF[option] == number)
            said = self._ask(model, games, asked, decision[rows], option[rows], planes[rows], consulted)
            if said is not None:
                sureness[rows] = np.where(said.answer == YES, said.logits[:, YES] - said.logits[:, NO], -np.inf)
        order = np.lexsort((option, sureness))  # the last one written wins
        order = order[np.isfinite(sureness[order])]
        actions[decision[order]] = option[order]
        actions[(actions == NO_ACTION) & asked.legal[:, PASS]] = PASS

    def _discard(self, games: np.ndarray, asked: Decisions, actions: np.ndarray, consulted: list[Consultation]) -> None:
        """Ask about riichi, then which kind to discard."""
        rows = np.flatnonzero(actions == NO_ACTION)
        legal, index = asked.legal[rows], asked.game[rows]
        drawn = drawn_tiles(games, index, legal)
        kinds = legal_kinds(legal, drawn)
        choices = kinds.sum(axis=1)
        may_riichi = legal[:, DECLARE_RIICHI]
        encoded = np.flatnonzero(may_riichi | (choices > 1))
        planes = self._encoder.positions(games, index[encoded], asked.seat[rows[encoded]])

        asks = np.flatnonzero(may_riichi[encoded])
        questions = np.full(len(asks), DECLARE_RIICHI)
        said = self._ask("riichi", games, asked, rows[encoded[asks]], questions, planes[asks], consulted)
        if said is not None:
            actions[said.decision[said.answer == YES]] = DECLARE_RIICHI

        chosen = kinds.argmax(axis=1)  # where there is one kind only
        asks = np.flatnonzero((choices[encoded] > 1) & (actions[rows[encoded]] == NO_ACTION))
        questions = np.full(len(asks), NO_ACTION)
        said = self._ask(
            "discard", games, asked, rows[encoded[asks]], questions, planes[asks], consulted, kinds[encoded[asks]]
        )
        if said is not None:
            chosen[encoded[asks]] = said.answer
        red_fives = games["rules"]["red_fives"][index] != 0
        found = discard_actions(legal, drawn, red_fives, chosen)
        actions[rows] = np.where(actions[rows] == NO_ACTION, found, actions[rows])

    def _ask(
        self,
        model: str,
        games: np.ndarray,
        asked: Decisions,
        decision: np.ndarray,
        option: np.ndarray,
        planes: np.ndarray,
        consulted: list[Consultation],
        legal: np.ndarray | None = None,
    ) -> Consultation | None:
        """Ask one network for some decisions; note and return what it said, None for no questions."""
        if not len(decision):
            return None
        logits = self._networks[model](planes)
        if legal is None:
            legal = np.ones(logits.shape, np.bool_)
        sampling = self._sampling
        draws = uniform(games, asked.game[decision], asked.seat[decision], option, sampling.seed)
        answer, log_probability = choose(logits, legal, sampling.temperature, draws)
        said = Consultation(model, decision, option, planes, logits, legal, answer, log_probability)
        consulted.append(said)
        return said


assert DISCARD_RED == KINDS
