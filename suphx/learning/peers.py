"""Data parallelism: the processes of a parameter server add up their gradients of a step (torch.distributed)."""

import datetime
import os
import socket
import sys
from collections.abc import Sequence

import torch
from torch import distributed

#: How long to wait for a process that does not answer before the step fails in all of them.
_TIMEOUT = datetime.timedelta(seconds=300)
_LOOPBACK = "lo0" if sys.platform == "darwin" else "lo"


def open_store(host: str) -> distributed.TCPStore:
    """Return a store through which processes find each other; it listens while it is referenced, and needs no token.

    host: this machine's address to listen on; torch by default listens on all. Raises OSError for another.
    """
    listening = socket.create_server((host, 0))
    port = listening.getsockname()[1]
    return distributed.TCPStore(
        host, port, is_master=True, timeout=_TIMEOUT, wait_for_workers=False, master_listen_fd=listening.detach()
    )


class Peers:
    """The processes that share a step; this base class is for a single process."""

    def add_up(self, gradients: Sequence[torch.Tensor]) -> None:
        """Replace gradients by their sums over all processes."""

    def combine(self, metrics: dict[str, float]) -> dict[str, float]:
        """Return metrics of the whole step, given those of this process's decisions."""
        return metrics


class TorchPeers(Peers):
    """Processes connected by NCCL, or by Gloo on CPUs. All must take the same steps in the same order."""

    def __init__(self, rank: int, size: int, host: str, port: int, device: torch.device) -> None:
        """host, port: address of the shared store (`open_store`). Returns when all processes have joined.

        If the store is on loopback, so are the connections between processes; otherwise Gloo and NCCL choose.
        """
        self.size = size
        self._device = device
        if host.startswith("127."):  # on one machine; by default they would use its outer address
            os.environ |= {"GLOO_SOCKET_IFNAME": _LOOPBACK, "NCCL_SOCKET_IFNAME": f"={_LOOPBACK}"}
        distributed.init_process_group(
            "nccl" if device.type == "cuda" else "gloo",
            store=distributed.TCPStore(host, port, is_master=False, timeout=_TIMEOUT),
            rank=rank,
            world_size=size,
            timeout=_TIMEOUT,
        )

    def add_up(self, gradients: Sequence[torch.Tensor]) -> None:
        """Replace gradients by their sums over all processes, sent as one tensor."""
        together = torch.cat([each.reshape(-1) for each in gradients])
        distributed.all_reduce(together)
        sizes = [each.numel() for each in gradients]
        for each, total in zip(gradients, together.split(sizes), strict=True):
            each.copy_(total.view_as(each))

    def combine(self, metrics: dict[str, float]) -> dict[str, float]:
        """Return metrics of the whole step: sums, maxima or means over processes, the loss weighted by `accepted`."""
        values = torch.tensor([*metrics.values()], dtype=torch.float64, device=self._device)
        everyone = [torch.zeros_like(values) for _ in range(self.size)]
        distributed.all_gather(everyone, values)
        table = torch.stack(everyone).cpu()
        weights = table[:, list(metrics).index("accepted")] if "accepted" in metrics else torch.ones(self.size)
        combined = {}
        for name, column in zip(metrics, table.T, strict=True):
            if name == "accepted":
                combined[name] = float(column.sum())
            elif name == "weight_max":
                combined[name] = float(column.max())
            elif name == "loss":  # a mean over accepted decisions
                combined[name] = float((column * weights).sum() / weights.sum().clamp(min=1))
            else:
                combined[name] = float(column.mean())
        return combined
