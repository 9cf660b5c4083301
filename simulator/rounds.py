"""What happens between rounds: dealing, the payments of a finished round, the next dealer, the end of the game."""

from typing import Any

import numpy as np
from numba import typeof

from simulator import record as r
from simulator import rules as choices
from simulator.asking import ask
from simulator.jit import jit
from simulator.legal import HIGH_PASS, score_win
from simulator.moves import add_tile, draw_live, is_red_tile, push_event
from simulator.scoring.payments import payments
from simulator.scoring.winning import yakuman_value
from simulator.shanten import waits
from simulator.tiles import DORA_OF, TERMINALS_AND_HONORS, TILES
from simulator.walls import DORA_INDICATORS, FIRST_LIVE, URA_INDICATORS, shuffle_wall

_BIG_DRAGONS, _BIG_WINDS, _FOUR_KONGS = 39, 49, 51
_BET = 1000
_NOTEN_POOL = 3000
_HIGH_STOP = np.int64(1) << (r.STOP - r.WORD_BITS)


@jit
def start_game(game):
    """Reset a game to before its first deal; its rules, seed, number and a given wall are kept."""
    game["round"] = 0
    game["repeat_counter"] = 0
    game["bets"] = 0
    game["dealer"] = 0
    game["deals"] = 0
    game["scores"][:] = game["rules"]["starting_points"]
    game["phase"] = r.PHASE_DEAL
    game["pending"] = 0
    game["asked"] = 0
    game["result"]["type"] = 0
    game["result"]["n_wins"] = 0
    game["result"]["game_over"] = 0


@jit
def clear_round(game):
    """Clear all fields that belong to a single round."""
    game["kongs"] = 0
    game["indicators"] = 1
    game["pending_indicators"] = 0
    game["drawn"] = r.NO_TILE
    game["replacement"] = 0
    game["interrupted"] = 0
    game["claim_tile"] = r.NO_TILE
    game["robbing"] = 0
    game["forbidden"] = 0
    game["pending"] = 0
    game["asked"] = 0
    game["n_events"] = 0
    for seat in range(r.SEATS):
        game["hand"][seat, :] = 0
        game["copies"][seat, :] = 0
        game["suit_keys"][seat, :] = 0
        game["n_melds"][seat] = 0
        game["n_open"][seat] = 0
        game["n_river"][seat] = 0
        game["discarded"][seat] = 0
        game["missed"][seat] = 0
        game["riichi"][seat] = 0
        game["double_riichi"][seat] = 0
        game["ippatsu"][seat] = 0
        game["answers"][seat] = r.NO_ACTION
        game["decisions"][seat] = 0
        game["liable_dragons"][seat] = r.NO_SEAT
        game["liable_winds"][seat] = r.NO_SEAT
        game["liable_kongs"][seat] = r.NO_SEAT
        for n in range(4):
            game["melds"][seat, n]["type"] = 0
    game["events"][:] = 0
    game["river"][:] = 0


@jit
def deal(lookup, game):
    """Deal the next round, from the seed or from a given wall; the dealer draws (`advance` then asks it)."""
    clear_round(game)
    wall = game["wall"]
    if not game["wall_given"]:
        shuffle_wall(game["seed"], game["round"], game["repeat_counter"], wall)
    game["wall_given"] = 0
    game["deals"] += 1
    game["start_bets"] = game["bets"]
    game["start_scores"][:] = game["scores"]
    dealer = np.int64(game["dealer"])
    for place in range(52):
        if place < 48:
            seat = (dealer + (place % 16) // 4) & 3
        else:
            seat = (dealer + place - 48) & 3
        add_tile(game, seat, np.int64(wall[TILES - 1 - place]))
    game["next_draw"] = FIRST_LIVE
    for seat in range(r.SEATS):
        game["waits"][seat] = waits(lookup, game["hand"][seat], 0)
    draw_live(game, dealer)
    game["phase"] = r.PHASE_TURN


@jit
def _count_dora(game, seat, kind, indicator_places):
    """Return how many dora the indicators make in a seat's hand and melds; `kind`: the kind won by ron, or -1."""
    total = 0
    for n in range(np.int64(game["indicators"])):
        dora = np.int64(DORA_OF[game["wall"][indicator_places[n]] >> 2])
        total += np.int64(game["hand"][seat, dora]) + (kind == dora)
        for m in range(np.int64(game["n_melds"][seat])):
            for place in range(4):
                tile = np.int64(game["melds"][seat, m]["tiles"][place])
                total += tile != r.NO_TILE and tile >> 2 == dora
    return total


@jit
def _count_red(game, seat, tile):
    """Return how many red fives a seat's hand and melds hold; `tile`: the tile won by ron, or NO_TILE."""
    if not game["rules"]["red_fives"]:
        return 0
    total = 0
    for suit in range(3):
        total += game["copies"][seat, 9 * suit + 4] & 1
    for m in range(np.int64(game["n_melds"][seat])):
        for place in range(4):
            own = np.int64(game["melds"][seat, m]["tiles"][place])
            if own != r.NO_TILE and is_red_tile(game, own):
                total += 1
    if tile != r.NO_TILE and is_red_tile(game, tile):
        total += 1
    return total


@jit
def _set_liability(game, win):
    """Write who is liable for a yakuman hand, and for how many of its yakuman."""
    seat = np.int64(win["seat"])
    win["liable"] = r.NO_SEAT
    win["liable_yakuman"] = 0
    for which in range(3):
        if which == 0:
            liable, yaku = np.int64(game["liable_dragons"][seat]), _BIG_DRAGONS
        elif which == 1:
            liable, yaku = np.int64(game["liable_winds"][seat]), _BIG_WINDS
        else:
            liable, yaku = np.int64(game["liable_kongs"][seat]), _FOUR_KONGS
        if liable != r.NO_SEAT and win["yaku"] >> yaku & 1 and win["yakuman"] > 0:
            win["liable"] = liable
            win["liable_yakuman"] += yakuman_value(yaku, game["rules"])


@jit
def pay_win(game, n, repeat_counter, bets):
    """Score the n-th win of the round and pay it."""
    win = game["result"]["wins"][n]
    seat = np.int64(win["seat"])
    tile = np.int64(win["tile"])
    is_tsumo = win["source"] == win["seat"]
    kind = tile >> 2
    claimed = -1 if is_tsumo else kind
    rules = game["rules"]
    win["dora"] = _count_dora(game, seat, claimed, DORA_INDICATORS)
    win["ura"] = 0
    if rules["ura_dora"] and game["riichi"][seat] == 2:
        shown = np.int64(game["indicators"])
        if not rules["kong_ura"]:
            game["indicators"] = 1
        win["ura"] = _count_dora(game, seat, claimed, URA_INDICATORS)
        game["indicators"] = shown
    win["red"] = _count_red(game, seat, r.NO_TILE if is_tsumo else tile)
    score_win(game, seat, kind, is_tsumo, win)
    _set_liability(game, win)
    payments(win, np.int64(game["dealer"]), repeat_counter, bets, rules)
    push_event(game, r.EVENT_WIN, seat, np.int64(win["source"]), tile)


@jit
def _pay_exhaustive(game):
    """Pay an exhaustive draw: nagashi mangan if there is any, otherwise 3,000 points to the tenpai seats together."""
    result = game["result"]
    tenpai = 0
    nagashi = 0
    n_tenpai = 0
    for seat in range(r.SEATS):
        if game["waits"][seat]:
            tenpai |= 1 << seat
            n_tenpai += 1
        pure = game["rules"]["nagashi_mangan"] != 0
        for n in range(np.int64(game["n_river"][seat])):
            entry = np.int64(game["river"][seat, n])
            pure = pure and not entry & r.RIVER_CALLED and TERMINALS_AND_HONORS >> ((entry & 255) >> 2) & 1 == 1
        if pure:
            nagashi |= 1 << seat
    result["tenpai"] = tenpai
    result["nagashi"] = nagashi
    if nagashi:
        result["type"] = r.RESULT_NAGASHI
        for seat in range(r.SEATS):
            if nagashi >> seat & 1:
                for payer in range(r.SEATS):
                    if payer != seat:
                        points = 4000 if seat == game["dealer"] or payer == game["dealer"] else 2000
                        result["deltas"][payer] -= points
                        result["deltas"][seat] += points
    elif 0 < n_tenpai < 4:
        for seat in range(r.SEATS):
            if tenpai >> seat & 1:
                result["deltas"][seat] += _NOTEN_POOL // n_tenpai
            else:
                result["deltas"][seat] -= _NOTEN_POOL // (4 - n_tenpai)


@jit
def top_seat(scores):
    """Return the seat that ranks first: the most points; ties go to the seat nearer the first dealer."""
    best = 0
    for seat in range(1, r.SEATS):
        if scores[seat] > scores[best]:
            best = seat
    return best


@jit
def _is_game_over(game, repeats, may_stop):
    """Return 1 if the game ends now, 2 if the dealer must be asked whether it ends, else 0.

    `repeats`: the dealer would deal again; `may_stop`: the round ended in a way after which a repeating dealer may
    stop, not by an abortive draw.
    """
    rules = game["rules"]
    scores = game["scores"]
    if rules["bust"] and scores.min() < 0:
        return 1
    last = 3 if rules["length"] == choices.EAST_ONLY else 7
    end = last + (8 if last == 3 and rules["east_into_west"] else 4)
    number = np.int64(game["round"])
    if number < last or (last < number < end and not rules["sudden_death"]):
        return 0
    top = top_seat(scores)
    reached = scores[top] >= rules["target_points"]
    if repeats:
        # Also in sudden death: Tenhou plays on if the dealer repeats without being first with the target.
        if may_stop and reached and top == game["dealer"]:
            if rules["dealer_stop"] == choices.DEALER_STOP_AUTOMATIC or rules["dealer_stop"] == choices.DEALER_STOP_WIN:
                return 1
            if rules["dealer_stop"] == choices.DEALER_STOP_CHOICE:
                return 2
        return 0
    if number == last:
        return 1 if reached or not rules["west_entry"] else 0
    return 1 if number == end or reached else 0


@jit
def end_game(game):
    """End a game: assign leftover bets, ranks and final points (in tenths of a thousand)."""
    rules = game["rules"]
    scores = game["scores"]
    result = game["result"]
    if rules["leftover_bets"] == choices.LEFTOVER_BETS_FIRST:
        scores[top_seat(scores)] += _BET * np.int64(game["bets"])
    game["bets"] = 0
    oka = 4 * (np.int64(rules["return_points"]) - np.int64(rules["starting_points"])) // 100
    for seat in range(r.SEATS):
        rank = 0
        equal = 0
        for other in range(r.SEATS):
            rank += scores[other] > scores[seat] or (scores[other] == scores[seat] and other < seat)
            equal += other != seat and scores[other] == scores[seat]
        result["ranks"][seat] = rank
        prize = np.int64(rules["uma"][rank]) + (oka if rank == 0 else 0)
        if rules["ties"] != choices.TIES_SEAT and equal:
            first = rank
            for other in range(seat):
                first -= scores[other] == scores[seat]
            prize = oka if first == 0 else 0
            for place in range(first, first + equal + 1):
                prize += np.int64(rules["uma"][place])
            left = prize % (equal + 1)  # tenths that cannot be divided go to the seats nearest the first dealer
            prize = prize // (equal + 1) + (rank - first < left)
        points = np.int64(scores[seat]) // 100
        if rules["final_rounding"] != choices.ROUNDING_NONE:
            points = _round_to_thousands(points)
        result["final_points"][seat] = points - np.int64(rules["return_points"]) // 100 + prize
    if rules["final_rounding"] != choices.ROUNDING_NONE:
        first = 0
        rest = 0
        for seat in range(r.SEATS):
            if result["ranks"][seat] == 0:
                first = seat
            else:
                rest += result["final_points"][seat]
        result["final_points"][first] = -rest
    result["scores"][:] = scores
    result["game_over"] = 1
    game["phase"] = r.PHASE_GAME_OVER


@jit
def _round_to_thousands(tenths):
    """Return tenths of a thousand rounded to whole thousands, halves away from zero (Tenhou's logs up to 2019)."""
    whole = (abs(tenths) + 5) // 10 * 10
    return whole if tenths > 0 else -whole


@jit
def _next_round(game, repeats, won_by_other):
    """Move on to the next deal: same or next dealer, repeat counter increased or reset to zero."""
    if not repeats:
        game["round"] += 1
        game["dealer"] = (game["dealer"] + 1) & 3
    game["repeat_counter"] = 0 if won_by_other else game["repeat_counter"] + 1
    game["phase"] = r.PHASE_DEAL


@jit
def finish_round(game):
    """Pay the round that is over (phase ROUND_OVER) and move on: to the next deal, a dealer's choice, or the end."""
    result = game["result"]
    result["round"] = game["round"]
    result["repeat_counter"] = game["repeat_counter"]
    result["bets"] = game["bets"]
    result["tenpai"] = 0
    result["nagashi"] = 0
    result["game_over"] = 0
    result["deltas"][:] = 0
    dealer = np.int64(game["dealer"])
    won = result["type"] == r.RESULT_TSUMO or result["type"] == r.RESULT_RON
    repeats = not won
    may_stop = won
    if won:
        for n in range(np.int64(result["n_wins"])):
            first = n == 0  # bets and repeat counters go to the first winner in turn order
            pay_win(game, n, np.int64(game["repeat_counter"]) if first else 0, np.int64(game["bets"]) if first else 0)
            win = result["wins"][n]
            repeats = repeats or win["seat"] == dealer
            for seat in range(r.SEATS):
                result["deltas"][seat] += win["deltas"][seat]
        game["bets"] = 0
    else:
        if result["type"] == r.RESULT_EXHAUSTIVE:
            _pay_exhaustive(game)
            repeats = result["tenpai"] >> dealer & 1 == 1
            may_stop = game["rules"]["dealer_stop"] != choices.DEALER_STOP_WIN
        push_event(game, r.EVENT_NO_WINNER, 0, 0, np.int64(result["type"]))
    for seat in range(r.SEATS):
        game["scores"][seat] += result["deltas"][seat]
        result["scores"][seat] = game["scores"][seat]
    over = _is_game_over(game, repeats, may_stop)
    if over == 1:
        end_game(game)
    elif over == 2:
        game["phase"] = r.PHASE_STOP
        game["asked"] = 0
        ask(game, dealer, np.int64(0), HIGH_PASS | _HIGH_STOP)
    else:
        _next_round(game, repeats, won and not repeats)


@jit
def resolve_stop(game):
    """Carry out the dealer's answer whether the game ends (phase STOP, nobody pending)."""
    if game["answers"][game["dealer"]] == r.STOP:
        end_game(game)
    else:
        _next_round(game, True, False)


def compile_finish() -> None:
    """Compile `finish_round`, for a process beside another one that compiles the play (`jit.compile_beside`)."""
    compiled: Any = finish_round
    compiled.compile((typeof(np.zeros(1, r.GAME)[0]),))
