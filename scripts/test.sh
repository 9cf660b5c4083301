#!/usr/bin/env bash
# Checks style and types and runs the tests, in .venv, which it sets up where it is missing.
# usage: scripts/test.sh [--full] [arguments for pytest]      --full: the slow tests as well
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

arguments=()
for argument in "$@"; do
    if [ "$argument" = --full ]; then
        arguments+=(-m "")
    else
        arguments+=("$argument")
    fi
done

ruff check --quiet
mypy --no-error-summary
suphx warmup  # once, so that the processes of the tests do not all compile the same
exec pytest --numprocesses 2 ${arguments[@]+"${arguments[@]}"}
