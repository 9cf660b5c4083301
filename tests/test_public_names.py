"""What `simulator` offers by name, and that importing it costs nothing."""

import subprocess
import sys

import pytest

import simulator


def test_importing_the_package_loads_nothing():
    code = "import sys, simulator; print([name for name in ('numpy', 'numba') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


@pytest.mark.parametrize("name", simulator.__all__)
def test_every_public_name_is_there(name):
    assert getattr(simulator, name) is not None
    assert name in dir(simulator)


def test_other_names_are_not():
    assert sorted(set(simulator.__all__)) == sorted(simulator.__all__) == sorted(simulator._MODULE_OF)
    with pytest.raises(AttributeError, match="no attribute 'Gmae'"):
        simulator.Gmae  # noqa: B018
