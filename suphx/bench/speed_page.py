"""The tables about the speed of self-play in docs/results.md and docs/scaling.md, from measurements.

`python -m suphx.bench.speed_page` updates them, from docs/results/bench-selfplay.json and bench-learner.json.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from suphx.bench.roles import LAYOUTS
from suphx.selfplay.scaling.costs import Costs
from suphx.selfplay.scaling.forecast import CPU_MACHINE, GPU_MACHINE, engine_group
from suphx.selfplay.scaling.report import SHOWN, Measurements, checks, costs_of, measurements, scenarios

_DOCS = Path(__file__).parents[2] / "docs"
#: Required and desired ratio of play, by network.
_PLAY_AIMS = {"small": ("0.3", "0.5"), "base": ("0.6", "0.85")}
_LEARNER_FLOOR = "0.9"
#: Games that each simulator feeding an engine plays side by side.
_TABLES = 512
_MACHINES = (1, 2, 5, 10, 20, 50, 100, 200, 500)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _sizes(found: dict[str, Any]) -> list[tuple[str, dict[str, dict[str, float]]]]:
    return [(name, parts) for name, parts in found.items() if isinstance(parts, dict)]


def _n(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def _play(found: Measurements) -> str:
    head = ["networks", "decisions/s", "questions/s", "bare, same passes", "**ratio**", "floor", "aim"]
    head += ["of large passes", "inside networks", "outside, us a question"]
    rows = []
    for name, parts in _sizes(found.selfplay):
        each = parts["collector"]
        rates = ("decisions_per_core_s", "questions_per_core_s", "bare_questions_per_s")
        aims = _PLAY_AIMS.get(name, ("", ""))
        row = [name, *(_n(each[rate]) for rate in rates), f"**{each['ratio']:.2f}**", *aims]
        rows.append([*row, f"{each['ratio_large']:.2f}", _percent(each["network_share"]), _n(each["play_us"])])
    return _table(head, rows)


def _roles(found: Measurements) -> str:
    head = ["networks", "simulators, engines", "cores", "busy", "decisions/s", "pairs/s", "ratio", "of busy cores"]
    head += ["waiting", "held", "engine's batch", "new weights after"]
    rows = []
    for name, parts in _sizes(found.selfplay):
        for layout, what in LAYOUTS.items():
            if layout not in parts:
                continue
            each = parts[layout]
            processes = f"{what.simulators}, {what.engines}" + (", and learning" if what.learns else "")
            pairs = _n(each["pairs_per_s"]) if what.learns else ""
            row = [name, processes, str(what.cores), _n(each["busy_cores"]), _n(each["decisions_per_s"]), pairs]
            row += [f"{each['ratio']:.2f}", f"{each['ratio_busy']:.2f}", _percent(each["waiting"])]
            delay = f"{each['weights_delay_s']:.2f} s" if "weights_delay_s" in each else ""
            rows.append([*row, _percent(each["held"]), _n(each.get("engine_batch", 0.0)), delay])
    return _table(head, rows)


def _growth(found: Measurements) -> str:
    head = ("networks", "an engine and a core each", "one engine, two cores for all")
    rows = []
    for name, parts in _sizes(found.selfplay):
        each = parts.get("scaling", {})
        numbers = [each.get(which) for which in ("with_an_engine_each", "with_one_engine")]
        rows.append([name, *(f"{number:.2f}" if number else "" for number in numbers)])
    return _table(head, rows)


def _learner(found: Measurements) -> str:
    head = ("networks", "", "pairs/s", "bare", "**ratio**", "floor")
    words = {"learner": "policy", "learner_and_critic": "policy and critic"}
    rows = []
    for name, parts in _sizes(found.learner):
        for part, what in words.items():
            each = parts[part]
            rates = (_n(each["pairs_per_core_s"]), _n(each["bare_pairs_per_core_s"]))
            rows.append([name, what, *rates, f"**{each['ratio']:.2f}**", _LEARNER_FLOOR])
    return _table(head, rows)


def _costs(found: Measurements) -> str:
    cpu, gpu = costs_of(found)

    def us(seconds: float) -> str:
        return _n(1e6 * seconds)

    words: dict[str, Callable[[Costs], str]] = {
        "simulator, a question": lambda each: us(each.play.question),
        "simulator, a request to an engine": lambda each: us(each.play.request),
        "engine, a request": lambda each: us(each.play.answer),
        "engine, a batch of requests": lambda each: us(each.play.batch),
        "engine, a question": lambda each: us(each.play.row),
        "buffer, a pair that comes in": lambda each: us(each.take_in),
        "buffer, a pair of a lesson": lambda each: us(each.hand_out),
        "server, a pair": lambda each: us(each.receive + each.learn),
        "server, a step besides": lambda each: us(each.step),
        "server, asked for newer weights": lambda each: us(each.poll),
    }
    rows = [[what, f"{show(cpu)} us", f"{show(gpu)} us"] for what, show in words.items()]
    sizes: dict[str, Callable[[Costs], str]] = {
        "a question to an engine, and its answer": lambda each: f"{each.sizes.question:,.0f} bytes",
        "a pair": lambda each: f"{each.sizes.pair:,} bytes",
        "a publication": lambda each: f"{each.sizes.weights / 1e6:,.1f} MB",
    }
    rows += [[what, show(cpu), show(gpu)] for what, show in sizes.items()]
    return _table(("", f"`{cpu.network}` on CPUs", f"`{gpu.network}` on GPUs"), rows)


def _feeding(found: Measurements) -> str:
    head = ["networks", "simulators", "cores of theirs busy", "questions/s", "engine's batch", "engine busy", "Gbit/s"]
    rows = []
    for costs, machine in zip(costs_of(found), (CPU_MACHINE, GPU_MACHINE), strict=True):
        simulators, play = engine_group(costs, _TABLES, machine)
        bits = 8 * play.questions_per_s * costs.sizes.question
        row = [f"`{costs.network}` on a {'GPU' if costs.on_gpu else 'core'}", str(simulators)]
        row += [_n(simulators * play.simulator_busy), _n(play.questions_per_s), _n(play.batch)]
        rows.append([*row, _percent(play.engine_busy), _n(bits / 1e9)])
    return _table(head, rows)


def _checks(found: Measurements) -> str:
    rows = [
        [name, layout.replace("_", " "), _n(each["measured"]), _n(each["simulated"])]
        for name, layouts in checks(found).items()
        for layout, each in layouts.items()
    ]
    return _table(("networks", "layout", "questions/s measured", "simulated"), rows)


def _forecasts(found: Measurements) -> dict[str, str]:
    return {
        name: _table(tuple(SHOWN), [[show(each) for show in SHOWN.values()] for each in forecasts])
        for name, forecasts in scenarios(found, _MACHINES)
    }


def tables(found: Measurements) -> dict[Path, dict[str, str]]:
    """Return the tables of each page, by name."""
    results = {"play": _play, "roles": _roles, "growth": _growth, "learner": _learner}
    return {
        _DOCS / "results.md": {name: make(found) for name, make in results.items()},
        _DOCS / "scaling.md": {
            "costs": _costs(found),
            "feeding": _feeding(found),
            "checks": _checks(found),
            **_forecasts(found),
        },
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
    for path, parts in tables(measurements()).items():
        path.write_text(filled(path.read_text(encoding="utf-8"), parts), encoding="utf-8")


if __name__ == "__main__":
    main()
