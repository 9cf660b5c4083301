"""The work behind a review on the page: one agent reviews a log given as bytes or by a viewer address."""

from pathlib import Path

from simulator.logs.formats import read_log
from simulator.logs.generate import generate_games
from simulator.logs.model import GameLog
from suphx.errors import InputError
from suphx.review.analysis import review_game
from suphx.review.logs import fetch_log, game_of_address, log_at_hand
from suphx.web.agents import Players
from suphx.web.jobs import Progress


class Reviewer:
    """Reviews games by one agent."""

    def __init__(self, players: Players, logs: Path | None = None) -> None:
        """players: with the agent. logs: a folder or archive in which addresses are looked up; None: they are fetched.

        Raises InputError for an agent that does not exist or cannot review.
        """
        self.name, self._agent, self._logs = players.reviewer_name, players.reviewer, logs

    def warm_up(self) -> None:
        """Review a generated round, so that compiled code is loaded before the first review."""
        log = next(generate_games(1))
        log.rounds, log.final_scores, log.final_points = log.rounds[:1], None, None
        review_game(log, self._agent, self.name)

    def review_file(self, data: bytes, source: str, progress: Progress) -> bytes:
        """Return the review of a log as JSON; if it has several games, that of the first."""
        progress("reading the log", 0.0)
        return self.review_log(read_log(data, source)[0], progress)

    def review_address(self, address: str, progress: Progress) -> bytes:
        """Return the review of the game that a viewer address refers to, or contains, as JSON."""
        progress("looking for the log", 0.0)
        if (game := game_of_address(address, self._find)) is None:
            raise InputError("not an address of Tenhou's viewer (https://tenhou.net/0/?log=...)")
        return self.review_log(game[0], progress)

    def _find(self, log: str) -> tuple[str, bytes]:
        return fetch_log(log) if self._logs is None else log_at_hand(log, self._logs)

    def review_log(self, log: GameLog, progress: Progress) -> bytes:
        """Return the review of a game as JSON."""
        return review_game(log, self._agent, self.name, progress=progress).model_dump_json().encode()
