#!/usr/bin/env bash
# The ladder of agents (the paper's figure 8 at a small scale): supervised, RL-basic, RL-1 and RL-2, two training seeds of each,
# from one start, against three under-trained copies of it on the same deals; the seeds of a method take turns by deal.
# Half a day of two cores, by an estimate; it goes on where it was stopped.
# usage: scripts/ladder.sh [--games HANCHAN]      default: 100000 hanchan for each method
set -euo pipefail

hanchan=100000
if [ "${1:-}" = --games ] && [ $# = 2 ]; then
    hanchan=$2
elif [ $# -gt 0 ]; then
    sed -n 2,5p "$0" | cut -c3- >&2
    exit 2
fi
cd "$(dirname "$0")/.."
. scripts/environment.sh run
runs=${SUPHX_RUNS:-${XDG_DATA_HOME:-$HOME/.local/share}/suphx}

learn() {  # learn NAME SEED [--set ...]
    suphx train configs/ladder.yaml --local --threads 1 --out "$runs/ladder/$1-$2" --set "name=$1-$2" --set "seed=$2" "${@:3}"
}

step() {  # step NAME [--set ...]: both seeds side by side, a core each
    learn "$1" 1 "${@:2}" &
    local first=$!
    learn "$1" 2 "${@:2}"
    wait "$first"
}

step rl-basic
ranks='reward={kind: phi, predictor: docs/results/ladder/phi-rank.safetensors}'  # the average rank is what is measured
step rl-1r --set "$ranks"
step rl-2 --set "$ranks" --set 'evaluation={every: 12000, deals: 250, opponent: docs/results/ladder/weak}' \
    --set 'learning.oracle={full_games: 12000, decay_games: 8000, planes_rate: 40, after_rate: 1}' \
    --set 'learning.anneal={after_games: 20000, games: 30000}'  # the full rate until the oracle is gone

matches=$runs/matches/ladder
beside=()
measure() {  # measure NAME AGENT: on the same deals as the others
    suphx evaluate --challenger "$2" --field docs/results/ladder/weak --games "$hanchan" --seed 20261121 \
        --out "$matches/$1" --counts "$matches/$1.safetensors"
    beside+=(--beside "$matches/$1.safetensors")
}

measure start docs/results/ladder/start
for name in rl-basic rl-1r rl-2; do
    measure "$name" "$runs/ladder/$name-1/agent|$runs/ladder/$name-2/agent"
done
exec suphx evaluate "${beside[@]}" --plots "$matches/plots" --json
