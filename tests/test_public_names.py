"""What `simulator` and `suphx` offer by name, that a page tells of it, and that importing them costs nothing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import simulator
import suphx

PAGE = Path(__file__).resolve().parents[1] / "docs" / "extending.md"
PACKAGES = (simulator, suphx)
NAMES = [(package, name) for package in PACKAGES for name in package.__all__]


def test_importing_the_packages_loads_nothing():
    slow = ("numpy", "numba", "torch", "pydantic")
    code = f"import sys, simulator, suphx; print([name for name in {slow} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


@pytest.mark.parametrize(("package", "name"), NAMES, ids=[name for _, name in NAMES])
def test_every_public_name_is_there(package, name):
    assert getattr(package, name) is not None
    assert name in dir(package)


@pytest.mark.parametrize("package", PACKAGES, ids=["simulator", "suphx"])
def test_other_names_are_not(package):
    assert sorted(set(package.__all__)) == sorted(package.__all__) == sorted({*dir(package)} - vars(package).keys())
    with pytest.raises(AttributeError, match="no attribute 'Gmae'"):
        package.Gmae  # noqa: B018


@pytest.mark.parametrize("package", PACKAGES, ids=["simulator", "suphx"])
def test_the_page_tells_of_each(package):
    table = PAGE.read_text(encoding="utf-8").partition(f"| from `{package.__name__}` |")[2].partition("\n\n")[0]
    told = set(re.findall(r"`(\w+)`", table)) - {"_batch"}
    told |= {f"{name[:-3]}_batch" for name in told if "`_batch`" in table and name.endswith("_of")}
    assert told == set(package.__all__)
