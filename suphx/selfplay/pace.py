"""Check that games can be learned from: experience must arrive in time, and the buffer must hold enough minibatches.

A trajectory carries the version with which its round was dealt. It therefore ages by the number of versions that are
learned while all tables play a round, whatever the speed of play and learning. Experience older than `replay.staleness`
is dropped.

In a run by roles experience also waits, if learning is the slower side: on its way to servers that have enough, and in
their buffers, for as many minibatches as they hold `ahead` together.

Decisions that `learning.max_confidence` leaves out are not counted, since they depend on the policy: without them a
version takes more games, and experience is younger than computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.record import SEATS
from suphx.errors import InputError
from suphx.features.layout import ORACLE_PLANES
from suphx.networks.models import MODEL_PLANES
from suphx.selfplay.config import IN_FLIGHT, SENT_DECISIONS

if TYPE_CHECKING:
    from suphx.selfplay.config import TrainConfig

#: Decisions of each network per hanchan, of all four seats; measured with `sl` in 1,729 rounds.
MODEL_DECISIONS_A_GAME = {"discard": 494, "riichi": 21, "chow": 105, "pong": 51, "kong": 8}
#: Rounds per hanchan, measured with `sl` against itself.
ROUNDS_A_GAME = 10.8
#: Length of a long round, as a multiple of the mean length.
LONG_ROUND = 2
#: Bytes of a decision besides its planes.
_ROW_BYTES = 64


@dataclass(frozen=True)
class TrainingPace:
    """How the speeds of play and learning relate."""

    games_a_version: float
    """Games learned from per version."""
    versions_a_round: float
    """Mean age of experience when its round ends, in versions."""
    versions_waiting: float
    """How much older it may become before it is learned from, in a run by roles, if learning is the slower side."""
    minibatches_in_reach: dict[str, float]
    """By model: number of minibatches that its decisions fill before they are too old."""
    replay_bytes: int
    """Size of what a replay buffer must be able to hold: its share of the minibatches."""


def learned_of(config: TrainConfig) -> dict[str, float]:
    """Return the decisions of a game that are learned from, by model."""
    share = config.table.learning_seats / SEATS
    return {model: share * MODEL_DECISIONS_A_GAME[model] for model in config.learning.models}


def pace_of(config: TrainConfig, tables: int, by_roles: bool = False) -> TrainingPace:
    """Return the pace of a training. tables: total number, over all simulators."""
    learning, learned = config.learning, learned_of(config)
    steps_a_game = sum(learning.replay.reuse * n / learning.batch_for(model) for model, n in learned.items())
    games = config.publish_steps / steps_a_game
    versions, waiting = tables / ROUNDS_A_GAME / games, 0.0
    if by_roles:
        in_flight = config.roles.simulators.count * config.roles.groups * IN_FLIGHT
        sent, ahead = in_flight * min(SENT_DECISIONS, learning.batch), config.roles.ahead * len(learning.models)
        waiting = sent / (games * sum(learned.values())) + ahead / config.publish_steps
    reach = max(learning.replay.staleness + 1 - versions, 0.0) * games
    minibatches = {model: reach * n / learning.batch_for(model) for model, n in learned.items()}
    hidden, held = ORACLE_PLANES * sum(config.hidden_planes.values()), 0
    for model in learning.models:
        held += learning.batch_for(model) * (8 * (MODEL_PLANES[model] + hidden) + _ROW_BYTES)
    shares = config.roles.servers.count if by_roles else 1
    return TrainingPace(games, versions, waiting, minibatches, held * (config.roles.ahead + 1) // shares)


def check_pace(config: TrainConfig, tables: int, by_roles: bool = False) -> TrainingPace:
    """Return the pace of a training; raise InputError if most experience, or a model, could not be learned from.

    tables: total number, over all simulators.
    """
    pace, learning = pace_of(config, tables, by_roles), config.learning
    staleness = learning.replay.staleness
    if pace.versions_a_round + pace.versions_waiting > staleness:
        waits = f" and it may wait for {pace.versions_waiting:.1f} more," if by_roles else ""
        takes = f"a round at {tables:,} tables takes {pace.versions_a_round:.0f} versions,{waits}"
        raise InputError(
            f"learning.replay.staleness: {takes} so nearly all experience would be discarded as stale "
            f"(older than {staleness}). Play fewer games side by side (side_by_side, roles.simulators.count), or raise "
            "publish_steps, learning.batch or the bound"
        )
    least = (learning.critic.steps if learning.has_critic else 1) * config.roles.servers.count
    for model, minibatches in pace.minibatches_in_reach.items():
        if minibatches < 1:
            fitting = int(minibatches * learning.batch_for(model) / 2)
            raise InputError(
                f"learning.models: {model} would never learn: it decides so rarely that {staleness + 1} versions make "
                f"{minibatches:.1f} of its minibatches. Set learning.batch_of: {{{model}: {max(fitting, least)}}}"
            )
    if pace.replay_bytes > learning.replay.bytes:
        raise InputError(
            f"learning.replay.bytes: {learning.replay.bytes:,} hold less than a server's share of the "
            f"{config.roles.ahead + 1} minibatches of every model that wait, {pace.replay_bytes:,} bytes"
        )
    return pace
