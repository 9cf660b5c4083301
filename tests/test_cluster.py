"""What Ray is allowed to do to the programs that use it."""

import pytest
from ray._private import worker

from suphx.cluster import join_or_start
from suphx.errors import InputError


def test_what_ray_says_of_errors_is_not_among_the_results(monkeypatch, capsys):
    monkeypatch.setattr(worker, "print_to_stdstream", worker.print_to_stdstream)  # to be put back
    with pytest.raises(InputError, match="nobody answers"):
        join_or_start("127.0.0.1:1", 1)
    assert "print_to_stdstream" in worker.listen_error_messages.__code__.co_names
    worker.print_to_stdstream({"lines": ["an actor died"], "pid": "raylet", "is_err": False}, ignore_prefix=False)
    said = capsys.readouterr()
    assert "an actor died" in said.err and not said.out
