#!/usr/bin/env bash
# The ladder of agents (the paper's figure 8 at a small scale): supervised, RL-basic, RL-1 and RL-2, two training seeds of each,
# from one start; each of the seven agents against three under-trained copies of the start, on the same deals.
# The start is sl and the field sl-weak; or, with --logs, small networks that are trained on these logs first.
# It goes on where it was stopped; half a day of two cores with small networks, by an estimate.
# usage: scripts/ladder.sh [--games HANCHAN] [--logs PATH]      default: 50000 hanchan for each agent
set -euo pipefail

hanchan=50000
logs=
while [ $# -gt 0 ]; do
    case $1,$# in
    --games,1 | --logs,1) sed -n 2,6p "$0" | cut -c3- >&2 && exit 2 ;;
    --games,*) hanchan=$2 ;;
    --logs,*) logs=$(realpath -e -- "$2") ;;
    *) sed -n 2,6p "$0" | cut -c3- >&2 && exit 2 ;;
    esac
    shift 2
done
cd "$(dirname "$0")/.."
. scripts/environment.sh run
runs=${SUPHX_RUNS:-${XDG_DATA_HOME:-$HOME/.local/share}/suphx}
start=sl
weak=sl-weak
if [ -n "$logs" ]; then
    suphx pretrain configs/experiments/small.yaml --logs "$logs" --out "$runs/ladder/small"
    start=$runs/ladder/small/agent
    weak=$runs/ladder/small/weak
fi

learn() {  # learn NAME SEED [--set ...]
    suphx train configs/experiments/ladder.yaml --local --threads 1 --out "$runs/ladder/$1-$2" --set "start=$start" \
        --set "name=$1-$2" --set "seed=$2" "${@:3}"
}

step() {  # step NAME [--set ...]: both seeds side by side, a core each
    learn "$1" 1 "${@:2}" &
    local first=$!
    learn "$1" 2 "${@:2}"
    wait "$first"
}

step rl-basic
ranks='reward={kind: phi}'  # the predictor is of ranks, as what is measured
step rl-1r --set "$ranks"
step rl-2 --set "$ranks" --set "evaluation={every: 12000, deals: 250, opponent: '$weak'}" \
    --set 'learning.oracle={full_games: 12000, decay_games: 8000, planes_rate: 40, after_rate: 1}' \
    --set 'learning.anneal={after_games: 20000, games: 30000}'  # the full rate until the oracle is gone

agents=(--challenger "$start")
for name in rl-basic rl-1r rl-2; do
    agents+=(--challenger "$runs/ladder/$name-1/agent" --challenger "$runs/ladder/$name-2/agent")
done
matches=$runs/matches/ladder
exec suphx evaluate "${agents[@]}" --field "$weak" --games "$hanchan" --seed 20261121 --out "$matches" \
    --plots "$matches/plots" --json
