#!/usr/bin/env bash
# Everything that a GPU should be asked, in ten minutes: the tests that need one, speeds, and self-play; a table last.
# usage: scripts/on_gpu.sh OUT [--cpu]
# OUT: folder of the results. --cpu: try this script without a GPU, with few and small numbers.
# Self-play starts from the default agent, grown to each size. `python` must find suphx, and pytest for the tests.
# SIZES, SECONDS_EACH (of self-play) and BENCH_SECONDS can be set.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { sed -n 2,6p "$0"; exit 2; }
out=$1
device=cuda sizes=${SIZES:-96x6,base,192x16} seconds=${SECONDS_EACH:-110} bench=${BENCH_SECONDS:-5}
simulators=$(($(nproc) > 4 ? $(nproc) - 4 : 1))
roles="roles.simulators.count=$simulators"
settings=()
if [ "${2:-}" = --cpu ]; then
    device=cpu sizes=${SIZES:-96x6} seconds=${SECONDS_EACH:-90} bench=1
    roles="roles={simulators: {count: 1, cpus: 0.5}, engines: {count: 1, cpus: 0.5}, servers: {cpus: 0.5}, object_store_gib: 0.5}"
    settings=(side_by_side=32 learning.batch=256)
fi
mkdir -p "$out"
part() { # NAME COMMAND...: run one part, with what it prints in OUT/NAME.log; the others go on if it fails
    local name=$1 began=$SECONDS
    shift
    if "$@" >"$out/$name.json" 2>"$out/$name.log"; then
        echo "$name: $((SECONDS - began)) s"
    else
        echo "$name: FAILED after $((SECONDS - began)) s: $(tail -n 1 "$out/$name.log" "$out/$name.json" | tr '\n' ' ')"
    fi
}
play() { # SIZE: self-play for a time, from networks of a size that play as `tuned` does
    python - "$1" "$out/start-$1" <<'P'
import sys
from pathlib import Path
from suphx.agent.registry import load_networks
from suphx.networks.weights import save_agent
from suphx.supervised.policy_training import grow_into

networks, trained = (load_networks(name)[1] for name in (f"untrained:{sys.argv[1]}", "tuned"))
for model, network in networks.items():
    size, least = network.size, trained[model].size
    if size.filters >= least.filters and size.blocks >= least.blocks:
        grow_into(network, trained[model])
save_agent(Path(sys.argv[2]), networks, sys.argv[1])
P
    timeout --preserve-status --signal INT --kill-after 60 "$seconds" python -m suphx train workstation --json \
        --out "$out/train-$1" --set "start=$out/start-$1" --set evaluation=null --set "$roles" \
        "${settings[@]/#/--set=}" || [ $? = 130 ]
}

part warmup python -m suphx warmup table features training
[ $device = cpu ] || part tests python -m pytest --quiet -m gpu -p no:cacheprovider tests/gpu
part networks python -m suphx bench networks --sizes "$sizes" --device $device --seconds "$bench" --json
part learner python -m suphx bench learner --sizes "${sizes%%,*}" --device $device --seconds $((2 * bench)) --batch 4096 --json
for size in ${sizes//,/ }; do
    nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits --loop=1 >"$out/busy-$size.txt" 2>/dev/null &
    part "self-play-$size" play "$size"
    kill $! 2>/dev/null || true
done

python - "$out" <<'P'
import json, sys
from pathlib import Path

out = Path(sys.argv[1])
print("\n| measured | |\n|---|---|")
for name in ("networks", "learner"):
    try:
        parts = json.loads((out / f"{name}.json").read_text())
    except (OSError, ValueError):
        continue
    for part, values in parts.items():
        if isinstance(values, dict):
            print(f"| {name} {part} | {', '.join(f'{key} {value:,.4g}' for key, value in values.items())} |")
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

SHOWN = {
    "rate/decisions_per_s": "decisions a second",
    "rate/games_per_s": "games that ended a second",
    "rate/learning": "share of the time in which it learns",
    "discard/staleness": "versions between play and learning",
    "discard/weight_max": "highest importance weight",
    "simulator/waiting": "share of the time in which simulators wait for networks",
    "simulator/held": "share of the time in which they wait for room",
    "engine/busy": "share of the time in which the engine's thread is busy",
    "engine/batch": "positions of its batches",
}
for run in sorted(out.glob("train-*")):
    size, board = run.name.removeprefix("train-"), EventAccumulator(str(run / "tensorboard"))
    board.Reload()
    for tag, words in SHOWN.items():
        if tag in board.Tags()["scalars"]:
            values = [each.value for each in board.Scalars(tag)]
            late = sorted(values[len(values) // 2 :])
            print(f"| self-play {size}: {words}, median of the second half | {late[len(late) // 2]:,.4g} |")
    log = out / f"busy-{size}.txt"
    if busy := sorted(map(int, log.read_text().split())) if log.exists() else []:
        print(f"| self-play {size}: GPU busy, median | {busy[len(busy) // 2]} % |")
P
