"""`suphx poker`: equity, endgames, counterfactual value networks, and hold'em for two to six players."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from suphx.commands.options import AsJson, Changes, ConfigFile
from suphx.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from suphx.equilibrium.poker.encodings import Losses, Trained
    from suphx.equilibrium.poker.endgame import Endgame
    from suphx.equilibrium.poker.leaf import TurnLeaf

_Stack = Annotated[int, typer.Option(help="Chips of each; blinds are 1 and 2.")]
_Raises = Annotated[int, typer.Option(min=1, max=6, help="Bets and raises on a street at most.")]
_Seed = Annotated[int, typer.Option(min=0, help="Random seed of the deals and of the play.")]
#: After which a training is written that its process may not live to write.
_SAVE_SECONDS = 60.0
#: Of a turn that ends in a network's values.
_LEAF_ITERATIONS = 50

poker = typer.Typer(
    no_args_is_help=True, help="Poker: equity, endgames, counterfactual values, hold'em for two to six players."
)


@poker.command()
def equity(
    ranges: Annotated[list[str], typer.Argument(help="Two or more ranges: AhKh, QQ-22,AQs-A2s, random.")],
    board: Annotated[str, typer.Option(help="Cards on the board, such as QsJh2h.")] = "",
    samples: Annotated[int, typer.Option(min=0, help="Random deals; 0 is all deals, exactly.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the deals.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Print the share of the pot that each range wins if all cards come; ties are shared."""
    import numpy as np
    from rich.console import Console
    from rich.table import Table

    from suphx.equilibrium.poker.cards import parse_cards
    from suphx.equilibrium.poker.equity import exact_equity, sampled_equity
    from suphx.equilibrium.poker.ranges import parse_range

    if not 2 <= len(ranges) <= 10:
        raise typer.BadParameter("two to ten ranges", param_hint="RANGES")
    held, cards = np.stack([parse_range(text) for text in ranges]), parse_cards(board)
    result = sampled_equity(held, cards, samples, seed) if samples else exact_equity(held, cards)
    if as_json:
        print(json.dumps({name: values.tolist() for name, values in result._asdict().items()}))
        return
    table = Table("range", "equity %", "wins %", "ties %")
    for row, text in enumerate(ranges):
        share, win, tie, half = (100 * values[row] for values in result)
        table.add_row(text, f"{share:.3f}" + (f" ± {half:.3f}" if samples else ""), f"{win:.3f}", f"{tie:.3f}")
    Console(highlight=False).print(table)


@poker.command()
def solve(
    ranges: Annotated[
        list[str] | None, typer.Argument(help="Ranges of who acts first and second: QQ-22,AQs-A2s. None with --start.")
    ] = None,
    board: Annotated[str, typer.Option(help="Four or five cards, such as QsJh2h8c.")] = "",
    pot: Annotated[float, typer.Option(help="Chips in the middle.")] = 1.0,
    stack: Annotated[float, typer.Option(help="Chips behind of each player.")] = 4.0,
    turn: Annotated[str, typer.Option(help="Bets / raises on the turn in pots; a is all-in: 0.5,1,a/1,a.")] = "1,a",
    river: Annotated[str | None, typer.Option(help="Bets / raises on the river; by default 1,a.")] = None,
    leaf: Annotated[
        Path | None,
        typer.Option(help="A network of `suphx poker leaf` for the river; the turn alone is solved."),
    ] = None,
    rule: Annotated[str, typer.Option(help="dcfr, cfr+ or cfr.")] = "dcfr",
    iterations: Annotated[
        int | None,
        typer.Option(min=1, help="Iterations at most, with those of --start: by default 1000; with --leaf 50."),
    ] = None,
    target: Annotated[
        float | None, typer.Option(min=0, help="Exploitability to stop at, in % of the pot; by default 0.5.")
    ] = None,
    start: Annotated[Path | None, typer.Option(help="A saved endgame to resume.")] = None,
    lock: Annotated[
        list[str] | None,
        typer.Option(help="Fix a decision and solve anew: PATH=ACTION:SHARE,.. such as x-b100=f:0.4,c:0.6."),
    ] = None,
    at: Annotated[str, typer.Option(help="Decision to show: actions, and the river's card: x-b100-c-Ah.")] = "",
    csv: Annotated[Path | None, typer.Option(help="Write the strategy shown, of every hand, to a CSV file.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Save the endgame (.npz), to resume later.")] = None,
    as_json: AsJson = False,
) -> None:
    """Solve an endgame for an equilibrium, and print what both players win and how often they do what."""
    from simulator.files import write_whole
    from suphx.equilibrium.poker.endgame import RULES, Endgame
    from suphx.progress import progress

    if rule not in RULES:
        raise InputError(f"no rule {rule!r}; there are {', '.join(RULES)}")
    if leaf is not None:
        _refuse_with_leaf({"--river": river, "--target": target, "--start": start, "--out": out})
    if start is not None:
        if ranges or board:
            raise typer.BadParameter("a saved endgame has its own ranges and board", param_hint="--start")
        endgame = Endgame.load(start)
    elif len(ranges or []) != 2:
        raise typer.BadParameter("an endgame needs two ranges", param_hint="RANGES")
    else:
        last_street = _read_leaf(leaf) if leaf else "1,a" if river is None else river
        endgame = Endgame.parse(ranges or [], board, pot, stack, turn, last_street)
    for text in lock or ():
        endgame.lock(*endgame.parse_lock(text))
    path = [word for word in at.split("-") if word]
    endgame.actions(path)  # a wrong path is an error before the work
    started, before = time.perf_counter(), endgame.iterations
    total = iterations or (1000 if leaf is None else _LEAF_ITERATIONS)
    with progress("solving", total, done=before) as show:
        if leaf is not None:
            for done in range(1, total + 1):
                endgame.iterate(rule)
                show(done)
        else:
            for reached in endgame.solve(total, (0.5 if target is None else target) / 100, rule):
                rate = (endgame.iterations - before) / (time.perf_counter() - started)
                show(endgame.iterations, f"exploitability {100 * reached:.3f} % of the pot, {rate:.0f} iterations/s")
    seconds = time.perf_counter() - started
    if csv is not None:
        write_whole(csv, endgame.csv(path).encode())
    if out is not None:
        endgame.save(out)
    _print_endgame(endgame, path, seconds, None if leaf else endgame.exploitability(), as_json)


def _refuse_with_leaf(options: dict[str, object]) -> None:
    for name, value in options.items():
        if value is not None:
            raise typer.BadParameter("not with --leaf, whose network stands for the river", param_hint=name)


def _read_leaf(path: Path) -> TurnLeaf:
    import torch

    from suphx.equilibrium.poker.leaf import TurnLeaf

    torch.set_num_threads(1)
    return TurnLeaf.load(path)


def _print_endgame(endgame: Endgame, path: list[str], seconds: float, reached: float | None, as_json: bool) -> None:
    labels, shares, value = endgame.actions(path), endgame.frequencies(path), endgame.expected()
    if as_json:
        result: dict[str, object] = {"value": value}
        if reached is not None:
            result |= {
                "exploitability": reached * endgame.pot, "exploitability_of_pot": reached,
                "nash_conv": 2 * reached * endgame.pot,
            }  # fmt: skip
        result |= {"iterations": endgame.iterations, "seconds": round(seconds, 3), "path": path}
        print(json.dumps(result | {"frequencies": dict(zip(labels, shares, strict=True))}))
        return
    quality = "values of the river by the network"
    if reached is not None:
        quality = f"exploitability {100 * reached:.3f} % of the pot (half the NashConv)"
    print(f"{endgame.iterations} iterations, {seconds:.1f} s; {quality}")
    print(f"of the pot of {endgame.pot:g}, first wins {value[0]:.4f}, second {value[1]:.4f}")
    words = ", ".join(f"{label} {100 * share:.1f} %" for label, share in zip(labels, shares, strict=True))
    print(f"after {'-'.join(path) or 'nothing'}: {words or 'nobody decides anything'}")


@poker.command()
def samples(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; an existing one is continued.")],
    count: Annotated[int, typer.Option(min=1, help="How many samples the folder is to have.")] = 12_000,
    config: ConfigFile = Path("poker-samples"),
    changes: Changes = None,
) -> None:
    """Solve random turn endgames to a given exploitability, for `suphx poker encodings` and `leaf` to learn from.

    Interrupt it at any time; the same command resumes it.
    """
    from contextlib import closing

    from suphx.config import load_config
    from suphx.equilibrium.poker.samples import SamplesConfig, generate
    from suphx.progress import progress

    chosen = load_config(config, SamplesConfig, changes or ())
    started, first, done = time.perf_counter(), None, 0
    with progress("solving", count) as show, closing(generate(out, chosen, count)) as solving:
        for done in solving:
            first = done if first is None else first
            show(done, f"{(done - first) / (time.perf_counter() - started):.2f}/s")
    print(f"{done:,} samples in {out}, {done - (first or 0):,} of them new ({time.perf_counter() - started:.1f} s)")


@poker.command()
def encodings(
    samples: Annotated[Path, typer.Argument(help="A folder of `suphx poker samples`.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for the networks' errors; networks in it are not trained again.")
    ],
    config: Annotated[Path, typer.Option(help="A YAML file, or the name of one that is included.")] = Path(
        "poker-encodings"
    ),
    sizes: Annotated[
        str, typer.Option(help="Numbers of samples to train with, such as 3000,6000,12000; by default all.")
    ] = "",
    changes: Changes = None,
    as_json: AsJson = False,
) -> None:
    """Print what each encoding loses by itself, and the errors of networks that were trained with it."""
    import torch

    from suphx.config import load_config
    from suphx.equilibrium.poker.encodings import EncodingsConfig, NetworkErrors, encode, train_all
    from suphx.progress import progress

    torch.set_num_threads(1)
    chosen = load_config(config, EncodingsConfig, changes or ())
    try:
        wanted = [int(word) for word in sizes.split(",")] if sizes else []
    except ValueError:
        raise InputError(f"--sizes {sizes}: numbers with commas between them are needed") from None
    if min(wanted, default=10) < 10:
        raise InputError(f"--sizes {sizes}: a network needs at least 10 samples")
    results = NetworkErrors(out, chosen)
    encoded = encode(samples, chosen, max(wanted, default=None))
    wanted = wanted or [len(encoded["direct"].values)]
    lost = {name: each.encoding_losses() for name, each in encoded.items()}
    total = len(encoded) * chosen.seeds * chosen.epochs * sum(int(size * chosen.training) for size in wanted)
    started, done = time.perf_counter(), 0
    with progress("training", total) as show:
        for step in train_all(encoded, chosen, wanted, results):
            done += step
            show(done, f"{done / (time.perf_counter() - started):,.0f} samples/s")
    if as_json:
        networks = [each._asdict() for each in results.trained]
        print(json.dumps({"config": chosen.model_dump(), "encoding": lost, "networks": networks}))
    else:
        _print_losses(lost, results.trained)


def _print_losses(lost: dict[str, Losses], trained: list[Trained]) -> None:
    import numpy as np
    from rich.console import Console
    from rich.table import Column, Table

    from suphx.equilibrium.poker.encodings import PAPER_ENCODING, PAPER_NETWORK

    console = Console(highlight=False)
    table = Table("encoding error", "Huber", "MSE", "paper: Huber", "MSE")
    for name, each in lost.items():
        paper = PAPER_ENCODING.get(name, (0.0, 0.0))
        table.add_row(name, *(f"{value:.5f}" for value in (*each, *paper)))
    console.print(table)
    first = Column("Huber loss", no_wrap=True)
    table = Table(first, "samples", "abstract train", "full train", "abstract test", "full test")
    for size in sorted({each.samples for each in trained}):
        for name in PAPER_NETWORK:
            runs = [each for each in trained if (each.samples, each.encoding) == (size, name)]
            if runs:
                errors = np.array([[loss.huber for loss in (*run.train, *run.test)] for run in runs])
                own = [f"{mean:.4f}" for mean in errors.mean(0)]
                if len(runs) > 1:
                    own = [f"{mean} ± {by:.4f}" for mean, by in zip(own, errors.std(0, ddof=1), strict=True)]
                table.add_row(name, f"{size:,}", *own)
    for name, losses in PAPER_NETWORK.items():
        table.add_row(name, "paper", *(f"{value:.4f}" for value in losses))
    console.print(table)
    seeds = len({each.seed for each in trained})
    print(f"mean ± standard deviation over {seeds} seeds" if seeds > 1 else "one seed")


@poker.command()
def leaf(
    samples: Annotated[Path, typer.Argument(help="A folder of `suphx poker samples --set turn=/`.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File for the network (.safetensors).")],
    config: Annotated[Path, typer.Option(help="A YAML file, or the name of one that is included.")] = Path(
        "poker-leaf"
    ),
    count: Annotated[int | None, typer.Option(min=10, help="How many samples to use; by default all.")] = None,
    changes: Changes = None,
) -> None:
    """Train a value network that stands for the river in `suphx poker solve --leaf`."""
    import torch

    from suphx.config import load_config
    from suphx.equilibrium.poker.leaf import LeafConfig, train_leaf
    from suphx.progress import progress

    torch.set_num_threads(1)
    chosen = load_config(config, LeafConfig, changes or ())
    with progress("training", chosen.epochs) as show:
        for epoch, network in enumerate(train_leaf(samples, chosen, count), 1):
            show(epoch, f"Huber loss {network.huber:.5f}")
    network.save(out)
    print(f"{out}: {network.count:,} samples, Huber loss {network.huber:.5f} on those held out")


@poker.command()
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


@poker.command()
def blueprint(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for the training and the strategy; a training there is resumed.")
    ],
    config: ConfigFile = Path("poker-blueprint"),
    changes: Changes = None,
    as_json: AsJson = False,
) -> None:
    """Train a strategy by MCCFR that adds up regrets and policies in a table.

    Interrupt it at any time; the same command resumes it. OUT/blueprint.npz is a player for `match` and `play`.
    """
    from suphx.config import load_config
    from suphx.equilibrium.poker.blueprint import BlueprintConfig, BlueprintTraining
    from suphx.progress import progress

    training = BlueprintTraining(load_config(config, BlueprintConfig, changes or ()), out)
    started, first = time.perf_counter(), training.done
    saved = started
    with progress("traversing", training.config.hands, done=first) as show:
        try:
            for done in training.run():
                now = time.perf_counter()
                show(done, f"{(done - first) / (now - started):,.0f} hands/s, {training.used:,} information sets")
                if now - saved > _SAVE_SECONDS:
                    training.save()
                    saved = now
        finally:
            training.save()
    written = len(training.blueprint().key)
    if as_json:
        print(json.dumps({"hands": training.done, "infosets": training.used, "written": written}))
    else:
        sets = f"{training.used:,} information sets, of which {written:,} were met often enough"
        print(f"{training.done:,} hands, {sets}\n{out / 'blueprint.npz'}")


@poker.command()
def match(
    challenger: Annotated[
        str, typer.Argument(help="blueprint, fold, random, rule, equity:CALL/BET, or a file of weights.")
    ],
    opponent: Annotated[str, typer.Argument(help="Who sits at all other seats.")],
    deals: Annotated[int, typer.Option(min=2, help="Deals; each is played once from every seat.")] = 2000,
    seats: Annotated[int, typer.Option(min=2, max=6, help="Players.")] = 6,
    stack: _Stack = 500,
    raises: _Raises = 2,
    seed: _Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Print the challenger's big blinds per hundred hands, with the 95 % interval over deals.

    Beside it, what always folding wins on the same deals: who loses more than that had better not play.
    """
    import numpy as np
    import torch

    from suphx.equilibrium.poker.holdem import checked_stacks
    from suphx.equilibrium.poker.match import duplicate
    from suphx.equilibrium.poker.players import fold_player, player_named
    from suphx.intervals import half_width
    from suphx.progress import progress

    torch.set_num_threads(1)
    own, other, stacks = player_named(challenger), player_named(opponent), checked_stacks([stack] * seats)
    started, done, rows = time.perf_counter(), 0, list[tuple[float, float]]()
    with progress("deals", 2 * deals) as show:
        for player in (own, fold_player):
            won = list[np.ndarray]()
            for part in duplicate(player, other, stacks, raises, deals, seed):
                won.append(part)
                done += len(part)
                show(done, f"{done * seats / (time.perf_counter() - started):,.0f} hands/s")
            results = np.concatenate(won)
            rows.append((float(results.mean()), half_width(results)))
    (mean, half), (folding, folding_half) = rows
    if as_json:
        print(json.dumps({"bb_per_100": mean, "half_width": half, "folding": folding,
                          "folding_half_width": folding_half, "hands": deals * seats, "deals": deals}))  # fmt: skip
    else:
        print(f"{challenger} against {opponent}: {mean:+.1f} ± {half:.1f} bb/100 over {deals * seats:,} hands "
              f"({deals:,} deals from each of {seats} seats; {time.perf_counter() - started:.1f} s)")  # fmt: skip
        print(f"always folding against {opponent}: {folding:+.1f} ± {folding_half:.1f} bb/100 on the same deals")


@poker.command()
def play(
    opponent: Annotated[
        str, typer.Argument(help="Who sits at the other seats: blueprint, fold, random, rule, equity:50/80, weights.")
    ] = "blueprint",
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
