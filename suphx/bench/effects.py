"""Which planes explain how the discards of two policies differ: what a training has taught, in readable terms."""

from dataclasses import dataclass

import numpy as np
import torch

from suphx.features.layout import LAYOUT, ORACLE_LAYOUT
from suphx.networks.planes import unpack

_CPU = torch.device("cpu")
#: Questions that are unpacked at a time, which takes 30 MB.
_AT_ONCE = 256


@dataclass(frozen=True)
class Effect:
    """A plane that is correlated with the change from one policy's discards to the other's."""

    block: str
    name: str
    slope: float
    """Mean rise of a tile kind's logit where the plane is 1; 0.69 corresponds to doubled odds."""
    share: float
    """Share of the whole change that this plane explains alone. Shares overlap, since planes are correlated."""


class Effects:
    """Regressions of the change in discard logits on each plane alone, weighted by the earlier policy's probabilities.

    Within a question, only differences between its possible answers count, and each answer is weighted by its
    probability.
    """

    def __init__(self, hidden: bool = False) -> None:
        """hidden: also regress on the planes of what is hidden, which then follow the others."""
        self._layout = LAYOUT + ORACLE_LAYOUT if hidden else LAYOUT
        self._together, self._of_plane, self._change = np.zeros(len(self._layout)), np.zeros(len(self._layout)), 0.0

    def add(self, planes: np.ndarray, before: torch.Tensor, after: torch.Tensor) -> None:
        """Add questions: planes uint64[n, planes]; before, after: f32[n, 34], log pi, -inf where not possible."""
        for at in range(0, len(planes), _AT_ONCE):
            rows = slice(at, at + _AT_ONCE)
            chance = before[rows].exp()
            change = (after[rows] - before[rows]).masked_fill(chance == 0, 0)
            change -= (chance * change).sum(dim=1, keepdim=True)
            sets = unpack(planes[rows], torch.float32, _CPU)
            held = torch.einsum("nk,nkp->np", chance, sets)
            self._of_plane += (held - held**2).sum(dim=0).double().numpy()  # variance of a variable that is 0 or 1
            self._together += torch.einsum("nk,nkp->p", chance * change, sets).double().numpy()
            self._change += float((chance * change**2).sum())

    def strongest(self, count: int) -> list[Effect]:
        """Return the planes with the largest shares; none if nothing has changed."""
        if not self._change:
            return []
        zero = np.zeros_like(self._together)
        slope = np.divide(self._together, self._of_plane, out=zero, where=self._of_plane > 1e-9)
        share = slope * self._together / self._change
        found = np.argsort(-share, kind="stable")[:count]
        planes = self._layout
        return [Effect(planes[n].block, planes[n].name, float(slope[n]), float(share[n])) for n in found]
