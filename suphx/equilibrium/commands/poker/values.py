"""`suphx poker samples` and `encodings`: solved endgames, and counterfactual value networks that learn from them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from suphx.commands.options import AsJson, Changes, ConfigFile

if TYPE_CHECKING:
    from suphx.equilibrium.poker.encodings import Trained
    from suphx.equilibrium.poker.value_net import Losses


def samples(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; an existing one is continued.")],
    count: Annotated[int, typer.Option(min=1, help="How many samples the folder is to have.")] = 12_000,
    config: ConfigFile = Path("poker-samples"),
    changes: Changes = None,
) -> None:
    """Solve random turn endgames to a given exploitability, for `suphx poker encodings` to learn from.

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
    from suphx.errors import InputError
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
        _show(lost, results.trained)


def _show(lost: dict[str, Losses], trained: list[Trained]) -> None:
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
