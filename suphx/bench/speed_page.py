"""The tables about the speed of self-play in docs/notebook.md and docs/scaling.md, from measurements.

`python -m suphx.bench.speed_page` updates them, from docs/results/bench-selfplay.json and bench-learner.json.
"""

import json
import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from suphx.bench.roles import LAYOUTS
from suphx.config import load_config
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.expected import Times, bounds, times_of

_DOCS = Path(__file__).parents[2] / "docs"
_MEASURED = {name: _DOCS / "results" / f"bench-{name}.json" for name in ("selfplay", "learner")}
#: Required and desired ratio of play, by network.
_PLAY_AIMS = {"small": ("0.3", "0.5"), "base": ("0.6", "0.85")}
_LEARNER_FLOOR = "0.9"
#: Machines of the table of docs/scaling.md: as many as the configuration is for, and more.
_MACHINES = (10, 20, 50, 100, 200, 500)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _sizes(found: dict[str, Any]) -> list[tuple[str, dict[str, dict[str, float]]]]:
    return [(name, parts) for name, parts in found.items() if isinstance(parts, dict)]


def _n(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def _play(found: dict[str, Any]) -> str:
    head = ["networks", "decisions/s", "questions/s", "bare, same passes", "**ratio**", "floor", "aim"]
    head += ["of large passes", "inside networks", "outside, us a question"]
    rows = []
    for name, parts in _sizes(found):
        each = parts["collector"]
        rates = ("decisions_per_core_s", "questions_per_core_s", "bare_questions_per_s")
        aims = _PLAY_AIMS.get(name, ("", ""))
        row = [name, *(_n(each[rate]) for rate in rates), f"**{each['ratio']:.2f}**", *aims]
        rows.append([*row, f"{each['ratio_large']:.2f}", _percent(each["network_share"]), _n(each["play_us"])])
    return _table(head, rows)


def _roles(found: dict[str, Any]) -> str:
    head = ["networks", "simulators, engines", "cores", "busy", "decisions/s", "pairs/s", "ratio", "of busy cores"]
    head += ["waiting", "held", "engine's batch", "new weights after"]
    rows = []
    for name, parts in _sizes(found):
        for layout, what in LAYOUTS.items():
            if layout not in parts:
                continue
            each = parts[layout]
            processes = f"{what.simulators}, {what.engines}" + (", and learning" if what.learns else "")
            pairs = _n(each["pairs_per_s"]) if what.learns else ""
            row = [name, processes, str(what.cores), _n(each["busy_cores"]), _n(each["decisions_per_s"]), pairs]
            row += [f"{each[ratio]:.2f}" if ratio in each else "" for ratio in ("ratio", "ratio_busy")]
            row += [_percent(each[share]) if share in each else "" for share in ("waiting", "held")]
            delay = f"{each['weights_delay_s']:.2f} s" if "weights_delay_s" in each else ""
            rows.append([*row, _n(each.get("engine_batch", 0.0)), delay])
    return _table(head, rows)


def _growth(found: dict[str, Any]) -> str:
    head = ("networks", "an engine and a core each", "one engine, two cores for all")
    rows = []
    for name, parts in _sizes(found):
        each = parts.get("scaling", {})
        numbers = [each.get(which) for which in ("with_an_engine_each", "with_one_engine")]
        rows.append([name, *(f"{number:.2f}" if number else "" for number in numbers)])
    return _table(head, rows)


def _learner(found: dict[str, Any]) -> str:
    head = ("networks", "", "pairs/s", "bare", "**ratio**", "floor")
    words = {"learner": "policy", "learner_and_critic": "policy and critic"}
    rows = []
    for name, parts in _sizes(found):
        for part, what in words.items():
            each = parts[part]
            rates = (_n(each["pairs_per_core_s"]), _n(each["bare_pairs_per_core_s"]))
            rows.append([name, what, *rates, f"**{each['ratio']:.2f}**", _LEARNER_FLOOR])
    return _table(head, rows)


def _plan() -> str:
    config = load_config(Path("cluster"), TrainConfig)
    head, *rows = plan_rates(config, times_of(config), _MACHINES)
    return _table(head, rows)


def plan_rates(config: TrainConfig, times: Times, machines: Sequence[int]) -> list[tuple[str, ...]]:
    """Return head and rows of rates: a plan for the first number of machines, and so many times it for the others."""
    rows: list[tuple[str, ...]] = []
    for n in machines:
        values = config.model_dump()
        values["learning"]["batch"] = config.learning.batch * n // machines[0]
        for role in ("simulators", "engines", "servers", "buffers"):
            values["roles"][role]["count"] = values["roles"][role]["count"] * n // machines[0]
        grown = TrainConfig.model_validate(values)
        rates = bounds(grown, times, math.inf)
        rows = rows or [("machines", "pairs a step", *list(rates)[:-1])]
        show = [f"**{rate:,.0f}**" if rate == min(rates.values()) else f"{rate:,.0f}" for rate in rates.values()]
        rows.append((f"{n}", f"{grown.learning.batch:,}", *show[:-1]))
    return rows


def tables() -> dict[Path, dict[str, str]]:
    """Return the tables of each page, by name."""
    selfplay, learner = (json.loads(path.read_text(encoding="utf-8")) for path in _MEASURED.values())
    results = {"play": _play(selfplay), "roles": _roles(selfplay), "growth": _growth(selfplay)}
    return {
        _DOCS / "notebook.md": results | {"learner": _learner(learner)},
        _DOCS / "scaling.md": {"plan": _plan()},
    }


def filled(page: str, parts: dict[str, str]) -> str:
    """Return a page with each table filled in between `<!-- table: NAME -->` and `<!-- end -->`.

    Raises ValueError for a table that does not have exactly one such place.
    """
    for name, part in parts.items():
        place = re.compile(rf"(<!-- table: {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        filling = f"\\g<1>{part}\n\\g<2>"
        page, n = place.subn(filling, page)
        if n != 1:
            raise ValueError(f"the page has {n} places for the table {name!r}")
    return page


def main() -> None:
    """Write the tables into the pages."""
    for path, parts in tables().items():
        path.write_text(filled(path.read_text(encoding="utf-8"), parts), encoding="utf-8")


if __name__ == "__main__":
    main()
