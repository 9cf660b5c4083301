"""`suphx poker train`, `match` and `play`: a policy for hold'em, what it wins, and hands against it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from suphx.commands.options import AsJson, Changes, ConfigFile

if TYPE_CHECKING:
    import numpy as np

_Stack = Annotated[int, typer.Option(help="Chips of each; blinds are 1 and 2.")]
_Raises = Annotated[int, typer.Option(min=1, max=6, help="Bets and raises on a street at most.")]
_Seed = Annotated[int, typer.Option(min=0, help="Random seed of the deals and of the play.")]


def train(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for the weights; existing ones are trained further.")
    ],
    config: ConfigFile = Path("poker-train"),
    changes: Changes = None,
    as_json: AsJson = False,
) -> None:
    """Train a policy: on the rule agent's decisions, by straight sampling, then by MCCFR.

    Interrupt it at any time; the same command resumes it.
    """
    import torch

    from suphx.config import load_config
    from suphx.equilibrium.poker.deepfool import DeepFoolConfig, DeepFoolTraining, noise_floor, rule_decisions
    from suphx.progress import progress

    torch.set_num_threads(1)
    chosen = load_config(config, DeepFoolConfig, changes or ())
    training = DeepFoolTraining(chosen, out)
    units, last = {"rule": "decisions", "straight": "nodes", "mccfr": "nodes"}, dict[str, float]()
    nodes = dict.fromkeys(units, 0)
    for phase, unit in units.items():
        started = time.perf_counter()
        with progress(phase, training.totals[phase], done=training.done[phase]) as show:
            for report in training.run(phase):
                nodes[phase] += report.nodes
                last[phase] = report.divergence
                rate = nodes[phase] / (time.perf_counter() - started)
                show(training.done[phase], f"{rate:,.0f} {unit}/s, KL {report.divergence:.4f}")
    floor = noise_floor(rule_decisions(chosen, 500, -1 & 0xFFFF)[0], chosen.seed)
    if as_json:
        print(json.dumps({"done": training.done, "nodes": nodes, "divergence": last, "rule_floor": floor}))
        return
    for phase, divergence in last.items():
        print(f"{phase}: {nodes[phase]:,} {units[phase]}, last KL {divergence:.4f}")
    print(f"the rule agent's own noise leaves a KL of {floor:.4f}\n{training.path}")


def match(
    challenger: Annotated[str, typer.Argument(help="random, rule, equity:CALL/BET, or a file of weights.")],
    opponent: Annotated[str, typer.Argument(help="Who sits at all other seats.")],
    deals: Annotated[int, typer.Option(min=2, help="Deals; each is played once from every seat.")] = 2000,
    seats: Annotated[int, typer.Option(min=2, max=6, help="Players.")] = 6,
    stack: _Stack = 500,
    raises: _Raises = 2,
    seed: _Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Print the challenger's big blinds per hundred hands, with the 95 % interval over deals."""
    import numpy as np
    import torch

    from suphx.equilibrium.poker.holdem import checked_stacks
    from suphx.equilibrium.poker.match import duplicate
    from suphx.equilibrium.poker.players import player_named
    from suphx.intervals import half_width
    from suphx.progress import progress

    torch.set_num_threads(1)
    own, other, stacks = player_named(challenger), player_named(opponent), checked_stacks([stack] * seats)
    started, won = time.perf_counter(), []
    with progress("deals", deals) as show:
        for part in duplicate(own, other, stacks, raises, deals, seed):
            won.append(part)
            done = sum(map(len, won))
            show(done, f"{done * seats / (time.perf_counter() - started):,.0f} hands/s")
    results = np.concatenate(won)
    mean, half = float(results.mean()), half_width(results)
    if as_json:
        print(json.dumps({"bb_per_100": mean, "half_width": half, "hands": deals * seats, "deals": deals}))
    else:
        print(f"{challenger} against {opponent}: {mean:+.1f} ± {half:.1f} bb/100 over {deals * seats:,} hands "
              f"({deals:,} deals from each of {seats} seats; {time.perf_counter() - started:.1f} s)")  # fmt: skip


def play(
    opponent: Annotated[str, typer.Argument(help="Who sits at the other seats: random, rule, equity:50/80, weights.")],
    hands: Annotated[int, typer.Option(min=1, help="Hands to play; every hand begins with full stacks.")] = 10,
    seats: Annotated[int, typer.Option(min=2, max=6, help="Players; you sit at seat 0.")] = 6,
    stack: _Stack = 500,
    raises: _Raises = 2,
    seed: _Seed = 0,
) -> None:
    """Play against an agent: type an action or its number, or q to stop."""
    import numpy as np

    from suphx.equilibrium.poker.holdem import checked_stacks
    from suphx.equilibrium.poker.match import deal_hands, play_hands
    from suphx.equilibrium.poker.players import player_named
    from suphx.equilibrium.terminal import Quit

    other, stacks, total = player_named(opponent), checked_stacks([stack] * seats), 0
    here = np.arange(seats)[None] > 0
    for number in range(hands):
        dealt = deal_hands(stacks, np.array([number % seats]), raises, np.array([seed * 1_000_003 + number], np.uint64))
        try:
            play_hands(dealt, here.astype(np.int64), [_ask, other], seed + number)
        except Quit:
            return
        won = int(dealt["stack"][0, 0] - dealt["start"][0, 0])
        total += won
        typer.echo(f"hand {number + 1}: you win {won:+d} chips, {total:+d} in all\n")


def _ask(hands: np.ndarray, seed: int) -> np.ndarray:
    """A player that asks at the terminal."""
    import numpy as np

    from suphx.equilibrium.poker.cards import card_text
    from suphx.equilibrium.poker.holdem import ACTIONS, SEATS, legal, pot
    from suphx.equilibrium.terminal import choose

    hand = hands[0]
    seat, can = hand["mover"], np.zeros(6, np.bool_)
    legal(hand, can)
    shown = 0 if hand["street"] == 0 else hand["street"] + 2
    board = card_text(hand["cards"][2 * SEATS : 2 * SEATS + shown]) or "none"
    own, call = card_text(hand["cards"][2 * seat : 2 * seat + 2]), hand["bet"] - hand["street_put"][seat]
    typer.echo(f"your cards {own}, board {board}, pot {pot(hand)}, to call {call}, behind {hand['stack'][seat]}")
    choices = np.flatnonzero(can)
    chosen = choose([ACTIONS[action] for action in choices])
    return np.eye(6, dtype=np.float32)[choices[[chosen]]]
