"""The learner: networks, their optimisers and controllers, and the step from a batch of questions.

It knows nothing of games or processes. What it learns from is checked here, since it may have come from elsewhere.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict

from suphx.checkpoint import tensors_below
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import OUTPUTS
from suphx.selfplay.advantage import Advantages, Moments
from suphx.selfplay.controller import ControllerState, DistanceController, EntropyController
from suphx.selfplay.critic import Critic
from suphx.selfplay.diverged import LearningDiverged
from suphx.selfplay.learning_config import LearningConfig
from suphx.selfplay.optimizer import Optimizer
from suphx.selfplay.oracle import gamma_at, narrow, widen
from suphx.selfplay.passes import passes, unpacked
from suphx.selfplay.policy_gradient import Terms, divergence, legal_answers, log_probabilities, terms_of
from suphx.selfplay.trajectory import Batch, Experience


class PupilState(BaseModel):
    """What changes in one model's learning, besides tensors."""

    model_config = ConfigDict(extra="forbid")

    steps: int
    """Taken by the optimiser."""
    entropy: ControllerState
    reference: ControllerState | None
    teacher: ControllerState | None
    behaviour_kl: float
    """Recent divergence from the policies that played."""


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


class _Pupil:
    """One model that learns."""

    def __init__(
        self,
        network: PolicyNetwork,
        config: LearningConfig,
        reference: PolicyNetwork | None,
        teacher: PolicyNetwork | None,
    ) -> None:
        self.config = config
        self.reference, self.teacher = _fixed(reference), _fixed(teacher)
        self.set(network)
        recent = config.recent_steps
        self.entropy = EntropyController(config.entropy_for(network.model), recent)  # type: ignore[arg-type]
        self.from_reference = DistanceController(config.reference, recent) if config.reference else None
        self.from_teacher = DistanceController(config.teacher, recent) if config.teacher else None
        self.behaviour_kl = 0.0

    def set(self, network: PolicyNetwork) -> None:
        """Take a network, with an optimiser that begins anew."""
        config = self.config
        self.network = network
        self.optimizer = Optimizer(
            network, config.learning_rate, config.weight_decay, config.gradient_norm, config.optimizer == "muon"
        )

    def state(self) -> PupilState:
        reference, teacher = self.from_reference, self.from_teacher
        return PupilState(
            steps=self.optimizer.steps,
            entropy=self.entropy.state,
            reference=reference.state if reference else None,
            teacher=teacher.state if teacher else None,
            behaviour_kl=self.behaviour_kl,
        ).model_copy(deep=True)

    def load(self, state: PupilState, tensors: dict[str, torch.Tensor]) -> None:
        self.network.load_state_dict(tensors_below(tensors, "network."))
        self.optimizer.load_tensors(tensors, state.steps)
        self.entropy.state = state.entropy.model_copy()
        for controller, saved in ((self.from_reference, state.reference), (self.from_teacher, state.teacher)):
            if controller is not None and saved is not None:
                controller.state = saved.model_copy()
        self.behaviour_kl = state.behaviour_kl


def _fixed(network: PolicyNetwork | None) -> PolicyNetwork | None:
    return None if network is None else copy.deepcopy(network).requires_grad_(False)


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
    ) -> None:
        """Begin with networks as they start, also where `load` follows.

        networks: of every model that learns; they are the learner's from now on, widened if it is an oracle's learning.
        seed: of the critic's fresh weights. teachers: oracles to distil from, where the configuration asks for it.
        critic: another one than the configuration's. Raises ValueError if a network or a teacher is missing.
        """
        self.config, self.precision = config, precision
        missing: list[str] = [model for model in config.models if model not in networks]
        missing += [f"{model}'s teacher" for model in config.models if config.teacher and model not in (teachers or {})]
        if missing:
            raise ValueError(f"learning needs {', '.join(missing)}")
        self._pupils: dict[str, _Pupil] = {}
        for model in config.models:
            start = networks[model].to(precision.device)
            learns = widen(start) if config.oracle else start
            teacher = (teachers or {})[model].to(precision.device) if config.teacher else None
            self._pupils[model] = _Pupil(learns, config, start if config.reference else None, teacher)
        self.critic = None
        if config.baseline == "critic":
            self.critic = critic or Critic(config, precision, seed)
        self.advantages = Advantages(config, self.critic.values if self.critic else None)
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
        return self.advantages.of(batch)

    def step(self, model: str, experience: Experience, advantage: np.ndarray) -> dict[str, float]:
        """Take a step of a model's policy from its questions and advantages f32[n]; return what it was, by name.

        Raises LearningDiverged, with nothing changed, if it came to numbers that are none, and ValueError for
        questions that cannot be: none, or an answer that was not possible.
        """
        pupil = self._pupils[model]
        legal = legal_answers(experience.legal, OUTPUTS[model])
        if not len(experience) or not legal[np.arange(len(legal)), experience.answer].all():
            raise ValueError(f"{model}: no questions, or an answer that was not possible")
        found = [
            self._pass(pupil, experience.rows(rows), legal[rows], advantage[rows])  # type: ignore[arg-type]
            for rows in passes(len(experience), self.precision)
        ]
        figures = _figures(found)
        kept = int(figures["kept"])
        figures["gradient_norm"] = pupil.optimizer.divide_gradients(max(kept, 1))
        if not np.isfinite(list(figures.values())).all():
            pupil.optimizer.clear()
            raise LearningDiverged(model, pupil.optimizer.steps, figures)
        factor = self.config.oracle.after_rate if self.config.oracle and self.narrowed else 1.0
        if kept:
            pupil.optimizer.step(factor)
        else:
            pupil.optimizer.clear()
        figures |= {
            "alpha": pupil.entropy.coefficient,
            "learning_rate": self.config.learning_rate * factor,
            "advantage_mean": float(advantage.mean()),
            "advantage_spread": float(advantage.std()),
        }
        return figures | self._control(pupil, figures)

    def _pass(self, pupil: _Pupil, experience: Experience, legal: np.ndarray, advantage: np.ndarray) -> _Pass:
        """Add the gradients of some questions to those of the batch."""
        device = self.precision.device
        possible = torch.from_numpy(legal).to(device)
        log_policy = self._log_policy(pupil.network, experience, possible)
        terms = terms_of(
            log_policy,
            torch.from_numpy(experience.answer.astype(np.int64)).to(device),
            torch.from_numpy(experience.log_probability).to(device),
            torch.from_numpy(advantage).to(device),
            self._highest_weight(),
            self.config.clip,
        )
        objective = terms.gain + pupil.entropy.coefficient * terms.entropy
        distances = {}
        if pupil.reference is not None and pupil.from_reference is not None:
            with torch.no_grad():
                log_reference = self._log_policy(pupil.reference, experience, possible)
            distances["kl_reference"] = divergence(log_policy, log_reference)
            objective = objective - pupil.from_reference.coefficient * distances["kl_reference"]
        if pupil.teacher is not None and pupil.from_teacher is not None:
            with torch.no_grad():
                log_teacher = self._log_policy(pupil.teacher, experience, possible)
            distances["kl_teacher"] = divergence(log_teacher, log_policy)
            objective = objective - pupil.from_teacher.coefficient * distances["kl_teacher"]
        loss = -objective[terms.kept].sum()
        loss.backward()
        return _Pass(loss.detach(), terms, {name: each.detach() for name, each in distances.items()})

    def _log_policy(self, network: PolicyNetwork, experience: Experience, possible: torch.Tensor) -> torch.Tensor:
        planes = unpacked(experience.planes, experience.oracle, network.planes, self.precision)
        return log_probabilities(network(planes), possible)

    def _highest_weight(self) -> float:
        oracle = self.config.oracle
        return oracle.after_highest_weight if oracle and self.narrowed else self.config.highest_weight

    def _control(self, pupil: _Pupil, figures: dict[str, float]) -> dict[str, float]:
        """Move the coefficients for the next step; return their figures of this one."""
        pupil.entropy.update(figures["entropy"])
        share = 1 / min(pupil.entropy.state.steps, self.config.recent_steps)
        pupil.behaviour_kl += share * (figures["kl_behaviour"] - pupil.behaviour_kl)
        found = {"entropy_target": pupil.entropy.target}
        for name, controller in (("reference", pupil.from_reference), ("teacher", pupil.from_teacher)):
            if controller is not None:
                found[f"{name}_coefficient"] = controller.coefficient
                controller.update(figures[f"kl_{name}"])
        return found

    def critic_step(self, experience: Experience, rewards: np.ndarray) -> dict[str, float]:
        """Take a step of the critic towards rewards f32[n] of the questions' rounds; see `Critic.step`."""
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
        tensors = {}
        for model, pupil in self._pupils.items():
            weights = {f"network.{name}": each for name, each in pupil.network.state_dict().items()}
            for name, each in (weights | pupil.optimizer.tensors()).items():
                tensors[f"{model}.{name}"] = each
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


@dataclass(frozen=True)
class _Pass:
    """What came of some questions, without gradients."""

    loss: torch.Tensor
    """Sum over kept questions."""
    terms: Terms
    distances: dict[str, torch.Tensor]


def _figures(found: list[_Pass]) -> dict[str, float]:
    """Return means over a batch's questions; `loss` over the kept ones."""

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
        "clipped": mean("clipped"),
        "entropy": mean("entropy"),
        "kl_behaviour": mean("behaviour_kl"),
    }
    for name in found[0].distances:
        figures[name] = float(torch.cat([each.distances[name] for each in found]).mean())
    return figures
