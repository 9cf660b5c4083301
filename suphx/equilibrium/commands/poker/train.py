"""`suphx poker train`: a policy for hold'em, after DeepFool."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer


def train(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the weights; what is there is trained on.")],
    config: Annotated[
        Path, typer.Argument(help="Configuration: a YAML file, or the name of one that is included.")
    ] = Path("poker-train"),
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="Change a value of the configuration: seats=2.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Train a policy: on the rule agent's decisions, by straight sampling, then by MCCFR.

    Interrupt it at any time, and run the same command again to go on.
    """
    import torch
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from suphx.config import load_config
    from suphx.equilibrium.poker.deepfool import DeepFoolConfig, Training, noise_floor, rule_decisions

    torch.set_num_threads(1)
    chosen = load_config(config, DeepFoolConfig, changes or ())
    training = Training(chosen, out)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[words]}"), TimeRemainingColumn())
    started, last = dict[str, float](), dict[str, float]()
    nodes = dict.fromkeys(training.done, 0)
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bars = {phase: progress.add_task(phase, total=None, words="") for phase in training.done}
        before = time.perf_counter()
        for report in training.run():
            began = started.setdefault(report.phase, before)
            nodes[report.phase] += report.nodes
            last[report.phase] = report.divergence
            rate = nodes[report.phase] / (time.perf_counter() - began)
            words = f"{rate:,.0f} {'decisions' if report.phase == 'rule' else 'nodes'}/s, KL {report.divergence:.4f}"
            progress.update(bars[report.phase], total=report.total, completed=report.done, words=words)
            before = time.perf_counter()
    floor = noise_floor(rule_decisions(chosen, 500, -1 & 0xFFFF)[0], chosen.seed)
    if as_json:
        print(json.dumps({"done": training.done, "nodes": nodes, "divergence": last, "rule_floor": floor}))
        return
    for phase, divergence in last.items():
        print(f"{phase}: {nodes[phase]:,} {'decisions' if phase == 'rule' else 'nodes'}, last KL {divergence:.4f}")
    print(f"the rule agent's own noise leaves a KL of {floor:.4f}\n{training.path}")
