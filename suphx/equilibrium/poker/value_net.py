"""Counterfactual value networks: DeepStack's network, its training, and its use for ranges of any weight."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import torch
from torch import nn

#: All inputs are scaled alike. A range has a few dozen hands of some size: its norm is about 0.13, that of the board 2.
#: Were ranges alone scaled to the board's norm or far above, the network could hardly see on which board they are.
_SCALE = 30.0


@dataclass
class ValueExamples:
    """What a value network learns from, as tensors.

    ranges: f32[n, 2, width], each adds up to 1. rest: f32[n, k], the other inputs. targets: f32[n, 2, width], values in
    pots. present: bool[n, width], what counts. moves: orders of the hands and of the other inputs under which an
    example stays one, such as other names of the suits.
    """

    ranges: torch.Tensor
    rest: torch.Tensor
    targets: torch.Tensor
    present: torch.Tensor
    moves: list[tuple[torch.Tensor, torch.Tensor]] = field(default_factory=list)


class PokerValueNetwork(nn.Module):
    """DeepStack's network: layers (seven of 500) with PReLU, and an outer layer that makes values zero-sum."""

    def __init__(self, width: int, rest: int, hidden: int = 500, layers: int = 7) -> None:
        super().__init__()
        sizes = [2 * width + rest] + [hidden] * layers
        parts: list[nn.Module] = []
        for before, after in pairwise(sizes):
            parts += [nn.Linear(before, after), nn.PReLU()]
        self.layers = nn.Sequential(*parts, nn.Linear(hidden, 2 * width))

    def forward(self, ranges: torch.Tensor, rest: torch.Tensor) -> torch.Tensor:
        """Return values f32[n, 2, width] for ranges f32[n, 2, width] and the other inputs f32[n, rest].

        Half of what both players together win is taken from each (ranges add up to 1), so that it is nothing.
        """
        values = self.layers(_SCALE * torch.cat([ranges.flatten(1), rest], 1)).unflatten(1, (2, -1))
        return values - (ranges * values).sum((1, 2), keepdim=True) / 2


def train(
    examples: ValueExamples,
    rows: torch.Tensor,
    epochs: int,
    batch: int,
    learning_rate: float,
    seed: int,
    network: PokerValueNetwork | None = None,
) -> Iterator[PokerValueNetwork]:
    """Train a network on some examples, by Adam and the Huber loss; yields it after each epoch.

    The learning rate falls to nothing along a cosine. One of the moves, if there are any, is drawn for each minibatch.
    By default the network is a new one of the paper's size.
    """
    torch.manual_seed(seed)
    network = network or PokerValueNetwork(examples.ranges.shape[2], examples.rest.shape[1])
    optimizer = torch.optim.Adam(network.parameters(), learning_rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * -(-len(rows) // batch))
    for _ in range(epochs):
        for chosen in rows[torch.randperm(len(rows))].split(batch):
            ranges, rest, targets = examples.ranges[chosen], examples.rest[chosen], examples.targets[chosen]
            present = examples.present[chosen]
            if examples.moves:
                hands, others = examples.moves[int(torch.randint(len(examples.moves), ()))]
                ranges, targets, present = ranges[..., hands], targets[..., hands], present[:, hands]
                rest = rest[:, others]
            error = nn.functional.huber_loss(network(ranges, rest), targets, reduction="none") * present[:, None]
            optimizer.zero_grad(set_to_none=True)
            (error.sum() / (2 * present.sum())).backward()
            optimizer.step()
            schedule.step()
        yield network


def shares(ranges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ranges f[n, 2, hands] scaled to add up to 1, as a network knows them, and their sums f[n, 2, 1].

    Where a range is empty, all hands weigh alike: what its hands would win still counts for whether they should come.
    """
    total = ranges.sum(2, keepdims=True)
    return np.where(total > 0, ranges / np.where(total > 0, total, 1), 1 / ranges.shape[2]), total
