"""The replay buffer: bounds in bytes, staleness and use; what it draws; exact resume."""

from __future__ import annotations

import numpy as np
import pytest

from suphx.checkpoint import TrainingProgress, load_checkpoint, save_checkpoint
from suphx.learning.config import ReplayConfig
from suphx.learning.replay import ReplayBuffer
from tests.learning.toy_experience import decisions, random_planes, rounds

PLANES = 3


def fill(buffer: ReplayBuffer, n: int, version: int, model: str = "discard") -> None:
    """Add n decisions whose advantage names them: version x 1000 + number."""
    batch = rounds(
        {model: decisions(random_planes(n, PLANES), 4, model=model)}, np.arange(n, dtype=np.float32), version
    )
    buffer.add(batch, {model: (version * 1000 + np.arange(n)).astype(np.float32)})


def names(minibatch: np.ndarray | None) -> list[int]:
    assert minibatch is not None
    return minibatch["advantage"].astype(int).tolist()


def test_a_drawn_question_keeps_what_belongs_to_it() -> None:
    buffer = ReplayBuffer(ReplayConfig(), seed=1)
    fill(buffer, 30, version=0)
    fill(buffer, 30, version=2)
    minibatch = buffer.sample("discard", 50)
    assert minibatch is not None
    number = np.array(names(minibatch))
    assert (minibatch["version"] == number // 1000).all()
    assert (minibatch["rewards"][:, 0] == number % 1000).all() and not minibatch["rewards"][:, 1:].any()
    assert (minibatch["planes"] == random_planes(30, PLANES)[number % 1000]).all()


@pytest.mark.parametrize("reuse", [1, 3])
def test_a_question_is_used_so_often_and_no_more(reuse: int) -> None:
    buffer = ReplayBuffer(ReplayConfig(reuse=reuse), seed=1)
    fill(buffer, 40, version=0)
    fill(buffer, 20, version=0, model="kong")
    seen: list[int] = []
    while (minibatch := buffer.sample("discard", 10)) is not None and len(seen) <= 40 * reuse:
        assert len(set(names(minibatch))) == 10
        seen += names(minibatch)
    counts = np.bincount(seen, minlength=40)
    assert counts.max() <= reuse and counts.sum() > 40 * reuse - 10 * reuse
    assert buffer.available("kong") == 20
    assert buffer.sample("riichi", 1) is None


def test_every_question_is_as_likely_as_any() -> None:
    counts = np.zeros(20)
    for seed in range(600):
        buffer = ReplayBuffer(ReplayConfig(), seed)
        fill(buffer, 5, version=0)
        fill(buffer, 15, version=1)
        drawn = names(buffer.sample("discard", 4))
        counts[[name % 1000 + 5 * (name // 1000) for name in drawn]] += 1
    assert np.abs(counts - 120).max() < 4.5 * (120 * 0.8) ** 0.5


def test_what_is_too_stale_goes() -> None:
    buffer = ReplayBuffer(ReplayConfig(staleness=2))
    for version in range(3):
        fill(buffer, 10, version)
        buffer.advance(version)
    assert buffer.available("discard") == 30
    buffer.advance(3)
    assert buffer.available("discard") == 20
    fill(buffer, 10, version=0)  # came late
    metrics = buffer.metrics()
    assert (metrics["decisions"], metrics["age_max"], metrics["dropped_stale"]) == (20, 2, 20)
    assert metrics["age_mean"] == pytest.approx(1.5)


def test_the_oldest_give_way_when_there_is_no_room() -> None:
    probe = ReplayBuffer(ReplayConfig())
    fill(probe, 10, 0)
    buffer = ReplayBuffer(ReplayConfig(bytes=3 * probe.size() + 1))
    for version in range(5):
        fill(buffer, 10, version)
        assert buffer.size() <= 3 * probe.size()
    assert {name // 1000 for name in names(buffer.sample("discard", 30))} == {2, 3, 4}
    assert buffer.metrics()["dropped_for_room"] == 20
    with pytest.raises(ValueError, match="no room for one batch"):
        fill(buffer, 1000, version=5)


def test_used_up_questions_leave_the_memory() -> None:
    buffer = ReplayBuffer(ReplayConfig())
    fill(buffer, 1000, 0)
    before = buffer.size()
    buffer.sample("discard", 900)
    assert buffer.size() < 0.2 * before
    buffer.sample("discard", 100)
    assert buffer.size() == 0 and buffer.metrics()["decisions"] == 0


class _Progress(TrainingProgress):
    replay: dict


def test_a_buffer_from_a_checkpoint_draws_the_same(tmp_path) -> None:
    config = ReplayConfig(reuse=2, staleness=3)
    buffer = ReplayBuffer(config, seed=4)
    for version in range(3):
        fill(buffer, 20, version)
        fill(buffer, 7, version, "chow")
        buffer.sample("discard", 15)
    buffer.advance(2)
    state, tensors = buffer.state()
    save_checkpoint(tmp_path / "c", _Progress(purpose="", replay=state.model_dump()), tensors)
    found = load_checkpoint(tmp_path / "c", "", _Progress)
    assert found is not None
    other = ReplayBuffer(config, seed=4)
    other.load(type(state).model_validate(found[0].replay), found[1])
    for _ in range(3):
        for model, n in (("discard", 12), ("chow", 5)):
            one, two = buffer.sample(model, n), other.sample(model, n)
            assert one is not None and two is not None
            assert one.dtype == two.dtype and one.tobytes() == two.tobytes()
        fill(buffer, 9, 3)
        fill(other, 9, 3)
    assert buffer.metrics() == other.metrics()


def test_other_seeds_draw_others() -> None:
    drawn = []
    for seed in (1, 1, 2):
        buffer = ReplayBuffer(ReplayConfig(), seed)
        fill(buffer, 100, 0)
        drawn.append(names(buffer.sample("discard", 20)))
    assert drawn[0] == drawn[1] != drawn[2]


def test_one_draw_is_not_like_the_next() -> None:
    buffer = ReplayBuffer(ReplayConfig(reuse=9))
    fill(buffer, 100, 0)
    assert names(buffer.sample("discard", 20)) != names(buffer.sample("discard", 20))
