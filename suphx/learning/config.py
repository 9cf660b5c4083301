"""Configuration of learning from self-play: every field with its meaning. What the paper leaves open is our choice."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from suphx.config import Config
from suphx.learning.algorithms import ALGORITHMS
from suphx.networks.models import Model
from suphx.networks.sizes import SIZES, NetworkSize


class EntropyConfig(Config):
    """How a policy's entropy is held at a target (formula 3)."""

    target: float | None = Field(default=None, ge=0)
    """Entropy to hold, in nats, averaged over decisions. By default it is `share` of what is measured in the first
    `recent_steps` steps."""
    share: float = Field(default=1.0, gt=0)
    """Share of the measured entropy that becomes the target."""
    start: float = Field(default=0.01, ge=0)
    """Alpha at the first step."""
    beta: float = Field(default=1e-3, ge=0)
    """How much alpha changes per step and nat of distance between entropy and target; 0 keeps alpha constant."""
    lowest: float = Field(default=0.0, ge=0)
    """Lower bound of alpha."""
    highest: float = Field(default=0.5, ge=0)
    """Upper bound of alpha."""

    @model_validator(mode="after")
    def _bounds_in_order(self) -> EntropyConfig:
        if not self.lowest <= self.start <= self.highest:
            raise ValueError(f"start {self.start} is not between lowest {self.lowest} and highest {self.highest}")
        return self


class DistanceConfig(Config):
    """How strongly a policy is held near another one."""

    coefficient: float = Field(default=0.05, ge=0)
    """Weight of the mean KL divergence in the loss; with 0 the distance does not affect learning, and is only measured,
    on a part of each minibatch."""
    renew: int = Field(default=0, ge=0)
    """Steps after which the other policy becomes what this one is then, again and again: the policy may go as far as it
    likes, but not at once, which in a game of two players makes the last policy converge (regularized Nash dynamics,
    Perolat et al. 2022, arXiv:2206.15378). 0: it stays the start."""


class OracleConfig(Config):
    """Oracle guiding (formula 5): perfect information is shown, then gradually dropped out, and finally removed.

    A network's input is [x_normal, delta x x_perfect], where each element of delta is 1 with probability gamma. Dropout
    happens in play, whose rows contain what is left, so that learning sees what play saw.
    """

    renamed: ClassVar[dict[str, str]] = {"after_highest_weight": "after_max_importance_weight"}

    full_games: int = Field(default=15_000, ge=0)
    """Games with all perfect information (gamma = 1)."""
    decay_games: int = Field(default=20_000, ge=0)
    """Games, after those, over which gamma falls linearly to 0."""
    planes_rate: float = Field(default=40.0, gt=0)
    """Factor on the learning rate of the weights that read perfect information: they start at zero, while all others
    are those of a trained network and change little."""
    after_rate: float = Field(default=0.1, gt=0, le=1)
    """Factor on the learning rate once gamma is 0 (0.1 as in the paper)."""
    after_max_importance_weight: float = Field(default=2.0, gt=1)
    """Highest importance weight once gamma is 0."""


class AnnealConfig(Config):
    """A learning rate that falls towards the end: late steps still learn, while their noise averages out."""

    after_games: int = Field(default=0, ge=0)
    """Games at the full rate."""
    games: int = Field(ge=1)
    """Games, after those, over which the rate falls linearly."""
    lowest: float = Field(default=0.1, ge=0, le=1)
    """Share of the full rate that it falls to and then keeps."""


class CriticConfig(Config):
    """The value network that sees perfect information."""

    size: str | NetworkSize = "small"
    """`small`, `base`, `paper`, or {filters: ..., blocks: ...}."""
    learning_rate: float = Field(default=3e-4, gt=0)
    """Learning rate of AdamW."""
    warmup_steps: int = Field(default=100, ge=1)
    """Steps over which the learning rate rises from near 0. First steps at a full rate such as 1e-3 can leave units
    that are never active again, and a critic with the same value for every position."""
    steps: int = Field(default=1, ge=1)
    """Steps that the critic takes from each batch, on equal parts of it: it has more to learn than the policy."""
    gae_lambda: float = Field(default=0.9, ge=0, le=1)
    """Lambda of generalized advantages (GAE). 1: reward minus value; 0: the change of value up to the round's next
    decision of any seat. What a network decides counts: where a seat may call in several ways (three chows, a pong),
    each is a decision, and the earlier ones are weighted with lambda for each that follows."""

    @model_validator(mode="after")
    def _known_size(self) -> CriticConfig:
        if isinstance(self.size, str) and self.size not in SIZES:
            raise ValueError(f"size: no network size {self.size!r}; there are {', '.join(SIZES)}")
        return self

    def network_size(self) -> NetworkSize:
        """Return the network size, resolved if it is given by name."""
        return SIZES[self.size] if isinstance(self.size, str) else self.size


class ReplayConfig(Config):
    """How long decisions are kept to learn from, and how often they are used."""

    bytes: int = Field(default=1 << 30, ge=1)
    """Memory for decisions; the oldest are dropped when it is full."""
    reuse: int = Field(default=1, ge=1, le=255)
    """Maximum number of steps that use a decision."""
    staleness: int = Field(default=8, ge=0)
    """Maximum number of versions between the policy that played and the newest one."""


class CollapseConfig(Config):
    """What counts as a collapse of the policy, which ends the training."""

    renamed: ClassVar[dict[str, str]] = {"behaviour_kl": "behavior_kl"}

    entropy_share: float = Field(default=0.2, ge=0, le=1)
    """Collapse if recent entropy is below this share of the entropy at the start (or of the target, if lower)."""
    behavior_kl: float = Field(default=0.2, gt=0)
    """Collapse if the recent divergence from the policies that played is above this, in nats."""
    rank: float = Field(default=0.1, ge=0)
    """Collapse if the measured average rank minus the start's is above this, with its whole interval. If the interval
    is above 0, there is a warning."""


class LearningConfig(Config):
    """The step: what is learned from a batch of decisions."""

    renamed: ClassVar[dict[str, str]] = {
        "certain": "max_confidence",
        "gradient_norm": "max_grad_norm",
        "highest_weight": "max_importance_weight",
    }

    models: list[Model] = Field(default=["discard"], min_length=1)
    """Which of the five learn (the paper: discard alone); the others play as they are."""
    start_temperature: float | None = Field(default=None, gt=0)
    """Temperature at which the learning policies start, compared with what they learned from people: their logits are
    divided by it before the first step, unless the start's `agent.json` says that this was done. null: as the start is.
    Below 1, policies start more certain, with the same likeliest actions. A policy that imitates many people is less
    certain than a player should be: at 1, much of the gradient only makes it more certain, which changes nothing in
    greedy play and is undone by the entropy target."""
    start_temperature_of: dict[Model, PositiveFloat] = Field(default_factory=dict)
    """The same for single models: one that has seen little needs a lower temperature than one that has seen much."""
    batch: int = Field(default=1024, ge=1)
    """Decisions per step."""
    batch_of: dict[Model, PositiveInt] = Field(default_factory=dict)
    """The same for single models. There are sixty discards for each decision about a kong, so a large batch of kongs
    would be too old (`replay.staleness`) before it is complete."""
    algorithm: str = "policy_gradient"
    """What is maximized (`suphx.learning.algorithms`): `policy_gradient`, `ppo`, or one that a plugin registers."""
    clip: float = Field(default=0.2, gt=0)
    """With `ppo`: the distance of importance weights from 1 beyond which a decision gains nothing more."""
    max_confidence: float = Field(default=1.0, gt=0, le=1)
    """Decisions whose likeliest action was more probable than this are not learned from: their gradients are small.
    Whether a decision is left out depends on the decision alone, not on the action drawn."""
    optimizer: Literal["adamw", "muon"] = "adamw"
    """AdamW for all weights, or Muon for convolutions and AdamW for the rest."""
    learning_rate: float = Field(default=1e-5, gt=0)
    """Learning rate of the policies. At 1e-4 with batches of 1,024, a policy drifts at random."""
    learning_rate_of: dict[Model, PositiveFloat] = Field(default_factory=dict)
    """The same for single models: at the same rate, the riichi, chow and pong networks change more than the discard
    network."""
    anneal: AnnealConfig | None = None
    """How the policies' learning rate falls with the number of games; by default it stays constant."""
    weight_decay: float = Field(default=0.0, ge=0)
    """Weights shrink by learning rate x this at each step."""
    max_grad_norm: float = Field(default=1.0, gt=0)
    """Maximum norm of the gradient; a longer gradient is scaled down to it."""
    max_importance_weight: float = Field(default=5.0, gt=1)
    """Decisions with a higher importance weight are rejected: they take no part in the step."""
    entropy: EntropyConfig = Field(default_factory=EntropyConfig)
    """How entropy is held, for every model alike."""
    reference: DistanceConfig | None = None
    """Hold each policy near its start, or near what it was a while ago: KL(policy, start), where the start sees only
    its own planes. Off by default. With {coefficient: 0} there is no pull, and the distance is only reported."""
    baseline: Literal["mean", "critic"] = "mean"
    """What is subtracted from a round's reward: the mean reward, or what a critic expects at each decision."""
    scale: bool = True
    """Divide advantages by their standard deviation: alpha, beta and distances then mean the same for every reward."""
    recent_batches: int = Field(default=100, ge=1)
    """Batches of rounds over which the mean reward and the standard deviation of advantages are averaged, the latest
    counting most."""
    recent_steps: int = Field(default=20, ge=1)
    """Steps over which recent entropy and divergences are averaged, the latest counting most."""
    critic: CriticConfig = Field(default_factory=CriticConfig)
    """The critic, if the baseline needs one."""
    oracle: OracleConfig | None = None
    """Oracle guiding. Off by default."""
    replay: ReplayConfig = Field(default_factory=ReplayConfig)
    """The replay buffer: which decisions are kept to learn from."""
    collapse: CollapseConfig = Field(default_factory=CollapseConfig)
    """When training ends because the policy has collapsed."""

    @model_validator(mode="after")
    def _fits(self) -> LearningConfig:
        if self.algorithm not in ALGORITHMS:
            names = ", ".join(each.name for each in ALGORITHMS)
            raise ValueError(f"algorithm: no algorithm {self.algorithm!r}; there are {names}")
        if len(set(self.models)) < len(self.models):
            raise ValueError("models: one is named twice")
        for field in ("learning_rate_of", "batch_of", "start_temperature_of"):
            if idle := sorted(set(getattr(self, field)) - set(self.models)):
                raise ValueError(f"{field}: {', '.join(idle)} does not learn")
        if self.reference and self.reference.renew and self.oracle:
            raise ValueError("reference.renew: with an oracle the start stays what a policy is held near")
        if self.critic.steps > min(map(self.batch_for, self.models)):
            raise ValueError("critic.steps: more of them than there are decisions in a batch")
        return self

    @property
    def has_critic(self) -> bool:
        """Whether a critic learns too."""
        return self.baseline == "critic"

    def gamma_at(self, games: int) -> float:
        """Return gamma after a number of games: 1 at first, then falling linearly to 0; always 0 without an oracle."""
        if self.oracle is None:
            return 0.0
        decayed = games - self.oracle.full_games
        if decayed < 0:
            return 1.0
        return max(0.0, 1 - decayed / self.oracle.decay_games) if self.oracle.decay_games else 0.0

    def rate_share(self, games: int) -> float:
        """Return the share of the full learning rate after a number of games (`anneal`)."""
        if self.anneal is None:
            return 1.0
        fallen = min(max(games - self.anneal.after_games, 0) / self.anneal.games, 1.0)
        return 1 - (1 - self.anneal.lowest) * fallen

    def batch_for(self, model: str) -> int:
        """Return the number of decisions in a step of a model."""
        return self.batch_of.get(model, self.batch)

    def temperature_for(self, model: str) -> float | None:
        """Return the temperature at which a model that learns starts; None: as it is."""
        return self.start_temperature_of.get(model, self.start_temperature)

    def rate_for(self, model: str) -> float:
        """Return a model's learning rate, before annealing."""
        return self.learning_rate_of.get(model, self.learning_rate)
