"""Values of a turn's lines by a trained network, so that the turn is solved without its rivers; and what that loses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from pydantic import Field, ValidationError

from suphx.equilibrium.poker.betting import Sizes
from suphx.equilibrium.poker.boards import pairs_beside
from suphx.equilibrium.poker.buckets import features
from suphx.equilibrium.poker.cards import CARDS
from suphx.equilibrium.poker.encodings import AbstractionConfig, Encoded, HandEncoding, evaluate, other_inputs, sums
from suphx.equilibrium.poker.endgame import BEST, Endgame, LeafValues
from suphx.equilibrium.poker.samples import SamplesConfig, load_samples, load_settings
from suphx.equilibrium.poker.value_net import PokerValueNetwork, shares, train
from suphx.equilibrium.poker.weights import fill, load_weights, save_weights
from suphx.errors import InputError

_MODEL = "poker-values-1"
_ENCODING = "encoding."


class LeafConfig(AbstractionConfig):
    """A network for the leaves of a turn."""

    encoding: Literal["E[HS2]", "nested", "potential-aware", "direct"] = "potential-aware"
    """How the network sees hands."""
    hidden: int = Field(500, ge=1, le=5000)
    """Width of its layers."""
    layers: int = Field(7, ge=1, le=50)
    """Number of its layers."""


@dataclass(frozen=True)
class TurnLeaf:
    """A network for the moment before the river is dealt, with its encoding and the samples that it learned from."""

    network: PokerValueNetwork
    encoding: HandEncoding
    samples: SamplesConfig
    config: LeafConfig
    count: int
    """How many samples it has learned from or was tested with."""
    huber: float
    """Huber loss on the hands of the samples that were held out."""

    def on(self, board: Sequence[int], stacks: np.ndarray) -> LeafValues:
        """Return the values of the pairs beside a board of four cards, at the ends of lines with stacks f64[lines].

        Raises InputError for stacks, in pots, that the network has not learned.
        """
        low, high = self.samples.shortest, self.samples.deepest
        for stack in stacks.tolist():
            if not low * (1 - 1e-6) <= stack <= high * (1 + 1e-6):
                raise InputError(
                    f"a line of the turn leaves {stack:.3g} pots behind; the network has learned {low:g} to {high:g}: "
                    "change the stack or the turn's bet sizes, or train a network with other samples"
                )
        cards = np.array([sorted(board)], np.int8)
        pairs, lines, width = pairs_beside(board), len(stacks), self.encoding.width
        place = torch.from_numpy(self.encoding.buckets(features(cards))[0, pairs].astype(np.int64)).expand(lines, -1)
        rest = other_inputs(cards.repeat(lines, 0), stacks.astype(np.float32), self.encoding.direct)

        @torch.no_grad()
        def values(ranges: np.ndarray) -> np.ndarray:
            known, total = shares(ranges)
            result = self.network(sums(torch.from_numpy(known), place, width), rest)
            return result.gather(2, place[:, None].expand(-1, 2, -1)).numpy() * total[:, ::-1]

        return values

    def save(self, path: Path) -> None:
        """Write the network with all that it needs, as safetensors; an existing file is replaced as a whole or not."""
        tensors = dict(self.network.state_dict())
        tensors |= {_ENCODING + name: torch.from_numpy(each) for name, each in self.encoding.arrays.items()}
        state = {"config": self.config.model_dump(), "samples": self.samples.model_dump(), "count": self.count,
                 "huber": self.huber}  # fmt: skip
        save_weights(path, _MODEL, tensors, state)

    @classmethod
    def load(cls, path: Path) -> TurnLeaf:
        """Read what `save` wrote; InputError names the file and what is wrong with it."""
        tensors, state = load_weights(path, _MODEL)
        fitted = [name for name in tensors if name.startswith(_ENCODING)]
        arrays = {name.removeprefix(_ENCODING): tensors.pop(name).numpy() for name in fitted}
        try:
            config = LeafConfig.model_validate(state.get("config"))
            samples = SamplesConfig.model_validate(state.get("samples"))
            count, huber = int(state["count"]), float(state["huber"])
        except (ValidationError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: its settings are not those of a value network") from error
        encoding = HandEncoding(config.encoding, arrays)
        try:
            encoding.check()
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        network = untrained(encoding, config)
        fill(path, network, tensors)
        return cls(network, encoding, samples, config, count, huber)


def untrained(encoding: HandEncoding, config: LeafConfig) -> PokerValueNetwork:
    """Return a new network for an encoding, with random weights by the seed."""
    torch.manual_seed(config.seed)
    return PokerValueNetwork(encoding.width, CARDS + 1 if encoding.direct else 1, config.hidden, config.layers)


def train_leaf(folder: Path, config: LeafConfig, count: int | None = None) -> Iterator[TurnLeaf]:
    """Train a network on a folder's first samples, by default all; yields it after each epoch.

    Raises InputError for samples that begin with bets on the turn: where a line ends, they have been made.
    """
    settings = load_settings(folder)
    if settings.turn.strip("/ ,"):
        raise InputError(
            f"{folder}: its samples begin with bets on the turn ({settings.turn}); a network for the end of the turn "
            "needs samples without: suphx poker samples --set turn=/"
        )
    samples = load_samples(folder, count)
    known = features(samples.board)
    encoding = HandEncoding.fit(config.encoding, known, config)
    encoded = Encoded(samples, encoding.buckets(known), encoding.width, encoding.direct)
    size = len(samples.stack)
    rows = torch.randperm(size, generator=torch.Generator().manual_seed(config.seed))
    learned, held_out = rows[: int(size * config.training)], rows[int(size * config.training) :]
    network = untrained(encoding, config)
    for _ in train(encoded, learned, config.epochs, config.batch, config.learning_rate, config.seed, network):
        yield TurnLeaf(network, encoding, settings, config, size, evaluate(network, encoded, held_out)[1].huber)


def _decisions(endgame: Endgame, path: tuple[str, ...] = ()) -> Iterator[list[str]]:
    labels = endgame.actions(path)
    if labels:
        yield list(path)
    for label in labels:
        yield from _decisions(endgame, (*path, label))


def turn_loss(solved: Endgame, river: Sizes, iterations: int, target: float) -> float:
    """Return how far the turn's average strategies are from an equilibrium, as a fraction of the pot: 0 for none.

    Half of what best responses win in all, each against a player who plays the turn as solved and the river, with these
    bet sizes, as well as is still possible: all but the turn's strategy of that player is solved anew to the target, a
    fraction of the pot. The number is at most twice the target too high.
    """
    lost = 0.0
    for player in (0, 1):
        rest = Endgame(solved.board, solved.pot, solved.stack, solved.ranges, solved.sizes[0], river)
        for path in _decisions(solved):
            if len(path) % 2 == player:
                rest.lock(path, solved.strategy(path))
        for _ in rest.solve(iterations, target):
            pass
        lost += float((rest.values(BEST)[1 - player] * rest.ranges[1 - player]).sum() / rest.meet)
    return lost / 2
