"""Games that the tests of the outlook share."""

import numpy as np
import pytest

from simulator.logs.generate import generate_games
from suphx.dataset.loader import legal_discards
from suphx.dataset.prepare import prepare_games
from suphx.dataset.prepared import Prepared
from suphx.outlook.examples import DiscardExamples, DiscardSource


@pytest.fixture(scope="session")
def prepared() -> Prepared:
    return prepare_games(generate_games(60, seed=3))


@pytest.fixture(scope="session")
def examples(prepared) -> DiscardExamples:
    """The discard decisions of 200 rounds."""
    source = DiscardSource(prepared, "training")
    return source.collect(np.arange(200), np.random.default_rng(0))


@pytest.fixture(scope="session")
def legal(examples) -> np.ndarray:
    """bool[n, 34]: what may be discarded there."""
    return legal_discards(examples.planes())
