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

# The tests of the page drive Debian's Chromium, without its windows where there is such a package, which is faster;
# without any they skip themselves.
install_browser() {
    command -v chromium-headless-shell >/dev/null && return
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing Chromium, which the tests of the page drive ..." >&2
        local get=(apt-get -o Acquire::Retries=0 -o Acquire::http::Timeout=20 --yes --no-install-recommends)
        "${get[@]}" update >/dev/null 2>&1 || true
        "${get[@]}" install chromium-headless-shell >/dev/null 2>&1 && return
        command -v chromium >/dev/null || "${get[@]}" install chromium >/dev/null 2>&1 || true
    fi
    command -v chromium >/dev/null && return
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

# What somebody has installed, removed or replaced in .venv since it was made.
check_packages() {
    .venv/bin/python - "$1" <<'PROGRAM'
import re, sys, tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
pins = dict(re.findall(r"^([\w.-]+)==(\S+)", Path("constraints.txt").read_text("utf-8"), re.MULTILINE))


def is_wrong(name):
    try:
        return version(name).partition("+")[0] != pins[name]  # after the plus: torch's build for a kind of device
    except PackageNotFoundError:
        return True


todo = [*project["dependencies"], "suphx[train,web]" if sys.argv[1] == "run" else "suphx[test,dev]"]
wrong = set()
for requirement in todo:
    name, _, extras = re.match(r"([\w.-]+)(\[([\w,]+)\])?", requirement).groups()
    if name == "suphx":
        todo += [each for extra in extras.split(",") for each in project["optional-dependencies"][extra]]
    elif is_wrong(name):
        wrong.add(f"{name} {pins[name]}")
if wrong:
    sys.exit(f".venv lacks {', '.join(sorted(wrong))}, or has another version: remove the folder, and run this again.")
PROGRAM
}

# Tests need what they compile to be kept (`simulator/jit.py`).
check_cache() {
    local folder=${SUPHX_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/suphx} free
    mkdir -p "$folder" 2>/dev/null && [ -w "$folder" ] && free=$(df -Pk "$folder" | awk 'END { print $4 }') &&
        [ "$free" -gt 600000 ] && return
    echo "Compiled code is kept in $folder, which cannot be written or has less than 600 MB left: free some, or name another" \
        "folder: SUPHX_CACHE=FOLDER" >&2
    return 1
}

is_made "$1" || make_environment "$1" || exit
check_packages "$1" || exit
if [ "$1" = test ]; then
    check_cache || exit
fi
. .venv/bin/activate
