"""The probability that the five networks give to every legal action of a decision, as shown in reviews.

The flow of `agent.flow`, with every action sampled at temperature 1 and independently of the others, takes

- the action that the rules decide, with probability 1;
- else the call or kong c with p_c times the product of (1 - p) over all more confident ones, because of those
  accepted the most confident is made; p is the network's probability of yes;
- else a pass, where passing is legal;
- else riichi with its network's p, or the discard of a kind with the discard network's probability among the kinds
  that may be discarded.

Each step shares out the probability that the steps before it have left.
"""

from dataclasses import dataclass

import numpy as np

from simulator import record as r
from simulator.tables import Decisions
from suphx.agent.flow import Flow, FlowBatch
from suphx.agent.model_decisions import DISCARD, discard_actions
from suphx.agent.sampling import softmax
from suphx.networks.models import CALL_MODELS, MODELS, NO, TURN_MODELS, YES

#: Lower bound of probabilities where they are compared: smaller outputs of the networks are not reliable.
LEAST_PROBABILITY = 1e-4


@dataclass(frozen=True)
class Opinions:
    """An agent's view of n decisions."""

    probability: np.ndarray
    """f64[n, ACTIONS]: probability of each action; rows add up to 1. Of several actions that discard the same kind
    (red five or plain, just drawn or from the hand) the one that the agent would choose has the kind's probability."""
    preferred: np.ndarray
    """i64[n]: the action taken if each network takes its likeliest action, as `act` does without a temperature."""


def difference(preferred: np.ndarray | float, taken: np.ndarray | float) -> np.ndarray:
    """Return p ln(p / q) in nats, at least 0, of the probabilities p of the preferred and q of the taken action."""
    p, q = np.maximum(preferred, LEAST_PROBABILITY), np.maximum(taken, LEAST_PROBABILITY)
    return np.maximum(0.0, preferred * np.log(p / q))


def opinions_of(flow: Flow, games: np.ndarray, decisions: Decisions) -> Opinions:
    """Return the opinions of a flow's networks on each decision; games GAME[...]. The flow's sampling is ignored."""
    batch = _Batch(flow, games, decisions)
    batch.propose()
    batch.discard()
    return Opinions(batch.probability, batch.preferred)


class _Batch(FlowBatch):
    """Decisions passing through the flow; `_left` is the probability that each reaches the next step."""

    def __init__(self, flow: Flow, games: np.ndarray, decisions: Decisions) -> None:
        super().__init__(flow, games, decisions)
        self.preferred, self._logits = self._actions, flow.logits(self.planes)
        self.probability = np.zeros((len(decisions), r.ACTIONS))
        decided = np.flatnonzero(self.preferred != r.NO_ACTION)
        self.probability[decided, self.preferred[decided]] = 1
        self._left = (self.preferred == r.NO_ACTION).astype(np.float64)

    def propose(self) -> None:
        """Share out between every legal chow, pong and kong; the rest of a claim's probability is a pass."""
        calls = [model for model in CALL_MODELS if model in self._inputs]
        decision = np.concatenate([np.zeros(0, np.int64), *(self._inputs[model].decision for model in calls)])
        option = np.concatenate([np.zeros(0, np.int64), *(self._inputs[model].option for model in calls)])
        confidence = np.concatenate([np.zeros(0), *(self._confidence(model) for model in calls)])
        for n in np.lexsort((option, confidence))[::-1]:  # the most confident first; of equal ones the higher action
            self._share(decision[n : n + 1], option[n : n + 1], confidence[n : n + 1])
        passing = np.flatnonzero((self._left > 0) & ~self._kinds.any(axis=1))
        self.probability[passing, r.PASS] = self._left[passing]
        self._prefer(passing, np.full(len(passing), r.PASS))

    def _confidence(self, model: str) -> np.ndarray:
        """Return f64[m]: by how much the logit of yes exceeds that of no in each row of a model."""
        logits = self._logits[model]
        return logits[:, YES].astype(np.float64) - logits[:, NO]

    def _share(self, decision: np.ndarray, option: np.ndarray, confidence: np.ndarray) -> None:
        """Give an option of each its part of what is left of some decisions' probability."""
        yes = 1 / (1 + np.exp(-confidence))
        self.probability[decision, option] = self._left[decision] * yes
        self._left[decision] *= 1 - yes
        self._prefer(decision[confidence > 0], option[confidence > 0])

    def _prefer(self, decision: np.ndarray, action: np.ndarray) -> None:
        """Note the preferred actions of decisions that have none yet."""
        before = self.preferred[decision]
        self.preferred[decision] = np.where(before == r.NO_ACTION, action, before)

    def discard(self) -> None:
        """Share out between riichi (`TURN_MODELS`) and every kind that may be discarded."""
        for model in TURN_MODELS:
            if inputs := self._inputs.get(model):
                self._share(inputs.decision, inputs.option, self._confidence(model))
        share = self._kinds.astype(np.float64)  # right where only one kind may be discarded
        if inputs := self._inputs.get(MODELS[DISCARD]):
            legal = self._kinds[inputs.decision]
            share[inputs.decision] = softmax(np.where(legal, self._logits[MODELS[DISCARD]].astype(np.float64), -np.inf))
        decision, kind = np.nonzero(self._kinds)
        action = discard_actions(self._games, self._index[decision], self._seats[decision], kind)
        self.probability[decision, action] = self._left[decision] * share[decision, kind]
        likeliest = kind == share.argmax(axis=1)[decision]
        self._prefer(decision[likeliest], action[likeliest])
