"""Count how each seat played a game: integers that add up over rounds, games and seats.

Every measure of `measures.py` is a function of sums of these columns, so a game is stored as one small row per seat.
Compiled; it reads the records at the end of each round, of games played here and of replayed logs alike.
"""

import numpy as np

from simulator import record as r
from simulator.jit import jit

#: Name and meaning of each column. Unless stated otherwise, a round counts at most once per column.
FIELDS: tuple[tuple[str, str], ...] = (
    ("games", "games that were played to their end"),
    ("first", "games ended first"),
    ("second", "... second"),
    ("third", "... third"),
    ("fourth", "... fourth"),
    ("rank_sum", "sum of the ranks, 1 for first to 4 for fourth"),
    ("points", "sum of the table's points at the end of the game, leftover bets included (25,000 at Tenhou's start)"),
    ("final_points", "sum of the final points (with uma and oka) in tenths of a thousand: 479 is +47.9"),
    ("busts", "games ended with less than zero points"),
    ("rounds", "rounds, abortive draws included"),
    ("dealer_rounds", "rounds as dealer"),
    ("wins", "rounds won, by draw or by claim"),
    ("draw_wins", "... by the own draw (tsumo)"),
    ("riichi_wins", "... in riichi"),
    ("open_wins", "... with an open hand"),
    ("silent_wins", "... with a closed hand that was not in riichi (damaten)"),
    ("yakuman_wins", "... with a yakuman, counted ones (13 han) not included"),
    ("win_points", "points that wins brought, with repeat counters and riichi bets"),
    ("hand_points", "points of the hands won, without repeat counters and bets"),
    ("win_turns", "sum of the turns of wins: own discards before the win, and one more for a winning draw"),
    ("deal_ins", "rounds in which somebody won on this seat's tile (a robbed kong too; not three wins that abort)"),
    ("riichi_deal_ins", "... while this seat was in riichi, or on its riichi tile"),
    ("open_deal_ins", "... with an open hand"),
    ("deal_in_points", "points paid in those rounds, repeat counters included, to all winners together"),
    ("draw_losses", "rounds in which another seat won by its own draw"),
    ("draw_loss_points", "points paid in those rounds, repeat counters included"),
    ("liabilities", "wins of others that this seat was liable for (pao)"),
    ("riichi", "rounds with a riichi declared, also where its tile was won on"),
    ("bets", "riichi bets paid: riichi whose tile passed"),
    ("riichi_turns", "sum of the turns of riichi: own discards up to the riichi tile, which is counted"),
    ("call_rounds", "rounds with a chow, pong or open kong made"),
    ("open_melds", "chows, pongs and open kongs made, all counted (an added kong stays the pong it was)"),
    ("exhaustive_draws", "rounds that ended with the wall, nagashi mangan included"),
    ("tenpai_draws", "... with this seat in tenpai"),
    ("nagashi", "... with nagashi mangan of this seat"),
    ("abortive_draws", "rounds that ended in an abortive draw"),
)  # fmt: skip
COLUMNS: tuple[str, ...] = tuple(name for name, _ in FIELDS)
#: Index of each column.
COLUMN: dict[str, int] = {name: place for place, name in enumerate(COLUMNS)}

(
    _GAMES, _FIRST, _SECOND, _THIRD, _FOURTH, _RANK_SUM, _POINTS, _FINAL_POINTS, _BUSTS,
    _ROUNDS, _DEALER_ROUNDS,
    _WINS, _DRAW_WINS, _RIICHI_WINS, _OPEN_WINS, _SILENT_WINS, _YAKUMAN_WINS, _WIN_POINTS, _HAND_POINTS, _WIN_TURNS,
    _DEAL_INS, _RIICHI_DEAL_INS, _OPEN_DEAL_INS, _DEAL_IN_POINTS, _DRAW_LOSSES, _DRAW_LOSS_POINTS, _LIABILITIES,
    _RIICHI, _BETS, _RIICHI_TURNS, _CALL_ROUNDS, _OPEN_MELDS,
    _EXHAUSTIVE_DRAWS, _TENPAI_DRAWS, _NAGASHI, _ABORTIVE_DRAWS,
) = range(len(FIELDS))  # fmt: skip
_N = len(FIELDS)


@jit
def _count_play(game, counts):
    """Count what each seat did in a round, whatever its result."""
    result = game["result"]
    for seat in range(r.SEATS):
        row = counts[seat]
        row[_ROUNDS] += 1
        row[_DEALER_ROUNDS] += result["round"] & 3 == seat  # the record's own dealer is already that of the next round
        row[_RIICHI] += game["riichi"][seat] > 0
        row[_BETS] += game["riichi"][seat] == 2
        row[_CALL_ROUNDS] += game["n_open"][seat] > 0
        row[_OPEN_MELDS] += game["n_open"][seat]
        if game["riichi"][seat]:
            discards = 0
            for n in range(np.int64(game["n_events"])):
                event = np.int64(game["events"][n])
                if event >> 4 & 3 == seat:
                    discards += event & 15 == r.EVENT_DISCARD
                    if event & 15 == r.EVENT_RIICHI:
                        row[_RIICHI_TURNS] += discards + 1
                        break


@jit
def _count_wins(game, counts):
    """Count the wins of a round for the winners and for those who paid."""
    result = game["result"]
    dealt_in = -1
    for n in range(np.int64(result["n_wins"])):
        win = result["wins"][n]
        seat = np.int64(win["seat"])
        by_draw = win["source"] == win["seat"]
        row = counts[seat]
        row[_WINS] += 1
        row[_DRAW_WINS] += by_draw
        row[_RIICHI_WINS] += game["riichi"][seat] == 2
        row[_OPEN_WINS] += win["closed"] == 0
        row[_SILENT_WINS] += win["closed"] == 1 and game["riichi"][seat] == 0
        row[_YAKUMAN_WINS] += win["yakuman"] > 0
        row[_WIN_POINTS] += win["deltas"][seat]
        row[_HAND_POINTS] += win["points"]
        row[_WIN_TURNS] += np.int64(game["n_river"][seat]) + by_draw
        if win["liable"] != r.NO_SEAT:
            counts[win["liable"], _LIABILITIES] += 1
        if not by_draw:
            dealt_in = np.int64(win["source"])
        else:
            for other in range(r.SEATS):
                if other != seat:
                    counts[other, _DRAW_LOSSES] += 1
                    counts[other, _DRAW_LOSS_POINTS] -= win["deltas"][other]
    if dealt_in >= 0:
        row = counts[dealt_in]
        row[_DEAL_INS] += 1
        row[_RIICHI_DEAL_INS] += game["riichi"][dealt_in] > 0
        row[_OPEN_DEAL_INS] += game["n_open"][dealt_in] > 0
        row[_DEAL_IN_POINTS] -= result["deltas"][dealt_in]


@jit
def _count_draw(result, counts):
    """Count a round without a winner."""
    for seat in range(r.SEATS):
        row = counts[seat]
        if result["type"] == r.RESULT_EXHAUSTIVE or result["type"] == r.RESULT_NAGASHI:
            row[_EXHAUSTIVE_DRAWS] += 1
            row[_TENPAI_DRAWS] += result["tenpai"] >> seat & 1
            row[_NAGASHI] += result["nagashi"] >> seat & 1
        else:
            row[_ABORTIVE_DRAWS] += 1


@jit
def _count_end(result, counts):
    """Count how a game ended."""
    for seat in range(r.SEATS):
        row = counts[seat]
        rank = np.int64(result["ranks"][seat])
        row[_GAMES] += 1
        row[_FIRST + rank] += 1
        row[_RANK_SUM] += rank + 1
        row[_POINTS] += result["scores"][seat]
        row[_FINAL_POINTS] += result["final_points"][seat]
        row[_BUSTS] += result["scores"][seat] < 0


@jit
def _tally(rounds, counts):
    for n in range(len(rounds)):
        game = rounds[n]
        result = game["result"]
        _count_play(game, counts)
        if result["type"] == r.RESULT_TSUMO or result["type"] == r.RESULT_RON:
            _count_wins(game, counts)
        else:
            _count_draw(result, counts)
        if result["game_over"]:
            _count_end(result, counts)


def tally(rounds: np.ndarray) -> np.ndarray:
    """Return i32[4, len(COLUMNS)]: the counts of each seat over the rounds of a game.

    rounds: GAME[n], the records at the end of each round after payments, as in `PlayedGame.rounds` and `Ended.records`;
    the rounds of several consecutive games are summed. For a game without its end only its rounds are counted.
    """
    counts = np.zeros((r.SEATS, _N), np.int32)
    _tally(rounds, counts)
    return counts


assert _ABORTIVE_DRAWS == _N - 1 and COLUMNS[_FOURTH] == "fourth" and COLUMNS[_DEAL_INS] == "deal_ins"
