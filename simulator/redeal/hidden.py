"""`redeal_hidden`: redeal everything that a seat cannot see, uniformly over all possible deals.

A new deal is a permutation of the hidden tiles: wherever the record has a hidden tile, it is replaced by its image. So
every tile that was shown keeps its origin and its place, the wall still has 136 different tiles, hands keep their
sizes, and the history remains one that could have been played: a place in the wall (or a draw among the events) whose
tile was shown later keeps it, and one whose tile is still concealed gets a tile of the owner's new hand.

The hidden tiles are assigned to the other hands, the rest of the wall and the dead wall. All assignments are equally
likely in which every other seat in riichi is tenpai (with 13 tiles; if it has just declared, after some discard) and
its closed kongs since then were legal. `wins_taken` also excludes riichi hands that would have won since. Nothing else
is inferred. Riichi hands are drawn first, by counting, since the number of deals of the other tiles is the same for
all of them. (Where two or three seats in riichi hold most of the tiles that are not seen, their hands are drawn in
turns, and equally likely as far as some dozens of turns make them so.)
"""

import numpy as np
from numpy.typing import ArrayLike

from simulator import record as r
from simulator.asking import answer, ask, ask_claims, ask_turn
from simulator.jit import jit
from simulator.legal import call_discard_actions, discards_within
from simulator.lookup import get_lookup
from simulator.moves import add_tile
from simulator.redeal.deal_sampling import open_stream, shuffle
from simulator.redeal.missed_wins import set_missed
from simulator.redeal.riichi_hands import ATTEMPTS, draw_riichi_hands, has_just_declared, nothing_counted
from simulator.redeal.tenpai_automaton import get_automata
from simulator.shanten import tenpai_discards, waits
from simulator.tiles import KINDS, TILES
from simulator.walls import DORA_INDICATORS, mix2

_IN_WALL = r.SEATS
_KEY = 0x7265646561
_MOST_HIDDEN_HANDS = r.SEATS - 1
_PHASES_IN_PLAY = (r.PHASE_TURN, r.PHASE_RIICHI_DISCARD, r.PHASE_CALL_DISCARD, r.PHASE_CLAIM, r.PHASE_KONG_CLAIM)


@jit
def mark_hidden(game, seat, hidden):
    """Set `hidden` bool[136] to True for exactly those tiles that a seat has not seen."""
    hidden[:] = True
    for kind in range(KINDS):
        for copy in range(4):
            if game["copies"][seat, kind] >> copy & 1:
                hidden[kind << 2 | copy] = False
    for other in range(r.SEATS):
        for n in range(np.int64(game["n_melds"][other])):
            for place in range(4):
                tile = np.int64(game["melds"][other, n]["tiles"][place])
                if tile != r.NO_TILE:
                    hidden[tile] = False
        for n in range(np.int64(game["n_river"][other])):
            hidden[np.int64(game["river"][other, n]) & 255] = False
    for n in range(np.int64(game["indicators"])):
        hidden[np.int64(game["wall"][np.int64(DORA_INDICATORS[n])])] = False


@jit
def _deal(game, seats, hands, hidden, stream, order, ends):
    """Deal the hidden tiles into `order`: those of each seat, then those of the wall, with their ends in `ends` i8[5].

    `hands` i8[n, 34] are the counts drawn for the `seats` in riichi; all copies of a kind are equally likely. A tile
    just drawn is its seat's last one.
    """
    wanted = np.zeros((r.SEATS, KINDS), np.int64)
    for n in range(len(seats)):
        wanted[seats[n]] += hands[n]
    free = np.flatnonzero(hidden)
    shuffle(stream, free, len(free))
    owners = np.full(len(free), _IN_WALL)
    for place in range(len(free)):
        for n in range(len(seats)):
            if owners[place] == _IN_WALL and wanted[seats[n], free[place] >> 2] > 0:
                wanted[seats[n], free[place] >> 2] -= 1
                owners[place] = seats[n]
    rest = free[owners == _IN_WALL]
    shuffle(stream, rest, len(rest))  # again: riichi hands have taken the first tiles of each kind
    end, used = 0, 0
    for other in range(r.SEATS):
        own = free[owners == other]
        size = 0
        for kind in range(KINDS):
            for copy in range(4):
                if game["copies"][other, kind] >> copy & 1 and hidden[kind << 2 | copy]:
                    size += 1
        for place in range(size):
            if place < len(own):
                order[end + place] = own[place]
            else:
                order[end + place] = rest[used]
                used += 1
        if has_just_declared(game, other):  # any of the fourteen may be the one just drawn
            shuffle(stream, order[end:], size)
        end += size
        ends[other] = end
    for place in range(used, len(rest)):
        order[end + place - used] = rest[place]
    ends[_IN_WALL] = end + len(rest) - used


@jit
def _rewrite(game, seat, hidden, order, ends):
    """Replace the hidden tiles in the wall, the events and the hands by the tiles in `order`."""
    image = np.arange(TILES)
    place = np.zeros(r.SEATS + 1, np.int64)
    place[1:] = ends[: r.SEATS]
    for n in range(TILES - 1, -1, -1):  # in the order in which tiles were dealt and drawn
        tile = np.int64(game["wall"][n])
        if not hidden[tile]:
            continue
        owner = _IN_WALL
        for other in range(r.SEATS):
            if other != seat and game["copies"][other, tile >> 2] >> (tile & 3) & 1:
                owner = other
        if tile == game["drawn"]:
            image[tile] = order[ends[owner] - 1]
        else:
            image[tile] = order[place[owner]]
            place[owner] += 1
    for n in range(TILES):
        game["wall"][n] = image[np.int64(game["wall"][n])]
    for n in range(np.int64(game["n_events"])):
        event = np.int64(game["events"][n])
        if event & 15 == r.EVENT_DRAW:
            game["events"][n] = event & 255 | image[event >> 8] << 8
    if game["drawn"] != r.NO_TILE:
        game["drawn"] = image[np.int64(game["drawn"])]
    for other in range(r.SEATS):
        if other != seat:
            game["hand"][other, :] = 0
            game["copies"][other, :] = 0
            game["suit_keys"][other, :] = 0
            first = ends[other - 1] if other else 0
            for n in range(first, ends[other]):
                add_tile(game, other, order[n])


@jit
def set_waits(lookup, game, other):
    """Write the waits of a seat, without the tile just drawn; between a call and its discard there are none."""
    n_melds = np.int64(game["n_melds"][other])
    hand = game["hand"][other].copy()
    if game["drawn"] != r.NO_TILE and game["turn"] == other:
        hand[np.int64(game["drawn"]) >> 2] -= 1
    game["waits"][other] = waits(lookup, hand, n_melds) if hand.sum() % 3 == 1 else 0


@jit
def _redeal(lookup, automata, game, seat, seed, wins_taken, counted):
    """Redeal what a seat cannot see; return False if no deal fits."""
    stream = open_stream(mix2(np.uint64(seed), np.uint64(_KEY)))
    hidden = np.empty(TILES, np.bool_)
    mark_hidden(game, seat, hidden)
    available = np.zeros(KINDS, np.int64)
    for tile in range(TILES):
        available[tile >> 2] += hidden[tile]
    seats = np.empty(_MOST_HIDDEN_HANDS, np.int64)
    n = 0
    for other in range(r.SEATS):
        if other != seat and game["riichi"][other]:
            seats[n] = other
            n += 1
    seats = seats[:n]
    hands = np.zeros((n, KINDS), np.int64)
    order, ends = np.empty(TILES, np.int64), np.empty(r.SEATS + 1, np.int64)
    for _ in range(ATTEMPTS):
        if n and not draw_riichi_hands(lookup, automata, game, seats, available, wins_taken, counted, stream, hands):
            return False
        _deal(game, seats, hands, hidden, stream, order, ends)
        if _may_discard(game, seat, order, ends):
            _rewrite(game, seat, hidden, order, ends)
            for other in range(r.SEATS):
                if other != seat:
                    set_waits(lookup, game, other)
                    set_missed(game, other)
            return True
    return False


@jit
def _may_discard(game, seat, order, ends):
    """Return whether a hidden hand that has just called has a permitted discard, without which the call is illegal."""
    turn = np.int64(game["turn"])
    if game["phase"] != r.PHASE_CALL_DISCARD or turn == seat:
        return True
    for place in range(ends[turn - 1] if turn else 0, ends[turn]):
        if not game["forbidden"] >> (order[place] >> 2) & 1:
            return True
    return False


@jit
def _ask_again(lookup, game, seat):
    """Ask all seats again that must choose now; an answer that `seat` itself has already given is kept."""
    phase, turn = np.int64(game["phase"]), np.int64(game["turn"])
    must_choose = np.int64(game["asked"])
    claims = phase == r.PHASE_CLAIM or phase == r.PHASE_KONG_CLAIM
    if not claims and (turn == seat or not must_choose):
        return
    action = np.int64(game["answers"][seat])
    answered = (must_choose & ~np.int64(game["pending"])) >> seat & 1
    for other in range(r.SEATS):
        game["decisions"][other] -= must_choose >> other & 1  # counted again when asked again
    game["asked"] = 0
    game["pending"] = 0
    if claims:
        ask_claims(lookup, game)
    elif phase == r.PHASE_TURN:
        ask_turn(lookup, game)
    elif phase == r.PHASE_RIICHI_DISCARD:
        kinds = tenpai_discards(lookup, game["hand"][turn], np.int64(game["n_melds"][turn]))
        ask(game, turn, discards_within(game, turn, kinds), np.int64(0))
    else:
        ask(game, turn, call_discard_actions(game, turn), np.int64(0))
    if answered:
        answer(game, seat, action)


@jit
def _redeal_all(lookup, automata, games, seats, seeds, wins_taken, counted):
    """Redeal the games; return the index of the first that no deal fits, or the number of games."""
    for i in range(len(games)):
        if not _redeal(lookup, automata, games[i], seats[i], seeds[i], wins_taken, counted):
            return i
        _ask_again(lookup, games[i], seats[i])
    return len(games)


def redeal_hidden(games: np.ndarray, seats: ArrayLike, seeds: ArrayLike, wins_taken: bool = False) -> None:
    """Redeal, in place, all tiles that a seat cannot see, uniformly over all possible deals (see the module).

    games: GAME[n], or one record `games[i]` of such an array. seats: the observing seat, 0..3, one for all games or one
    for each. seeds: random seed, u64, one for all games or one for each; the same seed and record always give the same
    deal. Consecutive copies of one record are dealt faster, since hands are counted only once. wins_taken: assume that
    seats in riichi take every win, and exclude hands that could have won on a tile shown or drawn since; if hands
    without a missed win are rare or impossible (the seat has missed one after all), others are accepted after some
    hundred attempts.

    The seats that must choose now are asked again, except that an answer of `seat` itself is kept. If `seat` is not
    among them, possibly nobody has a choice now; `pending` is then 0, and `simulator.engine.advance` continues. The
    record's `seed` still determines the walls of later rounds. Raises ValueError for a game between rounds, and if no
    deal is consistent with a riichi (never for a record of real play); that game and those after it are then unchanged.
    """
    records = np.frombuffer(games, r.GAME) if isinstance(games, np.void) else games
    if records.dtype != r.GAME or records.ndim != 1:
        raise ValueError(f"one game record, or an array of them, is needed, not {games.dtype!r} {games.shape}")
    records = records.view(r.GAME)  # a loaded array's dtype is equal, not identical: Numba would recompile everything
    # Copies, since Numba would recompile for read-only arrays.
    each_seat = np.array(np.broadcast_to(np.asarray(seats, np.int64), records.shape))
    each_seed = np.array(np.broadcast_to(np.asarray(seeds, np.uint64), records.shape))
    if np.any((each_seat < 0) | (each_seat >= r.SEATS)):
        raise ValueError(f"a seat is 0 to {r.SEATS - 1}, not {seats!r}")
    in_play = np.isin(records["phase"], _PHASES_IN_PLAY)
    if not in_play.all():
        wrong = int(np.argmin(in_play))
        raise ValueError(f"game {wrong}: nothing is hidden in phase {r.PHASE_NAMES[int(records['phase'][wrong])]!r}")
    lookup, automata = get_lookup(), get_automata()
    counted = nothing_counted(automata)
    done = _redeal_all(lookup, automata, records, each_seat, each_seed, wins_taken, counted)
    if done < len(records):
        raise ValueError(f"game {done}: the tiles that seat {each_seat[done]} has not seen fit no deal")
