"""Advantages: the reward of an action's round, minus the reward that was to be expected."""

from collections.abc import Callable, Mapping

import numpy as np

from simulator.jit import jit
from suphx.config import StrictModel
from suphx.learning.config import LearningConfig
from suphx.learning.experience import SEATS, Batch

#: A critic's values: f32[n, 4] for a model's decisions, one per seat, starting with the seat that decides.
Values = Callable[[np.ndarray], np.ndarray]


class Moments(StrictModel):
    """Moving averages over decisions: of rewards and of squared advantages."""

    batches: int = 0
    mean: float = 0.0
    """Mean reward."""
    square: float = 0.0
    """Mean squared advantage, before scaling."""


def raw_advantages(config: LearningConfig, batch: Batch, values: Values | None = None) -> dict[str, np.ndarray]:
    """Return f64[n] for each model's decisions: the round's reward, minus the critic's value if that is the baseline.

    values: the critic's values; raises ValueError if they are needed but missing.
    """
    experience = {model: each for model, each in batch.experience.items() if len(each)}
    rewards = {model: each["rewards"][:, 0].astype(np.float64) for model, each in batch.experience.items()}
    if not config.has_critic or not experience:
        return rewards
    if values is None:
        raise ValueError(f"baseline: {config.baseline} needs the critic's values")
    expected = {model: values(each) for model, each in experience.items()}
    return rewards | generalized(Batch(batch.trajectories, experience), expected, config.critic.gae_lambda)


class Advantages:
    """Turns raw advantages into final ones, batch by batch: minus the baseline, divided by the standard deviation."""

    def __init__(self, config: LearningConfig) -> None:
        self.moments = Moments()
        self._config = config

    def of(self, batch: Batch, raw: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return f32[n] for each model's decisions, and include the batch in the moving averages.

        raw: what `raw_advantages` returned.
        """
        rewards = [each["rewards"][:, 0] for each in batch.experience.values()]
        if not sum(map(len, rewards)):
            return {model: each.astype(np.float32) for model, each in raw.items()}
        moments = self.moments
        moments.batches += 1
        share = 1 / min(moments.batches, self._config.recent_batches)
        moments.mean += share * (float(np.concatenate(rewards).astype(np.float64).mean()) - moments.mean)
        baseline = moments.mean if self._config.baseline == "mean" else 0.0
        less = {model: each - baseline for model, each in raw.items()}
        square = float((np.concatenate(list(less.values())) ** 2).mean())
        moments.square += share * (square - moments.square)
        scale = moments.square**-0.5 if self._config.scale and moments.square > 0 else 1.0
        return {model: (each * scale).astype(np.float32) for model, each in less.items()}


def generalized(batch: Batch, values: Mapping[str, np.ndarray], gae_lambda: float) -> dict[str, np.ndarray]:
    """Return generalized advantages f64[n] of each model's decisions (Schulman et al. 2016, arXiv:1506.02438).

    All decisions of a round, to any seat and model, form one sequence; at each of them the critic predicts what the
    round will be worth to all four seats. Nothing is discounted (a round is short), and all reward comes after the last
    decision: for a seat, delta_t = V_{t+1} - V_t, or reward - V_t at the last decision, and
    A_t = delta_t + lambda x A_{t+1}. A decision's advantage is that of the seat that decides. values: f32[n, 4] by
    model.
    """
    models, trajectories = list(batch.experience), batch.trajectories
    trajectory = np.concatenate([batch.experience[model]["trajectory"] for model in models]).astype(np.int64)
    step = np.concatenate([batch.experience[model]["step"] for model in models])
    expected = np.concatenate([values[model] for model in models]).astype(np.float64)
    rewards = np.concatenate([batch.experience[model]["rewards"] for model in models]).astype(np.float64)
    _, of_round = np.unique(trajectories[["game", "round"]], return_inverse=True)
    seat = trajectories["seat"][trajectory].astype(np.int64)
    from_seat = (np.arange(SEATS) - seat[:, None]) % SEATS  # turns rows to seats 0 to 3
    order = np.lexsort((step, of_round[trajectory]))
    expected, rewards = (np.take_along_axis(each, from_seat, axis=1)[order] for each in (expected, rewards))
    of_seats = follow_advantages(of_round[trajectory][order], expected, rewards, gae_lambda)
    advantages = np.empty(len(trajectory))
    advantages[order] = of_seats[np.arange(len(trajectory)), seat[order]]
    ends = np.cumsum([len(batch.experience[model]) for model in models])
    return dict(zip(models, np.split(advantages, ends[:-1]), strict=True))


@jit
def follow_advantages(chain, values, rewards, gae_lambda):
    """Return generalized advantages f64[n, k] of k seats at n decisions, which are sorted by chain and then by time.

    A_t = V_{t+1} - V_t + lambda x A_{t+1}, and reward - V_t at a chain's last decision. chain: i64[n], the round that
    each decision belongs to; values, rewards: f64[n, k]; rewards are those of the decision's round.
    """
    advantages = np.empty_like(values)
    for n in range(len(values) - 1, -1, -1):
        is_last = n + 1 == len(values) or chain[n + 1] != chain[n]
        for k in range(values.shape[1]):
            later_value, later_advantage = (rewards[n, k], 0.0) if is_last else (values[n + 1, k], advantages[n + 1, k])
            advantages[n, k] = later_value - values[n, k] + gae_lambda * later_advantage
    return advantages
