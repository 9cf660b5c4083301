"""The Markdown model card stored beside weights: training data, training command, and measured accuracy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from suphx.networks.policy import PolicyNetwork
from suphx.supervised.results import PAPER, count_words, percent, with_interval

_HEAD = (
    "model", "filters x blocks", "accuracy", "paper", "commoner answer", "balanced", "log loss", "test pairs",
    "training pairs",
)  # fmt: skip
#: Groupings that get a table of their own, with the titles.
_GROUPS = {
    "by_archive": "archive",
    "by_turn": "turn",
    "by_shanten": "shanten",
    "by_riichi": "others",
    "by_kong": "kong",
}


def card(
    name: str,
    about: Mapping[str, str],
    networks: Mapping[str, PolicyNetwork],
    results: Mapping[str, Mapping[str, Any]],
) -> str:
    """Return the card of an agent; results: model -> numbers as returned by `evaluate_model`."""
    lines = [f"# {name}", "", f"Five networks trained on what players answered in logs: {about['data']}.", ""]
    lines += [f"Made by `{about['command']}`.", ""]
    lines += ["Accuracy in percent on games not trained on, with its 95 % interval (the game is the unit):", ""]
    rows = [_row(model, networks[model], numbers) for model, numbers in results.items() if numbers["pairs"]]
    lines += _table(_HEAD, rows)
    if forced := results.get("discard", {}).get("with_forced_moves"):
        lines += ["", f"With the discards counted that had no choice, discard is {with_interval(forced)}."]
    if chances := results.get("chow", {}).get("by_opportunity"):
        lines += ["", f"By opportunity (the same chow, or none, as the seat), chow is {with_interval(chances)}."]
    for group, title in _GROUPS.items():
        lines += ["", *_group(group, title, results)]
    return "\n".join(lines) + "\n"


def _row(model: str, network: PolicyNetwork, numbers: Mapping[str, Any]) -> tuple[str, ...]:
    paper, millions, earlier = PAPER[model]
    trained = numbers.get("training_pairs")
    return (
        model,
        f"{network.size.filters} x {network.size.blocks}",
        f"**{with_interval(numbers)}**",
        f"{paper} on {millions} M" + (f" (earlier CNN {earlier})" if earlier else ""),
        percent(numbers["commoner_answer"]),
        percent(numbers["balanced_accuracy"]),
        f"{numbers['log_loss']:.4f}",
        count_words(numbers["pairs"]),
        "-" if trained is None else count_words(trained),
    )


def _group(group: str, title: str, results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    having = {model: numbers[group] for model, numbers in results.items() if group in numbers}
    names = list(dict.fromkeys(name for each in having.values() for name in each))
    rows = []
    for name in names:
        cells = [each.get(name) for each in having.values()]
        rows.append((name, *("-" if cell is None or not cell["pairs"] else with_interval(cell) for cell in cells)))
    return _table((title, *having), rows)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), *rows)]
