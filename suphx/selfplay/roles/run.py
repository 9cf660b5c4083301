"""`DistributedTraining`: starts the roles, watches over them, and ends the run with an explanation.

Ray restarts a process that has died; its callers get an error and ask again. What remains to be done here: to check
that all processes start, to write what they tell, to handle the errors they raise, to let the parameter server go on
from the checkpoint if it has died, and to notice if the cluster has lost its head node.
"""

import itertools
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from suphx.checkpoint import tensors_below
from suphx.cluster import answers, join_or_start
from suphx.errors import InputError, words_of
from suphx.learning.optimizer import LearningDiverged
from suphx.plugins import PLUGINS_VARIABLE
from suphx.selfplay.config import RoleConfig, TrainConfig
from suphx.selfplay.evaluation import Strength
from suphx.selfplay.monitor import RunMonitor
from suphx.selfplay.roles.engine import InferenceEngine
from suphx.selfplay.roles.plan import GIB, Node, plan_of, this_machine
from suphx.selfplay.roles.role import Message, cause_of, name_of
from suphx.selfplay.roles.run_inputs import publish_run_inputs
from suphx.selfplay.roles.server import THREADS, ParameterServer
from suphx.selfplay.roles.simulator import Simulator
from suphx.selfplay.training import Collapsed, SelfPlayInterrupted, TrainingReport

#: Seconds between two checks of the run.
_LOOK_SECONDS = 1.0
#: Seconds that simulators have to end by themselves.
_STOP_SECONDS = 20.0
_RESUME = "Run the same command again to resume from the last checkpoint."


class RoleLost(InputError):
    """A role did not start, or died too often; the message says which."""


class ClusterLost(InputError):
    """Ray itself is gone: its head node, or the process through which this one is connected."""


def start_ray(config: TrainConfig, address: str | None) -> None:
    """Join the Ray cluster at an address (`auto`: this machine's), or start Ray on this machine alone if it is None."""
    node, store = this_machine(), int(config.roles.object_store_gib * GIB)
    join_or_start(address, max(int(node.cpus), 1), int(node.gpus), store, config.name)


def nodes_of_cluster() -> list[Node]:
    """Return the machines of the Ray cluster that this process has joined."""
    alive = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    return [Node(each.get("CPU", 0), each.get("GPU", 0), int(each.get("memory", 0)) or None) for each in alive]


@dataclass(frozen=True)
class _Pulse:
    """A request to a process, to see whether it is there, and what it tells."""

    actor: Any
    role: str
    name: str
    since: float
    """When it was sent."""


class DistributedTraining:
    """A training in its own folder, with roles on the Ray cluster that this process has joined (`start_ray`)."""

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        """Raises InputError if something cannot be used or scheduled, before anything is started."""
        plan_of(config).check(nodes_of_cluster())
        self.config = config
        self._monitor = RunMonitor(config, folder)
        self.folder = self._monitor.folder
        self.progress, _ = self._monitor.saved()
        self._head = ray.get_runtime_context().gcs_address
        self._actors: dict[str, list[Any]] = {}
        self._pulses: dict[Any, _Pulse] = {}
        self._playing: dict[Any, str] = {}
        self.strength: Strength | None = None
        """The last measurement, once the run has ended."""

    def run(self, watch: Callable[[TrainingReport], None], stop: Event) -> None:
        """Train until the configured number of games has been played.

        watch: called with a report about every second. stop: set it to end the training early, with a checkpoint
        written and SelfPlayInterrupted raised. If the policy collapses or learning diverges, the last good checkpoint
        is kept and InputError raised. Raises RoleLost if a process does not start or dies too often, and ClusterLost if
        Ray is gone.
        """
        self._monitor.open()
        try:
            self._begin()
            self._wait(watch, stop)
        except RayError as error:
            raise self._error_of(error) from error
        except Collapsed as error:
            raise Collapsed(f"{error} {self.folder.last_good}") from error
        finally:
            if answers(self._head):
                self.end()
            self._monitor.close()

    def _begin(self) -> None:
        """Start all processes; they find each other by name, and wait for each other."""
        roles, inputs = self.config.roles, publish_run_inputs(self.config, self._monitor.start)
        self._start("servers", ParameterServer, roles.servers, [(inputs,)], THREADS)
        self._learn()
        self._start("engines", InferenceEngine, roles.engines, [(inputs,)] * roles.engines.count)
        of_simulators = [(number, inputs) for number in range(roles.simulators.count)]
        self._start("simulators", Simulator, roles.simulators, of_simulators, {"play": 1})
        self._playing = {
            each.run.options(max_task_retries=-1).remote(): name_of("simulators", number)
            for number, each in enumerate(self._actors["simulators"])
        }
        now = time.monotonic()
        self._pulses = {
            _pulse_of(actor): _Pulse(actor, role, name_of(role, number), now)
            for role, actors in self._actors.items()
            for number, actor in enumerate(actors)
        }

    def _learn(self) -> None:
        """Let the parameter server learn, from the last checkpoint."""
        progress, tensors = self._monitor.saved()
        learner = {name: each.numpy() for name, each in tensors_below(tensors, "learner.").items()}
        self._learning = self._actors["servers"][0].run.remote(progress, learner, self._monitor.strength())

    def _start(
        self,
        name: str,
        kind: type,
        role: RoleConfig,
        arguments: Sequence[tuple[object, ...]],
        threads: Mapping[str, int] | None = None,
    ) -> None:
        """Start the processes of a role, one for each tuple of arguments.

        threads: groups of methods that run on their own threads, and how many.
        """
        remote: Any = ray.remote
        actor_class = remote(concurrency_groups=dict(threads))(kind) if threads else remote(kind)
        actors = self._actors.setdefault(name, [])
        # By default libraries would start a thread for every core.
        environment = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(role.threads))
        environment[PLUGINS_VARIABLE] = os.environ.get(PLUGINS_VARIABLE, "")
        for number, each in enumerate(arguments):
            options = actor_class.options(
                name=name_of(name, number),
                num_cpus=role.cpus,
                num_gpus=role.gpus,
                max_restarts=self.config.roles.restarts,
                runtime_env={"env_vars": environment},
            )
            actors.append(options.remote(*each))

    def _check(self, answer: Any, who: str) -> Any:
        """Return what a process has answered; raises its error, also if it died."""
        try:
            return ray.get(answer)
        except RayError as error:
            raise self._error_of(error, who) from error

    def _wait(self, watch: Callable[[TrainingReport], None], stop: Event) -> None:
        shown, last, warning = self.progress.version, self._monitor.strength(), ""
        while (done := self._has_learned()) is None:
            warning, warned = self._hear(), warning
            if warning and warning != warned:
                watch(replace(self._monitor.report(), strength=None, warning=warning))
            report = self._monitor.report()
            if report.version != shown:
                shown = report.version
                watch(report if report.strength != last else replace(report, strength=None))
                last = report.strength
            if stop.is_set():
                self._actors["servers"][0].stop.remote()  # again and again, since it may be restarted meanwhile
            ended, _ = ray.wait([self._learning, *self._playing], timeout=_LOOK_SECONDS)
            self._check_head()
            for each in ended:
                if each is not self._learning:
                    self._check(each, self._playing[each])
                    raise RoleLost(f"{self._playing[each]} has ended by itself. {self.folder.last_good} {_RESUME}")
        for each in self._actors["simulators"]:
            each.stop.remote()
        played, _ = ray.wait(list(self._playing), num_returns=len(self._playing), timeout=_STOP_SECONDS)
        self._hear()  # what simulators told before the last that they tell
        for each in played:
            self._receive(self._check(each, self._playing[each]))
        self.end()  # a last measurement may take long
        while not self._monitor.has_measured():
            if stop.wait(_LOOK_SECONDS) or not done:
                self._monitor.interrupt()
        self.progress, _ = self._monitor.saved()
        self.strength = self._monitor.strength()
        if self.strength != last:
            watch(self._monitor.report())
        if not done or stop.is_set():
            raise SelfPlayInterrupted

    def _has_learned(self) -> bool | None:
        """Return what the parameter server's `run` returned, or None if it is still learning.

        If it has died, it learns again, from the checkpoint, as soon as Ray has restarted it.
        """
        if not ray.wait([self._learning], timeout=0)[0]:
            return None
        try:
            done, messages = ray.get(self._learning)
        except RayTaskError:
            raise
        except RayError:
            self._learn()
            return None
        of_server = [each for each, ping in self._pulses.items() if ping.role == "servers"]
        ray.wait(of_server, num_returns=len(of_server), timeout=_STOP_SECONDS)
        self._hear()  # what it told before
        self._receive(messages)
        return bool(done)

    def _receive(self, messages: Sequence[Message]) -> None:
        for method, arguments in messages:
            getattr(self._monitor, method)(*arguments)

    def _check_head(self) -> None:
        """Raise ClusterLost if the cluster has lost its head node."""
        if not answers(self._head):
            raise ClusterLost(f"Ray's head node is gone. {self.folder.last_good} {_RESUME}")

    def _hear(self) -> str:
        """Receive what processes tell, and ask them again; return a warning about those who are late, or "".

        Raises RoleLost for a process that cannot be restarted, and for late ones unless they may be restarted any
        number of times: then machines may come and go, and the run waits.
        """
        ready, _ = ray.wait(list(self._pulses), num_returns=len(self._pulses), timeout=0)
        now = time.monotonic()
        for each in ready:
            ping = self._pulses.pop(each)
            self._receive(self._check(each, ping.name))
            self._pulses[_pulse_of(ping.actor)] = replace(ping, since=now)
        roles = self.config.roles
        late = [ping.name for ping in self._pulses.values() if now - ping.since > roles.start_seconds]
        if not late:
            return ""
        left = ray.available_resources()
        words = f"no answer for {roles.start_seconds:g} s: {', '.join(late)}. Ray has {left.get('CPU', 0):g} cores and "
        words += f"{left.get('GPU', 0):g} GPUs left"
        if roles.restarts >= 0:
            raise RoleLost(
                f"{words}; is there a machine for them? roles.start_seconds can allow more time. "
                f"{self.folder.last_good} {_RESUME}"
            )
        return f"{words}; the run waits for a machine that has room for them"

    def _error_of(self, error: RayError, who: str = "a role") -> Exception:
        """Return the exception to raise for a role's error or death; raises ClusterLost if that is the reason."""
        self._check_head()
        cause = cause_of(error)
        if isinstance(cause, Collapsed | LearningDiverged):
            return InputError(f"{cause} {self.folder.last_good}")
        if isinstance(cause, OSError):
            return InputError(f"{who}: {words_of(cause)}. {self.folder.last_good} {_RESUME}")
        if isinstance(cause, InputError):
            return InputError(f"{who}: {cause}")
        if isinstance(error, RayTaskError):
            return error
        first = " ".join([line.strip() for line in str(error).splitlines() if line.strip()][:3])
        return RoleLost(f"{who} is gone for good: {first} {self.folder.last_good} {_RESUME}")

    def end(self) -> None:
        """End all processes."""
        if self._pulses:  # what a killed process has not answered, Ray would announce to ask again
            ray.wait(list(self._pulses), num_returns=len(self._pulses), timeout=_LOOK_SECONDS)
            self._pulses = {}
        for actor in itertools.chain(*self._actors.values()):
            with suppress(RayError):  # already gone
                ray.kill(actor)
        self._actors = {}


def _pulse_of(actor: Any) -> Any:  # a reference
    return actor.pulse.options(max_task_retries=-1).remote()
