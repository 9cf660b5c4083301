#!/usr/bin/env bash
# Checks style and types and runs the tests, in .venv, which it sets up where it is missing.
# usage: scripts/test.sh [--full] [arguments for pytest]      --full: the slow tests as well
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh test

arguments=()
full=no
for argument in "$@"; do
    if [ "$argument" = --full ]; then
        full=yes
        arguments+=(-m "")
    else
        arguments+=("$argument")
    fi
done

ruff check --quiet
if [ "$full" = yes ]; then
    # What an index out of range does only shows with bounds checks; what rests on compiled arithmetic, interpreted.
    NUMBA_BOUNDSCHECK=1 pytest --quiet tests/rules tests/logs tests/players tests/test_check.py tests/test_tables.py
    NUMBA_DISABLE_JIT=1 pytest --quiet --numprocesses 2 tests/rules tests/test_hands.py tests/test_tables.py
fi
mypy --no-error-summary &
suphx warmup  # once, so that the processes of the tests do not all compile the same
wait $!
# By files, since what the tests of a file share, such as processes on Ray, would be started in each process otherwise.
exec pytest --numprocesses 3 --dist loadfile ${arguments[@]+"${arguments[@]}"}
