"""A complete supervised training run: all models of a configuration, in parallel on a CPU, and the resulting agent.

Threads that split the operations of a small network would wait for each other after every operation, so on a CPU each
model is trained by a single thread, starting with the model that has the most pairs.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from simulator.files import write_json, write_whole
from suphx.agent.registry import weights_folder
from suphx.dataset.prepared import SPLITS, Prepared
from suphx.dataset.selection import select
from suphx.networks.models import MODELS
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision, keep_memory
from suphx.networks.weights import load_agent, load_agent_network, load_network, save_agent
from suphx.supervised.config import PretrainConfig
from suphx.supervised.policy_training import PolicyTraining
from suphx.supervised.results import card, measure
from suphx.supervised.training import WEAK_NAME, ChunkReport, SupervisedInterrupted

AGENT_FOLDER = "agent"
WEAK_FOLDER = "weak"


@contextmanager
def training_bars(config: PretrainConfig, screen: Console) -> Iterator[Callable[[ChunkReport], None]]:
    """Yield a function that shows each report in the bar of its model; it may be called from any thread."""
    columns = (TextColumn("{task.description:8}"), BarColumn(), TextColumn("{task.fields[words]}"))
    with Progress(*columns, TimeRemainingColumn(elapsed_when_finished=True), console=screen) as progress:
        bars = {model: progress.add_task(model, total=1, words="waiting") for model in config.models}
        validated = dict.fromkeys(config.models, "")

        def watch(report: ChunkReport) -> None:
            rate = f"{report.pairs_per_s:,.0f} pairs/s"
            if report.validation is not None:
                metrics = report.validation.metrics
                validated[report.model] = f"validation {metrics['accuracy']:.2%}, loss {metrics['loss']:.4f}"
                if not screen.is_terminal:  # a log file gets lines instead of bars
                    line = f"{report.model}: {report.pairs:,} pairs, {rate}, {validated[report.model]}"
                    screen.print(line, highlight=False)
            words = f"{rate}, loss {report.loss:.4f} {validated[report.model]}"
            progress.update(bars[report.model], completed=report.share, words=words)

        yield watch


def pretrain(
    config: PretrainConfig,
    prepared: Prepared,
    folder: Path,
    precision: Precision,
    about: Mapping[str, str],
    screen: Console,
    seconds: float = math.inf,
) -> dict[str, dict[str, Any]]:
    """Train as `train_models`, test, and write agent, card and result.json; about: the card's `data` and `command`."""
    with training_bars(config, screen) as watch:
        networks = train_models(config, prepared, folder, precision, watch, seconds)
    about = {**about, "config": config.model_dump_json()}
    agent = assemble(config, networks, prepared, folder, about)
    if agent is not None:
        networks = load_agent(agent)  # as they are stored, in two bytes a weight
    test = {model: select(prepared, model, "test") for model in networks}
    results = measure(networks, prepared, test, precision, config.seed, config.test_pairs, screen, config.hide)
    for model in networks:
        results[model]["training_pairs"] = select(prepared, model, "training", config.filters).n_pairs
    if agent is not None:
        write_whole(agent / "README.md", card(config.name, about, networks, results).encode())
    write_json(folder / "result.json", {"about": about, "models": results})
    screen.print(f"{agent or folder}: weights; {folder / 'result.json'}: results", markup=False, highlight=False)
    return results


def train_models(
    config: PretrainConfig,
    prepared: Prepared,
    folder: Path,
    precision: Precision,
    watch: Callable[[ChunkReport], None],
    seconds: float = math.inf,
) -> dict[str, PolicyNetwork]:
    """Train the models of a configuration, each in its own folder, and return the best network of each.

    Resumes where an earlier call in the same folder was stopped. Ctrl-C stops it after writing checkpoints. watch:
    called with the progress of each model, from several threads. seconds: for all models, each gets a share by its
    pairs and ends then if it has pairs left. Raises InputError if the logs lack pairs of a model.
    """
    keep_memory()
    on_cpu = precision.device.type == "cpu"
    at_once = min(precision.threads, len(config.models)) if on_cpu else 1
    each = replace(precision, threads=1) if on_cpu else precision
    order = sorted(config.models, key=lambda model: -config.models[model].pairs)
    of_pair = seconds * at_once / sum(plan.pairs for plan in config.models.values())
    trainings = {
        model: PolicyTraining(
            model, config, prepared, folder / model, each, min(of_pair * config.models[model].pairs, seconds)
        )
        for model in order
    }
    stop = Event()
    with ThreadPoolExecutor(at_once, initializer=torch.set_num_threads, initargs=(each.threads,)) as pool:
        running = {model: pool.submit(training.train, watch, stop) for model, training in trainings.items()}
        try:
            wait(running.values(), return_when=FIRST_EXCEPTION)
        finally:
            stop.set()  # after Ctrl-C, or when a training has failed; without effect when all are done
            for future in running.values():
                future.cancel()
    errors = [each.exception() for each in running.values() if not each.cancelled()]
    errors.sort(key=lambda error: isinstance(error, SupervisedInterrupted))  # the cause before the interruptions
    for error in filter(None, errors):
        raise error
    return {model: running[model].result() for model in config.models}


def assemble(
    config: PretrainConfig,
    networks: Mapping[str, PolicyNetwork],
    prepared: Prepared,
    folder: Path,
    about: Mapping[str, str],
) -> Path | None:
    """Write the agent of five networks and the under-trained agent into the run's folder; return the first's folder.

    Models that were not trained are taken from the weights that the run started from. If there are none, or if the
    configuration hides planes, writes nothing and returns None. The under-trained agent is written only if all five
    models were trained.
    """
    if (set(networks) != set(MODELS) and config.start is None) or config.hide:
        return None
    seen = prepared.games["key"][prepared.split() != list(SPLITS).index("test")]
    starts = [weights_folder(config.start)] if config.start else []
    all_five = {model: networks.get(model) or load_agent_network(starts[0], model) for model in MODELS}
    save_agent(folder / AGENT_FOLDER, all_five, config.name, about, seen=seen, starts=starts)
    if set(networks) != set(MODELS):
        return folder / AGENT_FOLDER
    weak = {model: load_network(folder / model / WEAK_NAME, model) for model in MODELS}
    words = f"under-trained: after {config.weak:.0%} of the pairs"
    save_agent(folder / WEAK_FOLDER, weak, f"{config.name}-weak", {**about, "note": words}, seen=seen, starts=starts)
    return folder / AGENT_FOLDER
