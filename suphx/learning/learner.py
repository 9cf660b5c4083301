"""The learner: networks, their optimizers and controllers, and the learning step on a batch of decisions.

It knows nothing of games or processes. It checks the decisions that it learns from, since another process may have
sent them.
"""

from collections.abc import Mapping

import numpy as np
import torch

from suphx.checkpoint import joined, tensors_below
from suphx.config import StrictModel
from suphx.features.layout import ORACLE_PLANES
from suphx.learning.advantages import Advantages, Moments, raw_advantages
from suphx.learning.config import LearningConfig
from suphx.learning.critic import Critic
from suphx.learning.experience import Batch, microbatches, planes_of
from suphx.learning.model_learner import ModelLearner, ModelState, metrics_of
from suphx.learning.optimizer import LearningDiverged
from suphx.learning.peers import Peers
from suphx.networks.convolution import Packed
from suphx.networks.models import CRITIC, OUTPUTS
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision


class LearnerState(StrictModel):
    """Everything that changes in learning, besides tensors."""

    games: int
    narrowed: bool
    """Whether oracle guiding has ended, with its planes removed from the networks."""
    models: dict[str, ModelState]
    moments: Moments
    critic_steps: int


class Learner:
    """The networks that learn, by model; between steps, `networks` is the policy to play with."""

    def __init__(
        self,
        networks: Mapping[str, PolicyNetwork],
        config: LearningConfig,
        precision: Precision,
        seed: int = 0,
        peers: Peers | None = None,
    ) -> None:
        """Start from the run's initial networks, even if `load` is called afterwards.

        networks: one for every model that learns; the learner takes them over, and widens them for oracle guiding.
        seed: random seed of the critic's fresh weights. peers: processes that share each step; they differ only in the
        decisions they get.
        """
        self.config, self.precision = config, precision
        self._peers = peers or Peers()
        self._models: dict[str, ModelLearner] = {}
        for model in config.models:
            start = networks[model].to(precision.device)
            learns = start.with_planes(start.planes + ORACLE_PLANES) if config.oracle else start
            reference = start if config.reference else None
            self._models[model] = ModelLearner(learns, config, precision, reference, learns.planes - start.planes)
        self.critic = Critic(config, precision, seed, self._peers) if config.has_critic else None
        self.advantages = Advantages(config)
        self.games = 0
        self.narrowed = False
        self.count_games(0)

    @property
    def networks(self) -> dict[str, PolicyNetwork]:
        """The current networks, by model, not copied: later steps change them."""
        return {model: learning.network for model, learning in self._models.items()}

    @property
    def gamma(self) -> float:
        """Share of the elements of perfect information that play should show from now on; 0 without an oracle."""
        return self.config.gamma_at(self.games)

    def count_games(self, games: int) -> None:
        """Count games; at gamma 0 networks become normal ones of the same function, with fresh optimizers."""
        self.games += games
        if self.config.oracle and self.gamma == 0 and not self.narrowed:
            self._narrow()

    def _narrow(self) -> None:
        self.narrowed = True
        for learning in self._models.values():
            learning.set(learning.network.with_planes(learning.network.planes - ORACLE_PLANES))

    def advantages_of(self, batch: Batch) -> dict[str, np.ndarray]:
        """Return advantages f32[n] of each model's decisions. Call it once per batch, in order."""
        raw = raw_advantages(self.config, batch, self.critic.values if self.critic else None)
        return self.advantages.of(batch, raw)

    def learn(self, model: str, minibatch: np.ndarray, version: int) -> dict[str, dict[str, float]]:
        """Take a step of a model's policy, and of any critic; return metrics by name. version: that plays now."""
        staleness = float(version - minibatch["version"].astype(np.int64).mean())
        planes = planes_of(minibatch, self.precision)
        metrics = {model: self.step(model, minibatch, planes) | {"staleness": staleness}}
        if self.critic is not None:
            metrics[CRITIC] = self.critic.step(minibatch, planes)
        return metrics

    def step(self, model: str, minibatch: np.ndarray, planes: Packed | None = None) -> dict[str, float]:
        """Take a step of a model's policy on a minibatch, with advantages; return metrics about it, by name.

        planes: `planes_of` the decisions, if somebody has them already.
        Raises LearningDiverged, with nothing changed, if a metric is not finite, ValueError for no or illegal actions.
        """
        learning = self._models[model]
        actions = minibatch["action"].astype(np.int64)
        inside = actions < OUTPUTS[model]
        if not len(minibatch) or not inside.all() or not minibatch["legal"][np.arange(len(actions)), actions].all():
            raise ValueError(f"{model}: no decisions, or an action that was not legal")
        guided = self.config.oracle if self.narrowed else None  # its last phase has settings of its own
        config = self.config
        if guided:
            config = config.model_copy(update={"max_importance_weight": guided.after_max_importance_weight})
        planes = planes_of(minibatch, self.precision) if planes is None else planes
        terms = [
            learning.learn_from(minibatch[rows], planes[rows], config, measures=rows.start == 0)
            for rows in microbatches(len(minibatch), self.precision)
        ]
        metrics = self._peers.combine(metrics_of(terms))
        accepted = int(metrics["accepted"])
        metrics["grad_norm"] = learning.optimizer.divide_gradients(max(accepted, 1), self._peers)
        if not np.isfinite(list(metrics.values())).all():
            learning.optimizer.clear()
            raise LearningDiverged(model, learning.optimizer.steps, metrics)
        metrics["gradient_signal"] = learning.optimizer.signal_share()
        factor = self.config.rate_share(self.games) * (guided.after_rate if guided else 1.0)
        if accepted:
            learning.optimizer.step(factor)
        else:
            learning.optimizer.clear()
        metrics |= {
            "alpha": learning.entropy.coefficient,
            "learning_rate": self.config.rate_for(model) * factor,
            "advantage_mean": float(minibatch["advantage"].mean()),
            "advantage_std": float(minibatch["advantage"].std()),
        }
        return metrics | learning.control(metrics)

    def alarms(self) -> list[str]:
        """Return the current signs of a collapse, in words."""
        collapse, alarms = self.config.collapse, []
        for model, learning in self._models.items():
            entropy, kl = learning.entropy, learning.behavior_kl
            if not entropy.settled:
                continue
            floor = collapse.entropy_share * min(entropy.state.first, entropy.target)
            if entropy.state.recent < floor:
                alarms.append(f"{model}: recent entropy {entropy.state.recent:.4f} is below {floor:.4f}")
            if kl > collapse.behavior_kl:
                alarms.append(f"{model}: recent kl_behavior {kl:.4f} is above {collapse.behavior_kl:.4f}")
        return alarms

    def state(self) -> tuple[LearnerState, dict[str, torch.Tensor]]:
        """Return everything that a resumed run needs: plain values, and tensors by name, which are not copied."""
        tensors = {model: learning.tensors() for model, learning in self._models.items()}
        if self.critic is not None:
            tensors[CRITIC] = self.critic.tensors()
        state = LearnerState(
            games=self.games,
            narrowed=self.narrowed,
            models={model: learning.state() for model, learning in self._models.items()},
            moments=self.advantages.moments.model_copy(),
            critic_steps=self.critic.optimizer.steps if self.critic else 0,
        )
        return state, joined(tensors)

    def load(self, state: LearnerState, tensors: dict[str, torch.Tensor]) -> None:
        """Resume from what `state` returned; raises KeyError if something is missing."""
        if state.narrowed and not self.narrowed:
            self._narrow()
        self.games = state.games
        for model, learning in self._models.items():
            learning.load(state.models[model], tensors_below(tensors, f"{model}."))
        self.advantages.moments = state.moments.model_copy()
        if self.critic is not None:
            below = tensors_below(tensors, f"{CRITIC}.")
            self.critic.network.load_state_dict(tensors_below(below, "network."))
            self.critic.optimizer.load_tensors(below, state.critic_steps)
