"""The paper's decision flow (section 2.1, Figure 1), over a batch of decisions at once.

On a seat's own turn: win? kong? riichi? then a discard. On another seat's discard or kong: win? then chow, pong or
kong, whichever network says yes with the highest confidence. The flow is evaluated step by step for the whole batch:
each network gets one call per step with all decisions that need it. Forced discards need no network.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from simulator import record as r
from simulator.tables import Decisions
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.interface import Choice, ModelOutput
from suphx.agent.questions import CALL_MODELS, CHOW, DISCARD, RIICHI, discard_actions, questions_of
from suphx.agent.sampling import choose, uniform
from suphx.errors import InputError
from suphx.networks.sizes import MODELS, NO, YES

#: A network: packed planes uint64[n, planes] -> logits f32[n, 34 or 2].
Network = Callable[[np.ndarray], np.ndarray]


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
    """An agent that plays by the decision flow: the five networks and the order in which they are consulted."""

    def __init__(
        self,
        networks: Mapping[str, Network],
        encoder: PlaneEncoder,
        sampling: Sampling,
        sampling_of: Mapping[str, Sampling] | None = None,
        name: str = "",
    ) -> None:
        """networks: by model name. sampling_of: exceptions to `sampling`, by model name. name: of the agent."""
        self.name = name
        self.networks = networks
        self.encoder = encoder
        self.sampling_of = dict.fromkeys(networks, sampling) | dict(sampling_of or {})

    def act(self, games: np.ndarray, asked: Decisions) -> Choice:
        """Choose an action for each decision of a batch; games GAME[...]."""
        batch = _Batch(self, games, asked)
        batch.propose()
        batch.discard()
        return batch.choice()


class _Batch:
    """A batch of decisions passing through the flow: each has NO_ACTION until a step decides it."""

    def __init__(self, flow: Flow, games: np.ndarray, asked: Decisions) -> None:
        self._flow = flow
        self._games = games
        self._index, self._seats = asked.game, asked.seat
        found = questions_of(games, asked)
        self._actions, self._kinds, self._questions = found.by_rules, found.kinds, found.questions
        self._consulted: list[ModelOutput] = []

    def choice(self) -> Choice:
        """Return the chosen actions and all consultations."""
        return Choice(self._actions, self._consulted)

    def propose(self) -> None:
        """Consult the networks about every legal chow, pong and kong, make the most confident one, else pass if legal.

        Each option is a separate question, even the same chow with and without the red five. Among equally confident
        options the higher action wins: the one with the red five, which then cannot be lost by a discard.
        """
        questions = self._questions[self._questions["model"] >= CHOW]
        decision, option = questions["position"].astype(np.int64), questions["option"].astype(np.int64)
        planes = self._flow.encoder.proposals(self._games, self._index[decision], self._seats[decision], option)
        sureness = np.full(len(decision), -np.inf)
        for model in CALL_MODELS:
            rows = np.flatnonzero(questions["model"] == MODELS.index(model))
            said = self._ask(model, decision[rows], option[rows], planes[rows])
            if said is not None:
                sureness[rows] = np.where(said.answer == YES, said.logits[:, YES] - said.logits[:, NO], -np.inf)
        order = np.lexsort((option, sureness))  # ascending: for each decision the last one written wins
        order = order[np.isfinite(sureness[order])]
        self._actions[decision[order]] = option[order]
        self._actions[self._open() & ~self._kinds.any(axis=1)] = r.PASS

    def discard(self) -> None:
        """Consult the networks about riichi, then about which kind to discard."""
        questions = self._questions[self._questions["model"] < CHOW]
        questions = questions[self._open()[questions["position"]]]
        encoded, row = np.unique(questions["position"].astype(np.int64), return_inverse=True)
        planes = self._flow.encoder.positions(self._games, self._index[encoded], self._seats[encoded])

        asks = row[questions["model"] == RIICHI]
        said = self._ask("riichi", encoded[asks], np.full(len(asks), r.DECLARE_RIICHI), planes[asks])
        if said is not None:
            self._actions[said.decision[said.answer == YES]] = r.DECLARE_RIICHI

        asks = row[questions["model"] == DISCARD]
        asks = asks[self._open()[encoded[asks]]]
        which = encoded[asks]
        kinds = self._kinds.argmax(axis=1)  # right where only one kind may be discarded
        said = self._ask("discard", which, np.full(len(asks), r.NO_ACTION), planes[asks], self._kinds[which])
        if said is not None:
            kinds[which] = said.answer
        rows = np.flatnonzero(self._open())
        self._actions[rows] = discard_actions(self._games, self._index[rows], self._seats[rows], kinds[rows])

    def _open(self) -> np.ndarray:
        """Return bool[n]: which decisions nothing has decided yet."""
        return self._actions == r.NO_ACTION

    def _ask(
        self,
        model: str,
        decision: np.ndarray,
        option: np.ndarray,
        planes: np.ndarray,
        legal: np.ndarray | None = None,
    ) -> ModelOutput | None:
        """Consult one network for some decisions; record and return the consultation, None without questions."""
        if not len(decision):
            return None
        logits = self._flow.networks[model](planes)
        if legal is None:
            legal = np.ones(logits.shape, np.bool_)
        sampling = self._flow.sampling_of[model]
        draws = uniform(self._games, self._index[decision], self._seats[decision], option, sampling.seed)
        answer, log_probability = choose(logits, legal, sampling.temperature, draws)
        said = ModelOutput(model, decision, option, planes, logits, legal, answer, log_probability)
        self._consulted.append(said)
        return said
