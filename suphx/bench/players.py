"""Measure strength and speed of a rule-based player: `python -m suphx.bench.players sensible random`.

Matches are duplicate: each game of the seed is played four times with the same walls, with the player on each seat in
turn and the opponent on the other three. The mean over the four games is one observation; the confidence interval is
that of the mean of the observations.
"""

import argparse
import time
from dataclasses import dataclass, field

import numpy as np

from simulator.players import PLAYERS, Player, player
from simulator.players.play import PlayedGame, play_games
from simulator.record import RESULT_EXHAUSTIVE, RESULT_RON, SEATS
from simulator.tables import Tables

_NORMAL_95 = 1.96


@dataclass
class Rates:
    """Counts of what a player did over a number of rounds."""

    rounds: int = 0
    wins: int = 0
    deal_ins: int = 0
    riichi: int = 0
    opened: int = 0
    """Rounds in which it opened its hand."""
    win_points: int = 0
    draws: int = 0
    """Exhaustive draws."""
    tenpai: int = 0
    """... at which it was tenpai."""

    def note(self, rounds: np.ndarray, seat: int) -> None:
        """Add what a seat did; rounds: GAME[n], the records at the ends of rounds."""
        result = rounds["result"]
        won = (result["wins"]["seat"] == seat) & (np.arange(3) < result["n_wins"][:, None])
        by_claim = result["type"] == RESULT_RON
        drawn = result["type"] == RESULT_EXHAUSTIVE
        self.rounds += len(rounds)
        self.wins += int(won.sum())
        self.win_points += int(result["wins"]["points"][won].sum())
        self.deal_ins += int((by_claim & (result["wins"]["source"][:, 0] == seat)).sum())
        self.riichi += int((rounds["riichi"][:, seat] == 2).sum())
        self.opened += int((rounds["n_open"][:, seat] > 0).sum())
        self.draws += int(drawn.sum())
        self.tenpai += int((drawn & (result["tenpai"] >> seat & 1 == 1)).sum())

    def __str__(self) -> str:
        """Return the rates as cells of a Markdown table."""
        shares = [self.wins, self.deal_ins, self.riichi, self.opened, self.draws]
        cells = [f"{share / self.rounds:.1%}" for share in shares]
        cells.append(f"{self.tenpai / max(self.draws, 1):.1%}")
        cells.append(f"{self.win_points / max(self.wins, 1):,.0f}")
        return " | ".join(cells)


@dataclass
class Match:
    """A duplicate match of one player against three of another."""

    places: np.ndarray
    """f8[n]: the player's mean place (1 to 4) in the four games of each wall sequence."""
    points: np.ndarray
    """f8[n]: its mean final points, in thousands."""
    rates: Rates = field(default_factory=Rates)

    def __str__(self) -> str:
        """Return place and points with their 95 % confidence intervals, and the rates, as cells of a Markdown table."""
        cells = []
        for values, form in ((self.places, ".3f"), (self.points, "+.1f")):
            half = _NORMAL_95 * values.std(ddof=1) / len(values) ** 0.5
            cells.append(f"{values.mean():{form}} ± {half:{form.lstrip('+')}}")
        return " | ".join([*cells, str(self.rates)])


def play_match(one: Player, other: Player, n: int, seed: int = 0) -> Match:
    """Play 4 n games over n wall sequences: `one` on each seat against three of `other`."""
    match = Match(np.zeros(n), np.zeros(n))
    for seat in range(SEATS):
        seats = [one if each == seat else other for each in range(SEATS)]
        for game in play_games(seats, n, seed=seed):
            _note(match, game, seat)
    return match


def _note(match: Match, game: PlayedGame, seat: int) -> None:
    result = game.rounds[-1]["result"]
    match.places[game.number] += (int(result["ranks"][seat]) + 1) / SEATS
    match.points[game.number] += int(result["final_points"][seat]) / 10 / SEATS
    match.rates.note(game.rounds, seat)


def choices_per_second(chooser: Player, steps: int = 200, games: int = 1024) -> float:
    """Measure a player's decisions per second of processor time, excluding the time of the table."""
    tables = Tables(games, seed=1)
    chosen, spent = 0, 0.0
    for step in range(steps + 1):
        decisions = tables.decisions()
        actions = np.empty(len(decisions), np.int64)
        started = time.thread_time()
        chooser.choose(tables.games, decisions, actions)
        if step:  # the first one compiles
            spent += time.thread_time() - started
            chosen += len(decisions)
        tables.step(actions)
    return chosen / spent


def main() -> None:
    """Print a table with one row per opponent, and the player's speed."""
    parser = argparse.ArgumentParser(description="Duplicate matches of rule-based players.")
    parser.add_argument("player", choices=PLAYERS)
    parser.add_argument("opponents", nargs="+", choices=PLAYERS)
    parser.add_argument("--walls", type=int, default=1000, help="wall sequences, each played four times")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    one = player(given.player)
    print("| opponents | place | points | wins | deals in | riichi | opens | draws | tenpai then | points a win |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in given.opponents:
        other = one if name == given.player else player(name)
        print(f"| three {name} | {play_match(one, other, given.walls, given.seed)} |", flush=True)
    print(f"\n{given.player}: {choices_per_second(one):,.0f} decisions/s on one core")


if __name__ == "__main__":
    main()
