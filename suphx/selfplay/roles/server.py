"""The parameter server role: learns from the buffers' lessons, publishes weights by version, sends off checkpoints.

With several processes, the first one leads: it gives each its part of a minibatch, and all add up their gradients.
"""

from __future__ import annotations

import itertools
import os
import time
from threading import Event
from typing import Any

import numpy as np
import ray
import torch
from ray.exceptions import GetTimeoutError, ObjectLostError, RayError, RayTaskError

from suphx.checkpoint import TrainingProgress, tensors_below
from suphx.learning.diverged import LearningDiverged
from suphx.learning.learner import LearnerState
from suphx.learning.peers import open_store
from suphx.networks.sizes import CRITIC
from suphx.reward.rounds import Errors
from suphx.selfplay.board import Averages
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.earlier import EarlierState, EarlierVersions
from suphx.selfplay.evaluation import Strength
from suphx.selfplay.roles.names import ask, find, find_all
from suphx.selfplay.roles.parcels import Counts, LessonParts, Published, Saved, pack_all, pack_networks
from suphx.selfplay.roles.requests import is_answered
from suphx.selfplay.roles.student import Student
from suphx.selfplay.seating import earlier
from suphx.selfplay.status import Collapsed, words_of_collapse, words_of_lost_rank

#: Seconds to wait for another role that has died and is being restarted.
_AGAIN_SECONDS = 0.5
#: Seconds until Ray has surely noticed that a process has died.
_DEATH_SECONDS = 30.0


class RolesProgress(TrainingProgress):
    """Progress of a distributed training, besides tensors."""

    version: int = 0
    steps: int = 0
    seconds: float = 0
    games: int = 0
    learner: LearnerState | None = None
    earlier: EarlierState = EarlierState()


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


class ParameterServer:
    """Leads the learning. A Ray actor: `run` has its own thread, other roles' requests run on another."""

    def __init__(self, config: TrainConfig, purpose: str) -> None:
        """purpose: identifies the run's checkpoints. Resumes from the monitor's checkpoint, if there is one."""
        self._config, self._monitor = config, find("monitor")
        self._buffers = find_all("buffers", config.roles.buffers.count)
        self._progress = RolesProgress(purpose=purpose)
        self._stop = Event()
        self._student = Student(0, config)
        self._others: list[Any] = []
        if config.roles.servers.count > 1:
            self._gather()
        self._earlier = EarlierVersions(earlier(config.table), self._student.learner.networks)
        saved: Saved | None = ask(self._monitor.last)
        if saved is not None:
            self._restore(saved)
        self._seated = [self._seat(place) for place in range(len(self._earlier.kept))]
        self._averages = Averages()
        self._new_games = 0  # finished games not yet counted by the learner
        self._turns = itertools.cycle(self._buffers)
        self._asked = self._ask_for_lesson()
        self._noted: Any = None
        self._saving: Any = None
        self._latest: tuple[int, list[Any]]
        self._publish()

    def _gather(self) -> None:
        """Start the other processes and connect with them; they end with this one."""
        role = self._config.roles.servers
        student = ray.remote(Student).options(num_cpus=role.cpus, num_gpus=role.gpus)
        self._others = [student.remote(rank, self._config) for rank in range(1, role.count)]
        ray.get([other.ready.remote() for other in self._others])  # a machine may be long in coming back
        host = ray.util.get_node_ip_address()
        self._store = open_store(host)  # must be kept while they share steps
        joined = [other.join.remote(host, self._store.port) for other in self._others]
        self._student.join(host, self._store.port)
        ray.get(joined)

    def _restore(self, saved: Saved) -> None:
        self._progress = RolesProgress.model_validate_json(saved.progress)
        assert self._progress.learner is not None
        learner = {name: each for name, each in saved.tensors.items() if not name.startswith("earlier.")}
        others = {name: torch.from_numpy(saved.tensors[name].copy()) for name in saved.tensors.keys() - learner.keys()}
        self._earlier.load(self._progress.earlier, tensors_below(others, "earlier."))
        reference = ray.put(learner)
        ray.get([other.load.remote(self._progress.learner, reference) for other in self._others])
        self._student.load(self._progress.learner, learner)

    def _seat(self, place: int) -> tuple[int, Any]:
        """Return an earlier version, as it is published."""
        return time.time_ns(), ray.put(pack_networks(self._earlier.kept[place]))

    def ready(self) -> str:
        """Return where it computes."""
        return str(self._student.precision)

    def latest(self, known: int | None) -> tuple[int, list[Any]] | None:
        """Return the latest publication's number and a reference to it (`Published`), or None if it is `known`."""
        latest = self._latest
        return None if latest[0] == known else latest

    def stop(self) -> None:
        """Make `run` end at the next version, with a checkpoint."""
        self._stop.set()

    def run(self) -> bool:
        """Learn until the configured number of games has been played; return False if it was told to stop before.

        Raises Collapsed or LearningDiverged, with the last good checkpoint kept.
        """
        saved = time.monotonic()
        strength: Strength | None = ask(self._monitor.strength)
        if strength and (words := words_of_lost_rank(self._config, strength)):
            raise Collapsed(words)
        measured = strength.games if strength else 0
        while self._progress.games < self._config.games and not self._stop.is_set():
            self._to_next_version()
            alarms = self._student.learner.alarms()
            if alarms:
                raise Collapsed(words_of_collapse(alarms, self._progress.games))
            evaluation = self._config.evaluation
            due = evaluation is not None and self._progress.games - measured >= evaluation.every
            if due or time.monotonic() - saved >= self._config.checkpoint_seconds:
                self._save(measure=due)
                saved = time.monotonic()
                measured = self._progress.games if due else measured
        done = self._progress.games >= self._config.games
        self._count_games()  # for a run that goes on from here
        while True:
            self._save(measure=done and self._config.evaluation is not None)
            if self._wait_for_save():
                return done

    def _to_next_version(self) -> None:
        began, counts, learning, taken = time.monotonic(), Counts(), 0.0, 0
        while taken < self._config.publish_steps and not self._stop.is_set():
            found = self._lesson()
            if found is None:
                continue
            for share in found.shares:
                counts += share.counts
                self._progress.games += share.counts.games
                self._new_games += share.counts.games
                self._averages.add("replay", share.figures)
            self._student.learner.advantages.moments = found.moments
            if found.model is None:
                continue
            step_began = time.monotonic()
            self._learn(found)
            learning += time.monotonic() - step_began
            taken += 1
        self._progress.version += 1
        self._progress.steps += taken
        place = self._earlier.keep_if_due(self._progress.games, self._student.learner.networks)
        if place is not None:
            self._seated[place] = self._seat(place)
        self._publish()
        seconds = time.monotonic() - began
        self._progress.seconds += seconds
        self._note(counts, seconds, learning)

    def _ask_for_lesson(self) -> Any:  # a reference
        return next(self._turns).lesson.remote(self._config.roles.servers.count)  # in turn, since it is work to gather

    def _lesson(self) -> LessonParts | None:
        """Return the next lesson; the one after it is prepared meanwhile."""
        try:
            found: LessonParts = ray.get(self._asked)
        except RayTaskError:
            raise
        except RayError:  # the buffer is gone, and is being restarted
            time.sleep(_AGAIN_SECONDS)
            return None
        finally:
            self._asked = self._ask_for_lesson()
        return found

    def _learn(self, found: LessonParts) -> None:
        """Take a step, with each process learning from its part, once all have theirs."""
        assert found.model is not None
        running = [other.take.remote(*found.part(rank)) for rank, other in enumerate(self._others, 1)]
        try:
            self._student.take(*ray.get(found.part(0)))
            ray.get(running)
            games, self._new_games = self._new_games, 0
            running = [other.step.remote(found.model, games) for other in self._others]
            figures = self._student.step(found.model, games)
            ray.get(running)
        except LearningDiverged:
            raise
        except ObjectLostError:  # a buffer has died since, and its share with it
            return
        except (RayError, RuntimeError):  # torch raises RuntimeError if a peer is gone
            if not any(map(_is_lost, running)):
                raise
            os._exit(1)  # a crash to Ray, which restarts this process, and it the others, from the checkpoint
        staleness = float(self._progress.version - self._student.lesson.version.astype(np.int64).mean())
        self._averages.add(found.model, figures[found.model] | {"staleness": staleness})
        if CRITIC in figures:
            self._averages.add(CRITIC, figures[CRITIC])

    def _count_games(self) -> None:
        """Count games that have ended since the last step."""
        games, self._new_games = self._new_games, 0
        self._student.learner.count_games(games)
        ray.get([other.count_games.remote(games) for other in self._others])

    def _publish(self) -> None:
        learner = self._student.learner
        networks = pack_all(learner)
        published = Published(self._progress.version, learner.gamma, time.time(), networks, list(self._seated))
        self._latest = (time.time_ns(), [ray.put(published)])
        for buffer in self._buffers:
            buffer.advance.remote(self._progress.version)

    def _note(self, counts: Counts, seconds: float, learning: float) -> None:
        """Send progress and figures to the monitor, unless it has not yet received the last ones."""
        progress = self._progress
        rates = {"games_per_s": counts.games / seconds, "decisions_per_s": counts.decisions / seconds}
        self._averages.add("rate", rates | {"learning": learning / seconds})
        play: dict[str, float] = {"version": progress.version, "gamma": self._student.learner.gamma}
        if counts.paths:
            mean = counts.reward / counts.paths
            play["reward_mean"] = mean
            play["reward_spread"] = max(counts.reward_square / counts.paths - mean**2, 0.0) ** 0.5
            play["rounds"] = counts.rounds
        play |= Errors(counts.phi_square, counts.phi_count).figures()
        self._averages.add("play", play)
        if counts.seconds:
            share = {"waiting": counts.waiting / counts.seconds, "held": counts.held / counts.seconds}
            self._averages.add("simulator", share)
        if not is_answered(self._noted):
            return
        self._noted = self._monitor.tell.remote(self._averages.take(), progress.games, progress.version)

    def _save(self, measure: bool) -> None:
        """Send off a checkpoint, after the one before has been written."""
        self._wait_for_save()
        learner = self._student.learner
        state, tensors = learner.state()
        self._progress.learner, self._progress.earlier = state, self._earlier.state
        tensors |= {f"earlier.{name}": each for name, each in self._earlier.tensors().items()}
        arrays = {name: each.detach().cpu().numpy().copy() for name, each in tensors.items()}
        networks = pack_networks(learner.networks)
        saved = Saved(self._progress.model_dump_json(), arrays, networks, learner.gamma)
        self._saving = self._monitor.keep.remote(saved, measure)

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
