"""`DistributedTraining`: starts the roles, watches over them, and ends the run with an explanation.

Ray restarts a process that has died; its callers get an error and ask again. What remains to be done here: to check
that all processes start, to handle the errors they raise, and to notice if the cluster has lost its head node.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

import ray
from ray.exceptions import GetTimeoutError, RayActorError, RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from suphx.checkpoint import load_checkpoint
from suphx.cluster import answers, join_or_start
from suphx.errors import InputError, words_of
from suphx.learning.optimizer import LearningDiverged
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.evaluation import Strength, read_strength
from suphx.selfplay.folder import RunFolder
from suphx.selfplay.roles.buffer import Buffer
from suphx.selfplay.roles.engine import InferenceEngine
from suphx.selfplay.roles.monitor import MonitorRole
from suphx.selfplay.roles.plan import GIB, Node, plan_of, this_machine
from suphx.selfplay.roles.resources import IN_FLIGHT, RoleConfig
from suphx.selfplay.roles.role import cause_of, name_of
from suphx.selfplay.roles.server import ParameterServer
from suphx.selfplay.roles.simulator import Simulator
from suphx.selfplay.training import Collapsed, SelfPlayInterrupted, SelfPlayProgress, TrainingReport, purpose

#: Threads of the monitor besides its main one.
_MONITOR_THREADS = {"measure": 1, "interrupt": 1}
#: Seconds between two checks of the run.
_LOOK_SECONDS = 1.0
#: Seconds that simulators have to end by themselves.
_STOP_SECONDS = 20.0
#: Seconds to wait for a report before the monitor is considered busy.
_REPORT_SECONDS = 20.0


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
class _Ping:
    """A request to a process, to see whether it is there."""

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
        self.config, self.folder = config, RunFolder(folder)
        self._purpose = purpose(config)
        self.progress = self._saved_progress()
        self._head = ray.get_runtime_context().gcs_address
        self._actors: dict[str, list[Any]] = {}
        self._last_report = TrainingReport(self.progress.games, config.games, self.progress.version, 0, 0)
        self.strength: Strength | None = None
        """The last measurement, once the run has ended."""

    def _saved_progress(self) -> SelfPlayProgress:
        """Return the progress of the last checkpoint; raises InputError if it is of another training."""
        checkpoint = load_checkpoint(self.folder.checkpoint, self._purpose, SelfPlayProgress)
        return checkpoint[0] if checkpoint else SelfPlayProgress(purpose=self._purpose)

    def run(self, watch: Callable[[TrainingReport], None], stop: Event) -> None:
        """Train until the configured number of games has been played.

        watch: called with a report about every second. stop: set it to end the training early, with a checkpoint
        written and SelfPlayInterrupted raised. If the policy collapses or learning diverges, the last good checkpoint
        is kept and InputError raised. Raises RoleLost if a process does not start or dies too often, and ClusterLost if
        Ray is gone.
        """
        try:
            self._begin()
            self._wait(watch, stop)
        except RayError as error:
            raise self._error_of(error) from error
        finally:
            if answers(self._head):
                self.end()

    def _begin(self) -> None:
        """Start all processes; they find each other by name."""
        config, roles = self.config, self.config.roles
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        moments = self.progress.learner.moments if self.progress.learner else None
        self._start("monitor", MonitorRole, roles.monitor, [(config, self.folder.path)], _MONITOR_THREADS, here)
        self._come_up("monitor")  # which the others ask what the run starts from
        in_flight = roles.simulators.count * roles.groups * IN_FLIGHT
        of_buffers = [(number, config.learning, config.seed, roles, moments) for number in range(roles.buffers.count)]
        self._start("buffers", Buffer, roles.buffers, of_buffers, calls=in_flight + 100)
        self._start("servers", ParameterServer, roles.servers, [(config,)], {"learn": 1})
        self._start("engines", InferenceEngine, roles.engines, [(roles.engines,)] * roles.engines.count)
        self._come_up("buffers", "servers", "engines")
        of_simulators = [(number, config) for number in range(roles.simulators.count)]
        self._start("simulators", Simulator, roles.simulators, of_simulators, {"play": 1})
        self._come_up("simulators")

    def _start(
        self,
        name: str,
        kind: type,
        role: RoleConfig,
        arguments: Sequence[tuple[object, ...]],
        threads: Mapping[str, int] | None = None,
        where: Any = None,
        calls: int | None = None,
    ) -> None:
        """Start the processes of a role, one for each tuple of arguments.

        threads: groups of methods that run on their own threads, and how many. where: Ray's scheduling strategy.
        calls: most calls that an asynchronous process answers at a time; Ray's default is 1,000.
        """
        remote: Any = ray.remote
        actor_class = remote(concurrency_groups=dict(threads))(kind) if threads else remote(kind)
        actors = self._actors.setdefault(name, [])
        # By default libraries would start a thread for every core.
        threads_of_libraries = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(role.threads))
        for number, each in enumerate(arguments):
            options = actor_class.options(
                name=name_of(name, number),
                num_cpus=role.cpus,
                num_gpus=role.gpus,
                max_restarts=self.config.roles.restarts,
                scheduling_strategy=where,
                runtime_env={"env_vars": threads_of_libraries},
                **({"max_concurrency": calls} if calls else {}),
            )
            actors.append(options.remote(*each))

    def _come_up(self, *names: str) -> None:
        """Wait until the processes of some roles have started; raise RoleLost, naming those that are late."""
        waiting = self._ask_to_live(*names)
        until = time.monotonic() + self.config.roles.start_seconds
        while waiting:
            ready, _ = ray.wait(list(waiting), timeout=max(until - time.monotonic(), 0.01))
            if not ready:
                late = ", ".join(f"{ping.name} of {len(self._actors[ping.role])}" for ping in waiting.values())
                left = ray.available_resources()
                raise RoleLost(
                    f"not there after {self.config.roles.start_seconds:g} s: {late}. Ray has {left.get('CPU', 0):g} "
                    f"cores and {left.get('GPU', 0):g} GPUs left; roles.start_seconds can allow more time"
                )
            for each in ready:
                self._check(each, waiting.pop(each).name)

    def _check(self, answer: Any, who: str) -> None:
        """Raise the error of a process that has answered, or died."""
        try:
            ray.get(answer)
        except RayError as error:
            raise self._error_of(error, who) from error

    def _wait(self, watch: Callable[[TrainingReport], None], stop: Event) -> None:
        server, monitor = self._actors["servers"][0], self._actors["monitor"][0]
        playing = {
            each.run.options(concurrency_group="play", max_task_retries=-1).remote(): name_of("simulators", number)
            for number, each in enumerate(self._actors["simulators"])
        }
        learning = server.run.options(concurrency_group="learn", max_task_retries=-1).remote()
        request, shown, last = None, self.progress.version, read_strength(self.folder.strength)
        pulse, late = self._ask_to_live(*self._actors), ""
        while True:
            ready, _ = ray.wait([learning, *playing], timeout=_LOOK_SECONDS)
            self._check_head()
            if learning in ready:
                done = ray.get(learning)
                break
            late, before = self._hear(pulse), late
            if late and late != before:
                watch(replace(self._last_report, warning=late))
            for each in ready:
                self._check(each, playing[each])
                raise RoleLost(f"{playing[each]} has ended by itself. {self.folder.last_good} {_RESUME}")
            if stop.is_set():
                server.stop.remote()  # again and again, since it may be restarted meanwhile
            request = request or monitor.report.remote()
            if ray.wait([request], timeout=0.2)[0]:
                report = _report(request)
                request = None
                self._last_report = report or self._last_report
                if report is not None and report.version != shown:
                    shown = report.version
                    if report.strength == last:
                        report = replace(report, strength=None)
                    else:
                        last = report.strength
                    watch(report)
        for each in self._actors["simulators"]:
            each.stop.remote()
        ray.wait(list(playing), num_returns=len(playing), timeout=_STOP_SECONDS)
        self.end("simulators", "engines", "servers", "buffers")  # a last measurement may take long
        self._finish(monitor, stop, done)
        self.progress = self._saved_progress()
        report = _report(monitor.report.remote())
        if report is not None and report.strength is not None and report.strength != last:
            watch(report)
        self.strength = report.strength if report else None
        if not done or stop.is_set():
            raise SelfPlayInterrupted

    def _finish(self, monitor: Any, stop: Event, done: bool) -> None:
        """Wait until the monitor has measured the last agent, if the training is done, and has closed its files."""
        finishing = monitor.finish.options(max_task_retries=-1).remote()
        while not ray.wait([finishing], timeout=_LOOK_SECONDS)[0]:
            if stop.is_set() or not done:
                monitor.interrupt.remote()
            self._check_head()
        ray.get(finishing)

    def _check_head(self) -> None:
        """Raise ClusterLost if the cluster has lost its head node."""
        if not answers(self._head):
            raise ClusterLost(f"Ray's head node is gone. {self.folder.last_good} {_RESUME}")

    def _ask_to_live(self, *roles: str) -> dict[Any, _Ping]:
        """Ask the processes of some roles whether they are there; a restarted one answers once it is ready."""
        now = time.monotonic()
        return {
            _ready(actor): _Ping(actor, role, name_of(role, number), now)
            for role in roles
            for number, actor in enumerate(self._actors[role])
        }

    def _hear(self, pulse: dict[Any, _Ping]) -> str:
        """Take the answers, and ask again those who have answered; return a warning about those who are late, or "".

        Raises RoleLost for a process that cannot be restarted, and for late ones unless they may be restarted any
        number of times: then machines may come and go, and the run waits.
        """
        ready, _ = ray.wait(list(pulse), num_returns=len(pulse), timeout=0)
        now = time.monotonic()
        for each in ready:
            ping = pulse.pop(each)
            self._check(each, ping.name)
            pulse[_ready(ping.actor)] = replace(ping, since=now)
        roles = self.config.roles
        late = [ping.name for ping in pulse.values() if now - ping.since > roles.start_seconds]
        if not late:
            return ""
        words = f"no answer for {roles.start_seconds:g} s: {', '.join(late)}"
        if roles.restarts >= 0:
            raise RoleLost(f"{words}. Is there a machine for them? {self.folder.last_good} {_RESUME}")
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

    def end(self, *roles: str) -> None:
        """End all processes of some roles, by default of all."""
        for name in roles or ("simulators", "engines", "servers", "buffers", "monitor"):
            for actor in self._actors.pop(name, []):
                try:
                    ray.kill(actor)
                except RayError:
                    continue  # already gone


_RESUME = "Run the same command again to resume from the last checkpoint."


def _ready(actor: Any) -> Any:  # a reference
    return actor.ready.options(max_task_retries=-1).remote()


def _report(request: Any) -> TrainingReport | None:
    try:
        return ray.get(request, timeout=_REPORT_SECONDS)
    except (GetTimeoutError, RayActorError):
        return None  # busy, or being restarted
