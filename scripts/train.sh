#!/usr/bin/env bash
# The main job: from nothing, from logs or from the included weights to an agent that has learned from its own games.
# usage: scripts/train.sh [--minutes N] [--logs PATH]... [--games N] [--weights] [--out FOLDER]
#
# Sets up .venv where it is missing, then runs `suphx quickstart` with the same options:
#   --minutes N    how long it may take, without the setting up (10)
#   --logs PATH    learn from these logs instead of games that are made: a file, folder or archive; may be given again
#   --games N      how many games to make; by default as the time allows
#   --weights      only self-play, starting from the included weights
#   --out FOLDER   where everything goes; by default $SUPHX_RUNS/first, first-logs or first-weights, where SUPHX_RUNS is
#                  by default the user's data folder
# Run the same command again to resume.
set -euo pipefail
for argument in "$@"; do
    case $argument in
    --help | -h)
        sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "$0"
        exit
        ;;
    esac
done
here=$PWD
cd "$(dirname "$0")/.."
. scripts/environment.sh run
cd "$here"
exec suphx quickstart "$@"
