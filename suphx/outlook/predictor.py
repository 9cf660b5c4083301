"""What the outlook network's outputs mean, their loss, and `Outlook`: predictions and the values of discards."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from simulator.record import SEATS
from simulator.rules import Rules
from simulator.tiles import KINDS
from suphx.agent.sampling import softmax
from suphx.errors import InputError
from suphx.features.encode import encode_batch, unpack
from suphx.features.layout import start
from suphx.networks.inference import Evaluator
from suphx.networks.policy import OUTLOOK_BY_KIND, OUTLOOK_BY_POSITION, OutlookNetwork
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.sizes import NetworkSize
from suphx.networks.weights import load_outlook
from suphx.outlook.examples import Targets
from suphx.outlook.labels import RESULTS, RIVALS, after_discards
from suphx.reward.games import RULES_OF_REWARD

#: Points are learned in units of this many.
_UNIT = 8000.0
#: Where a fresh network begins: the usual share of tiles that deal in, and the usual cost in units.
_FIRST_CHANCE, _FIRST_LOSS = 0.015, 0.6
#: Weights of losses: the dangers' are sums over 102 tiles, and that of the points is small for what it decides.
_WEIGHTS = {"deal in": 0.25, "cost": 0.25, "points": 2.0}

_DANGERS = RIVALS * KINDS
_RESULTS = slice(2 * _DANGERS, 2 * _DANGERS + len(RESULTS))
_POINTS = _RESULTS.stop
_RANKS = slice(_POINTS + 1, _POINTS + 1 + SEATS)


@dataclass(frozen=True)
class Outlooks:
    """The network's predictions for n positions."""

    chances: np.ndarray
    """f64[n, 3, 34]: the probability that a kind, discarded now, deals in to each other seat, the next one first."""
    losses: np.ndarray
    """f64[n, 3, 34]: the points that it then costs, on average."""
    results: np.ndarray
    """f64[n, 5]: the probability of each of RESULTS."""
    points: np.ndarray
    """f64[n]: the points that the seat gains from here to the end of the round, on average."""
    ranks: np.ndarray
    """f64[n, 4]: the probability of each rank at the end of the game, first place first."""

    @property
    def placement(self) -> np.ndarray:
        """The expected placement, f64[n], 1 to 4."""
        return self.ranks @ np.arange(1, SEATS + 1)


def fresh_network(size: NetworkSize, seed: int) -> OutlookNetwork:
    """Return a network that predicts the usual for every position."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = OutlookNetwork(size)
    with torch.no_grad():
        network.head.score.bias[:RIVALS] = float(np.log(_FIRST_CHANCE / (1 - _FIRST_CHANCE)))
        network.head.score.bias[RIVALS:] = float(np.log(_FIRST_LOSS))
    return network


def outlooks(outputs: np.ndarray) -> Outlooks:
    """Return what outputs f32[n, 214] of the network mean."""
    n, values = len(outputs), outputs.astype(np.float64)
    of_kinds = values[:, : 2 * _DANGERS].reshape(n, 2, RIVALS, KINDS)
    return Outlooks(
        chances=1 / (1 + np.exp(-of_kinds[:, 0])),
        losses=np.exp(np.minimum(of_kinds[:, 1], np.log(12))) * _UNIT,  # no hand costs more than two yakuman
        results=softmax(values[:, _RESULTS]),
        points=values[:, _POINTS] * _UNIT,
        ranks=softmax(values[:, _RANKS]),
    )


def loss_of(outputs: torch.Tensor, targets: Targets) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return the loss of outputs f32[n, 214], and its parts by name, means over the positions.

    `deal in`: cross-entropy, summed over 102 tiles. `cost`: for those that deal in, x / m + ln m - ln x - 1, which is
    least on average where m is the mean of x (the deviance of a gamma distribution, halved). `result`, `rank`:
    cross-entropy. `points`: squared error in units of 8,000 points.
    """
    n, device = len(targets), outputs.device
    dealing = torch.from_numpy(unpack(targets.kinds).astype(np.float32)).to(device)
    costs = torch.from_numpy(targets.losses).to(device) / _UNIT
    of_kinds = outputs[:, : 2 * _DANGERS].view(n, 2, RIVALS, KINDS)
    log_means = of_kinds[:, 1]
    deviance = torch.where(
        dealing > 0, costs * torch.exp(-log_means) + log_means - torch.log(costs.clamp_min(1e-3)) - 1, 0
    )
    points = torch.from_numpy(targets.points).to(device) / _UNIT
    parts = {
        "deal in": functional.binary_cross_entropy_with_logits(of_kinds[:, 0], dealing, reduction="sum") / n,
        "cost": deviance.sum() / n,
        "result": functional.cross_entropy(outputs[:, _RESULTS], torch.from_numpy(targets.results).to(device)),
        "points": functional.mse_loss(outputs[:, _POINTS], points),
        "rank": functional.cross_entropy(outputs[:, _RANKS], torch.from_numpy(targets.ranks).to(device)),
    }
    loss = sum(each * _WEIGHTS.get(name, 1.0) for name, each in parts.items())
    assert isinstance(loss, torch.Tensor)
    return loss, parts


assert _RANKS.stop == OUTLOOK_BY_KIND * KINDS + OUTLOOK_BY_POSITION and OUTLOOK_BY_KIND == 2 * RIVALS


_TENHOU = Rules.tenhou()
INCLUDED = Path(__file__).parents[1] / "weights" / "outlook.safetensors"


@dataclass(frozen=True)
class DiscardValues:
    """What each discard is worth in n positions; NaN for kinds that may not be discarded."""

    before: Outlooks
    risk: np.ndarray
    """f64[n, 34]: the probability that the discard deals in to anybody at once."""
    danger: np.ndarray
    """f64[n, 34]: the points that this costs on average, the probability included."""
    points: np.ndarray
    """f64[n, 34]: the points that the seat gains to the end of the round if it discards that, on average: what the
    position after the discard is worth if it passes, less the danger."""
    placement: np.ndarray
    """f64[n, 34]: the expected placement at the end of the game, 1 to 4, if the discard passes."""


class Outlook:
    """The outlook network for inference."""

    def __init__(self, network: OutlookNetwork, precision: Precision) -> None:
        self._evaluator = Evaluator(network, precision)

    def of(self, planes: np.ndarray) -> Outlooks:
        """Return the outlooks of encoded positions u64[n, planes]; by the rules safe tiles do not deal in."""
        result = outlooks(self._evaluator.logits(planes))
        first = start("safety.safe")
        result.chances[unpack(planes[:, first : first + RIVALS])] = 0
        return result

    def discards(
        self, games: np.ndarray, seats: np.ndarray, legal: np.ndarray, planes: np.ndarray | None = None
    ) -> DiscardValues:
        """Return the values of all discards of positions.

        games GAME[n]: at a discard decision of seats u8[n], what the seats cannot see does not matter; legal bool[n,
        34]: the kinds that may be discarded; planes: the encoded positions, if they are known.
        """
        n = len(games)
        before = self.of(encode_batch(games, np.arange(n), seats) if planes is None else planes)
        risk = np.where(legal, 1 - (1 - before.chances).prod(axis=1), np.nan)
        danger = np.where(legal, (before.chances * before.losses).sum(axis=1), np.nan)
        points, placement = np.full((n, KINDS), np.nan), np.full((n, KINDS), np.nan)
        which, kinds = np.nonzero(legal)
        if len(which):
            after = after_discards(games[which], seats[which], kinds)
            rows = np.arange(len(which))
            later = self.of(encode_batch(after, rows, seats[which]))
            paid = games["scores"][which, seats[which]] - after["scores"][rows, seats[which]]  # for riichi
            passing = (1 - risk[which, kinds]) * (later.points - paid)
            points[which, kinds] = passing - danger[which, kinds]
            placement[which, kinds] = later.placement
        return DiscardValues(before, risk, danger, points, placement)


def check_rules(rules: Rules) -> None:
    """Raise InputError if the included outlook is not for games with these rules.

    It was trained on East-South games, and holds in East-only ones (docs/results/outlook-tonpuu.json).
    """
    for name in (*RULES_OF_REWARD, "red_fives", "open_tanyao"):
        if name != "length" and getattr(rules, name) != getattr(_TENHOU, name):
            raise InputError(f"rules: {name} is {getattr(rules, name)!r}; the outlook was trained on games with "
                             f"{getattr(_TENHOU, name)!r}")  # fmt: skip


@cache
def included_outlook(rules: Rules) -> Outlook:
    """Return the included outlook; raises InputError for other rules, and if its file is missing or damaged."""
    check_rules(rules)
    return Outlook(load_outlook(INCLUDED), choose_precision("cpu", "float32", 1))
