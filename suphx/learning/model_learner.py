"""One learning model: its network, optimizer and entropy controller, and the gradients of its decisions."""

import copy

import numpy as np
import torch
from pydantic import AliasChoices, Field

from suphx.checkpoint import joined, tensors_below
from suphx.config import StrictModel
from suphx.learning.algorithms import ALGORITHMS
from suphx.learning.config import EntropyConfig, LearningConfig
from suphx.learning.distributions import divergence, entropy, log_probabilities, log_weights
from suphx.learning.experience import input_of
from suphx.learning.optimizer import Optimizer
from suphx.networks.convolution import Packed
from suphx.networks.inference import Evaluator
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision


class ControllerState(StrictModel):
    """Everything that changes, as plain numbers, so that a checkpoint stores it exactly."""

    coefficient: float
    steps: int = 0
    recent: float = 0.0
    """Moving average of the entropy; 0 before the first step."""
    first: float = 0.0
    """The moving average when it first covered its full number of steps: the value at the start of training."""


class EntropyController:
    """Formula 3: alpha <- alpha + beta (H_target - H_recent), with alpha kept within bounds (not in the paper)."""

    def __init__(self, config: EntropyConfig, recent_steps: int) -> None:
        self.state = ControllerState(coefficient=config.start)
        self._config, self._recent_steps = config, recent_steps

    @property
    def coefficient(self) -> float:
        """Alpha for the next step."""
        return self.state.coefficient

    @property
    def settled(self) -> bool:
        """Whether the moving average covers its full number of steps."""
        return self.state.steps >= self._recent_steps

    @property
    def target(self) -> float:
        """The target in nats; if it is a share of the entropy at the start, it is only valid once `settled`."""
        return self._config.share * self.state.first if self._config.target is None else self._config.target

    def update(self, entropy: float) -> None:
        """Record the mean entropy of a step's decisions, in nats, and adjust alpha once the target is known."""
        state, config = self.state, self._config
        state.steps += 1
        state.recent += (entropy - state.recent) / min(state.steps, self._recent_steps)
        if state.steps <= self._recent_steps:
            state.first = state.recent
        if self.settled or config.target is not None:
            changed = state.coefficient + config.beta * (self.target - state.recent)
            state.coefficient = min(config.highest, max(config.lowest, changed))


class ModelState(StrictModel):
    """Everything that changes in one model's learning, besides tensors."""

    steps: int
    entropy: ControllerState
    behavior_kl: float = Field(validation_alias=AliasChoices("behavior_kl", "behaviour_kl"))  # the earlier name
    """Recent average divergence from the policies that played."""


class ModelLearner:
    """One model that learns."""

    def __init__(
        self,
        network: PolicyNetwork,
        config: LearningConfig,
        precision: Precision,
        reference: PolicyNetwork | None,
        hidden: int = 0,
    ) -> None:
        """network, hidden: as for `set`. reference: the network that it is held near to, if any."""
        self.config, self.precision = config, precision
        self._held_near: PolicyNetwork | None = None
        self.reference: Evaluator | None = None
        if reference:
            self._hold_near(reference)
        self._algorithm = ALGORITHMS[config.algorithm]
        self.set(network, hidden)
        self.entropy = EntropyController(config.entropy, config.recent_steps)
        self.behavior_kl = 0.0

    def set(self, network: PolicyNetwork, hidden: int = 0) -> None:
        """Set the network that learns, with a fresh optimizer; hidden: number of its last planes, which are hidden."""
        config = self.config
        self.network = network
        rate, muon = config.rate_for(network.model), config.optimizer == "muon"
        faster = None
        if config.oracle and hidden:
            faster = network.first.weight.detach()[:, network.planes - hidden :], config.oracle.planes_rate
        self.optimizer = Optimizer(network, rate, config.weight_decay, muon, None, config.max_grad_norm, faster)

    def _hold_near(self, network: PolicyNetwork) -> None:
        self._held_near, self.reference = network, Evaluator(network, self.precision)

    def learn_from(
        self, rows: np.ndarray, planes: Packed, config: LearningConfig, measures: bool
    ) -> dict[str, torch.Tensor]:
        """Add the gradients of some decisions to those of the batch.

        planes: `planes_of` the decisions. config: as it is in this phase. measures: measure the distance to the
        reference even if it does not affect learning. Returns, by name and without gradients, terms of the decisions,
        [n] each, and `loss`, the sum over the accepted ones.
        """
        legal = self._tensor(rows["legal"])
        log_policy = log_probabilities(
            self.network.of_packed(input_of(planes, self.network.planes), self.precision), legal
        )
        action, behavior = self._tensor(rows["action"].astype(np.int64)), self._tensor(rows["log_probability"])
        log_probability = log_policy.gather(1, action[:, None]).squeeze(1)
        terms = self._algorithm(log_probability, behavior, self._tensor(rows["advantage"]), config)
        policy_entropy, log_weight = entropy(log_policy), log_weights(log_probability.detach(), behavior)
        objective = terms.gain + self.entropy.coefficient * policy_entropy
        values = {
            "accepted": terms.accepted,
            "weight": log_weight.exp(),
            "entropy": policy_entropy,
            "kl_behavior": log_weight.exp() - 1 - log_weight,
        }
        pull = config.reference.coefficient if config.reference else 0.0
        if self.reference is not None and (measures or pull):
            logits = self.reference.logits_there(input_of(planes, self.reference.planes))
            values["kl_reference"] = divergence(log_policy, log_probabilities(logits, legal))
            objective = objective - pull * values["kl_reference"]
        loss = -objective[terms.accepted].sum()
        loss.backward()
        return {name: each.detach() for name, each in (values | {"loss": loss}).items()}

    def _tensor(self, column: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(np.array(column)).to(self.precision.device)

    def control(self, metrics: dict[str, float]) -> dict[str, float]:
        """Adjust alpha, and the reference, for the next step; return the entropy that it aims at."""
        self.entropy.update(metrics["entropy"])
        renew = self.config.reference.renew if self.config.reference else 0
        if renew and self.entropy.state.steps % renew == 0:
            self._hold_near(copy.deepcopy(self.network))
        share = 1 / min(self.entropy.state.steps, self.config.recent_steps)
        self.behavior_kl += share * (metrics["kl_behavior"] - self.behavior_kl)
        return {"entropy_target": self.entropy.target}

    def state(self) -> ModelState:
        """Return the state besides tensors."""
        entropy = self.entropy.state.model_copy()
        return ModelState(steps=self.optimizer.steps, entropy=entropy, behavior_kl=self.behavior_kl)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return the state's tensors by name, not copied."""
        parts = {"network": self.network.state_dict()}
        if self._held_near is not None and self.config.reference and self.config.reference.renew:
            parts["reference"] = self._held_near.state_dict()
        return joined(parts) | self.optimizer.tensors()

    def load(self, state: ModelState, tensors: dict[str, torch.Tensor]) -> None:
        """Resume from what `state` and `tensors` returned; raises KeyError if something is missing."""
        self.network.load_state_dict(tensors_below(tensors, "network."))
        if self._held_near is not None and (before := tensors_below(tensors, "reference.")):
            network = copy.deepcopy(self._held_near)
            network.load_state_dict(before)
            self._hold_near(network)
        self.optimizer.load_tensors(tensors, state.steps)
        self.entropy.state = state.entropy.model_copy()
        self.behavior_kl = state.behavior_kl


def metrics_of(parts: list[dict[str, torch.Tensor]]) -> dict[str, float]:
    """Return metrics by name, means over a batch, `loss` over accepted; parts: of `learn_from`, the fullest first."""
    loss = float(sum(each["loss"] for each in parts))
    terms = {name: torch.cat([each[name] for each in parts if name in each]) for name in parts[0] if name != "loss"}
    accepted, weight = int(terms.pop("accepted").sum()), terms.pop("weight")
    metrics = {
        "loss": loss / max(accepted, 1),
        "accepted": float(accepted),
        "weight_mean": float(weight.mean()),
        "weight_max": float(weight.max()),
        "rejected": 1 - accepted / len(weight),
    }
    return metrics | {name: float(each.mean()) for name, each in terms.items()}
