"""The decorator for all compiled functions, and the cache of their machine code.

Numba's own cache does not notice changes in functions that are imported from another file: it would silently run
stale code. So the name of a module's cache folder is a hash of every first-party source that the module imports,
directly or indirectly, and of the Numba version; any change there means another folder and a fresh compile. Nothing
else counts, neither the place of a file nor its date, so that all checkouts and installations share one cache.
"""

import atexit
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from subprocess import DEVNULL
from types import FunctionType
from typing import IO, Any, TypeVar

import numba
from numba import config as numba_config
from numba import types
from numba.core.caching import CacheImpl, _CacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import TypingError
from numba.extending import lower_cast

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

F = TypeVar("F", bound=Callable)

#: Environment variable with the folder for compiled code, for users or tests that want another than the default.
CACHE_VARIABLE = "SUPHX_CACHE"

_ROOT = Path(__file__).resolve().parent.parent
_IMPORT = re.compile(r"^\s*(?:from|import)\s+((?:simulator|suphx)[\w.]*)(?:\s+import\s+\(?([\w ,]+))?", re.MULTILINE)


def _source(module: str) -> Path | None:
    path = _ROOT.joinpath(*module.split("."))
    if path.is_dir():
        path = path / "__init__"
    path = path.with_suffix(".py")
    return path if path.is_file() else None


@cache
def _imports(path: Path) -> frozenset[Path]:
    paths: set[Path] = set()
    for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
        inside = [name.split()[0] for name in names.split(",") if name.strip()]
        candidates = [module] + [f"{module}.{name}" for name in inside]
        paths.update(source for source in map(_source, candidates) if source is not None)
    return frozenset(paths)


@cache
def source_key(module: str) -> str:
    """Return a short hash of the sources that `module` is compiled from, Numba's version and its bounds checks."""
    start = _source(module)
    todo, seen = ([start] if start else []), set()
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            todo.extend(_imports(path))
    digest = hashlib.sha256(f"{numba.__version__} {numba_config.BOUNDSCHECK} {sys.version_info[:2]} {module}".encode())
    for path in sorted(seen):
        digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path:
    """Return the writable folder for compiled code and derived tables; print a notice if it is a fallback."""
    try:
        if chosen := os.environ.get(CACHE_VARIABLE):
            wanted = Path(chosen).expanduser()
        else:
            wanted = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "suphx"
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            return wanted
    except (OSError, RuntimeError) as error:  # RuntimeError: no home folder, as in some containers
        owner = os.getuid() if hasattr(os, "getuid") else "user"
        fallback = Path(tempfile.gettempdir()) / f"suphx-cache-{owner}"
        fallback.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid") and fallback.stat().st_uid != os.getuid():
            raise PermissionError(f"{fallback} belongs to another user: set {CACHE_VARIABLE} to your own") from error
        print(f"suphx: no cache folder to write ({error}); compiled code goes to {fallback}", file=sys.stderr)
        return fallback


class _SourceKeyLocator(_CacheLocator):
    """Finds the cache of a first-party function by its module's `source_key` alone."""

    def __init__(self, function: Callable) -> None:
        self._key, self._line = source_key(function.__module__), function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Callable, _path: str) -> "_SourceKeyLocator | None":
        return cls(function) if _source(function.__module__ or "") is not None else None

    def get_cache_path(self) -> str:
        return str(cache_folder() / "compiled" / self._key)

    def get_source_stamp(self) -> str:
        return self._key

    def get_disambiguator(self) -> str:
        return str(self._line)


CacheImpl._locator_classes.insert(0, _SourceKeyLocator)


@contextmanager
def _cache_of(module: str) -> Iterator[None]:
    """Let what is compiled inside be kept in the folder of `module`."""
    previous = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = str(cache_folder() / "compiled" / source_key(module))
    try:
        yield
    finally:
        numba_config.CACHE_DIR = previous


def jit(function: F) -> F:
    """Compile `function` on first use: without the GIL, with NumPy's division, cached on disk, never parallel.

    Numba would compile a function anew for each constant that a compiled caller gives it, and for an array inside a
    record another time than for one outside. Here these are one type, so that it is compiled once, unless it needs to
    know the constant.
    """
    with _cache_of(function.__module__):
        compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)(function)
    if not numba_config.DISABLE_JIT:
        _compile_once(compiled)
        resolve = compiled.get_call_template

        def resolve_plain(args: Sequence[types.Type], named: Mapping[str, types.Type]) -> Any:
            try:
                return resolve([_plain(each) for each in args], {name: _plain(each) for name, each in named.items()})
            except TypingError:
                return resolve(args, named)

        compiled.get_call_template = resolve_plain
    return compiled


@cache
def _locks() -> IO[bytes]:
    folder = cache_folder() / "compiled"
    folder.mkdir(parents=True, exist_ok=True)
    return (folder / "locks").open("ab")


@contextmanager
def _lock_of(name: str) -> Iterator[None]:
    """Hold a lock that processes share, where the system has them: a byte of a file, by the hash of a name."""
    if fcntl is None:
        yield
        return
    place = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) >> 1
    with suppress(OSError):  # a file system without locks: then some work is done twice
        fcntl.lockf(_locks(), fcntl.LOCK_EX, 1, place)
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.lockf(_locks(), fcntl.LOCK_UN, 1, place)


def _compile_once(compiled: Any) -> None:
    """Let a process that needs a function which another one is compiling wait for that, and load the result."""
    load_or_compile = compiled.compile

    def compile_once(signature: Any) -> Any:
        with global_compiler_lock, _lock_of(f"{compiled._cache.cache_path} {compiled.__qualname__} {signature}"):
            return load_or_compile(signature)

    compiled.compile = compile_once


@lower_cast(types.NestedArray, types.Array)
def _as_array(_context: Any, _builder: Any, _from: types.Type, _to: types.Type, value: Any) -> Any:
    """Pass an array inside a record to a function of arrays: both are the same at run time."""
    return value


def _plain(numba_type: types.Type) -> types.Type:
    """Return the type of any value for that of a constant, and of any such array for that of one inside a record."""
    if isinstance(numba_type, types.NestedArray):
        return types.Array(numba_type.dtype, numba_type.ndim, "C")
    if isinstance(numba_type, types.IntegerLiteral | types.BooleanLiteral):
        return types.unliteral(numba_type)
    return numba_type


def jit_callback(template: Callable, signature: Any, name: str, function: Callable) -> Any:
    """Compile a copy of `template` now, in which the global `name` is `function`, itself compiled into it.

    What it returns can be an argument of compiled functions: its `address` is what they call. Cached on disk if
    `function` belongs to this project; a user's own is compiled in each process.
    """
    module = function.__module__ or "no_module"  # what `exec` defines may have none
    unique = f"{template.__name__}_{function.__qualname__}_{function.__code__.co_firstlineno}"
    inner = {name: numba.njit(inline="always", error_model="numpy")(function)}
    code = template.__code__.replace(co_name=unique, co_qualname=unique)
    copy = FunctionType(code, template.__globals__ | inner, unique)
    copy.__module__, copy.__qualname__ = module, unique
    with _cache_of(module):
        ours = _source(module) is not None and function.__closure__ is None
        return numba.cfunc(signature, cache=ours, error_model="numpy")(copy)


def _is_compiled(module: str) -> bool:
    return any((cache_folder() / "compiled" / source_key(module)).rglob("*.nbi"))


@cache
def compile_beside(module: str, function: str) -> subprocess.Popen[bytes] | None:
    """Start a second process that calls a function, which compiles what will be needed here; return it.

    What it is compiling when it is needed here is waited for. Nothing happens if the module's machine code is in the
    cache already, or if there is a single core.
    """
    if _is_compiled(module) or numba_config.DISABLE_JIT or numba_config.NUMBA_DEFAULT_NUM_THREADS < 2:
        return None
    code = f"import sys; sys.path[:] = {sys.path!r}; from {module} import {function}; {function}()"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)
    atexit.register(process.terminate)  # nobody waits for it
    return process


@cache
def announce_compiling(module: str) -> None:
    """Print to stderr that `module` is about to be compiled, if its machine code is not in the cache yet."""
    if not _is_compiled(module):
        text = "compiling the table for this machine; once, about half a minute (`suphx warmup` does it ahead of time)"
        print(f"suphx: {text}", file=sys.stderr, flush=True)


@jit
def hold(array):
    """Keep an array that was made in a compiled function alive until this call.

    A record taken out of it (`array[0]`) does not keep it alive: Numba frees the array after the array's own last use,
    and the record would then point to memory that may have been reused.
    """
    return len(array)
