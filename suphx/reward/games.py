"""Games as the reward predictor sees them: the state at the start of each round, and the points at the end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.record import SEATS
from simulator.rules import Rules
from suphx.dataset.prepared import SPLITS, Prepared
from suphx.errors import InputError
from suphx.reward.target import Length

#: The state when a round starts; the dealer is seat `round % 4`, because seat 0 deals first.
START = np.dtype([
    ("scores", "i4", (SEATS,)),  # points; riichi bets on the table belong to nobody
    ("round", "u1"),  # 0 = East 1 .. 11 = West 4
    ("repeat_counter", "u1"),
    ("bets", "u1"),  # riichi bets on the table
])  # fmt: skip

#: Fields of `Rules` that determine when a game ends and who is first; a predictor is for one set of their values.
RULES_OF_REWARD = (
    "length",
    "starting_points",
    "target_points",
    "bust",
    "dealer_stop",
    "west_entry",
    "sudden_death",
    "ties",
    "repeat_points",
    "leftover_bets",
)


@dataclass(frozen=True)
class Games:
    """A batch of games, finished or not, padded to the longest."""

    starts: np.ndarray
    """START[n, k]: the rounds of game i are starts[i, :n_starts[i]]; the rest is padding."""
    n_starts: np.ndarray
    """i64[n]: number of started rounds, 1 to k."""
    ended: np.ndarray
    """bool[n]: whether the last round was played and ended the game."""
    final_scores: np.ndarray
    """i4[n, 4]: points at the end, leftover bets included; only meaningful for games that have ended."""

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, which: np.ndarray) -> Games:
        """Return some of the games, by indices or a mask, padded only as far as they need."""
        n_starts = self.n_starts[which]
        width = max(int(n_starts.max(initial=1)), 1)
        return Games(self.starts[which][:, :width], n_starts, self.ended[which], self.final_scores[which])


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


def source_of(prepared: Prepared, length: Length) -> str:
    """Return the names of the archives or files that the games of a length come from, at most the first few."""
    of_length = np.array([rules.length == length for rules in prepared.rules])
    return prepared.sources(of_length[prepared.games["rules"]])


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
