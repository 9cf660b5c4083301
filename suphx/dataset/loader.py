"""Training pairs of prepared logs in chunks of planes and targets, encoded by threads while the last chunk is in use.

The order depends only on (seed, model, epoch), so that an interrupted run resumes exactly where it stopped. Rounds are
shuffled over the whole epoch, pairs within a chunk of some 700 rounds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import torch

from simulator.lookup import get_lookup
from simulator.record import GAME, SEATS
from suphx.agent.model_decisions import DISCARD, MODEL_DECISION, SEES_CALL
from suphx.dataset.pairs import COUNTS, collect_pairs
from suphx.dataset.prepared import Prepared
from suphx.dataset.selection import Selection
from suphx.dataset.suits import permute_suits
from suphx.features.encode import encode_batch, encode_call_batch, unpack
from suphx.features.layout import places_of, start
from suphx.networks.models import MODEL_PLANES, MODELS

#: Approximate number of pairs in a chunk: 220 MB of planes. A batch of 256 then holds pairs of hundreds of rounds.
CHUNK_PAIRS = 32_768


_MAY_DISCARD = start("legal.discard")


class Rows(Protocol):
    """Targets of several pairs: an array, or several arrays that are indexed together."""

    def __len__(self) -> int:
        """Return the number of pairs."""

    def __getitem__(self, which: slice, /) -> Any:
        """Return those of some pairs."""


T = TypeVar("T", bound=Rows)
M = TypeVar("M")


@dataclass(frozen=True)
class PairChunk(Generic[T]):
    """Some pairs, ready for training."""

    planes: np.ndarray
    """uint64[n, planes]: the network's input."""
    targets: T
    """What its output is held against: for the agent's networks the action taken, i64[n]: a kind, or NO and YES."""

    def __len__(self) -> int:
        return len(self.targets)

    def take(self, which: slice) -> PairChunk[T]:
        """Return some of the pairs."""
        return PairChunk(self.planes[which], self.targets[which])


def legal_discards(planes: np.ndarray) -> np.ndarray:
    """Return bool[n, 34]: the kinds that may be discarded in positions encoded as uint64[n, planes]."""
    return unpack(planes[:, _MAY_DISCARD])


@dataclass(frozen=True)
class Collected:
    """The pairs of some rounds, not yet encoded."""

    positions: np.ndarray
    """GAME[m]: the positions of the pairs."""
    pairs: np.ndarray
    """MODEL_DECISION[n], with the actions taken."""
    rounds: np.ndarray
    """i64[n]: index, among the requested rounds, of the round that each pair belongs to."""
    forced: np.ndarray
    """i64[k]: for each round, the number of discards of the selected seats that had no alternative."""


def collect_rounds(
    prepared: Prepared, rounds: np.ndarray, seats: np.ndarray, models: Sequence[int], rules: np.ndarray | None = None
) -> Collected:
    """Return the pairs of some models in rounds i64[k] of prepared logs, of the seats in the bit masks i64[k].

    models: indices in MODELS. rules: those of `prepared.rules_records()`, if they are known. The pairs of a seat at a
    position follow one another. Raises RuntimeError if a round cannot be replayed.
    """
    by_seat = prepared.rounds["counts"][rounds][:, :, models].sum(axis=2, dtype=np.int64)
    n = int((by_seat * (seats[:, None] >> np.arange(SEATS) & 1)).sum())
    positions, pairs = np.zeros(n, GAME), np.zeros(n, MODEL_DECISION)
    counts = np.zeros((len(rounds), SEATS, COUNTS), np.int64)
    n_positions, n_pairs = collect_pairs(
        get_lookup(), np.zeros(3, GAME), prepared.rules_records() if rules is None else rules, prepared.rounds,
        prepared.events, prepared.absent, rounds, seats, sum(1 << model for model in models), positions, pairs, counts,
    )  # fmt: skip
    if n_pairs != n:
        raise RuntimeError(f"prepared logs cannot be replayed: {n_pairs} pairs, {n} expected; remove their folder")
    by_round = counts[:, :, models].sum(axis=(1, 2))
    of = np.repeat(np.arange(len(rounds)), by_round)
    return Collected(positions[:n_positions], pairs, of, counts[:, :, -1].sum(axis=1))


class Source:
    """Collects and encodes the pairs of one model."""

    def __init__(self, prepared: Prepared, selection: Selection, hide: Iterable[str] = ()) -> None:
        """hide: groups or blocks of planes that are left empty."""
        self.selection = selection
        places = np.array(places_of(hide), np.int64)
        self._hidden = places[places < MODEL_PLANES[MODELS[selection.model]]]
        self._prepared = prepared
        self._rules = prepared.rules_records()

    def collect(self, places: np.ndarray) -> Collected:
        """Return the pairs of the selected rounds at `places`; raises RuntimeError if a round cannot be replayed."""
        chosen, seats = self.selection.rounds[places], self.selection.seats[places]
        return collect_rounds(self._prepared, chosen, seats, [self.selection.model], self._rules)

    def encode(self, collected: Collected) -> np.ndarray:
        """Return the planes of collected pairs, uint64[n, planes]."""
        pairs = collected.pairs
        index, seats = pairs["position"].astype(np.int64), pairs["seat"].astype(np.int64)
        if SEES_CALL[self.selection.model]:
            planes = encode_call_batch(collected.positions, index, seats, pairs["option"].astype(np.int64))
        else:
            planes = encode_batch(collected.positions, index, seats)
        planes[:, self._hidden] = 0
        return planes

    def some_pairs(self, n_pairs: int | None = None, seed: int = 0) -> PairChunk[np.ndarray]:
        """Return encoded pairs: all in their order, or at most `n_pairs` of randomly chosen rounds."""
        order = np.arange(len(self.selection.rounds))
        if n_pairs is not None:
            order = self.selection.sample(np.random.default_rng([seed, self.selection.model]), n_pairs)
        collected = self.collect(order)
        return PairChunk(self.encode(collected), collected.pairs["action"].astype(np.int64)).take(slice(n_pairs))


def prefetch(make: Callable[[int], M], first: int, threads: int = 1) -> Generator[tuple[int, M]]:
    """Yield (number, make(number)) without end from number `first` on, computing as many ahead as there are threads."""
    with ThreadPoolExecutor(threads, thread_name_prefix="loader") as pool:
        ahead = deque(pool.submit(make, first + number) for number in range(threads))
        for number in count(first):
            item = ahead.popleft().result()
            ahead.append(pool.submit(make, number + threads))
            yield number, item


class Loader:
    """Chunks of one model's pairs, epoch after epoch."""

    def __init__(
        self,
        source: Source,
        seed: int,
        chunk_pairs: int = CHUNK_PAIRS,
        shuffle_suits: bool = False,
        threads: int = 1,
        pinned: bool = False,
    ) -> None:
        """seed: determines the order. shuffle_suits: permute the suits of each pair at random.

        threads: chunks that are prepared at a time, which do not change the order. pinned: put them into memory that a
        GPU reads by itself, while the program goes on.
        """
        self._source, self._seed, self._chunk_pairs = source, seed, chunk_pairs
        self._shuffle_suits, self._threads, self._pinned = shuffle_suits, threads, pinned

    @property
    def chunks(self) -> int:
        """Number of chunks per epoch."""
        return max(1, round(self._source.selection.n_pairs / self._chunk_pairs))

    def random(self, *place: int) -> np.random.Generator:
        """Return the random generator of an epoch, or of a chunk in it."""
        return np.random.default_rng([self._seed, self._source.selection.model, *place])

    def places(self, epoch: int, number: int) -> np.ndarray:
        """Return i64[k]: places in the selection of the rounds of chunk `number` (0 to `chunks` - 1) of an epoch."""
        selection = self._source.selection
        order = self.random(epoch).permutation(len(selection.rounds))
        bounds = np.searchsorted(
            selection.pairs[order].cumsum(), np.linspace(0, selection.n_pairs, self.chunks + 1), side="left"
        )
        bounds[-1] = len(order)
        return order[bounds[number] : bounds[number + 1]]

    def chunk(self, epoch: int, number: int) -> PairChunk[np.ndarray]:
        """Return chunk `number` of an epoch, with its pairs shuffled."""
        collected = self._source.collect(self.places(epoch, number))
        random = self.random(epoch, number)
        planes = self._source.encode(collected)
        actions = collected.pairs["action"].astype(np.int64)
        if self._shuffle_suits:
            permute_suits(planes, actions, random.integers(0, 6, len(planes)), self._source.selection.model == DISCARD)
        order = random.permutation(len(planes))
        return PairChunk(self._pin(planes[order]), self._pin(actions[order]))

    def _pin(self, array: np.ndarray) -> np.ndarray:
        if not self._pinned:
            return array
        return torch.from_numpy(array.view(np.int64)).pin_memory().numpy().view(array.dtype)

    def run(self, first: int) -> Generator[tuple[int, PairChunk[np.ndarray]]]:
        """Yield (number, chunk) without end from chunk `first` on, numbered across epochs, preparing the next ahead."""
        return prefetch(lambda number: self.chunk(*divmod(number, self.chunks)), first, self._threads)
