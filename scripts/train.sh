#!/usr/bin/env bash
# The main job: makes games, verifies them, trains the five networks on them, and measures the agent at the table.
# usage: scripts/train.sh [games]      results go to $SUPHX_RUNS, by default the user's data folder
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh
games=${1:-1000}
export SUPHX_RUNS=${SUPHX_RUNS:-${XDG_DATA_HOME:-$HOME/.local/share}/suphx}
mkdir -p "$SUPHX_RUNS"

suphx warmup
suphx logs generate --games "$games" --out "$SUPHX_RUNS/generated.zip"
suphx logs verify "$SUPHX_RUNS/generated.zip"
suphx pretrain configs/pretrain.yaml --logs "$SUPHX_RUNS/generated.zip"
suphx evaluate --challenger "$SUPHX_RUNS/pretrain/pretrain/agent" --field sensible --games 1000
