"""The probability that the five networks give to every legal action of a decision, as shown in reviews.

The flow of `agent.flow`, with every answer sampled at temperature 1 and independently of the others, takes

- the action that the rules decide, with probability 1;
- else the call or kong c with p_c times the product of (1 - p) over all more confident ones, because of those
  answered yes the most confident is made; p is the network's probability of yes;
- else a pass, where passing is legal;
- else riichi with its network's p, or the discard of a kind with the discard network's probability among the kinds
  that may be discarded.

Each step shares out the probability that the steps before it have left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.record import ACTIONS, DECLARE_RIICHI, NO_ACTION, PASS
from simulator.tables import Decisions
from simulator.tiles import KINDS
from suphx.agent.flow import PROPOSALS, Flow, decided_by_rules
from suphx.agent.rules import discard_actions, drawn_tiles, legal_kinds
from suphx.networks.sizes import NO, YES


@dataclass(frozen=True)
class Opinions:
    """An agent's view of n decisions."""

    probability: np.ndarray
    """f64[n, ACTIONS]: probability of each action; rows add up to 1. Of several actions that discard the same kind
    (red five or plain, just drawn or from the hand) the one that the agent would choose has the kind's probability."""
    preferred: np.ndarray
    """i64[n]: the action taken if each network gives its likeliest answer, as `act` does without a temperature."""


def opinions_of(flow: Flow, games: np.ndarray, asked: Decisions) -> Opinions:
    """Return the opinions of a flow's networks on each decision; games GAME[...]. The flow's sampling is ignored."""
    asking = _Asking(flow, games, asked)
    asking.propose()
    asking.discard()
    return Opinions(asking.probability, asking.preferred)


class _Asking:
    """Decisions passing through the flow; `_left` is the probability that each reaches the next step."""

    def __init__(self, flow: Flow, games: np.ndarray, asked: Decisions) -> None:
        self._flow, self._games, self._asked = flow, games, asked
        self.preferred = decided_by_rules(games, asked)
        self._rows = np.flatnonzero(self.preferred == NO_ACTION)
        self.probability = np.zeros((len(asked), ACTIONS))
        decided = np.flatnonzero(self.preferred != NO_ACTION)
        self.probability[decided, self.preferred[decided]] = 1
        self._left = np.zeros(len(asked))
        self._left[self._rows] = 1

    def propose(self) -> None:
        """Consult the networks about every legal chow, pong and kong; the rest of a claim's probability is a pass."""
        legal, options = self._asked.legal, np.array(list(PROPOSALS))
        row, column = np.nonzero(legal[np.ix_(self._rows, options)])
        decision, option = self._rows[row], options[column]
        seats, index = self._asked.seat[decision], self._asked.game[decision]
        planes = self._flow.encoder.proposals(self._games, index, seats, option)
        sureness = np.zeros(len(decision))
        model = np.array([PROPOSALS[each] for each in option.tolist()], object)
        for name in dict.fromkeys(model.tolist()):
            rows = np.flatnonzero(model == name)
            sureness[rows] = _sureness(self._flow.networks[name](planes[rows]))
        for n in np.lexsort((option, sureness))[::-1]:  # the most confident first; of equal ones the higher action
            yes = _sigmoid(sureness[n])
            self.probability[decision[n], option[n]] = self._left[decision[n]] * yes
            self._left[decision[n]] *= 1 - yes
            if sureness[n] > 0 and self.preferred[decision[n]] == NO_ACTION:
                self.preferred[decision[n]] = option[n]
        passing = self._rows[legal[self._rows, PASS]]
        self.probability[passing, PASS] = self._left[passing]
        self.preferred[passing] = np.where(self.preferred[passing] == NO_ACTION, PASS, self.preferred[passing])

    def discard(self) -> None:
        """Consult the networks about riichi, and about every kind that may be discarded."""
        rows = self._rows[~self._asked.legal[self._rows, PASS]]
        legal, index, seats = self._asked.legal[rows], self._asked.game[rows], self._asked.seat[rows]
        planes = self._flow.encoder.positions(self._games, index, seats)
        asks = np.flatnonzero(legal[:, DECLARE_RIICHI])
        if len(asks):
            sureness = _sureness(self._flow.networks["riichi"](planes[asks]))
            yes, decision = _sigmoid(sureness), rows[asks]
            self.probability[decision, DECLARE_RIICHI] = self._left[decision] * yes
            self._left[decision] *= 1 - yes
            declared = decision[(sureness > 0) & (self.preferred[decision] == NO_ACTION)]
            self.preferred[declared] = DECLARE_RIICHI
        if len(rows):
            self._discard_kinds(rows, legal, planes)

    def _discard_kinds(self, rows: np.ndarray, legal: np.ndarray, planes: np.ndarray) -> None:
        index = self._asked.game[rows]
        drawn = drawn_tiles(self._games, index, legal)
        kinds = legal_kinds(legal, drawn)
        share = _softmax(np.where(kinds, self._flow.networks["discard"](planes).astype(np.float64), -np.inf))
        red_fives = self._games["rules"]["red_fives"][index] != 0
        action_of = np.stack(
            [discard_actions(legal, drawn, red_fives, np.full(len(rows), kind)) for kind in range(KINDS)], axis=1
        )
        row, kind = np.nonzero(kinds)
        self.probability[rows[row], action_of[row, kind]] = self._left[rows[row]] * share[row, kind]
        likeliest = action_of[np.arange(len(rows)), share.argmax(axis=1)]
        self.preferred[rows] = np.where(self.preferred[rows] == NO_ACTION, likeliest, self.preferred[rows])


def _sureness(logits: np.ndarray) -> np.ndarray:
    """Return f64[n]: by how much the logit of yes exceeds that of no, logits f32[n, 2]."""
    return logits[:, YES].astype(np.float64) - logits[:, NO]


def _sigmoid(sureness: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-sureness))


def _softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
