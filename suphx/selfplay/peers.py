"""Data parallelism: the processes of a parameter server, which add up what each found of a step (torch.distributed)."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import torch
from torch import distributed

#: Names of figures that are not means over a step's questions.
_SUMS, _LARGEST = ("kept",), ("weight_max",)
#: Seconds after which a process that does not answer has ended the step of all.
_TIMEOUT_SECONDS = 300


class Peers:
    """This process among those that share a step; alone by default."""

    size = 1

    def add_up(self, gradients: Sequence[torch.Tensor]) -> None:
        """Replace gradients by their sums over all processes."""

    def figures(self, figures: dict[str, float]) -> dict[str, float]:
        """Return figures of the whole step for those of this process's questions."""
        return figures


class TorchPeers(Peers):
    """Processes connected by NCCL, or Gloo on CPUs. Every one must take the same steps in the same order."""

    def __init__(self, rank: int, size: int, address: str, device: torch.device) -> None:
        """address: `tcp://host:port` of the first one. Returns when all are there."""
        self.size = size
        self._device = device
        distributed.init_process_group(
            "nccl" if device.type == "cuda" else "gloo",
            init_method=address,
            rank=rank,
            world_size=size,
            timeout=datetime.timedelta(seconds=_TIMEOUT_SECONDS),
        )

    def add_up(self, gradients: Sequence[torch.Tensor]) -> None:
        """Replace gradients by their sums over all processes, sent as one."""
        together = torch.cat([each.reshape(-1) for each in gradients])
        distributed.all_reduce(together)
        sizes = [each.numel() for each in gradients]
        for each, total in zip(gradients, together.split(sizes), strict=True):
            each.copy_(total.view_as(each))

    def figures(self, figures: dict[str, float]) -> dict[str, float]:
        """Return figures of the whole step: sums, largest, and means weighed by the questions that were kept."""
        values = torch.tensor([*figures.values()], dtype=torch.float64, device=self._device)
        everyone = [torch.zeros_like(values) for _ in range(self.size)]
        distributed.all_gather(everyone, values)
        table = torch.stack(everyone).cpu()
        kept = table[:, list(figures).index("kept")] if "kept" in figures else torch.ones(self.size)
        found = {}
        for name, column in zip(figures, table.T, strict=True):
            if name in _SUMS:
                found[name] = float(column.sum())
            elif name in _LARGEST:
                found[name] = float(column.max())
            elif name == "loss":  # a mean over what was kept
                found[name] = float((column * kept).sum() / kept.sum().clamp(min=1))
            else:
                found[name] = float(column.mean())
        return found
