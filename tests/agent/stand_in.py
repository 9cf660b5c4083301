"""Networks and an encoder whose answers are known: what the decision flow is tested with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from table import Scene

from simulator.record import ACTIONS, PHASE_TURN, SEATS
from simulator.tables import Decisions, collect
from simulator.tiles import KINDS, parse_tiles
from suphx.agent.flow import Flow, Sampling
from suphx.agent.interface import AgentOutput
from suphx.features.layout import CALL_PLANES, PLANES
from suphx.networks.models import MODELS


class StandInEncoder:
    """Planes that only say what is asked: the proposed action, or the seat, stands in the first one."""

    def positions(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        planes = np.zeros((len(index), PLANES), np.uint64)
        planes[:, 0] = seats
        return planes

    def proposals(self, games: np.ndarray, index: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> np.ndarray:
        planes = np.zeros((len(index), CALL_PLANES), np.uint64)
        planes[:, 0] = actions
        return planes


class StandInNetworks(dict):
    """Five networks of fixed answers, which note in `asked` which of them was asked about what.

    yes: margin of yes over no, by model or by proposed action; -1 where nothing is said. kinds: what is discarded,
    first choice first.
    """

    def __init__(self, yes: dict[str | int, float] | None = None, kinds: str = "") -> None:
        super().__init__({model: self._network(model) for model in MODELS})
        self.asked: list[tuple[str, int]] = []
        self._yes = yes or {}
        self._scores = np.zeros(KINDS, np.float32)
        for place, tile in enumerate(reversed(parse_tiles(kinds))):
            self._scores[tile >> 2] = place + 1

    def _network(self, model: str) -> Callable[[np.ndarray], np.ndarray]:
        def answer(planes: np.ndarray) -> np.ndarray:
            about = [int(first) for first in planes[:, 0]]
            self.asked += [(model, each) for each in about]
            if model == "discard":
                return np.tile(self._scores, (len(planes), 1))
            return np.array([[0, self._yes.get(model, self._yes.get(each, -1))] for each in about], np.float32)

        return answer

    @property
    def models(self) -> list[str]:
        """The models that were asked, in order."""
        return [model for model, _ in self.asked]


def decisions_of(games: np.ndarray) -> Decisions:
    """Return what is due in an array of games."""
    most = SEATS * len(games)
    game, seat, situation = np.empty(most, np.int32), np.empty(most, np.uint8), np.empty(most, np.uint8)
    legal = np.empty((most, ACTIONS), np.bool_)
    n = collect(games, game, seat, situation, legal)
    return Decisions(game[:n], seat[:n], situation[:n], legal[:n])


def decide(
    games: np.ndarray, networks: StandInNetworks | None = None, sampling: Sampling | None = None
) -> tuple[Decisions, AgentOutput]:
    """Return what is asked and what the flow chooses."""
    decisions = decisions_of(games)
    return decisions, Flow(networks or StandInNetworks(), StandInEncoder(), sampling or Sampling()).act(
        games, decisions
    )


def until_turn(scene: Scene, seat: int) -> Scene:
    """Let everybody pass and discard what they draw until it is a seat's turn again."""
    while scene.game["phase"] != PHASE_TURN or scene.turn != seat:
        scene._step([])
    return scene
