"""`RewardPredictor`: computes Phi after every round of many games, and its file (safetensors, no pickle)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors.torch import save
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from simulator.files import write_whole
from simulator.record import SEATS
from simulator.rules import Rules
from suphx.config import Config
from suphx.errors import InputError
from suphx.networks.weights import WeightsError, read_tensors, with_weights
from suphx.reward.games import INPUTS, INPUTS_VERSION, RULES_OF_REWARD, Games, encode
from suphx.reward.target import Length, Target, centered, ranks

GRU_LAYERS = 2


class RewardShape(Config):
    """The sizes of the network."""

    inputs: int = Field(ge=1, le=4096)
    """Inputs per round."""
    hidden: int = Field(ge=1, le=1024)
    """Width of both GRU layers and of the first fully connected layer."""


class RewardNetwork(nn.Module):
    """Phi of formula 4, in units of the target's standard deviation, with the mean over the four seats subtracted."""

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


FORMAT_VERSION = 1
#: Games per pass through the network.
_BATCH = 1024
_METADATA_KEY = "reward_predictor"


class Description(BaseModel):
    """Metadata in a predictor's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int = FORMAT_VERSION
    games: Length
    rules: dict[str, bool | int | str]
    """The values of RULES_OF_REWARD."""
    target: Target
    """The learned target, and its units."""
    scale: float = Field(gt=0, allow_inf_nan=False)
    """Factor for the network's output: the standard deviation of the prizes, in their units."""
    start: tuple[float, float, float, float]
    """Phi_0 by seat, in units of the target: the mean over the training games, minus the mean over the four seats."""
    inputs: str = INPUTS_VERSION
    """Version of the inputs and their scaling (`inputs.py`)."""
    shape: RewardShape
    about: dict[str, str] = {}
    """Further information: data, seed, error."""

    @property
    def prizes(self) -> np.ndarray:
        """The reward of each rank: f64[4], with the mean subtracted, in units of the target."""
        return centered(self.target.by_rank(self.games))


class RewardPredictor:
    """The global reward predictor; all results are in units of `description.target` and add up to 0 over the seats."""

    def __init__(self, network: RewardNetwork, description: Description) -> None:
        self.network = network.eval()
        self.description = description

    @property
    def start(self) -> np.ndarray:
        """Phi_0: f64[4] by starting seat, before the first round."""
        return np.array(self.description.start)

    def check_rules(self, rules: Rules) -> None:
        """Raise InputError if the predictor was not trained for games with these rules."""
        for name in RULES_OF_REWARD:
            made_for = self.description.rules[name]
            if getattr(rules, name) != made_for:
                raise InputError(
                    f"rules: {name} is {getattr(rules, name)!r}; the reward predictor was trained with {made_for!r}"
                )

    def rewards(self, final_scores: np.ndarray) -> np.ndarray:
        """Return f64[n, 4]: the reward of finished games for each seat, from points [n, 4] at their end."""
        return self.description.prizes[ranks(final_scores)]

    def phi(self, games: Games) -> np.ndarray:
        """Return f64[n, k + 1, 4]: Phi_0 and Phi after each round, for n games of up to k started rounds.

        Entry 0 is Phi_0, entry j is Phi after j rounds: the prediction when round j + 1 is about to start, or the
        actual reward if round j ended the game. Later entries are NaN. The reward of round j is entry j minus entry
        j - 1.
        """
        inputs, known = encode(games, self.description.games)
        n, k = games.starts.shape
        phi = np.full((n, k + 1, SEATS), np.nan)
        phi[:, 0] = self.start
        after = phi[:, 1:k]
        after[known] = self._predict(inputs, known)[known]
        ended = np.flatnonzero(games.ended)
        phi[ended, games.n_starts[ended]] = self.rewards(games.final_scores[ended])
        return phi

    def _predict(self, inputs: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Return the predictions f64[n, k, 4] for encoded games; entries that are not `known` stay 0."""
        values = np.zeros(inputs.shape[:3])
        lengths = known.sum(1)
        longer = np.flatnonzero(lengths)
        with torch.inference_mode():
            for first in range(0, len(longer), _BATCH):
                part = longer[first : first + _BATCH]
                outputs = self.network(torch.from_numpy(inputs[part]), torch.from_numpy(lengths[part]))
                values[part] = outputs.double().numpy() * self.description.scale
        return values

    def save(self, path: Path) -> None:
        """Write the predictor; an existing file is replaced atomically, or not at all if writing fails."""
        tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in self.network.state_dict().items()}
        for name, tensor in tensors.items():
            if not torch.isfinite(tensor).all():
                raise WeightsError(f"{path}: not written: {name} contains values that are not finite")
        write_whole(path, save(tensors, {_METADATA_KEY: self.description.model_dump_json()}))

    @classmethod
    def load(cls, path: Path) -> RewardPredictor:
        """Load the predictor in a file; raises WeightsError, naming the file, if it is none, or incomplete."""
        if not path.is_file():
            raise WeightsError(f"{path}: no such file of a reward predictor; create one with `suphx reward`")
        metadata, tensors = read_tensors(path)
        description = _describe(path, metadata.get(_METADATA_KEY))
        return cls(with_weights(path, tensors, lambda: RewardNetwork(description.shape)), description)


def _describe(path: Path, text: str | None) -> Description:
    if text is None:
        raise WeightsError(f"{path}: not the weights of a reward predictor")
    try:
        description = Description.model_validate_json(text)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"])) or "metadata"
        raise WeightsError(f"{path}: not a valid reward predictor: {place}: {problem['msg']}") from error
    if description.format != FORMAT_VERSION:
        raise WeightsError(f"{path}: format {description.format}; this version reads format {FORMAT_VERSION}")
    if description.inputs != INPUTS_VERSION or description.shape.inputs != len(INPUTS):
        raise WeightsError(f"{path}: made for inputs {description.inputs}; this version has inputs {INPUTS_VERSION}")
    if set(description.rules) != set(RULES_OF_REWARD):
        raise WeightsError(f"{path}: does not say which rules it was trained for")
    return description
