"""The results of a supervised training beside the paper's: as numbers for JSON, tables on the screen, and a card."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from suphx.agent.registry import weights_folder
from suphx.dataset.prepared import Prepared
from suphx.dataset.selection import Filters, Selection, select
from suphx.errors import InputError
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODELS
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.weights import load_agent, seen_games
from suphx.progress import progress
from suphx.supervised.evaluate import evaluate_model

#: The paper's Table 3: test accuracy in percent, training pairs in millions, and accuracy of the earlier CNN.
PAPER = {
    "discard": (76.7, 15, 68.8),
    "riichi": (85.7, 5, None),
    "chow": (95.0, 10, 90.4),
    "pong": (91.9, 10, 88.2),
    "kong": (94.0, 4, None),
}
#: Groupings of a result by situation.
_GROUPS = ("by_archive", "by_turn", "by_shanten", "by_riichi", "by_kong")


def measure(
    networks: Mapping[str, PolicyNetwork],
    prepared: Prepared,
    selections: Mapping[str, Selection],
    precision: Precision,
    seed: int,
    most: int | None,
    screen: Console,
    hide: Iterable[str] = (),
) -> dict[str, dict[str, Any]]:
    """Evaluate networks on their selections, the planes `hide` empty; return numbers by model (`evaluate_model`)."""
    results = {}
    for model in [each for each in MODELS if each in networks]:
        logits, selection = Evaluator(networks[model], precision).logits, selections[model]
        with progress(f"testing {model}", min(selection.n_pairs, most or selection.n_pairs), screen) as show:
            results[model] = evaluate_model(logits, prepared, selection, seed, most, show, hide)
    return results


def measure_weights(
    weights: str,
    prepared: Prepared,
    players: list[str] | None,
    seen: bool,
    precision: Precision,
    seed: int,
    most: int | None,
    screen: Console,
) -> dict[str, dict[str, Any]]:
    """Evaluate weights as `measure` does; players: whose decisions, or None; seen: also games they trained on."""
    folder = weights_folder(weights)
    networks = load_agent(folder)
    trained_on = seen_games(folder, prepared.games["key"])
    words = "measured too" if seen else "left out"
    screen.print(f"{trained_on.sum():,} games that the weights were trained on: {words}", style="dim", highlight=False)
    filters, games = Filters(players=players or None), None if seen else ~trained_on
    selections = {model: select(prepared, model, None, filters, games) for model in networks}
    return measure(networks, prepared, selections, precision, seed, most, screen)


def print_results(results: Mapping[str, Mapping[str, Any]], as_json: bool) -> None:
    """Print results to stdout, as tables or as JSON; raises InputError if there was no pair to measure on."""
    if not any(numbers["pairs"] for numbers in results.values()):
        raise InputError("no pairs to measure on in these logs: all games were trained on (--seen), or none is left")
    if as_json:
        print(json.dumps(results, allow_nan=False))
    else:
        show_results(results, Console())


def percent(value: float | None) -> str:
    """Return a share as text, in percent."""
    return "-" if value is None else f"{100 * value:.2f}"


def count_words(pairs: int) -> str:
    """Return a number of pairs as text, in millions (M) or thousands (K)."""
    return f"{pairs / 1e6:.2f} M" if pairs >= 1e6 else f"{pairs / 1000:.1f} K"


def with_interval(numbers: Mapping[str, Any]) -> str:
    """Return an accuracy as text, in percent, with half the width of its interval."""
    if numbers["interval"] is None:
        return percent(numbers["accuracy"])
    half = 100 * (numbers["interval"][1] - numbers["interval"][0]) / 2
    return f"{percent(numbers['accuracy'])} ±{half:.1f}" if half >= 1 else f"{percent(numbers['accuracy'])} ±{half:.2f}"


#: Columns of the table of accuracies, and what they mean.
_HEAD = ("model", "ours", "paper", "CNN", "commoner", "balanced", "loss", "tested", "trained")
_MEANING = (
    "paper, CNN: its Table 3, and the earlier network named there;",
    "commoner: always the most common action; balanced: mean recall over the actions;",
    "loss: mean of -log(probability of the action taken); tested, trained: pairs",
)


def _accuracies(results: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of accuracies."""
    for model, numbers in results.items():
        if not numbers["pairs"]:
            yield (model, "no pairs", *("-" for _ in _HEAD[2:]))
            continue
        paper, _, earlier = PAPER.get(model, ("-", None, None))
        trained = numbers.get("training_pairs")
        yield (
            model, with_interval(numbers), f"{paper}", "-" if earlier is None else f"{earlier}",
            percent(numbers["commoner_answer"]), percent(numbers["balanced_accuracy"]), f"{numbers['log_loss']:.4f}",
            count_words(numbers["pairs"]), "-" if trained is None else count_words(trained),
        )  # fmt: skip


def _remarks(results: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    if forced := results.get("discard", {}).get("with_forced_moves"):
        yield f"discard, with the discards counted that had no choice: {with_interval(forced)}"
    if chances := results.get("chow", {}).get("by_opportunity"):
        yield f"chow by opportunity (the same call, or none, as the seat): {with_interval(chances)}"


def _situations(results: Mapping[str, Mapping[str, Any]]) -> Iterator[list[tuple[str, ...]]]:
    """Yield the rows of accuracies by situation, a list for each grouping."""
    for group in _GROUPS:
        names = list(dict.fromkeys(name for each in results.values() for name in each.get(group, {})))
        cells = {name: [each.get(group, {}).get(name) for each in results.values()] for name in names}
        yield [
            (name, *("-" if cell is None or not cell["pairs"] else with_interval(cell) for cell in row))
            for name, row in cells.items()
        ]


def show_results(results: Mapping[str, Mapping[str, Any]], screen: Console) -> None:
    """Print the accuracies beside those of the paper's Table 3, then by situation."""
    title = "Agreement with human moves on games not trained on, in percent (95 % interval over games)"
    table = Table(title=title, box=SIMPLE, padding=(0, 1, 0, 0), pad_edge=False)
    for name in _HEAD:
        table.add_column(name, justify="left" if name == "model" else "right", no_wrap=True)
    for row in _accuracies(results):
        table.add_row(*row)
    screen.print(table)
    for words in (*_MEANING, *_remarks(results)):
        screen.print(words)
    table = Table(title="By situation", box=SIMPLE, padding=0, pad_edge=False)
    table.add_column("", no_wrap=True)
    for model in results:
        table.add_column(model, justify="right", no_wrap=True)
    for rows in _situations(results):
        for name, *cells in rows:
            table.add_row(escape(name), *cells)
        table.add_section()
    screen.print(table)


def card(
    name: str,
    about: Mapping[str, str],
    networks: Mapping[str, PolicyNetwork],
    results: Mapping[str, Mapping[str, Any]],
) -> str:
    """Return the Markdown card of an agent; results: model -> numbers as returned by `evaluate_model`."""
    sizes = ", ".join(f"{model} {each.size}" for model, each in networks.items())
    situations = [row for rows in _situations(results) for row in rows]
    parts = (
        [f"# {name}", "", f"{len(networks)} networks trained on the moves of players in logs: {about['data']}."],
        [f"Trained by `{about['command']}`."],
        [f"Filters x blocks: {sizes}."],
        ["Agreement with human moves in percent on held-out games, with its 95 % interval (the game is the unit):"],
        _markdown(_HEAD, _accuracies(results)),
        [*_MEANING, *_remarks(results)],
        _markdown(("situation", *results), situations),
    )
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), *rows)]
