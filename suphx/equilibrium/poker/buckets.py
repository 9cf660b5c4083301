"""Card abstractions of turn boards: which pairs of cards count as the same, by what rivers make of them.

All of them look at HS on the 48 rivers only (and the nested one at the board), so they do not depend on the names of
suits. `features` are computed once for each board; an abstraction makes buckets of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.jit import jit
from suphx.equilibrium.poker.boards import hand_strengths, pairs_beside, rivers_of
from suphx.equilibrium.poker.cards import PAIR_CARDS, PAIRS
from suphx.equilibrium.poker.hands import BITS, CATEGORIES, CATEGORY_SHIFT, strength

#: Classes of HS in the histograms of the potential-aware abstraction.
BINS = 50
_DRAWN = np.array([name in ("straight", "flush", "straight flush") for name in CATEGORIES])
_PAIR_BITS = BITS[PAIR_CARDS[:, 0]] | BITS[PAIR_CARDS[:, 1]]


class BoardFeatures(NamedTuple):
    """What the abstractions know of n boards of four cards."""

    square: np.ndarray
    """f32[n, 1326]: E[HS^2]; NaN for pairs with a card of the board."""
    cumulated: np.ndarray
    """f32[n, 1326, BINS]: share of rivers with at most so much HS, the potential-aware histogram summed up."""
    public: np.ndarray
    """f64[n, 2]: draw value and high card value of the board."""


@jit
def _histograms(strengths, square, cumulated):
    rivers, pairs = strengths.shape
    for pair in range(pairs):
        seen, total = 0, np.float32(0)
        for river in range(rivers):
            value = strengths[river, pair]
            if value == value:
                seen += 1
                total += value * value
                cumulated[pair, min(int(value * BINS), BINS - 1)] += 1
        square[pair] = total / seen if seen else np.nan
        for k in range(BINS):
            cumulated[pair, k] = (cumulated[pair, k - 1] if k else np.float32(0)) + cumulated[pair, k] / max(seen, 1)


@jit
def _drawn(board, rivers, held):
    count = 0
    for river in rivers:
        for pair in held:
            count += (pair & river) == 0 and _DRAWN[strength(board | river | pair) >> CATEGORY_SHIFT]
    return count


def features(boards: np.ndarray) -> BoardFeatures:
    """Return the features of boards i8[n, 4].

    The draw value is the number of private pairs with a straight or a flush on the river, on average over rivers; the
    high card value is the sum of the ranks, deuce 0 to ace 12.
    """
    n = len(boards)
    known = BoardFeatures(np.empty((n, PAIRS), np.float32), np.zeros((n, PAIRS, BINS), np.float32), np.empty((n, 2)))
    for row, board in enumerate(boards.tolist()):
        _histograms(hand_strengths(board), known.square[row], known.cumulated[row])
        rivers = BITS[np.array(rivers_of(board))]
        draws = _drawn(np.bitwise_or.reduce(BITS[board]), rivers, _PAIR_BITS[pairs_beside(board)])
        known.public[row] = draws / len(rivers), sum(card >> 2 for card in board)
    return known


def square_buckets(known: BoardFeatures, buckets: int = PAIRS) -> np.ndarray:
    """Return i16[n, 1326], the bucket of each pair by E[HS^2] in classes of equal width; -1 for those of the board."""
    classes = np.minimum(np.nan_to_num(known.square) * buckets, buckets - 1).astype(np.int16)
    return np.where(np.isnan(known.square), np.int16(-1), classes)


class NestedBuckets(NamedTuple):
    """Boards in clusters by draw value and high card value, each with classes of E[HS^2] of equal width."""

    mean: np.ndarray
    """f64[2], of the public features; `deviation`: f64[2], their unit."""
    deviation: np.ndarray
    centers: np.ndarray
    """f64[clusters, 2], in these units."""
    private: int
    """Classes of hands in each cluster."""

    @classmethod
    def fit(cls, known: BoardFeatures, clusters: int, private: int, seed: int) -> NestedBuckets:
        """Cluster the boards of some features by k-means, each value in units of its deviation."""
        mean, deviation = known.public.mean(0), known.public.std(0) + 1e-9
        points = (known.public - mean) / deviation
        random = np.random.default_rng(seed)
        buckets = cls(mean, deviation, points[random.choice(len(points), clusters, len(points) < clusters)], private)
        for _ in range(50):
            nearest = buckets.cluster(known)
            for cluster in np.unique(nearest):
                buckets.centers[cluster] = points[nearest == cluster].mean(0)
        return buckets

    def cluster(self, known: BoardFeatures) -> np.ndarray:
        """Return i64[n], the nearest cluster of each board."""
        points = (known.public - self.mean) / self.deviation
        return ((points[:, None] - self.centers) ** 2).sum(2).argmin(1)

    def __call__(self, known: BoardFeatures) -> np.ndarray:
        """Return i16[n, 1326] as `square_buckets`."""
        private = square_buckets(known, self.private)
        cluster = self.cluster(known).astype(np.int16)[:, None]
        return np.where(private < 0, private, cluster * np.int16(self.private) + private)


@jit
def nearest_by_emd(cumulated, centers, means, out):
    """Write to out i[k] the center at the least earth mover's distance from each histogram.

    The distance of two histograms is the sum of the differences of their cumulated forms, cumulated f32[k, BINS],
    centers f32[c, BINS]. means: f32[c], the sums of the centers, ascending: two histograms are at least as far apart as
    their sums, so that the search goes outwards from the nearest sum and stops early.
    """
    last = len(means) - 1
    for row in range(len(cumulated)):
        own = np.float32(0)
        for k in range(BINS):
            own += cumulated[row, k]
        above = np.searchsorted(means, own)
        below, best, best_center = above - 1, np.float32(np.inf), 0
        while True:
            up = means[above] - own if above <= last else np.float32(np.inf)
            down = own - means[below] if below >= 0 else np.float32(np.inf)
            if min(up, down) >= best:
                break
            if up < down:
                center, above = above, above + 1
            else:
                center, below = below, below - 1
            distance = np.float32(0)
            for k in range(BINS):
                distance += abs(cumulated[row, k] - centers[center, k])
            if distance < best:
                best, best_center = distance, center
        out[row] = best_center


class PotentialBuckets(NamedTuple):
    """Pairs by the distribution of their HS on the river: k-means by earth mover's distance."""

    centers: np.ndarray
    """f32[buckets, BINS]: cumulated histograms, by ascending sum."""

    @classmethod
    def fit(
        cls, known: BoardFeatures, buckets: int, seed: int, hands: int = 40_000, rounds: int = 15
    ) -> PotentialBuckets:
        """Cluster a sample of the pairs of some features."""
        random = np.random.default_rng(seed)
        board, pair = np.nonzero(~np.isnan(known.square))
        chosen = random.choice(len(board), min(hands, len(board)), replace=False)
        points = known.cumulated[board[chosen], pair[chosen]]
        result = cls(_ascending(points[random.choice(len(points), buckets, replace=len(points) < buckets)]))
        for _ in range(rounds):
            nearest = result.nearest(points)
            sums = np.zeros((buckets, BINS), np.float64)
            np.add.at(sums, nearest, points)
            counts = np.bincount(nearest, minlength=buckets)[:, None]
            centers = np.where(counts > 0, sums / np.maximum(counts, 1), result.centers)
            result = cls(_ascending(centers.astype(np.float32)))
        return result

    def nearest(self, points: np.ndarray) -> np.ndarray:
        """Return i16[k], the nearest center of each cumulated histogram f32[k, BINS]."""
        out = np.empty(len(points), np.int16)
        nearest_by_emd(points, self.centers, self.centers.sum(1), out)
        return out

    def __call__(self, known: BoardFeatures) -> np.ndarray:
        """Return i16[n, 1326] as `square_buckets`."""
        nearest = self.nearest(known.cumulated.reshape(-1, BINS)).reshape(known.square.shape)
        return np.where(np.isnan(known.square), np.int16(-1), nearest)


def _ascending(centers: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(centers[np.argsort(centers.sum(1), kind="stable")])
