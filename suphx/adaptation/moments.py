"""Decisions that two players would make differently, as a picture (the paper's Figures 9 and 10), and their styles."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from rich.table import Table

from simulator.record import ACTION_NAMES, DISCARD_DRAWN
from simulator.tables import Decisions
from simulator.tiles import tile_name
from simulator.views.table import table_view
from suphx.adaptation.adapting import TEST_DEALS, Adapter
from suphx.adaptation.hands import Hand
from suphx.adaptation.players import FlowAgent, Original
from suphx.adaptation.positions import Position
from suphx.adaptation.rewards import rewards_of
from suphx.adaptation.rollouts import roll_out, rollouts_of
from suphx.agent.interface import Agent, AgentOutput
from suphx.agent.opinions import opinions_of
from suphx.evaluation.tally import COLUMN, tally
from suphx.intervals import mean_interval
from suphx.plotting import colour, tidy, write_figure

#: The columns of `evaluation.tally` that make up a style; each counts at most once per round.
COUNTED = ("wins", "deal_ins", "riichi", "call_rounds", "tenpai_draws")
#: Actions are not drawn if both players' probabilities are below this.
_SHOWN = 0.01


@dataclass(frozen=True)
class Moment:
    """A decision that two players would make differently."""

    game: np.void
    """GAME at the time of the decision."""
    seat: int
    probability: np.ndarray
    """f64[2, ACTIONS]: each player's probability of each action if it sampled its answers."""
    preferred: tuple[int, int]
    """The action that each prefers."""

    @property
    def margin(self) -> float:
        """How clearly they differ: the smaller of the two probability gaps by which each prefers its own action."""
        one, other = self.preferred
        (own, less), (less_too, own_too) = self.probability[:, [one, other]]
        return float(min(own - less, own_too - less_too))

    def name(self, action: int) -> str:
        """Return the name of an action, with the drawn tile for its discard."""
        if action == DISCARD_DRAWN:
            return f"discard {tile_name(int(self.game['drawn']))}"
        return ACTION_NAMES[action]


class _Recorder:
    """Plays as the first player and records the first decision of each round that the second would make differently."""

    name = "recorder"

    def __init__(self, first: FlowAgent, second: FlowAgent) -> None:
        self._first, self._second = first, second
        self._seen: set[int] = set()
        self.moments: list[Moment] = []

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        """Choose as the first player does."""
        one, other = (opinions_of(each, games, decisions) for each in (self._first, self._second))
        for row in np.flatnonzero(one.preferred != other.preferred):
            game, seed = games[decisions.game[row]], int(games["seed"][decisions.game[row]])
            if seed not in self._seen:
                self._seen.add(seed)
                both = np.stack([one.probability[row], other.probability[row]])
                preferred = int(one.preferred[row]), int(other.preferred[row])
                self.moments.append(Moment(game.copy(), int(decisions.seat[row]), both, preferred))
        return self._first.act(games, decisions)


def find_moments(
    positions: Sequence[Position], first: FlowAgent, second: FlowAgent, others: Agent, deals: int, seed: int, start: int
) -> list[Moment]:
    """Return the first difference of each round that has one, the clearest first.

    others: the player of the other seats. deals: number of deals of each position, from number `start` on.
    """
    recorder = _Recorder(first, second)
    roll_out(positions, rollouts_of(len(positions), deals, start), [recorder] * len(positions), others, seed)
    return sorted(recorder.moments, key=lambda moment: -moment.margin)


def changes(adapter: Adapter, hand: Hand, deals: int) -> list[Moment]:
    """Return where a hand's adapted copy decides differently from the original on test deals, clearest first."""
    original, positions = adapter.original, [hand.position]
    (adapted,) = adapter.adapt(positions)
    copy = original.player(adapted.proposed)
    return find_moments(positions, original.playing, copy, original.playing, deals, adapter.seed, TEST_DEALS)


def compare_styles(
    hands: Sequence[Hand], adapter: Adapter, second: Original, deals: int
) -> tuple[dict[str, Any], list[Moment]]:
    """Return shares of rounds by agent with 95 % intervals, and the decisions on which they differ, clearest first.

    Each agent plays the hand's seat of every deal, against three of the adapter's own. deals: of each hand. The hand is
    the statistical unit of the intervals.
    """
    first, positions = adapter.original, [hand.position for hand in hands]
    rollouts = rollouts_of(len(hands), deals)
    which = rollouts["position"].astype(np.int64)
    seats = np.array([position.seat for position in positions])[which]
    counts, rewards = [], []
    for agent in (first, second):
        rolled = roll_out(positions, rollouts, [agent.playing] * len(hands), first.playing, adapter.seed)
        rows = np.array([tally(rolled.ended[n : n + 1])[seat] for n, seat in enumerate(seats)])
        counts.append(rows[:, [COLUMN[name] for name in COUNTED]].reshape(len(hands), deals, -1).mean(axis=1))
        gained = rewards_of(adapter.rewards, positions, rolled) * adapter.rewards.unit
        rewards.append(gained.reshape(-1, deals).mean(axis=1))
    found: dict[str, Any] = {"agents": [first.name, second.name], "hands": len(hands), "deals": deals}
    found |= {name: _pair(*(each[:, place] for each in counts)) for place, name in enumerate(COUNTED)}
    found["reward"] = _pair(*rewards)
    return found, find_moments(positions, first.playing, second.playing, first.playing, deals, adapter.seed, 0)


def _pair(first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    """Return the means of both agents over hands, and the mean difference with its interval."""
    mean, interval = mean_interval(second - first)
    found = {"first": float(first.mean()), "second": float(second.mean()), "second_less_first": mean}
    return found | {"interval": interval}


def style_table(found: dict[str, Any]) -> Table:
    """Return the shares of `compare_styles` as a table for the terminal."""
    table = Table("a round", *found["agents"], "difference", "95 %")
    for name in (*COUNTED, "reward"):
        each = found[name]
        numbers = (f"{each[of]:.4g}" for of in ("first", "second", "second_less_first"))
        table.add_row(name, *numbers, " to ".join(f"{end:.4g}" for end in each["interval"] or ()))
    return table


def plot_moment(path: Path, moment: Moment, names: Sequence[str], title: str) -> None:
    """Write a picture of the table as the seat sees it, and of both players' probabilities; names: of the two."""
    highest = moment.probability.max(axis=0)
    shown = np.flatnonzero(highest >= _SHOWN)
    shown = shown[np.argsort(-highest[shown], kind="stable")]
    figure = Figure((8.5, 5.2), layout="constrained")
    words, axes = figure.subplots(2, height_ratios=[0.8, 1.9])
    words.axis("off")
    table = str(table_view(moment.game, [moment.seat]))
    words.text(0, 1, table, va="top", fontsize=7, family="monospace", transform=words.transAxes)
    tidy(axes)
    places = np.arange(len(shown))
    for number, (name, found) in enumerate(zip(names, moment.probability, strict=True)):
        axes.bar(places + 0.4 * (number - 0.5), 100 * found[shown], 0.38, color=colour(number), label=name)
    axes.set_xticks(places, [moment.name(int(action)) for action in shown], rotation=35, ha="right", fontsize=8)
    axes.set_ylabel("probability (%)")
    axes.legend(fontsize=9)
    figure.suptitle(title, fontsize=10)
    write_figure(path, figure)
