"""The processes of a parameter server: the experience that each keeps, and how they make a minibatch together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pytest
import ray
from selfplay_tables import collect, tiny_collector, tiny_networks

from suphx.learning.advantages import raw_advantages
from suphx.learning.experience import Batch
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.play import PlayCounts
from suphx.selfplay.roles import server as server_module
from suphx.selfplay.roles.run_inputs import Networks, RunInputs, program
from suphx.selfplay.roles.server import LearningWorker, ParameterServer, Share


class _Handle:
    """A process of a parameter server whose methods are called here, as if by Ray."""

    def __init__(self, worker: LearningWorker, pool: ThreadPoolExecutor) -> None:
        self._worker, self._pool = worker, pool

    def __getattr__(self, name: str) -> _Method:
        return _Method(getattr(self._worker, name), self._pool)


class _Method:
    def __init__(self, method: Callable[..., object], pool: ThreadPoolExecutor) -> None:
        self._method, self._pool = method, pool

    def remote(self, *arguments: object) -> Future[object]:
        return self._pool.submit(self._method, *arguments)


class Several:
    """A parameter server of several processes, all of this one, and experience for them."""

    def __init__(self, pool: ThreadPoolExecutor, count: int, ahead: int, **learning: object) -> None:
        values: dict[str, object] = {"learning": {"models": ["discard"], "batch": 16} | learning}
        config = TrainConfig.model_validate(values | {"roles": {"servers": {"count": count}, "ahead": ahead}})
        inputs = RunInputs(config, program(), ray.cloudpickle.dumps(Networks(tiny_networks(), {})), (), config.reward)
        self._config, self._pool = config.learning, pool
        self.all = [LearningWorker(rank, inputs) for rank in range(count)]
        self.server = ParameterServer.__new__(ParameterServer)
        self.server._worker, self.server._others = self.all[0], [_Handle(each, pool) for each in self.all[1:]]
        self.server._models, self.server._draws, self.server._lacks = list(config.learning.models), 0, False
        self._collector = tiny_collector(models=tuple(config.learning.models))
        for each in self.all:
            each.load(None, {})

    def send(self, number: int, *models: str) -> Future[None]:
        """Send eight rounds of a version that is the process's number, or only the decisions of some models in them."""
        batch = collect(self._collector, 8)
        batch.trajectories["version"] = number
        batch.fill()
        if models:
            batch = Batch(batch.trajectories, {model: batch.experience[model] for model in models})
        before = self.all[number]._replay._state.added
        call = self._pool.submit(self.all[number].add, batch, raw_advantages(self._config, batch), PlayCounts(rounds=8))
        while self.all[number]._replay._state.added == before:
            time.sleep(0.01)
        return call

    def draw(self) -> tuple[str | None, list[np.ndarray | None], list[Share]]:
        """Return the model of the next minibatch, if there is one, what each process drew, and the shares."""
        model, number, shares = self.server._draw()
        return model, [each._drawn[number % 2] for each in self.all], shares


@pytest.fixture
def several(monkeypatch) -> Iterator[Callable[..., Several]]:
    def get(what: object, timeout: float | None = None) -> object:
        return [each.result(60) for each in what] if isinstance(what, list) else what

    monkeypatch.setattr(server_module.ray, "get", get)
    monkeypatch.setattr(server_module, "_PATIENCE_SECONDS", 0.2)
    with ThreadPoolExecutor(16) as pool:
        made: list[Several] = []

        def make(count: int, ahead: int, **learning: object) -> Several:
            made.append(Several(pool, count, ahead, **learning))
            return made[-1]

        yield make
        for each in made:  # let those who wait go
            for worker in each.all:
                worker.ready_models([], lacks=True)


def is_done(call: Future[None], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not call.done() and time.monotonic() < until:
        time.sleep(0.01)
    return call.done()


def test_a_server_makes_simulators_wait_until_its_minibatches_are_taken(several):
    alone = several(1, ahead=2)
    waiting = alone.send(0)
    assert not is_done(waiting, 0.5)
    taken, minibatches = 0, 0
    while not is_done(waiting, 0.1):
        model, (rows,), (share,) = alone.draw()
        assert model == "discard" and rows is not None and len(rows) == 16
        taken, minibatches = taken + share.counts.rounds, minibatches + 1
    assert taken == 8 and minibatches
    while alone.draw()[0] is not None:
        pass


def test_a_minibatch_is_drawn_from_all_processes_in_equal_shares(several):
    three = several(3, ahead=1, batch=50)
    for number in range(3):
        three.send(number)
    model, parts, shares = three.draw()
    assert model == "discard" and [len(each) for each in parts if each is not None] == [16, 17, 17]
    assert [np.unique(each["version"]).tolist() for each in parts if each is not None] == [[0], [1], [2]]
    planes = np.concatenate([each["planes"] for each in parts if each is not None])
    assert len(np.unique(planes, axis=0)) > 40  # no row twice: few decisions look alike
    assert [share.counts.rounds for share in shares] == [8, 8, 8]
    assert not any(share.counts.rounds for share in three.draw()[2])  # told once


def test_there_is_no_minibatch_without_every_process_and_simulators_that_wait_go_on_meanwhile(several):
    """They may have what another process lacks; if they waited on, nobody would ever learn anything."""
    two = several(2, ahead=1)
    for _ in range(2):
        waiting = two.send(0)
        assert not is_done(waiting, 0.5) or two.server._lacks
        assert two.draw()[0] is None
        assert two.draw()[0] is None
        assert is_done(waiting, 10)
    two.send(1)
    model, parts, _ = two.draw()
    assert model == "discard" and [len(each) for each in parts if each is not None] == [8, 8]


def test_a_minibatch_is_of_a_model_for_which_all_processes_have_decisions(several):
    two = several(2, ahead=1, models=["discard", "chow"])
    two.send(0, "discard")
    two.send(1, "chow")
    assert two.draw()[0] is None
    two.send(1, "discard")
    assert {two.draw()[0] for _ in range(3)} == {"discard"}


def test_models_have_minibatches_in_turn(several):
    two = several(2, ahead=1, models=["discard", "chow"])
    for number in range(2):
        two.send(number)
    assert [two.draw()[0] for _ in range(4)] == ["discard", "chow"] * 2


def test_a_process_that_has_not_been_loaded_receives_nothing(several):
    """Its advantages would be normalized by moments that are not the run's."""
    alone = several(1, ahead=1)
    alone.all[0]._is_loaded = False
    batch = collect(alone._collector, 4)
    call = alone._pool.submit(alone.all[0].add, batch, raw_advantages(alone._config, batch), PlayCounts())
    assert not is_done(call, 0.3) and not alone.all[0]._replay.available("discard")
    alone.all[0].load(None, {})
    while not alone.all[0]._replay.available("discard"):
        time.sleep(0.01)


def test_batches_smaller_than_the_number_of_servers_are_refused():
    def config(batch: int) -> Mapping[str, object]:
        return {"learning": {"batch": batch}, "roles": {"servers": {"count": 5}}}

    with pytest.raises(ValueError, match="too small for 5 servers"):
        TrainConfig.model_validate(config(4))
    TrainConfig.model_validate(config(5))
