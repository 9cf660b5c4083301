"""`suphx poker samples`: random turn endgames and their solutions."""

import time
from pathlib import Path
from typing import Annotated

import typer


def samples(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; what is there is continued.")],
    count: Annotated[int, typer.Option(min=1, help="How many samples the folder is to have.")] = 12_000,
    config: Annotated[
        Path, typer.Argument(help="Configuration: a YAML file, or the name of one that is included.")
    ] = Path("poker-samples"),
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="Change a value of the configuration: seed=1.")
    ] = None,
) -> None:
    """Solve random turn endgames to a given exploitability, for `suphx poker encodings` to learn from.

    Interrupt it at any time, and run the same command again to go on.
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
