"""Encoders keep what they work in to themselves: threads that encode and allocate at once change nothing."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from suphx.dataset.loader import Source
from suphx.dataset.selection import select
from tests.dataset.made_games import sensible_games

ROOT = Path(__file__).parents[2]


def test_many_threads_encode_the_same_planes_as_one() -> None:
    sources = [Source(sensible_games(), select(sensible_games(), model, None)) for model in ("discard", "pong", "kong")]
    collected = [source.collect(np.arange(20)) for source in sources]
    wanted = [source.encode(each) for source, each in zip(sources, collected, strict=True)]

    def work(number: int) -> bool:
        which = number % len(sources)
        same = np.array_equal(sources[which].encode(collected[which]), wanted[which])
        scratch = [np.full(size, 255, np.uint8) for size in range(100, 20_000, 700)]  # memory that others gave back
        return same and len(scratch) > 0

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(60)))


def test_no_compiled_function_takes_a_record_out_of_an_array_that_nobody_keeps() -> None:
    taken = re.compile(r"np\.(empty|zeros)\([^()]*, [A-Z_]+\)\[")
    for folder in ("simulator", "suphx"):
        for path in (ROOT / folder).rglob("*.py"):
            assert not taken.search(path.read_text()), f"{path}: see simulator.jit.hold"
