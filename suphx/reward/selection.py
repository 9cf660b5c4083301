"""The games to learn from: the prepared games of one length, by split."""

from dataclasses import dataclass

import numpy as np

from simulator.record import SEATS
from simulator.rules import Rules
from suphx.dataset.prepared import SPLITS, Prepared
from suphx.errors import InputError
from suphx.reward.games import RULES_OF_REWARD, START, Games
from suphx.reward.target import Length


@dataclass(frozen=True)
class RewardSelection:
    """Finished games for training, validation and test."""

    games: Games
    split: np.ndarray
    """u8[n]: index in SPLITS of each game."""
    rules: Rules

    def part(self, name: str) -> Games:
        """Return the games of the split with a name."""
        return self.games.take(self.split == list(SPLITS).index(name))


def select_games(prepared: Prepared, length: Length) -> RewardSelection:
    """Select the prepared games of one length.

    Raises InputError if there are none, if their rules differ in RULES_OF_REWARD, or if seats with equal points share
    their prizes (`Rules.ties`).
    """
    kinds = [number for number, rules in enumerate(prepared.rules) if rules.length == length]
    chosen = np.isin(prepared.games["rules"], kinds)
    if not chosen.any():
        raise InputError(f"no {length} games among {len(prepared.games):,}; `games` in the configuration sets the kind")
    rules = [prepared.rules[number] for number in np.unique(prepared.games["rules"][chosen])]
    for other in rules[1:]:
        different = [name for name in RULES_OF_REWARD if getattr(other, name) != getattr(rules[0], name)]
        if different:
            raise InputError(f"the games differ in rules that affect ranks: {', '.join(different)}; train separately")
    if rules[0].ties != "seat":
        raise InputError(f"rules: ties is {rules[0].ties!r}; the predictor ranks equal points by seat")
    return RewardSelection(_padded(prepared, np.flatnonzero(chosen)), prepared.split()[chosen], rules[0])


def _padded(prepared: Prepared, which: np.ndarray) -> Games:
    games = prepared.games[which]
    n_starts = games["n_rounds"].astype(np.int64)
    places = np.arange(n_starts.max())
    real = places < n_starts[:, None]
    rows = np.where(real, games["first_round"].astype(np.int64)[:, None] + places, 0)
    starts = np.zeros(rows.shape, START)
    for name in START.names or ():
        starts[name] = prepared.rounds[name][rows]
    starts[~real] = np.zeros((), START)
    if (prepared.rounds["dealer"][rows] != prepared.rounds["round"][rows] % SEATS)[real].any():
        raise InputError("the reward predictor does not support games whose first dealer is not seat 0")
    return Games(starts, n_starts, np.ones(len(games), bool), games["final_scores"].astype(np.int32))
