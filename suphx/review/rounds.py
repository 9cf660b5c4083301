"""The rounds of a replayed game as the page shows them, and the standing of the game after a round."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from simulator.actions import legal_actions
from simulator.logs.from_record import ura_shown
from simulator.record import ACTIONS, RESULT_NONE
from simulator.rules import Rules
from simulator.tiles import tile_name
from simulator.views.results import round_result
from simulator.views.table import round_name
from suphx.review.document import Result, Round, Win
from suphx.review.frames import change, frame_of
from suphx.review.game import Replayed

#: How a round ended that the log does not finish.
UNFINISHED = "unfinished"


@dataclass(frozen=True)
class GameStanding:
    """The standing of a game after a round."""

    scores: list[int]
    ranks: list[int] | None
    """Rank of each seat, 0 for first place; None while the game is not over."""
    points: list[float] | None
    """Final points in thousands, by the rules; None while the game is not over."""


def standing_of(end: np.void) -> GameStanding:
    """Return the standing of a game after a round; end: GAME as in `Replayed.ends`."""
    result = end["result"]
    over = bool(result["game_over"])
    return GameStanding(
        scores=result["scores"].tolist(),
        ranks=result["ranks"].tolist() if over else None,
        points=[points / 10 for points in result["final_points"].tolist()] if over else None,
    )


def round_of(game: Replayed, number: int) -> Round:
    """Return the round of a game with this index: its frames and its result."""
    moments, end, round_log = game.rounds[number], game.ends[number], game.log.played[number]
    frames: list[dict[str, Any]] = []
    before: dict[str, Any] = {}
    for moment in moments:
        record = game.records[moment.record]
        whole = frame_of(record, [[seat, _name_of(record, seat, action)] for seat, action in moment.answers])
        frames.append(change(before, whole) if before else whole)
        before = whole
    return Round(
        round=round_log.round,
        name=round_name(round_log.round),
        repeat_counter=round_log.repeat_counter,
        bets=round_log.bets,
        dealer=round_log.dealer,
        scores=list(round_log.scores),
        frames=frames,
        result=result_of(end, game.log.rules),
    )


def _name_of(game: np.void, seat: int, action: int) -> str:
    """Return the name of an action."""
    mask = np.zeros(ACTIONS, np.bool_)
    mask[action] = True
    return legal_actions(game, seat, mask)[0].name


def result_of(game: np.void, rules: Rules) -> Result:
    """Return how a round ended; game: GAME as in `Replayed.ends`."""
    outcome = round_result(game, rules)
    how = UNFINISHED if game["result"]["type"] == RESULT_NONE else outcome.how
    wins = []
    for each in outcome.wins:
        score = asdict(each.score)
        ura = [tile_name(tile, rules.red_fives) for tile in ura_shown(game, each.seat)]
        chosen = {name: score[name] for name in ("yaku", "han", "fu", "limit", "points")}
        wins.append(
            Win(seat=each.seat, source=each.source, tile=each.tile, deltas=list(each.deltas), ura=ura, **chosen)
        )
    return Result(
        how=how, wins=wins, tenpai=list(outcome.tenpai), deltas=list(outcome.deltas), scores=list(outcome.scores)
    )
