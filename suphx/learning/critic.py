"""A critic with perfect information: it predicts what a round will be worth to each seat, for use as a baseline.

One network serves the decisions of all models: it sees the position and hidden information, but not the proposed
action. A baseline may depend on anything but the action itself without changing the mean policy gradient.
"""

from itertools import pairwise

import numpy as np
import torch

from suphx.checkpoint import joined
from suphx.features.layout import ORACLE_PLANES, PLANES
from suphx.learning.config import LearningConfig
from suphx.learning.experience import SEATS, input_of, microbatches, planes_of
from suphx.learning.optimizer import LearningDiverged, Optimizer
from suphx.learning.peers import Peers
from suphx.networks.convolution import Packed, masks_on
from suphx.networks.models import CRITIC
from suphx.networks.policy import ValueNetwork
from suphx.networks.precision import Precision


def critic_planes(experience: np.ndarray) -> np.ndarray:
    """Return what a critic sees of decisions, uint64[n, PLANES + hidden]: their positions and hidden planes."""
    return np.concatenate([experience["planes"][:, :PLANES], experience["hidden"]], axis=1)


class Critic:
    """A value network and its optimizer."""

    def __init__(self, config: LearningConfig, precision: Precision, seed: int, peers: Peers) -> None:
        """Start with fresh weights, determined by the random seed. peers: processes that share each step."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = ValueNetwork(config.critic.network_size(), PLANES + ORACLE_PLANES)
        self.network = network.to(precision.device)
        self.optimizer = Optimizer(
            self.network, config.critic.learning_rate, config.weight_decay, False, max_grad_norm=config.max_grad_norm
        )
        self._precision, self._peers = precision, peers
        self._steps, self._warmup = config.critic.steps, config.critic.warmup_steps

    def values(self, experience: np.ndarray) -> np.ndarray:
        """Return f32[n, 4]: expected rewards, the deciding seat's first; raises ValueError without hidden planes."""
        values = np.empty((len(experience), SEATS), np.float32)
        with torch.inference_mode():
            for rows in microbatches(len(experience), self._precision):
                part = experience[rows]
                values[rows] = self._pass(part, planes_of(part, self._precision)).cpu().numpy()
        return values

    def step(self, minibatch: np.ndarray, planes: Packed | None = None) -> dict[str, float]:
        """Take the configured number of steps, each from a part of the decisions; return metrics about them, by name.

        planes: `planes_of` the decisions, if somebody has them already.
        The rewards themselves are the target, not a mixture with later values: this has no bias, and a round is short.
        `explained_variance` is that of the values before each step. Raises LearningDiverged; the step that diverged is
        not taken.
        """
        planes = planes_of(minibatch, self._precision) if planes is None else planes
        rewards = torch.from_numpy(minibatch["rewards"].copy()).to(self._precision.device)
        bounds = np.linspace(0, len(minibatch), self._steps + 1).astype(int).tolist()
        parts = [slice(a, b) for a, b in pairwise(bounds)]
        errors, norms = zip(*(self._step(minibatch[at], planes[at], rewards[at]) for at in parts), strict=True)
        error, variance = torch.cat(errors), float(rewards.var(correction=0))
        explained = 1 - float(error.var(correction=0)) / variance if variance else 0.0
        metrics = {"loss": float((error**2).mean()), "explained_variance": explained}
        return self._peers.combine(metrics) | {"grad_norm": float(np.mean(norms))}

    def _step(self, experience: np.ndarray, planes: Packed, rewards: torch.Tensor) -> tuple[torch.Tensor, float]:
        """Take a step towards rewards f32[n, 4]; return rewards minus values, f32[n, 4], and the gradient's norm."""
        errors = []
        for rows in microbatches(len(experience), self._precision):
            error = rewards[rows] - self._pass(experience[rows], planes[rows])
            (error**2).mean(dim=1).sum().backward()
            errors.append(error.detach())
        error = torch.cat(errors)
        step = self._peers.combine({"accepted": float(len(experience)), "loss": float((error**2).mean())})
        norm, loss = self.optimizer.divide_gradients(int(step["accepted"]), self._peers), step["loss"]
        if not np.isfinite([loss, norm]).all():
            self.optimizer.clear()
            raise LearningDiverged(CRITIC, self.optimizer.steps, {"loss": loss, "grad_norm": norm})
        self.optimizer.step(min((self.optimizer.steps + 1) / self._warmup, 1.0))
        return error, norm

    def _pass(self, experience: np.ndarray, planes: Packed) -> torch.Tensor:
        if isinstance(planes, torch.Tensor):
            hidden = masks_on(experience["hidden"], planes.device)
            seen: Packed = torch.cat([planes[:, :PLANES], hidden], dim=1)
        else:
            seen = critic_planes(experience)
        return self.network.of_packed(input_of(seen, self.network.planes), self._precision)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return the whole state except the number of steps, by name; the tensors are not copied."""
        return joined({"network": self.network.state_dict()}) | self.optimizer.tensors()
