"""Access of simulators to networks: those of every policy in play, in an engine's process or in their own."""

import itertools
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Client
from threading import Event
from typing import Any

import numpy as np
import ray
from ray.exceptions import ActorDiedError, ActorUnavailableError, RayError, RayTaskError

from suphx.networks.inference import Evaluator
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.networks.precision import Precision
from suphx.selfplay.collect import PlayerModel
from suphx.selfplay.config import LEARNER
from suphx.selfplay.policy import fitted_logits
from suphx.selfplay.roles.channel import RequestChannel
from suphx.selfplay.roles.role import find
from suphx.selfplay.roles.run_inputs import RunInputs
from suphx.threads import start_thread

#: Seconds to wait if no engine is available.
_AGAIN_SECONDS = 0.5
#: Seconds between two requests of a process for newer weights: at least, and for each process of the run that sends
#: them, since one thread of the parameter server answers them all.
_WEIGHTS_SECONDS, _SECONDS_A_PROCESS = 0.2, 0.004


def seconds_between_requests(processes: int) -> float:
    """Return the seconds between two requests of each process for newer weights, if there are this many."""
    return max(_WEIGHTS_SECONDS, processes * _SECONDS_A_PROCESS)


@dataclass(frozen=True)
class Snapshot:
    """Networks that answer, by player and model, and the version and gamma of the learner's."""

    networks: Mapping[PlayerModel, Evaluator]
    version: int = 0
    gamma: float = 0.0


@dataclass(frozen=True)
class Published:
    """New weights for play."""

    version: int
    gamma: float
    """Share of the hidden information that is shown (`oracle.py`)."""
    at: float
    """Wall-clock time of the publication, in seconds."""
    networks: dict[str, PolicyNetwork | ValueNetwork]
    """The learning networks by model, and the critic if there is one; on the CPU."""


class PlayingNetworks:
    """The networks of every policy in play, with the newest weights of the parameter server."""

    def __init__(self, inputs: RunInputs, precision: Precision, processes: int) -> None:
        """Wait for the first weights of the parameter server. processes: number of those that follow it."""
        self._server, self._precision = find("servers"), precision
        self._pause = seconds_between_requests(processes)
        fixed = inputs.load_networks()
        players: dict[int, Mapping[str, PolicyNetwork | ValueNetwork]] = {LEARNER: fixed.start}
        players |= {inputs.number_of(name): networks for name, networks in fixed.opponents.items()}
        self.now = Snapshot({})
        self.now = Snapshot(self._evaluators_of(players))
        """What answers now; replaced as a whole."""
        self.delay: float | None = None
        """Seconds from the publication of the newest weights until they were here, until somebody takes it."""
        self._known: int | None = None  # number of the publication in use
        self._end = Event()
        while self._known is None:  # what the start's weights played would count as a later version's
            time.sleep(self._pause)
            self._pull()
        self.follows: Future[None] = start_thread(self._follow)
        """A future that receives the error of following the parameter server."""

    def _follow(self) -> None:
        while not self._end.wait(self._pause):
            self._pull()

    def close(self) -> None:
        """Follow no longer, before this process leaves Ray."""
        self._end.set()
        self.follows.result()

    def _pull(self) -> None:
        """Load newer weights, if there are some and the parameter server can be reached."""
        try:
            latest = ray.get(self._server.latest.remote(self._known))
            if latest is None:
                return
            known, (reference,) = latest
            published: Published = ray.get(reference)
        except RayError:
            return  # the server is restarted; meanwhile, the current weights play on
        new = self._evaluators_of({LEARNER: published.networks})
        self.now = Snapshot({**self.now.networks, **new}, published.version, published.gamma)
        self._known, self.delay = known, max(time.time() - published.at, 0.0)

    def _evaluators_of(
        self, players: Mapping[int, Mapping[str, PolicyNetwork | ValueNetwork]]
    ) -> dict[PlayerModel, Evaluator]:
        before = self.now.networks
        return {
            (key := (player, model)): before[key].recorded(network)
            if key in before
            else Evaluator(network, self._precision).recorded()
            for player, networks in players.items()
            for model, network in networks.items()
        }


class InferenceClient:
    """Who computes the networks at a simulator's tables: those in its own process, or an engine."""

    version: int
    """Of the learner's weights in the last answer."""
    gamma: float
    waiting = 0.0
    """Seconds spent waiting for answers of other processes."""

    def send(self, request: Mapping[PlayerModel, np.ndarray]) -> None:
        """Ask for networks: packed planes uint64[n, planes]; `receive` must follow."""
        raise NotImplementedError

    def receive(self) -> dict[PlayerModel, np.ndarray]:
        """Return the logits f32[n, 34 or 2] (of the critic: f32[n, 4]) of the last request."""
        raise NotImplementedError

    def compute(self, request: Mapping[PlayerModel, np.ndarray]) -> dict[PlayerModel, np.ndarray]:
        """Return the answer to a request."""
        self.send(request)
        return self.receive()


class OwnNetworks(InferenceClient):
    """Networks in the simulator's own process."""

    def __init__(self, networks: PlayingNetworks) -> None:
        self._networks = networks
        self.version, self.gamma = networks.now.version, networks.now.gamma

    def send(self, request: Mapping[PlayerModel, np.ndarray]) -> None:
        """Compute them."""
        now = self._networks.now
        self._logits = {key: fitted_logits(now.networks[key], planes) for key, planes in request.items()}
        self.version, self.gamma = now.version, now.gamma

    def receive(self) -> dict[PlayerModel, np.ndarray]:
        """Return what was computed; raises the error of following the parameter server."""
        if self._networks.follows.done():
            self._networks.follows.result()
        return self._logits


class Engines(InferenceClient):
    """The inference engines, which follow by themselves: one of this machine if there are some, or another."""

    def __init__(self, engines: Sequence[Any], first: int) -> None:
        """engines: handles of the actors. first: number of the engine to ask first."""
        self._here, near = ray.get_runtime_context().get_node_id(), []
        for engine, current in zip(engines, [engine.current.remote() for engine in engines], strict=True):
            with suppress(ActorUnavailableError, ActorDiedError):  # it is being restarted
                near += [engine] * (ray.get(current)[2] == self._here)
        self._engines, self._tries = near or list(engines), first
        self._connect()

    def _connect(self) -> None:
        """Find an engine; wait while none is available."""
        for tries in itertools.count(1):
            self._engine = self._engines[self._tries % len(self._engines)]
            try:
                self.version, self.gamma, node, address, key = ray.get(self._engine.current.remote())
                self._channel = RequestChannel(Client(address, authkey=key)) if node == self._here else None
            except RayTaskError:
                raise
            except (RayError, OSError, EOFError):
                self._tries += 1
                if tries % len(self._engines) == 0:
                    time.sleep(_AGAIN_SECONDS)
            else:
                return

    def send(self, request: Mapping[PlayerModel, np.ndarray]) -> None:
        """Send a request."""
        self._request = request
        if self._channel is None:
            self._sent = self._engine.compute.remote(dict(request))
            return
        try:
            self._channel.send(request)
        except OSError:  # the engine is gone, which `receive` notices
            pass

    def receive(self) -> dict[PlayerModel, np.ndarray]:
        """Wait for the answer; ask another engine, or the same one once it is back, if this one is gone."""
        began = time.perf_counter()
        while True:
            try:
                answer = ray.get(self._sent) if self._channel is None else self._channel.answer()
            except RayTaskError:
                raise
            except (RayError, OSError, EOFError):
                self._tries += 1
                self._connect()
                self.send(self._request)
            else:
                break
        self.waiting += time.perf_counter() - began
        self.version, self.gamma = answer.version, answer.gamma
        return answer.logits
