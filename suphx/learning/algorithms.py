"""Algorithms: what a learning policy maximizes, decision by decision; each is a function, registered by name.

To the gain of an algorithm the learner adds the entropy (alpha x entropy) and the pull to the start, and takes the mean
over the accepted decisions. `docs/extending.md` adds an algorithm from a user's file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from suphx.plugins import Registry

if TYPE_CHECKING:  # plugins register algorithms before anything heavy is loaded
    import torch

    from suphx.learning.config import LearningConfig


@dataclass(frozen=True)
class Objective:
    """What each decision contributes; it does not depend on the rest of its batch."""

    gain: torch.Tensor
    """f32[n]: what is maximized, through which gradients flow."""
    accepted: torch.Tensor
    """bool[n]: which decisions take part in the step."""


#: log pi f32[n] of the actions taken, with gradient; the same of the policy that played; advantages f32[n]; settings.
Algorithm: TypeAlias = "Callable[[torch.Tensor, torch.Tensor, torch.Tensor, LearningConfig], Objective]"

ALGORITHMS: Registry[Algorithm] = Registry("algorithm")
