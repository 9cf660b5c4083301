"""`Outlook`: predictions for positions, and the value of each possible discard."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from simulator.rules import Rules
from simulator.tiles import KINDS
from suphx.errors import InputError
from suphx.features.encode import encode_batch, unpack
from suphx.features.layout import start
from suphx.networks.inference import Evaluator
from suphx.networks.policy import OutlookNetwork
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.weights import load_outlook
from suphx.outlook.labels import RIVALS, after_discards
from suphx.outlook.outputs import Outlooks, outlooks
from suphx.reward.games import RULES_OF_REWARD

_TENHOU = Rules.tenhou()
INCLUDED = Path(__file__).parents[1] / "weights" / "outlook.safetensors"


@dataclass(frozen=True)
class DiscardValues:
    """What each discard is worth in n positions; NaN for kinds that may not be discarded."""

    before: Outlooks
    """The outlook before the discard."""
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
    """Raise InputError if the included outlook was not trained for games with these rules."""
    for name in (*RULES_OF_REWARD, "red_fives", "open_tanyao"):
        if getattr(rules, name) != getattr(_TENHOU, name):
            raise InputError(f"rules: {name} is {getattr(rules, name)!r}; the outlook was trained on games with "
                             f"{getattr(_TENHOU, name)!r}")  # fmt: skip


@cache
def included_outlook(rules: Rules) -> Outlook:
    """Return the included outlook; raises InputError for other rules, and if its file is missing or damaged."""
    check_rules(rules)
    return Outlook(load_outlook(INCLUDED), choose_precision("cpu", "float32", 1))
