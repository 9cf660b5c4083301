"""The network of the reward predictor: a two-layer GRU over the rounds of a game, then two fully connected layers."""

import torch
from pydantic import Field
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from simulator.record import SEATS
from suphx.config import Config

GRU_LAYERS = 2


class RewardShape(Config):
    """The sizes of the network."""

    inputs: int = Field(ge=1, le=4096)
    """Inputs per round."""
    hidden: int = Field(ge=1, le=1024)
    """Width of both GRU layers and of the first fully connected layer."""


class RewardNetwork(nn.Module):
    """Phi of formula 4, in units of the target's spread, with the mean over the four seats subtracted."""

    def __init__(self, shape: RewardShape, dropout: float = 0.0) -> None:
        super().__init__()
        self.shape = shape
        self.gru = nn.GRU(shape.inputs, shape.hidden, GRU_LAYERS, batch_first=True, dropout=dropout)
        self.dropout = nn.Dropout(dropout)
        self.fully_connected = nn.Linear(shape.hidden, shape.hidden)
        self.output = nn.Linear(shape.hidden, 1)

    def forward(self, inputs: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return Phi [n, k, 4] from inputs [n, k, 4, inputs] of games of `lengths` (int64[n] on the CPU, 1 to k).

        The four seats of a game are four sequences. Values beyond a game's length are meaningless.
        """
        n, k, seats, _ = inputs.shape
        sequences = inputs.transpose(1, 2).reshape(n * seats, k, -1)
        packed = pack_padded_sequence(
            sequences, lengths.repeat_interleave(seats), batch_first=True, enforce_sorted=False
        )
        hidden, _ = pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=k)
        hidden = torch.relu(self.fully_connected(self.dropout(hidden)))
        values = self.output(self.dropout(hidden)).reshape(n, SEATS, k).transpose(1, 2)
        return values - values.mean(-1, keepdim=True)
