"""What players of each dan are rated by an agent: the yardstick of a rating. Measured by `scripts/yardstick.py`."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from simulator.rules import Rules
from suphx.agent.registry import fingerprint
from suphx.intervals import mean_interval
from suphx.review.document import DanRating

YARDSTICK = Path(__file__).with_name("yardstick.json")
#: Fewest players of a dan to be shown.
LEAST_PLAYERS = 30
#: Tenhou's number of the rank below 1 dan.
BELOW_DAN = 9


class Yardstick(BaseModel):
    """Ratings by one agent, and what they were measured on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    agent: str
    fingerprint: str
    """Of the agent's weights."""
    logs: list[str]
    games: int
    dans: list[DanRating]


def dan_ratings(ratings: Iterable[tuple[int, float]]) -> list[DanRating]:
    """Return the mean rating by dan, from pairs (Tenhou's rank number, rating) of players in games."""
    by_rank = defaultdict(list)
    for rank, rating in ratings:
        by_rank[rank].append(rating)
    result = []
    for rank, of_rank in sorted(by_rank.items()):
        if rank > BELOW_DAN and len(of_rank) >= LEAST_PLAYERS:
            values = np.array(of_rank)
            mean, interval = mean_interval(values)
            low, high = interval or (mean, mean)
            numbers = {"mean": mean, "low": low, "high": high, "deviation": float(values.std(ddof=1))}
            rounded = {name: round(value, 2) for name, value in numbers.items()}
            result.append(DanRating(dan=rank - BELOW_DAN, players=len(of_rank), **rounded))
    return result


@cache
def included_yardstick() -> Yardstick:
    """Return the yardstick that comes with the package."""
    return Yardstick.model_validate_json(YARDSTICK.read_text("utf-8"))


def yardstick_for(agent_name: str, rules: Rules) -> list[DanRating]:
    """Return the ratings of each dan if the included ones are of this agent and such games, otherwise none."""
    included = included_yardstick()
    if agent_name != included.agent or rules.length != "east_south" or not rules.red_fives:
        return []
    return included.dans if fingerprint(agent_name) == included.fingerprint else []
