#!/usr/bin/env bash
# The ladder of agents (the paper's figure 8 at a small scale): supervised, RL-basic, RL-1 and RL-2, two seeds of each,
# from one start, against three under-trained copies of it on the same deals. Half a day of two cores, by an estimate; it goes on
# where it was stopped.
# usage: scripts/ladder.sh LOGS [--games HANCHAN]      default: 100000 hanchan for each agent
set -euo pipefail

if [ $# -lt 1 ]; then
    sed -n 2,5p "$0" | cut -c3- >&2
    exit 2
fi
logs=$(realpath "$1")
hanchan=100000
if [ "${2:-}" = --games ]; then
    hanchan=$3
fi
cd "$(dirname "$0")/.."
. scripts/environment.sh
runs=${SUPHX_RUNS:-${XDG_DATA_HOME:-$HOME/.local/share}/suphx}
start=$runs/pretrain/small

[ -e "$start/result.json" ] || suphx pretrain configs/small.yaml --logs "$logs"

learn() {  # learn NAME SEED [--set ...]
    local name=$1-$2
    suphx train configs/ladder.yaml --local --threads 1 --out "$runs/ladder/$name" \
        --set "name=$name" --set "seed=$2" --set "start=$start/agent" "${@:3}"
}

challengers=(--challenger "$start/agent")
step() {  # step NAME [--set ...]: both seeds side by side, a core each
    learn "$1" 1 "${@:2}" &
    local first=$!
    learn "$1" 2 "${@:2}"
    wait "$first"
    challengers+=(--challenger "$runs/ladder/$1-1/agent" --challenger "$runs/ladder/$1-2/agent")
}

step rl-basic
step rl-1 --set 'reward={kind: phi}'
step rl-2 --set 'reward={kind: phi}' --set 'learning.oracle={full_games: 15000, decay_games: 20000}'
exec suphx evaluate "${challengers[@]}" --field "$start/weak" --games "$hanchan" --seed 20261121 \
    --out "$runs/matches/ladder" --plots "$runs/matches/ladder-plots" --json
