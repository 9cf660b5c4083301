"""The parameter server: keeps experience, learns from it, publishes weights by version, sends off checkpoints.

With several processes, the first one leads. Simulators send experience to all of them in turn; each draws its share of
every minibatch from what it has, and they add up their gradients.
"""

import copy
import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Condition, Event
from typing import Any

import numpy as np
import ray
import torch
from ray.exceptions import GetTimeoutError, RayError, RayTaskError

from suphx.learning.experience import Batch
from suphx.learning.learner import Learner, LearnerState
from suphx.learning.optimizer import LearningDiverged
from suphx.learning.peers import Peers, TorchPeers, open_store
from suphx.learning.replay import ReplayBuffer
from suphx.networks.models import CRITIC
from suphx.networks.precision import keep_memory
from suphx.selfplay.evaluation import Strength
from suphx.selfplay.play import PlayCounts
from suphx.selfplay.roles.inference_client import Published
from suphx.selfplay.roles.role import Message, Role, precision_for
from suphx.selfplay.roles.run_inputs import RunInputs
from suphx.selfplay.training import SelfPlayProgress, SelfPlayTraining

#: Seconds after which a minibatch is given up for lack of decisions, to look whether to stop.
_PATIENCE_SECONDS = 1.0
#: Seconds to wait if all processes have decisions, but of different models.
_AGAIN_SECONDS = 0.05
#: Seconds until Ray has surely noticed that a process has died.
_DEATH_SECONDS = 30.0
#: Groups of methods of a process that run on their own threads, and how many.
THREADS = {"add": 1, "learn": 1}


@dataclass(frozen=True)
class Share:
    """A process's share of a minibatch."""

    is_complete: bool
    """Whether it has been drawn."""
    counts: PlayCounts
    """Those of what the process received since it drew last."""
    metrics: dict[str, float]
    """About what it keeps (`ReplayBuffer.metrics`)."""


class LearningWorker:
    """One process of the parameter server."""

    def __init__(self, rank: int, inputs: RunInputs) -> None:
        keep_memory()
        self._rank, self._config = rank, inputs.config
        self._processes = inputs.config.roles.servers.count
        self.precision = precision_for(inputs.config.roles.servers)
        self._start = inputs.load_networks().start
        self.learner = self._make(Peers())
        self._replay = ReplayBuffer(inputs.config.learning.replay, inputs.config.seed + rank)
        self._changed = Condition()  # for all below
        self._counts = PlayCounts()
        self._lacks = False
        self._is_loaded = False
        self._drawn: list[np.ndarray | None] = [None, None]  # one is learned from while the other one is drawn

    def _make(self, peers: Peers) -> Learner:
        learning = self._config.learning
        starts = {model: copy.deepcopy(self._start[model]) for model in learning.models}
        return Learner(starts, learning, self.precision, self._config.seed, peers)

    def ready(self) -> None:
        """Return once it has started."""

    def join(self, host: str, port: int) -> None:
        """Share every step from now on, connecting through the store at an address; return once all have joined."""
        self.learner = self._make(TorchPeers(self._rank, self._processes, host, port, self.precision.device))

    def load(self, state: LearnerState | None, tensors: Mapping[str, np.ndarray]) -> None:
        """Resume from a checkpoint, if there is one, and receive experience from now on."""
        if state is not None:
            self.learner.load(state, {name: torch.from_numpy(each.copy()) for name, each in tensors.items()})
        with self._changed:
            self._is_loaded = True
            self._changed.notify_all()

    @ray.method(concurrency_group="add")
    def add(self, batch: Batch, raw: dict[str, np.ndarray], counts: PlayCounts) -> None:
        """Add experience; return once there is room for more.

        raw: f64[n] by model, advantages from `raw_advantages`. counts: of what was played for it.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._is_loaded)
            self._replay.add(batch, self.learner.advantages.of(batch, raw))
            self._counts += counts
            self._changed.notify_all()
            self._changed.wait_for(self._has_room)

    def _has_room(self) -> bool:
        """Whether some model has fewer decisions than it should have ahead, or another process lacks decisions.

        Simulators that wait here may have some for that one.
        """
        ahead = self._config.roles.ahead
        return self._lacks or not all(self._has(model, ahead) for model in self._config.learning.models)

    def _has(self, model: str, shares: int) -> bool:
        return self._replay.available(model) >= shares * self._rows(model)

    def _rows(self, model: str) -> int:
        """Return how many rows of a model's minibatch come from this process."""
        batch, size = self._config.learning.batch_for(model), self._processes
        return batch * (self._rank + 1) // size - batch * self._rank // size

    def ready_models(self, models: Sequence[str], lacks: bool) -> list[str]:
        """Wait a while until there are enough decisions for its share of a minibatch; return of which models.

        lacks: whether some process lacked decisions before.
        """
        with self._changed:
            self._lacks = lacks
            self._changed.notify_all()
            self._changed.wait_for(lambda: any(self._has(model, 1) for model in models), _PATIENCE_SECONDS)
            return [model for model in models if self._has(model, 1)]

    def draw(self, model: str | None, number: int) -> Share:
        """Draw its share of a model's minibatch, which `step` takes by that number; None: only tell what is new."""
        with self._changed:
            drawn = None if model is None else self._replay.sample(model, self._rows(model))
            self._drawn[number % 2] = drawn
            counts, self._counts = self._counts, PlayCounts()
            self._changed.notify_all()
            return Share(drawn is not None, counts, self._replay.metrics())

    def advance(self, version: int) -> None:
        """Set the version that plays now."""
        with self._changed:
            self._replay.advance(version)
            self._changed.notify_all()

    def count_games(self, games: int) -> None:
        """Count games that have ended, for the schedules."""
        self.learner.count_games(games)

    @ray.method(concurrency_group="learn")
    def step(self, model: str, number: int, version: int, games: int) -> dict[str, dict[str, float]]:
        """Take a step on what was drawn by a number; return the metrics of `Learner.learn`.

        version: of the weights that play now. games: number of games that have ended since the last step.
        """
        self.learner.count_games(games)
        minibatch = self._drawn[number % 2]
        assert minibatch is not None
        return self.learner.learn(model, minibatch, version)


class ParameterServer(Role, SelfPlayTraining):
    """Leads the learning. A Ray actor, whose threads are `THREADS`."""

    def __init__(self, inputs: RunInputs) -> None:
        """Start all processes."""
        self.config = inputs.config
        self._models = list(inputs.config.learning.models)
        self._stop = Event()
        self._thread = ThreadPoolExecutor(1)  # draws the next minibatch during a step
        self._next: Future[tuple[str | None, int, list[Share]]] | None = None
        self._draws, self._lacks = 0, False
        self._latest: tuple[int, list[Any]] | None = None
        self._unsaved: tuple[SelfPlayProgress, dict[str, np.ndarray], bool] | None = None
        self._worker: Any = LearningWorker(0, inputs)
        self._others: list[Any] = []
        if self.config.roles.servers.count > 1:
            self._gather(inputs)

    def _gather(self, inputs: RunInputs) -> None:
        """Start the other processes and connect with them; they end with this one."""
        role = self.config.roles.servers
        remote: Any = ray.remote
        worker = remote(concurrency_groups=THREADS)(LearningWorker).options(num_cpus=role.cpus, num_gpus=role.gpus)
        self._others = [worker.remote(rank, inputs) for rank in range(1, role.count)]
        ray.get([other.ready.remote() for other in self._others])  # a machine may be long in coming back
        host = ray.util.get_node_ip_address()
        self._store = open_store(host)  # must be kept while they share steps
        self._everywhere("join", host, self._store.port)

    def _everywhere(self, method: str, *arguments: object) -> list[Any]:
        """Call a method in every process, and return what they return; ends this one if another has died."""
        running = [getattr(other, method).remote(*arguments) for other in self._others]
        try:
            return [getattr(self._worker, method)(*arguments), *ray.get(running)]
        except LearningDiverged:
            raise
        except (RayError, RuntimeError):  # torch raises RuntimeError if a peer is gone
            if any(map(_is_lost, running)):
                os._exit(1)  # a crash to Ray, which restarts this process, and it the others, from the checkpoint
            raise

    def others(self) -> list[Any]:
        """Return the handles of the other processes, which receive experience as this one does."""
        return self._others

    @ray.method(concurrency_group="add")
    def add(self, batch: Batch, raw: dict[str, np.ndarray], counts: PlayCounts) -> None:
        """Add experience to this process (`LearningWorker.add`)."""
        self._worker.add(batch, raw, counts)

    def latest(self, known: int | None) -> tuple[int, list[Any]] | None:
        """Return the latest publication's number and a reference to it (`Published`), or None if it is `known`."""
        latest = self._latest
        return None if latest is None or latest[0] == known else latest

    def stop(self) -> None:
        """Make `run` end at the next version, with a checkpoint."""
        self._stop.set()

    def pulse(self) -> list[Message]:
        """Return what there is to tell since the last call, the last checkpoint included."""
        unsaved, self._unsaved = self._unsaved, None
        return [*super().pulse(), *([("keep_arrays", unsaved)] if unsaved else [])]

    @ray.method(concurrency_group="learn")
    def run(
        self, progress: SelfPlayProgress, arrays: dict[str, np.ndarray], strength: Strength | None
    ) -> tuple[bool, list[Message]]:
        """Learn until the configured number of games has been played, from a checkpoint's progress and learner.

        strength: the last measurement. Returns False if it was stopped before, and what there is to tell.
        """
        progress.replay = None  # no experience is kept at first
        SelfPlayTraining.__init__(self, self.config, self._worker.learner, progress)
        self._everywhere("load", progress.learner, arrays)
        self._new_games = 0  # finished games not yet counted by the learner
        self._publish()
        return self.learn(strength, self._stop), self.pulse()

    def _take_steps(self, stop: Event) -> tuple[PlayCounts, int, float]:
        counts, learning, taken = PlayCounts(), 0.0, 0
        while taken < self.config.publish_steps and not stop.is_set():
            self._next = self._next or self._thread.submit(self._draw)
            model, number, shares = self._next.result()
            self._next = self._thread.submit(self._draw)
            for share in shares:
                counts += share.counts
                self.progress.games += share.counts.games
                self._new_games += share.counts.games
                self.averages.add({"replay": share.metrics})
            if model is None:
                continue
            began = time.monotonic()
            games, self._new_games = self._new_games, 0
            self.averages.add(self._everywhere("step", model, number, self.progress.version, games)[0])
            learning += time.monotonic() - began
            taken += 1
        return counts, taken, learning

    def _draw(self) -> tuple[str | None, int, list[Share]]:
        """Have all processes draw a minibatch of the next model, in turn, with enough decisions in each of them.

        Returns the model, None if there is none, the minibatch's number, and the shares.
        """
        ready = self._everywhere("ready_models", self._models, self._lacks)
        common = [model for model in self._models if all(model in each for each in ready)]
        self._lacks = not common
        if self._lacks:
            time.sleep(_AGAIN_SECONDS)
        model, number = common[0] if common else None, self._draws
        self._draws += 1
        shares: list[Share] = self._everywhere("draw", model, number)
        if model is not None:
            at = self._models.index(model) + 1
            self._models = self._models[at:] + self._models[:at]
        is_complete = all(share.is_complete for share in shares)  # unless decisions have become too old meanwhile
        return model if is_complete else None, number, shares

    def _publish(self) -> None:
        critic, version = self.learner.critic, self.progress.version
        networks = self.learner.networks | ({} if critic is None else {CRITIC: critic.network})
        on_cpu = {model: copy.deepcopy(network).cpu() for model, network in networks.items()}
        published = Published(version, self.learner.gamma, time.time(), on_cpu)
        self._latest = (time.time_ns(), [ray.put(published)])
        self._everywhere("advance", version)

    def _report(self, counts: PlayCounts, seconds: float, learning: float) -> None:
        """Tell the monitor progress and metrics."""
        super()._report(counts, seconds, learning)
        if counts.seconds:
            share = {"waiting": counts.waiting / counts.seconds, "held": counts.held / counts.seconds}
            self.averages.add({"simulator": share})
        self.tell("tell", self.averages.take(), self.progress.games, self.progress.version)

    def _save(self, measure: bool, last: bool = False) -> None:
        """Let the monitor write a checkpoint; one that it has not taken yet is replaced."""
        games, self._new_games = self._new_games, 0
        self._everywhere("count_games", games)
        progress, tensors = self.checkpoint()
        arrays = {name: each.detach().cpu().numpy().copy() for name, each in tensors.items()}
        before = self._unsaved
        self._unsaved = progress.model_copy(deep=True), arrays, measure or (before is not None and before[2])


def _is_lost(call: Any) -> bool:
    """Whether a call failed because its process is gone; raises what the call itself raised."""
    try:
        ray.get(call, timeout=_DEATH_SECONDS)
    except RayTaskError:
        raise
    except GetTimeoutError:
        return False
    except RayError:
        return True
    return False
