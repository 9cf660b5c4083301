#!/usr/bin/env bash
# The main job, as far as it stands: makes games, verifies them, and measures the table.
# usage: scripts/train.sh [games]      results go to $SUPHX_RUNS, by default the user's data folder
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh
games=${1:-1000}
runs=${SUPHX_RUNS:-${XDG_DATA_HOME:-$HOME/.local/share}/suphx}
mkdir -p "$runs"

suphx warmup
suphx logs generate --games "$games" --out "$runs/generated.zip"
suphx logs verify "$runs/generated.zip"
suphx bench simulator
