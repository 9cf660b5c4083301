"""One game and its review, for the tests of reviews and of the page."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from simulator.logs.formats import read_log
from simulator.logs.model import GameLog
from suphx.agent.registry import NetworkAgent, load_agent
from suphx.networks.precision import choose_precision
from suphx.review.analysis import review_game
from suphx.review.document import Review

#: A game with every kind of call and kong, a double ron and an abortive draw, played by rule-based players.
LOG = Path(__file__).parent / "review" / "everything.mjlog"


@cache
def everything() -> GameLog:
    return read_log(LOG.read_bytes(), LOG.name)[0]


@cache
def agent() -> NetworkAgent:
    found = load_agent("sl", precision=choose_precision("cpu", "float32", 1), batch_invariant=True)
    assert isinstance(found, NetworkAgent)
    return found


@cache
def reviewed() -> Review:
    """The game reviewed for all seats by the included weights."""
    return review_game(everything(), agent(), "sl")
