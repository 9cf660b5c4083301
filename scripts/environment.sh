# Sourced by the other scripts: makes and activates .venv in the repository, unless it is there and up to date.
# usage: . scripts/environment.sh run|test     run: what `suphx` and its page need; test: also what the tests need
# PYTHON names the interpreter to make it with; otherwise the first one that is new enough.

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    local candidate
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python}; do
        if is_new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    echo "Python 3.11 or newer is needed; tried: ${PYTHON:-python3, python3.13, python3.12, python3.11, python}." >&2
    echo "Install one, or name it: PYTHON=/path/to/python $0" >&2
    return 1
}

# All that the environment is made from; kept in it, so that a change of any of it is noticed.
environment_sources() {
    cat pyproject.toml constraints.txt scripts/environment.sh suphx/mjai/majiang/package-lock.json
}

# The tests of the page drive Debian's Chromium; without it they skip themselves.
install_browser() {
    command -v chromium >/dev/null && return
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing Chromium, which the tests of the page drive ..." >&2
        { apt-get update && apt-get install --yes --no-install-recommends chromium; } >/dev/null 2>&1 && return
    fi
    echo "No \`chromium\` here: the tests of the page in a browser are left out (Debian, Ubuntu: apt-get install chromium)." >&2
}

# Makes .venv for `run` or `test`.
make_environment() {
    local python
    if ! is_new_enough .venv/bin/python || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
        python=$(find_python) || return
        echo "Making .venv with $("$python" --version) ..." >&2
        if ! "$python" -m venv --clear .venv; then
            echo "$python cannot make virtual environments; on Debian and Ubuntu install the package python3-venv." >&2
            return 1
        fi
    fi
    echo "Installing what pyproject.toml names into .venv ..." >&2
    case $1 in
    run) install '.[train,web]' || return ;;
    test) install_for_tests || return ;;
    esac
    environment_sources >".venv/made-for-$1"
}

# On Linux torch comes with gigabytes of CUDA. Where no NVIDIA card is seen, its CPU build is taken from torch's own index.
install_torch() {
    local index=https://download.pytorch.org/whl/cpu
    if [ "$(uname -s)" != Linux ] || nvidia-smi --list-gpus >/dev/null 2>&1; then
        return
    fi
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 30 \
        --no-deps --index-url "$index" "$(grep '^torch==' constraints.txt)" ||
        echo "No NVIDIA card is seen, but torch's CPU build is not to be had from $index: the default index's is taken." >&2
}

install() {
    install_torch
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable "$1" --constraint constraints.txt
}

install_for_tests() {
    install_browser &
    if command -v npm >/dev/null; then
        echo "Installing majiang-ai, a bot that the tests play against ..." >&2
        npm ci --silent --prefix suphx/mjai/majiang || echo "It is not available: its tests are left out." >&2 &
    fi
    install '.[test,dev]' || return
    # Alone, since it asks for an older `mahjong` than our tests do, and its arena uses none. Not every machine has a wheel.
    .venv/bin/python -m pip install --quiet --disable-pip-version-check \
        --no-deps --only-binary mjai mjai --constraint constraints.txt ||
        echo "PyPI's mjai is not available for this machine: its arena is left out of the tests." >&2
    wait
    environment_sources >.venv/made-for-run # which needs less
}

# Whether .venv is there for `run` or `test`, from the files as they are now.
is_made() {
    is_new_enough .venv/bin/python && environment_sources | cmp --quiet - ".venv/made-for-$1" 2>/dev/null
}

is_made "$1" || make_environment "$1" || exit
. .venv/bin/activate
