"""Access of simulators to networks: those of every policy in play, in an engine's process or in their own."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayError, RayTaskError

from suphx.networks.inference import Evaluator
from suphx.networks.precision import Precision
from suphx.selfplay.policy import fitted_logits
from suphx.selfplay.roles.messages import PackedNetwork, Published, unpack
from suphx.selfplay.roles.role import find
from suphx.selfplay.roles.run_inputs import run_inputs_with_networks
from suphx.selfplay.seating import LEARNER

#: Seconds between two requests of a process for newer weights: at least, and for each process of the run that sends
#: them, since one thread of the parameter server answers them all.
_WEIGHTS_SECONDS, _SECONDS_A_PROCESS = 0.2, 0.004


def seconds_between_requests(processes: int) -> float:
    """Return the seconds between two requests of each process for newer weights, if there are this many."""
    return max(_WEIGHTS_SECONDS, processes * _SECONDS_A_PROCESS)


@dataclass(frozen=True)
class Snapshot:
    """Networks that answer, by player and model, and the version and gamma of the learner's."""

    networks: Mapping[tuple[int, str], Evaluator]
    version: int = 0
    gamma: float = 0.0


class PlayingNetworks:
    """The networks of every policy in play, with the newest weights that were pulled from the parameter server."""

    def __init__(self, precision: Precision) -> None:
        """Begin with the networks of opponents, and those that the learner starts from."""
        self._server, self._precision = find("servers"), precision
        self.inputs, fixed = run_inputs_with_networks()
        players: dict[int, Mapping[str, PackedNetwork]] = {LEARNER: fixed.start}
        players |= {self.inputs.number_of(name): networks for name, networks in fixed.opponents.items()}
        self.now = Snapshot(self._evaluators_of(players))
        """What answers now; replaced as a whole."""
        self.delay: float | None = None
        """Seconds from the publication of the weights that were pulled last to now, until somebody takes it."""
        self._known: int | None = None  # number of the publication in use
        self._request: Any = None

    @property
    def is_there(self) -> bool:
        """Whether weights have been pulled: what the start's weights played would count as a later version's."""
        return self._known is not None

    def pull(self, wait: bool) -> bool:
        """Load the latest weights, if there are newer ones and the parameter server can be reached.

        wait: for its answer; if not, it is taken by a later call. Returns whether it has answered.
        """
        self._request = self._request or self._server.latest.remote(self._known)
        if not wait and not ray.wait([self._request], timeout=0)[0]:
            return False
        request, self._request = self._request, None
        try:
            latest = ray.get(request)
            if latest is None:
                return True
            known, (reference,) = latest
            published: Published = ray.get(reference)
        except RayError:
            return True  # the server is restarted; meanwhile, the current weights play on
        new = self._evaluators_of({LEARNER: published.networks})
        self.now = Snapshot({**self.now.networks, **new}, published.version, published.gamma)
        self._known, self.delay = known, max(time.time() - published.at, 0.0)
        return True

    def _evaluators_of(self, players: Mapping[int, Mapping[str, PackedNetwork]]) -> dict[tuple[int, str], Evaluator]:
        return {
            (player, model): Evaluator(unpack(packed), self._precision)
            for player, networks in players.items()
            for model, packed in networks.items()
        }


class InferenceClient:
    """Who answers for the networks at a simulator's tables."""

    waiting = 0.0
    """Seconds spent waiting for answers of other processes."""

    def current(self) -> tuple[int, float]:
        """Return the version of the learner's weights and their gamma."""
        raise NotImplementedError

    def ask(self, player: int, model: str, planes: np.ndarray) -> tuple[np.ndarray, int, float]:
        """Return logits f32[n, 34 or 2] (of the critic: f32[n, 4]), the version of the weights, and its gamma."""
        raise NotImplementedError

    def follow(self) -> None:
        """Be called between two steps of the tables: newer weights may be used from now on."""


class OwnNetworks(InferenceClient):
    """Networks in the simulator's own process."""

    def __init__(self, networks: PlayingNetworks, pause: float) -> None:
        """Wait for the current weights. pause: seconds between two requests for newer ones."""
        self._networks, self._pause = networks, pause
        while not networks.is_there:
            networks.pull(wait=True)
            if not networks.is_there:
                time.sleep(_WEIGHTS_SECONDS)
        self._next = time.monotonic() + pause

    def current(self) -> tuple[int, float]:
        """Return the version of the learner's weights and their gamma."""
        return self._networks.now.version, self._networks.now.gamma

    def ask(self, player: int, model: str, planes: np.ndarray) -> tuple[np.ndarray, int, float]:
        """Return logits, the version of the weights, and its gamma."""
        now = self._networks.now
        return fitted_logits(now.networks[player, model], planes), now.version, now.gamma

    def follow(self) -> None:
        """Use newer weights, if they are there."""
        if time.monotonic() >= self._next and self._networks.pull(wait=False):
            self._next = time.monotonic() + self._pause


class Engines(InferenceClient):
    """A simulator's access to the inference engines, which follow by themselves: one, or another if that is gone."""

    def __init__(self, engines: list[Any], first: int) -> None:
        """engines: handles of the actors. first: number of the engine to ask first."""
        self._engines = engines
        self._first = first % len(engines)

    def current(self) -> tuple[int, float]:
        """Return the result of `InferenceEngine.current`."""
        return self._call("current")

    def ask(self, player: int, model: str, planes: np.ndarray) -> tuple[np.ndarray, int, float]:
        """Return the result of `InferenceEngine.answer`; wait while no engine is available."""
        began = time.perf_counter()
        answer = self._call("answer", player, model, planes)
        self.waiting += time.perf_counter() - began
        return answer

    def _call(self, method: str, *arguments: object) -> Any:
        tries = 0
        while True:
            engine = self._engines[(self._first + tries) % len(self._engines)]
            try:
                return ray.get(getattr(engine, method).remote(*arguments))
            except RayTaskError:
                raise
            except RayError:
                tries += 1
                if tries % len(self._engines) == 0:
                    time.sleep(0.5)
