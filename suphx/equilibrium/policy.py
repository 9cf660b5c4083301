"""A policy as a table: by name, as a file (npz, never a pickle), as CSV."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from suphx.equilibrium.flat_game import FlatGame
from suphx.equilibrium.npz import read_arrays
from suphx.equilibrium.response import game_values, nash_conv
from suphx.errors import InputError


@dataclass(frozen=True)
class Policy:
    """A probability for every action of every information set."""

    game: FlatGame
    probabilities: np.ndarray  # f64[S], by sequence

    def __getitem__(self, name: str) -> dict[str, float]:
        """Return the probabilities of the actions in the information set of that name."""
        return self.at(self.game.find(name))

    def at(self, infoset: int) -> dict[str, float]:
        """Return the probabilities of the actions in an information set, by number."""
        here = self.probabilities[self.game.place(infoset)]
        return dict(zip(self.game.labels[infoset], here.tolist(), strict=True))

    def values(self) -> list[float]:
        """Return what each player wins on average."""
        return game_values(self.game, self.probabilities)

    def nash_conv(self) -> float:
        """Return the sum of what best responses gain."""
        return nash_conv(self.game, self.probabilities)

    def exploitability(self) -> float:
        """Return NashConv divided by the number of players."""
        return self.nash_conv() / self.game.players

    def csv(self) -> str:
        """Return the table as CSV: player, information set, action, probability."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["player", "infoset", "action", "probability"])
        for k, name in enumerate(self.game.names):
            owner = self.game.owner(k)
            writer.writerows([owner, name, action, f"{p:.9g}"] for action, p in self.at(k).items())
        return text.getvalue()


def load_arrays(path: Path, game: FlatGame, names: list[str]) -> dict[str, np.ndarray]:
    """Read arrays of an npz file; InputError if it is unusable, lacks one of `names`, or belongs to another game."""
    if str(read_arrays(path, ["game"])["game"]) != game.key():
        raise InputError(f"{path} belongs to another game")
    return read_arrays(path, names)


def load_policy(path: Path, game: FlatGame) -> Policy:
    """Read a policy of this game; InputError if the file is unusable, or holds none."""
    probabilities = load_arrays(path, game, ["policy"])["policy"]
    check_policy(game, probabilities, str(path))
    return Policy(game, probabilities)


def check_policy(game: FlatGame, probabilities: np.ndarray, source: str) -> None:
    """Check that every information set has a distribution; InputError names `source` and one that has not."""
    if probabilities.shape != (game.sequences,) or probabilities.dtype != np.float64:
        raise InputError(f"{source}: not a policy of this game")
    sums = np.add.reduceat(probabilities, game.arrays.first[:-1]) if game.infosets else np.zeros(0)
    lowest = np.minimum.reduceat(probabilities, game.arrays.first[:-1]) if game.infosets else np.zeros(0)
    wrong = np.flatnonzero(~((np.abs(sums - 1) < 1e-6) & (lowest >= -1e-12)))
    if len(wrong):
        name = game.names[wrong[0]]
        raise InputError(f"{source}: the probabilities in information set {name} sum to {sums[wrong[0]]:.6g}")
