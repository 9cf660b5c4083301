"""One learning model: its network, optimiser and controllers, and the gradients of its decisions."""

import numpy as np
import torch

from suphx.checkpoint import joined, tensors_below
from suphx.config import StrictModel
from suphx.learning.config import LearningConfig
from suphx.learning.controllers import ControllerState, EntropyController
from suphx.learning.experience import with_hidden
from suphx.learning.optimizer import Optimizer
from suphx.learning.policy_gradient import divergence, log_probabilities, terms_of
from suphx.networks.inference import Evaluator
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision


class ModelState(StrictModel):
    """Everything that changes in one model's learning, besides tensors."""

    steps: int
    """Steps taken by the optimiser."""
    entropy: ControllerState
    behaviour_kl: float
    """Recent average divergence from the policies that played."""


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
        shown = network.first.weight.detach()[:, network.planes - hidden :]
        faster = (shown, config.oracle.planes_rate) if config.oracle and hidden else None
        self.optimizer = Optimizer(network, rate, config.weight_decay, muon, None, config.max_grad_norm, faster)

    def learn_from(
        self, rows: np.ndarray, legal: np.ndarray, max_importance_weight: float, tells: bool
    ) -> dict[str, torch.Tensor]:
        """Add the gradients of some decisions to those of the batch; legal bool[n, m].

        tells: measure the distance to the reference even if it does not affect learning. Returns, by name and without
        gradients, the terms and distances of the decisions, [n] each, and `loss`, the sum over the kept ones.
        """
        device = self.precision.device
        possible = torch.from_numpy(legal).to(device)
        packed = with_hidden(rows["planes"], rows["oracle"], self.network.planes)
        log_policy = log_probabilities(self.network.of_packed(packed, self.precision), possible)
        terms = terms_of(
            log_policy,
            torch.from_numpy(rows["action"].astype(np.int64)).to(device),
            torch.from_numpy(rows["log_probability"].copy()).to(device),
            torch.from_numpy(rows["advantage"].copy()).to(device),
            max_importance_weight,
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
        found = {
            "kept": terms.kept,
            "weight": terms.weight,
            "entropy": terms.entropy,
            "kl_behaviour": terms.behaviour_kl,
        }
        return {name: each.detach() for name, each in (found | distances | {"loss": loss}).items()}

    def _log_policy(self, fixed: Evaluator, rows: np.ndarray, possible: torch.Tensor) -> torch.Tensor:
        """Return log-probabilities f32[n, m] of a network that does not learn; a teacher also sees hidden planes."""
        packed = with_hidden(rows["planes"], rows["hidden"], fixed.planes)
        return log_probabilities(torch.from_numpy(fixed.logits(packed)).to(possible.device), possible)

    def control(self, metrics: dict[str, float]) -> dict[str, float]:
        """Adjust alpha for the next step; return the entropy that it aims at."""
        self.entropy.update(metrics["entropy"])
        share = 1 / min(self.entropy.state.steps, self.config.recent_steps)
        self.behaviour_kl += share * (metrics["kl_behaviour"] - self.behaviour_kl)
        return {"entropy_target": self.entropy.target}

    def state(self) -> ModelState:
        """Return the state besides tensors."""
        entropy = self.entropy.state.model_copy()
        return ModelState(steps=self.optimizer.steps, entropy=entropy, behaviour_kl=self.behaviour_kl)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return the state's tensors by name, not copied."""
        return joined({"network": self.network.state_dict()}) | self.optimizer.tensors()

    def load(self, state: ModelState, tensors: dict[str, torch.Tensor]) -> None:
        """Resume from what `state` and `tensors` returned; raises KeyError if something is missing."""
        self.network.load_state_dict(tensors_below(tensors, "network."))
        self.optimizer.load_tensors(tensors, state.steps)
        self.entropy.state = state.entropy.model_copy()
        self.behaviour_kl = state.behaviour_kl


def metrics_of(found: list[dict[str, torch.Tensor]]) -> dict[str, float]:
    """Return metrics by name, as means over a batch's decisions; `loss` is a mean over the kept ones.

    found: what `learn_from` returned for parts of the batch; the first one has all names.
    """
    loss = float(sum(each["loss"] for each in found))
    terms = {name: torch.cat([each[name] for each in found if name in each]) for name in found[0] if name != "loss"}
    kept, weight = int(terms.pop("kept").sum()), terms.pop("weight")
    metrics = {
        "loss": loss / max(kept, 1),
        "kept": float(kept),
        "weight_mean": float(weight.mean()),
        "weight_max": float(weight.max()),
        "rejected": 1 - kept / len(weight),
    }
    return metrics | {name: float(each.mean()) for name, each in terms.items()}
