#!/usr/bin/env bash
# The ladder of agents (the paper's figure 8 at a small scale): supervised, RL-basic, RL-1 and RL-2, two training seeds of each,
# from one start, against three under-trained copies of it on the same deals: those of the first seed on one half of the
# deals, those of the second on the other. Half a day of two cores, by an estimate; it goes on where it was stopped.
# usage: scripts/ladder.sh [--games HANCHAN]      default: 50000 hanchan for each agent, so 100000 for each method
set -euo pipefail

hanchan=50000
if [ "${1:-}" = --games ] && [ $# = 2 ]; then
    hanchan=$2
elif [ $# -gt 0 ]; then
    sed -n 2,5p "$0" | cut -c3- >&2
    exit 2
fi
cd "$(dirname "$0")/.."
. scripts/environment.sh
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

measure() {  # measure SEED
    suphx evaluate --challenger docs/results/ladder/start --challenger "$runs/ladder/rl-basic-$1/agent" \
        --challenger "$runs/ladder/rl-1-$1/agent" --challenger "$runs/ladder/rl-2-$1/agent" --field docs/results/ladder/weak \
        --games "$hanchan" --seed "2026112$1" --out "$runs/matches/ladder-$1" --plots "$runs/matches/ladder-$1-plots" --json
}

step rl-basic
step rl-1 --set 'reward={kind: phi}'
step rl-2 --set 'reward={kind: phi}' --set 'learning.oracle={full_games: 15000, decay_games: 20000}'
measure 1
measure 2
