"""The work behind a review on the page: an agent that is loaded once, and a log from bytes or a viewer's address."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from simulator.logs.archives import MAX_LOG_BYTES
from simulator.logs.formats import read_log
from simulator.logs.model import GameLog, LogError
from suphx.agent.interface import Agent
from suphx.agent.loading import load_agent
from suphx.errors import InputError
from suphx.review.analysis import review_game
from suphx.review.logs import game_of_address
from suphx.web.jobs import Progress


class Reviewer:
    """Reviews games by one agent."""

    def __init__(self, agent: str, logs: Path | None = None) -> None:
        """agent: its name. logs: a folder or archive that viewer addresses are looked up in; without, in none."""
        self.name = agent
        self.logs = logs

    @cached_property
    def agent(self) -> Agent:
        """The agent; raises InputError if there is none of that name."""
        return load_agent(self.name)

    def review_file(self, data: bytes, source: str, progress: Progress) -> bytes:
        """Return the review of a log as JSON; of several games in it, of the first."""
        progress("reading the log", 0.0)
        if len(data) > MAX_LOG_BYTES:
            raise LogError("larger than a log may be", source)
        return self._review(read_log(data, source)[0], progress)

    def review_address(self, address: str, progress: Progress) -> bytes:
        """Return the review of the game that a viewer address means, or holds, as JSON."""
        progress("looking for the log", 0.0)
        if self.logs is None and "#json=" not in address:
            raise InputError("viewer addresses are looked up in the folder that `suphx web --logs` names; none is")
        found = game_of_address(address, 1, self.logs)
        if found is None:
            raise InputError("not an address of Tenhou's viewer (https://tenhou.net/0/?log=...)")
        return self._review(found[0], progress)

    def _review(self, log: GameLog, progress: Progress) -> bytes:
        progress("loading the agent", 0.05)
        return review_game(log, self.agent, self.name, progress=progress).model_dump_json().encode()
