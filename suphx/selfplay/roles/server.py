"""The parameter server role: learns from the buffers' minibatches, publishes weights by version, sends off checkpoints.

With several processes, the first one leads: it gives each its part of a minibatch, and all add up their gradients.
"""

import copy
import itertools
import os
import time
from collections.abc import Mapping
from threading import Event
from typing import Any

import numpy as np
import ray
import torch
from ray.exceptions import GetTimeoutError, ObjectLostError, RayError, RayTaskError

from suphx.learning.learner import Learner, LearnerState
from suphx.learning.optimizer import LearningDiverged
from suphx.learning.peers import Peers, TorchPeers, open_store
from suphx.networks.models import CRITIC
from suphx.networks.precision import keep_memory
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.play import PlayCounts
from suphx.selfplay.roles.buffer import Minibatch
from suphx.selfplay.roles.inference_client import Published
from suphx.selfplay.roles.resources import precision_for
from suphx.selfplay.roles.role import Role, ask, find, find_all, is_answered
from suphx.selfplay.roles.run_inputs import run_inputs_with_networks
from suphx.selfplay.training import Checkpoint, SelfPlayTraining

#: Seconds to wait for another role that has died and is being restarted.
_AGAIN_SECONDS = 0.5
#: Seconds until Ray has surely noticed that a process has died.
_DEATH_SECONDS = 30.0


class LearningWorker:
    """One process of the parameter server."""

    def __init__(self, rank: int, config: TrainConfig) -> None:
        keep_memory()
        self._rank, self._config = rank, config
        self.precision = precision_for(config.roles.servers)
        _, self._networks = run_inputs_with_networks()
        self.learner = self._make(Peers())
        self.minibatch: np.ndarray
        """What the next step is about."""

    def _make(self, peers: Peers) -> Learner:
        learning = self._config.learning
        starts = {model: copy.deepcopy(self._networks.start[model]) for model in learning.models}
        return Learner(starts, learning, self.precision, self._config.seed, peers)

    def ready(self) -> None:
        """Return once it has started."""

    def join(self, host: str, port: int) -> None:
        """Share every step from now on, connecting through the store at an address; return once all have joined."""
        size = self._config.roles.servers.count
        self.learner = self._make(TorchPeers(self._rank, size, host, port, self.precision.device))

    def load(self, state: LearnerState, tensors: Mapping[str, np.ndarray]) -> None:
        """Resume from a checkpoint."""
        self.learner.load(state, {name: torch.from_numpy(each.copy()) for name, each in tensors.items()})

    def count_games(self, games: int) -> None:
        """Count games that have ended, for the schedules."""
        self.learner.count_games(games)

    def take(self, *rows: np.ndarray) -> None:
        """Receive this process's part of the minibatch for the next step."""
        self.minibatch = np.concatenate(rows)  # copied, since arrays that Ray passes are read-only

    def step(self, model: str, version: int, games: int) -> dict[str, dict[str, float]]:
        """Take a step on what was received last; return the metrics of `Learner.learn`.

        version: of the weights that play now. games: number of games that have ended since the last step.
        """
        self.learner.count_games(games)
        return self.learner.learn(model, self.minibatch, version)


def _is_lost(step: Any) -> bool:
    """Whether a step failed because its process is gone; raises what the step itself raised."""
    try:
        ray.get(step, timeout=_DEATH_SECONDS)
    except RayTaskError:
        raise
    except GetTimeoutError:
        return False
    except RayError:
        return True
    return False


class ParameterServer(Role, SelfPlayTraining):
    """Leads the learning. A Ray actor: `run` has its own thread, other roles' requests run on another."""

    def __init__(self, config: TrainConfig) -> None:
        """Go on from the monitor's checkpoint, if there is one."""
        self._monitor = find("monitor")
        self._buffers = find_all("buffers", config.roles.buffers.count)
        self._stop = Event()
        self._worker = LearningWorker(0, config)
        self._others: list[Any] = []
        if config.roles.servers.count > 1:
            self._gather(config)
        super().__init__(config, self._worker.learner, self._saved())
        self.progress.replay = None  # buffers start empty
        self._new_games = 0  # finished games not yet counted by the learner
        self._turns = itertools.cycle(self._buffers)
        self._request = self._ask_for_minibatch()
        self._noted: Any = None
        self._saving: Any = None
        self._latest: tuple[int, list[Any]]
        self._publish()

    def _gather(self, config: TrainConfig) -> None:
        """Start the other processes and connect with them; they end with this one."""
        role = config.roles.servers
        worker = ray.remote(LearningWorker).options(num_cpus=role.cpus, num_gpus=role.gpus)
        self._others = [worker.remote(rank, config) for rank in range(1, role.count)]
        ray.get([other.ready.remote() for other in self._others])  # a machine may be long in coming back
        host = ray.util.get_node_ip_address()
        self._store = open_store(host)  # must be kept while they share steps
        joined = [other.join.remote(host, self._store.port) for other in self._others]
        self._worker.join(host, self._store.port)
        ray.get(joined)

    def _saved(self) -> Checkpoint | None:
        """Return the last checkpoint, which the other processes have loaded then; None if there is none."""
        saved = ask(self._monitor.saved_arrays)
        if saved is None:
            return None
        progress, arrays = saved
        learner = {name.removeprefix("learner."): each for name, each in arrays.items() if name.startswith("learner.")}
        reference = ray.put(learner)
        ray.get([other.load.remote(progress.learner, reference) for other in self._others])
        return progress, {name: torch.from_numpy(each.copy()) for name, each in arrays.items()}

    def latest(self, known: int | None) -> tuple[int, list[Any]] | None:
        """Return the latest publication's number and a reference to it (`Published`), or None if it is `known`."""
        latest = self._latest
        return None if latest[0] == known else latest

    def stop(self) -> None:
        """Make `run` end at the next version, with a checkpoint."""
        self._stop.set()

    def run(self) -> bool:
        """Learn until the configured number of games has been played; return False if it was stopped before."""
        return self.learn(ask(self._monitor.strength), self._stop)

    def _take_steps(self, stop: Event) -> tuple[PlayCounts, int, float]:
        counts, learning, taken = PlayCounts(), 0.0, 0
        while taken < self.config.publish_steps and not stop.is_set():
            minibatch = self._minibatch()
            if minibatch is None:
                continue
            counts += minibatch.counts
            self.progress.games += minibatch.counts.games
            self._new_games += minibatch.counts.games
            for metrics in minibatch.metrics:
                self.averages.add({"replay": metrics})
            self.learner.advantages.moments = minibatch.moments
            if minibatch.model is None:
                continue
            began = time.monotonic()
            self._learn(minibatch.model, minibatch.parts)
            learning += time.monotonic() - began
            taken += 1
        return counts, taken, learning

    def _ask_for_minibatch(self) -> Any:  # a reference
        buffer = next(self._turns)  # in turn, since it is work to gather a minibatch
        return buffer.minibatch.remote(self.config.roles.servers.count)

    def _minibatch(self) -> Minibatch | None:
        """Return the next minibatch; the one after it is prepared meanwhile."""
        try:
            minibatch: Minibatch = ray.get(self._request)
        except RayTaskError:
            raise
        except RayError:  # the buffer is gone, and is being restarted
            time.sleep(_AGAIN_SECONDS)
            return None
        finally:
            self._request = self._ask_for_minibatch()
        return minibatch

    def _learn(self, model: str, parts: list[list[Any]]) -> None:
        """Take a step, with each process learning from its part (references to rows), once all have theirs."""
        running = [other.take.remote(*part) for other, part in zip(self._others, parts[1:], strict=True)]
        try:
            self._worker.take(*ray.get(parts[0]))
            ray.get(running)
            games, self._new_games = self._new_games, 0
            step = model, self.progress.version, games
            running = [other.step.remote(*step) for other in self._others]
            metrics = self._worker.step(*step)
            ray.get(running)
        except LearningDiverged:
            raise
        except ObjectLostError:  # a buffer has died since, and its rows with it
            return
        except (RayError, RuntimeError):  # torch raises RuntimeError if a peer is gone
            if not any(map(_is_lost, running)):
                raise
            os._exit(1)  # a crash to Ray, which restarts this process, and it the others, from the checkpoint
        self.averages.add(metrics)

    def _publish(self) -> None:
        critic, version = self.learner.critic, self.progress.version
        networks = self.learner.networks | ({} if critic is None else {CRITIC: critic.network})
        on_cpu = {model: copy.deepcopy(network).cpu() for model, network in networks.items()}
        published = Published(version, self.learner.gamma, time.time(), on_cpu)
        self._latest = (time.time_ns(), [ray.put(published)])
        for buffer in self._buffers:
            buffer.advance.remote(version)

    def _report(self, counts: PlayCounts, seconds: float, learning: float) -> None:
        """Send progress and metrics to the monitor, unless it has not yet received the last ones."""
        super()._report(counts, seconds, learning)
        if counts.seconds:
            share = {"waiting": counts.waiting / counts.seconds, "held": counts.held / counts.seconds}
            self.averages.add({"simulator": share})
        if is_answered(self._noted):
            self._noted = self._monitor.tell.remote(self.averages.take(), self.progress.games, self.progress.version)

    def _save(self, measure: bool, last: bool = False) -> None:
        """Send off a checkpoint, after the one before has been written; wait for the last one."""
        games, self._new_games = self._new_games, 0
        self.learner.count_games(games)
        ray.get([other.count_games.remote(games) for other in self._others])
        while True:
            self._wait_for_save()
            progress, tensors = self.checkpoint()
            arrays = {name: each.detach().cpu().numpy() for name, each in tensors.items()}
            self._saving = self._monitor.keep_arrays.remote(progress, arrays, measure)
            if not last or self._wait_for_save():
                return

    def _wait_for_save(self) -> bool:
        """Return whether the last checkpoint that was sent off has been written."""
        saving, self._saving = self._saving, None
        if saving is None:
            return True
        try:
            ray.get(saving)
        except RayTaskError:
            raise
        except RayError:
            time.sleep(_AGAIN_SECONDS)  # the monitor is gone, and is being restarted; the next checkpoint may succeed
            return False
        return True
