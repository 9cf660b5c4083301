"""One learning model: its network, optimiser and controllers, and the gradients of its questions."""

from dataclasses import dataclass

import numpy as np
import torch

from suphx.checkpoint import tensors_below
from suphx.kept import Kept
from suphx.learning.config import LearningConfig
from suphx.learning.controllers import ControllerState, EntropyController
from suphx.learning.experience import with_hidden
from suphx.learning.optimizer import Faster, Optimizer
from suphx.learning.policy_gradient import Terms, divergence, log_probabilities, terms_of
from suphx.networks.inference import Evaluator
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision


class ModelState(Kept):
    """Everything that changes in one model's learning, besides tensors."""

    steps: int
    """Steps taken by the optimiser."""
    entropy: ControllerState
    behaviour_kl: float
    """Recent average divergence from the policies that played."""


@dataclass(frozen=True)
class MicrobatchResult:
    """What learning from some questions of a minibatch gave, without gradients."""

    loss: torch.Tensor
    """Sum over kept questions."""
    terms: Terms
    distances: dict[str, torch.Tensor]


class ModelLearner:
    """One model that learns."""

    def __init__(
        self,
        network: PolicyNetwork,
        config: LearningConfig,
        precision: Precision,
        reference: PolicyNetwork | None,
        teacher: PolicyNetwork | None,
        hidden: int = 0,
    ) -> None:
        """network, hidden: as for `set`. reference, teacher: networks that it is held near to, if any."""
        self.config, self.precision = config, precision
        self.reference = Evaluator(reference, precision) if reference else None
        self.teacher = Evaluator(teacher, precision) if teacher else None
        self.set(network, hidden)
        self.entropy = EntropyController(config.entropy, config.recent_steps)
        self.behaviour_kl = 0.0

    def set(self, network: PolicyNetwork, hidden: int = 0) -> None:
        """Set the network that learns, with a fresh optimiser.

        hidden: how many of the network's planes, at the end, show hidden information.
        """
        config = self.config
        self.network = network
        rate, muon = config.rate_for(network.model), config.optimizer == "muon"
        faster = Faster(network.first.weight, hidden, config.oracle.planes_rate) if config.oracle and hidden else None
        self.optimizer = Optimizer(network, rate, config.weight_decay, muon, None, config.gradient_norm, faster)

    def learn_from(self, rows: np.ndarray, legal: np.ndarray, highest_weight: float, tells: bool) -> MicrobatchResult:
        """Add the gradients of some questions to those of the batch; legal bool[n, m].

        tells: measure the distance to the reference even if it does not affect learning.
        """
        device = self.precision.device
        possible = torch.from_numpy(legal).to(device)
        packed = with_hidden(rows["planes"], rows["oracle"], self.network.planes)
        log_policy = log_probabilities(self.network.of_packed(packed, self.precision), possible)
        terms = terms_of(
            log_policy,
            torch.from_numpy(rows["answer"].astype(np.int64)).to(device),
            torch.from_numpy(rows["log_probability"].copy()).to(device),
            torch.from_numpy(rows["advantage"].copy()).to(device),
            highest_weight,
        )
        objective = terms.gain + self.entropy.coefficient * terms.entropy
        distances = {}
        pulls = self.config.reference.coefficient if self.config.reference else 0.0
        if self.reference is not None and (tells or pulls):
            log_reference = self._log_policy(self.reference, rows, possible)
            distances["kl_reference"] = divergence(log_policy, log_reference)
            objective = objective - pulls * distances["kl_reference"]
        if self.teacher is not None and self.config.teacher is not None:
            log_teacher = self._log_policy(self.teacher, rows, possible)
            distances["kl_teacher"] = divergence(log_teacher, log_policy)
            objective = objective - self.config.teacher.coefficient * distances["kl_teacher"]
        loss = -objective[terms.kept].sum()
        loss.backward()
        return MicrobatchResult(loss.detach(), terms, {name: each.detach() for name, each in distances.items()})

    def _log_policy(self, fixed: Evaluator, rows: np.ndarray, possible: torch.Tensor) -> torch.Tensor:
        """Return log-probabilities f32[n, m] of a network that does not learn; a teacher also sees hidden planes."""
        packed = with_hidden(rows["planes"], rows["hidden"], fixed.planes)
        return log_probabilities(torch.from_numpy(fixed.logits(packed)).to(possible.device), possible)

    def control(self, figures: dict[str, float]) -> dict[str, float]:
        """Adjust alpha for the next step; return the entropy that it aims at."""
        self.entropy.update(figures["entropy"])
        share = 1 / min(self.entropy.state.steps, self.config.recent_steps)
        self.behaviour_kl += share * (figures["kl_behaviour"] - self.behaviour_kl)
        return {"entropy_target": self.entropy.target}

    def state(self) -> ModelState:
        """Return the state besides tensors."""
        return ModelState(
            steps=self.optimizer.steps,
            entropy=self.entropy.state,
            behaviour_kl=self.behaviour_kl,
        ).model_copy(deep=True)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return the state's tensors by name, not copied."""
        weights = {f"network.{name}": each for name, each in self.network.state_dict().items()}
        return weights | self.optimizer.tensors()

    def load(self, state: ModelState, tensors: dict[str, torch.Tensor]) -> None:
        """Resume from what `state` and `tensors` returned; raises KeyError if something is missing."""
        self.network.load_state_dict(tensors_below(tensors, "network."))
        self.optimizer.load_tensors(tensors, state.steps)
        self.entropy.state = state.entropy.model_copy()
        self.behaviour_kl = state.behaviour_kl


def figures_of(found: list[MicrobatchResult]) -> dict[str, float]:
    """Return figures by name, as means over a batch's questions; `loss` is a mean over the kept ones."""

    def mean(name: str) -> float:
        return float(torch.cat([getattr(each.terms, name).detach() for each in found]).float().mean())

    weight = torch.cat([each.terms.weight for each in found])
    kept = int(sum(int(each.terms.kept.sum()) for each in found))
    figures = {
        "loss": float(sum(each.loss for each in found)) / max(kept, 1),
        "kept": float(kept),
        "weight_mean": float(weight.mean()),
        "weight_max": float(weight.max()),
        "rejected": 1 - kept / len(weight),
        "entropy": mean("entropy"),
        "kl_behaviour": mean("behaviour_kl"),
    }
    for name in found[0].distances:
        figures[name] = float(torch.cat([each.distances[name] for each in found if name in each.distances]).mean())
    return figures
