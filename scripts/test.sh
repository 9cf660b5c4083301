#!/usr/bin/env bash
# Checks style and types and runs the tests, in .venv, which it sets up where it is missing.
# usage: scripts/test.sh [--lint | --full | --gpu] [arguments for pytest]
# --lint: style and types alone; --full: the slow tests as well; --gpu: only what must be tested on a GPU
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh test

arguments=()
full=no
lint=no
for argument in "$@"; do
    case $argument in
    --full)
        full=yes
        arguments+=(-m "not gpu")
        ;;
    --gpu) exec pytest --quiet -m gpu tests/gpu ;;
    --lint) lint=yes ;;
    *) arguments+=("$argument") ;;
    esac
done

ruff check --quiet
ruff format --check --quiet
if [ "$lint" = yes ]; then
    mypy --no-error-summary
    exit
fi
if [ "$full" = yes ]; then
    # What an index out of range does only shows with bounds checks; what rests on compiled arithmetic, interpreted.
    NUMBA_BOUNDSCHECK=1 pytest --quiet tests/rules tests/logs tests/players tests/test_check.py tests/test_tables.py
    NUMBA_DISABLE_JIT=1 pytest --quiet --numprocesses 2 tests/rules tests/test_hands.py tests/test_tables.py
fi
mypy --no-error-summary &
suphx warmup # on all cores, before the tests' processes wait for each other's compiling
wait $!
# By files, since what the tests of a file share, such as processes on Ray, would be started in each process otherwise;
# not those of many tests first, which would leave the long ones of a few to the end. One process more than cores, since
# tests wait for other processes and browsers.
cores=$(getconf _NPROCESSORS_ONLN)
exec pytest --numprocesses $((cores < 7 ? cores + 1 : 8)) --dist loadfile --no-loadscope-reorder \
    ${arguments[@]+"${arguments[@]}"}
