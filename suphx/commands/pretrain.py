"""`suphx pretrain`: the five networks from logs, and how well they answer as people did."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from suphx.networks.precision import Precision
    from suphx.supervised.config import PretrainConfig
    from suphx.supervised.prepared import Prepared
    from suphx.supervised.selection import Selection

_DEFAULT_TEST_PAIRS = 100_000


def pretrain(
    config: Annotated[
        Path | None,
        typer.Argument(
            help="Configuration: a YAML file, or the name of one that is included. Required unless --evaluate."
        ),
    ] = None,
    logs: Annotated[
        list[Path] | None,
        typer.Option(help="Logs to learn from: files, folders, archives. By default games that are generated first."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run. By default pretrain/NAME in $SUPHX_RUNS.")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a value of the configuration: batch=512, models.discard.pairs=1000."),
    ] = None,
    models: Annotated[str | None, typer.Option(help="Train only these models, with commas: discard,riichi.")] = None,
    evaluate: Annotated[
        bool,
        typer.Option("--evaluate", help="Do not train: measure how often weights choose as the players in logs did."),
    ] = False,
    weights: Annotated[
        str | None, typer.Option(help="With --evaluate: sl, sl-weak, or a folder of weights; by default sl.")
    ] = None,
    player: Annotated[
        list[str] | None, typer.Option(help="With --evaluate: only the decisions of the player of this name.")
    ] = None,
    seen: Annotated[
        bool | None,
        typer.Option("--seen", help="With --evaluate: also use games that the weights were trained on."),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="With --evaluate: at most so many decisions of each model, at random; "
            f"by default {_DEFAULT_TEST_PAIRS:,}, 0 for all.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="With --evaluate: random seed of that choice; by default 0.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; by default a GPU if there is one.")] = None,
    precision: Annotated[str | None, typer.Option(help="float32 or bfloat16; by default the faster one here.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads on a CPU; by default all cores.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes to prepare logs; by default all cores.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Train the five networks to choose as the players in logs did, and measure them on held-out games.

    The folder of the run receives checkpoints, TensorBoard curves, the agent (five files of weights), an under-trained
    one, and result.json. Run the same command again to resume.
    """
    from rich.console import Console

    from suphx.config import load_config
    from suphx.errors import InputError
    from suphx.networks.precision import choose_precision
    from suphx.supervised.config import PretrainConfig

    screen = Console(stderr=True)
    if evaluate:
        _refuse({"CONFIG": config, "--set": changes, "--models": models, "--out": out}, "with")
    else:
        options = {"--weights": weights, "--player": player, "--seen": seen, "--pairs": pairs, "--seed": seed}
        _refuse(options, "without")
    if not evaluate and config is None:
        raise typer.BadParameter("a configuration is needed, such as configs/pretrain.yaml", param_hint="CONFIG")
    if evaluate and not logs:
        raise typer.BadParameter("--evaluate needs --logs", param_hint="--logs")
    chosen = choose_precision(device, precision, threads)
    screen.print(f"computing in {chosen}", style="dim", highlight=False)
    if evaluate:
        assert logs
        most = _DEFAULT_TEST_PAIRS if pairs is None else pairs or None
        results = _evaluate(weights or "sl", logs, player, bool(seen), most, seed or 0, chosen, workers, screen)
    else:
        assert config is not None
        try:
            wanted = _only(load_config(config, PretrainConfig, changes or ()), models)
            results = _train(wanted, logs, out, chosen, workers, screen)
        except KeyboardInterrupt:
            screen.print("stopped; run the same command again to resume")
            raise
    if not any(numbers["pairs"] for numbers in results.values()):
        raise InputError("no pairs to measure on in these logs: all games were trained on (--seen), or none is left")
    _print(results, as_json)


def _refuse(options: Mapping[str, object], how: str) -> None:
    """Raise BadParameter for the first option that is given; how: it has no effect `with` --evaluate, or `without`."""
    for name, value in options.items():
        if value not in (None, []):
            raise typer.BadParameter(f"of no use {how} --evaluate", param_hint=name)


def _print(results: dict[str, dict[str, Any]], as_json: bool) -> None:
    import json

    from rich.console import Console

    from suphx.supervised.results import show_results

    if as_json:
        print(json.dumps(results, allow_nan=False))
    else:
        show_results(results, Console())


def _evaluate(
    weights: str,
    logs: list[Path],
    players: list[str] | None,
    seen: bool,
    most: int | None,
    seed: int,
    precision: Precision,
    workers: int | None,
    screen: Console,
) -> dict[str, dict[str, Any]]:
    from suphx.agent.named_networks import weights_folder
    from suphx.networks.weights import load_agent, seen_games
    from suphx.supervised.bars import testing_bars
    from suphx.supervised.logs import open_prepared
    from suphx.supervised.results import measure
    from suphx.supervised.selection import Filters, select

    folder = weights_folder(weights)
    networks = load_agent(folder)
    prepared = open_prepared(logs, workers)
    known = seen_games(folder, prepared.games["key"])
    games = None if seen else ~known
    words = "measured too" if seen else "left out"
    screen.print(f"{int(known.sum()):,} games that the weights were trained on: {words}", style="dim", highlight=False)
    filters = Filters(players=players)

    def choose(model: str) -> Selection:
        return select(prepared, model, None, filters, games)

    with testing_bars(screen) as watch:
        return measure(networks, prepared, choose, precision, seed, most, watch)


def _train(
    config: PretrainConfig,
    logs: list[Path] | None,
    out: Path | None,
    precision: Precision,
    workers: int | None,
    screen: Console,
) -> dict[str, dict[str, Any]]:
    import json
    import sys

    from simulator.files import write_whole
    from suphx.networks.weights import load_agent
    from suphx.runs import runs_folder
    from suphx.supervised.bars import testing_bars, training_bars
    from suphx.supervised.card import card
    from suphx.supervised.pretrain import assemble, train_models
    from suphx.supervised.results import measure
    from suphx.supervised.selection import select

    folder = out or runs_folder() / "pretrain" / config.name
    prepared, data = _games(config, logs, workers)
    with training_bars(config, screen) as watch:
        networks = train_models(config, prepared, folder, precision, watch)
    about = {"data": data, "command": " ".join(["suphx", *sys.argv[1:]]), "config": config.model_dump_json()}
    agent = assemble(config, networks, prepared, folder, about)
    if agent is not None:
        networks = load_agent(agent)  # as they are stored, in two bytes a weight
    with testing_bars(screen) as tell:
        results = measure(
            networks, prepared, lambda model: select(prepared, model, "test"), precision, config.seed,
            config.test_pairs, tell, config.hide,
        )  # fmt: skip
    for model in networks:
        results[model]["training_pairs"] = select(prepared, model, "training", config.filters).n_pairs
    if agent is not None:
        write_whole(agent / "README.md", card(config.name, about, networks, results).encode())
    write_whole(folder / "result.json", json.dumps({"about": about, "models": results}, indent=1).encode() + b"\n")
    screen.print(f"{agent or folder}: weights; {folder / 'result.json'}: results", markup=False, highlight=False)
    return results


def _only(config: PretrainConfig, models: str | None) -> PretrainConfig:
    if models is None:
        return config
    wanted = [name.strip() for name in models.split(",")]
    unknown = [name for name in wanted if name not in config.models]
    if unknown:
        known = ", ".join(config.models)
        raise typer.BadParameter(f"{', '.join(unknown)}: the configuration has {known}", param_hint="--models")
    return config.model_copy(update={"models": {name: plan for name, plan in config.models.items() if name in wanted}})


def _games(config: PretrainConfig, logs: list[Path] | None, workers: int | None) -> tuple[Prepared, str]:
    """Return the games to learn from, and words for where they come from."""
    from suphx.supervised.logs import generated, open_prepared

    if logs:
        prepared = open_prepared(logs, workers)
        return prepared, f"{len(prepared.games):,} games of {prepared.sources()}"
    made = config.generated
    return generated(made.games, made.player, made.seed), f"{made.games:,} games by {made.player}, seed {made.seed}"
