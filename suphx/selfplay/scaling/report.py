"""The clusters and the tables of docs/scaling.md."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suphx.errors import InputError
from suphx.selfplay.scaling.costs import Costs, cpu_costs, gpu_costs
from suphx.selfplay.scaling.forecast import (
    CPU_MACHINE,
    GPU_MACHINE,
    Forecast,
    Machine,
    Policy,
    forecast,
    rows_of_a_step,
)
from suphx.selfplay.scaling.play import simulate_play

#: The measurements behind the shipped tables.
_RESULTS = Path(__file__).parents[3] / "docs" / "results"
SELFPLAY_RESULTS, LEARNER_RESULTS = _RESULTS / "bench-selfplay.json", _RESULTS / "bench-learner.json"
#: Network sizes on CPUs and on GPUs.
CPU_NETWORK, GPU_NETWORK = "base", "paper"


@dataclass(frozen=True)
class Measurements:
    """Output of the two benchmarks."""

    selfplay: dict[str, Any]
    learner: dict[str, Any]


def measurements(selfplay: Path | None = None, learner: Path | None = None) -> Measurements:
    """Read measurements, by default those of docs/results; raises InputError for files that are not measurements."""
    return Measurements(_read(selfplay or SELFPLAY_RESULTS), _read(learner or LEARNER_RESULTS))


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; name a file with --selfplay and --learner") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: no measurements of ours")
    return found


def costs_of(found: Measurements) -> tuple[Costs, Costs]:
    """Return the costs on CPUs and on GPUs."""
    cpu = cpu_costs(found.selfplay, found.learner, CPU_NETWORK)
    return cpu, gpu_costs(cpu, GPU_NETWORK, found.learner.get(GPU_NETWORK, {}).get("card"))


#: Configurations of runs. Fixed: the same for any number of machines, which is suitable for few machines only (`suphx
#: train` refuses it for more). Growing: adapted to the number of machines.
_FIXED = Policy(tables=1024, batch=8192, publish_steps=4)
_GROWING = {
    "cpu": Policy(tables=256, batch=8192, publish_steps=4, batch_a_server=256, keeps_fresh=True),
    "gpu": Policy(tables=512, batch=8192, publish_steps=4, batch_a_server=4096, keeps_fresh=True),
}


def scenarios(found: Measurements, machines: Sequence[int]) -> Iterator[tuple[str, list[Forecast]]]:
    """Yield forecasts for each number of machines, with a name made of the kind of machines and the configuration."""
    cpu, gpu = costs_of(found)
    kinds: dict[str, tuple[Costs, Machine]] = {"cpu": (cpu, CPU_MACHINE), "gpu": (gpu, GPU_MACHINE)}
    for kind, (costs, machine) in kinds.items():
        policies = {
            "fixed": _FIXED,
            "growing": _GROWING[kind],
        }
        for name, policy in policies.items():
            yield f"{kind}, {name}", [forecast(costs, machine, each, policy) for each in machines]


def checks(found: Measurements) -> dict[str, dict[str, dict[str, float]]]:
    """Return measured and simulated questions per second, by network and layout of roles on the measured machine."""
    result: dict[str, dict[str, dict[str, float]]] = {}
    for network, parts in found.selfplay.items():
        if not isinstance(parts, dict):
            continue
        costs = cpu_costs(found.selfplay, found.learner, network)
        rows = rows_of_a_step(costs.questions_per_step, int(parts["collector"]["games"]))
        for layout, simulators in (("play_two_cores", 1), ("play_two_simulators", 2)):
            if layout in parts:
                simulated = simulate_play(costs.play, simulators, rows).questions_per_s
                figures = {"measured": parts[layout]["questions_per_s"], "simulated": round(simulated, 1)}
                result.setdefault(network, {})[layout] = figures
    return result


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


#: Columns of the tables.
SHOWN: dict[str, Callable[[Forecast], str]] = {
    "machines": lambda each: f"{each.machines:,}",
    "simulators, engines": lambda each: f"{each.simulators:,}, {each.engines:,}",
    "servers, buffers": lambda each: f"{each.servers:,}, {each.buffers:,}",
    "batch x steps": lambda each: f"{each.batch:,} x {each.publish_steps:,}",
    "games/s": lambda each: f"{each.games_per_s:,.0f}",
    "pairs/s": lambda each: f"{each.pairs_per_s:,.0f}",
    "efficiency": lambda each: _percent(each.efficiency),
    "waits for": lambda each: each.limit,
    "too stale": lambda each: _percent(each.dropped),
    "staleness": lambda each: f"{each.staleness:.1f}, {each.staleness_s:,.0f} s",
    "held": lambda each: _percent(each.held),
    "network": lambda each: _percent(each.network),
    "polls": lambda each: _percent(each.polls),
}
