"""The learner: networks, their optimisers and controllers, and the step from a batch of questions.

It knows nothing of games or processes. What it learns from is checked here, since it may have come from elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict

from suphx.checkpoint import tensors_below
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import OUTPUTS
from suphx.selfplay.advantage import Advantages, Moments, raw_advantages
from suphx.selfplay.critic import Critic
from suphx.selfplay.diverged import LearningDiverged
from suphx.selfplay.learning_config import LearningConfig
from suphx.selfplay.oracle import gamma_at, narrow, widen
from suphx.selfplay.passes import passes
from suphx.selfplay.peers import Peers
from suphx.selfplay.policy_gradient import legal_answers
from suphx.selfplay.pupil import Pupil, PupilState, figures_of
from suphx.selfplay.trajectory import Batch, Experience


class LearnerState(BaseModel):
    """All that changes in learning, besides tensors."""

    model_config = ConfigDict(extra="forbid")

    games: int
    narrowed: bool
    """The oracle is over: its planes are gone from the networks."""
    pupils: dict[str, PupilState]
    moments: Moments
    critic_steps: int


@dataclass(frozen=True)
class Alarm:
    """A sign that a policy has collapsed."""

    model: str
    figure: str
    """`entropy` or `kl_behaviour`"""
    value: float
    """Recent, in nats"""
    bound: float

    def __str__(self) -> str:
        side = "below" if self.value < self.bound else "above"
        return f"{self.model}: recent {self.figure} {self.value:.4f} is {side} {self.bound:.4f}"


class Learner:
    """Networks that learn, by model; between steps `networks` are what plays."""

    def __init__(
        self,
        networks: Mapping[str, PolicyNetwork],
        config: LearningConfig,
        precision: Precision,
        seed: int = 0,
        teachers: Mapping[str, PolicyNetwork] | None = None,
        critic: Critic | None = None,
        peers: Peers | None = None,
    ) -> None:
        """Begin with networks as they start, also where `load` follows.

        networks: of every model that learns; they are the learner's from now on, widened if it is an oracle's learning.
        seed: of the critic's fresh weights. teachers: oracles to distil from, where the configuration asks for it.
        critic: another one than the configuration's. peers: processes that share each step, alike but for the
        questions they are given. Raises ValueError if a network or a teacher is missing.
        """
        self.config, self.precision = config, precision
        self._peers = peers or Peers()
        missing: list[str] = [model for model in config.models if model not in networks]
        missing += [f"{model}'s teacher" for model in config.models if config.teacher and model not in (teachers or {})]
        if missing:
            raise ValueError(f"learning needs {', '.join(missing)}")
        self._pupils: dict[str, Pupil] = {}
        for model in config.models:
            start = networks[model].to(precision.device)
            start.divide_logits(config.start_temperature)
            learns = widen(start) if config.oracle else start
            teacher = (teachers or {})[model].to(precision.device) if config.teacher else None
            reference = start if config.reference else None
            self._pupils[model] = Pupil(learns, config, precision, reference, teacher, learns.planes - start.planes)
        self.critic = None
        if config.has_critic:
            self.critic = critic or Critic(config, precision, seed, peers=peers)
        self.advantages = Advantages(config)
        self.games = 0
        self.narrowed = False
        self.count_games(0)

    @property
    def networks(self) -> dict[str, PolicyNetwork]:
        """The networks as they are now, by model; they go on learning."""
        return {model: pupil.network for model, pupil in self._pupils.items()}

    @property
    def gamma(self) -> float:
        """Share of the elements of perfect information that play is to show from now on; 0 without an oracle."""
        return gamma_at(self.config.oracle, self.games) if self.config.oracle else 0.0

    def count_games(self, games: int) -> None:
        """Count finished games. When gamma comes to 0, networks are replaced by normal ones of the same function.

        Their optimisers begin anew then, at the lower rate of that phase.
        """
        self.games += games
        if self.config.oracle and self.gamma == 0 and not self.narrowed:
            self._narrow()

    def _narrow(self) -> None:
        self.narrowed = True
        for pupil in self._pupils.values():
            pupil.set(narrow(pupil.network))

    def advantages_of(self, batch: Batch) -> dict[str, np.ndarray]:
        """Return advantages f32[n] of each model's questions; to be asked once for each batch, in order."""
        raw = raw_advantages(self.config, batch, self.critic.values if self.critic else None)
        return self.advantages.of(batch, raw)

    def step(self, model: str, experience: Experience, advantage: np.ndarray) -> dict[str, float]:
        """Take a step of a model's policy from its questions and advantages f32[n]; return what it was, by name.

        Raises LearningDiverged, with nothing changed, if it came to numbers that are none, and ValueError for
        questions that cannot be: none, or an answer that was not possible.
        """
        pupil = self._pupils[model]
        legal = legal_answers(experience.legal, OUTPUTS[model])
        if not len(experience) or not legal[np.arange(len(legal)), experience.answer].all():
            raise ValueError(f"{model}: no questions, or an answer that was not possible")
        highest = self._highest_weight()
        found = [
            pupil.learn_from(experience.rows(rows), legal[rows], advantage[rows], highest, tells=rows.start == 0)
            for rows in passes(len(experience), self.precision)
        ]
        figures = self._peers.figures(figures_of(found))
        kept = int(figures["kept"])
        figures["gradient_norm"] = pupil.optimizer.divide_gradients(max(kept, 1), self._peers)
        if not np.isfinite(list(figures.values())).all():
            pupil.optimizer.clear()
            raise LearningDiverged(model, pupil.optimizer.steps, figures)
        figures["gradient_signal"] = pupil.optimizer.found_again()
        factor = self._rate_factor()
        if kept:
            pupil.optimizer.step(factor)
        else:
            pupil.optimizer.clear()
        figures |= {
            "alpha": pupil.entropy.coefficient,
            "learning_rate": self.config.rate_for(model) * factor,
            "advantage_mean": float(advantage.mean()),
            "advantage_spread": float(advantage.std()),
        }
        if self.config.baseline == "copies":
            moments = self.advantages.moments
            figures |= {"deal_luck": moments.luck, "deal_copies": moments.copies}
        return figures | pupil.control(figures)

    def _rate_factor(self) -> float:
        """Return what rates are multiplied by now."""
        config = self.config
        share = config.anneal.share_at(self.games) if config.anneal else 1.0
        return share * config.oracle.after_rate if config.oracle and self.narrowed else share

    def _highest_weight(self) -> float:
        oracle = self.config.oracle
        return oracle.after_highest_weight if oracle and self.narrowed else self.config.highest_weight

    def critic_step(self, experience: Experience, rewards: np.ndarray) -> dict[str, float]:
        """Take a step of the critic towards rewards f32[n, 4] of the questions' rounds; see `Critic.step`."""
        if self.critic is None:
            raise ValueError("there is no critic: baseline is another")
        return self.critic.step(experience, rewards)

    def alarms(self) -> list[Alarm]:
        """Return the signs of a collapse that there are now."""
        collapse = self.config.collapse
        found = []
        for model, pupil in self._pupils.items():
            entropy = pupil.entropy
            if not entropy.settled:
                continue
            floor = collapse.entropy_share * min(entropy.state.first, entropy.target)
            if entropy.state.recent < floor:
                found.append(Alarm(model, "entropy", entropy.state.recent, floor))
            if pupil.behaviour_kl > collapse.behaviour_kl:
                found.append(Alarm(model, "kl_behaviour", pupil.behaviour_kl, collapse.behaviour_kl))
        return found

    def state(self) -> tuple[LearnerState, dict[str, torch.Tensor]]:
        """Return everything that a later run needs, plain and as tensors by name; the tensors themselves, no copies."""
        tensors: dict[str, torch.Tensor] = {}
        for model, pupil in self._pupils.items():
            tensors |= {f"{model}.{name}": each for name, each in pupil.tensors().items()}
        if self.critic is not None:
            tensors |= {f"critic.{name}": each for name, each in self.critic.tensors().items()}
        state = LearnerState(
            games=self.games,
            narrowed=self.narrowed,
            pupils={model: pupil.state() for model, pupil in self._pupils.items()},
            moments=self.advantages.moments.model_copy(),
            critic_steps=self.critic.optimizer.steps if self.critic else 0,
        )
        return state, tensors

    def load(self, state: LearnerState, tensors: dict[str, torch.Tensor]) -> None:
        """Go on from what `state` returned; raises KeyError for what is missing."""
        if state.narrowed and not self.narrowed:
            self._narrow()
        self.games = state.games
        for model, pupil in self._pupils.items():
            pupil.load(state.pupils[model], tensors_below(tensors, f"{model}."))
        self.advantages.moments = state.moments.model_copy()
        if self.critic is not None:
            below = tensors_below(tensors, "critic.")
            self.critic.network.load_state_dict(tensors_below(below, "network."))
            self.critic.optimizer.load_tensors(below, state.critic_steps)
