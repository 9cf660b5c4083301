"""Our engine held against riichienv, decision by decision; see docs/trust.md."""

import pytest

pytest.importorskip(
    "riichienv", reason="riichienv is not installed (the extra `bench`): nothing to hold the table against"
)
