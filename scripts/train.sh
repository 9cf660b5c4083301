#!/usr/bin/env bash
# The main job: from nothing, from logs or from the included weights to an agent that has learned from its own games.
set -euo pipefail

usage() {
    cat <<'END'
usage: scripts/train.sh [--logs PATH]... [--games N] [--weights] [--out FOLDER]

Makes games by a rule-based player, trains five networks and the reward predictor on them, lets the agent learn from
games with itself, measures it before and after that, and writes a page about all of it, report.md. On two cores this
takes about ten minutes. Run the same command again to resume.

  --games N      how many games to make (1000)
  --logs PATH    learn from these logs instead: a file, folder or archive; may be given again
  --weights      make and train nothing before self-play: start from the included weights and reward predictor
  --out FOLDER   where everything goes; by default $SUPHX_RUNS/first, first-logs or first-weights, where SUPHX_RUNS is
                 by default the user's data folder
END
}

fail() {
    echo "scripts/train.sh: $1 (--help shows what there is)" >&2
    exit 2
}

absolute() {
    case $1 in
    /*) echo "$1" ;;
    *) echo "$PWD/$1" ;;
    esac
}

logs=()
games=
weights=no
run=
while [ $# -gt 0 ]; do
    case $1 in
    --logs | --games | --out) [ $# -ge 2 ] || fail "$1 needs a value" ;;
    esac
    case $1 in
    --help | -h)
        usage
        exit
        ;;
    --logs)
        [ -e "$2" ] || fail "--logs: there is no $2"
        logs+=(--logs "$(absolute "$2")")
        shift 2
        ;;
    --games)
        [[ $2 =~ ^[1-9][0-9]*$ ]] || fail "--games: $2 is no number of games"
        games=$2
        shift 2
        ;;
    --out)
        run=$(absolute "$2")
        shift 2
        ;;
    --weights)
        weights=yes
        shift
        ;;
    *) fail "$1: no such argument" ;;
    esac
done
case $weights,${#logs[@]},${games:-none} in
yes,0,none | no,0,* | no,*,none) ;;
*) fail "--logs, --games and --weights exclude each other" ;;
esac

cd "$(dirname "$0")/.."
configs=$PWD/configs
. scripts/environment.sh run
export SUPHX_RUNS=${SUPHX_RUNS:-${XDG_DATA_HOME:-$HOME/.local/share}/suphx}
if [ -z "$run" ]; then
    run=$(absolute "$SUPHX_RUNS")/first
    [ ${#logs[@]} -eq 0 ] || run+=-logs
    [ $weights = no ] || run+=-weights
fi
mkdir -p "$run"
cd "$run" # so that what is made has short names, and the folder can be moved

# Writes a line about a step for the report: its name, seconds, exit status and, if it was given here, its command.
note() {
    printf '%s\t%s\t%s\t%s\n' "$@" >>steps.tsv
}

# Runs a command as the step of a name.
step() {
    local name=$1 begun=$SECONDS status=0
    shift
    "$@" || status=$?
    note "$name" $((SECONDS - begun)) $status "$(printf '%q ' "$@" | sed 's/ $//')"
    return $status
}

[ -e steps.tsv ] || note environment $SECONDS 0 ""
step warmup suphx warmup table features training logs # the rest is not used here
if [ $weights = yes ]; then
    start=sl
    weak=sl-weak
    with=(--games 1000) # fewer, since these networks are larger than those made here
else
    if [ ${#logs[@]} -eq 0 ]; then
        made=games-${games:=1000}.zip
        [ -e "$made" ] || step generate suphx logs generate --games "$games" --seed 0 --out "$made"
        step verify suphx logs verify "$made"
        logs=(--logs "$made")
    fi
    step pretrain suphx pretrain "$configs/pretrain.yaml" "${logs[@]}" --out pretrain
    step reward suphx reward "$configs/reward.yaml" "${logs[@]}" --out reward
    start=pretrain/agent
    weak=pretrain/weak
    with=(--set reward.predictor=reward/reward.safetensors)
fi
step train suphx train "$configs/first.yaml" --out train \
    --set start=$start --set evaluation.opponent=$weak "${with[@]}"
step evaluate suphx evaluate --challenger $start --challenger train/agent --field $weak \
    --games 1000 --seed 3 --out evaluate --plots pictures
suphx report "$run"
