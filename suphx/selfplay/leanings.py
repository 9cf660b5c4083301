"""By which planes the discards of two policies differ: what a training has taught, in words that people know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from suphx.features.layout import LAYOUT, PLANES
from suphx.networks.planes import unpack

_CPU = torch.device("cpu")
#: Questions that are unpacked at a time: 30 MB.
_AT_ONCE = 256


@dataclass(frozen=True)
class Leaning:
    """A plane that goes with what one policy discards rather than the other."""

    block: str
    name: str
    slope: float
    """How much higher the logit of a kind is in the mean where the plane has it; that of doubled chances is 0.69."""
    share: float
    """How much of all differences between the two goes with this plane alone. Shares overlap: planes are alike."""


class Leanings:
    """Regressions of the change of discards' logits on each plane alone, by the chances of the policy before.

    Within a question only differences between its possible answers count, and an answer by its chance.
    """

    def __init__(self) -> None:
        self._together, self._of_plane, self._change = np.zeros(PLANES), np.zeros(PLANES), 0.0

    def add(self, planes: np.ndarray, before: torch.Tensor, after: torch.Tensor) -> None:
        """Count questions: planes uint64[n, PLANES]; before, after: f32[n, 34], log pi, -inf where not possible."""
        for at in range(0, len(planes), _AT_ONCE):
            rows = slice(at, at + _AT_ONCE)
            chance = before[rows].exp()
            change = (after[rows] - before[rows]).masked_fill(chance == 0, 0)
            change -= (chance * change).sum(dim=1, keepdim=True)
            sets = unpack(planes[rows], torch.float32, _CPU)
            held = torch.einsum("nk,nkp->np", chance, sets)
            self._of_plane += (held - held**2).sum(dim=0).double().numpy()  # of zeros and ones
            self._together += torch.einsum("nk,nkp->p", chance * change, sets).double().numpy()
            self._change += float((chance * change**2).sum())

    def strongest(self, count: int) -> list[Leaning]:
        """Return the planes with the largest shares; fewer where there is no change."""
        if not self._change:
            return []
        slope = np.divide(self._together, self._of_plane, out=np.zeros(PLANES), where=self._of_plane > 1e-9)
        share = slope * self._together / self._change
        found = np.argsort(-share, kind="stable")[:count]
        return [Leaning(LAYOUT[n].block, LAYOUT[n].name, float(slope[n]), float(share[n])) for n in found]
