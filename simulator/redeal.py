"""`redeal_hidden`: everything that a seat cannot see is dealt anew, uniformly over what is possible.

A new deal is a permutation of the hidden tiles: wherever the record names a hidden tile, it names its image instead. So
every tile that was shown stays where it came from and went to, the wall remains one of 136 different tiles, hands
keep their sizes, and the history remains one that could have been played: a place of the wall (or a draw among the
events) whose tile was shown later keeps it, one whose tile is still concealed gets a tile of the owner's new hand.

All assignments of the hidden tiles to the other hands, the rest of the wall and the dead wall are equally likely that
leave each other seat in riichi tenpai (13 tiles; just declared, with a discard that leaves it so) with the closed kongs
that it has made since legal. With `wins_taken` hands in riichi are left out that would have won since. Nothing else is
inferred. Riichi hands come first, by counting: how many deals of all other tiles go with them does not depend on them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from simulator.asking import answer, ask, ask_claims, ask_turn
from simulator.deal_sampling import open_stream, shuffle
from simulator.jit import jit
from simulator.legal import call_discard_actions, discards_within
from simulator.lookup import get_lookup
from simulator.missed_wins import set_missed
from simulator.moves import add_tile
from simulator.record import (
    EVENT_DRAW,
    GAME,
    NO_TILE,
    PHASE_CALL_DISCARD,
    PHASE_CLAIM,
    PHASE_KONG_CLAIM,
    PHASE_NAMES,
    PHASE_RIICHI_DISCARD,
    PHASE_TURN,
    SEATS,
)
from simulator.riichi_hands import (
    ATTEMPTS,
    DEALT,
    NO_DEAL,
    UNCOUNTED,
    count_together,
    draw_riichi_hands,
    has_just_declared,
    nothing_counted,
)
from simulator.shanten import tenpai_discards, waits
from simulator.tenpai_automaton import get_automata
from simulator.tiles import KINDS, TILES
from simulator.wall import DORA_INDICATORS, mix2

_IN_WALL = SEATS
_KEY = 0x7265646561
_MOST_HIDDEN_HANDS = SEATS - 1
_PHASES_IN_PLAY = (PHASE_TURN, PHASE_RIICHI_DISCARD, PHASE_CALL_DISCARD, PHASE_CLAIM, PHASE_KONG_CLAIM)


@jit
def mark_hidden(game, seat, hidden):
    """Fill `hidden` bool[136]: the tiles that a seat has not seen."""
    hidden[:] = True
    for kind in range(KINDS):
        for copy in range(4):
            if game["copies"][seat, kind] >> copy & 1:
                hidden[kind << 2 | copy] = False
    for other in range(SEATS):
        for n in range(np.int64(game["n_melds"][other])):
            for place in range(4):
                tile = np.int64(game["melds"][other, n]["tiles"][place])
                if tile != NO_TILE:
                    hidden[tile] = False
        for n in range(np.int64(game["n_river"][other])):
            hidden[np.int64(game["river"][other, n]) & 255] = False
    for n in range(np.int64(game["indicators"])):
        hidden[np.int64(game["wall"][np.int64(DORA_INDICATORS[n])])] = False


@jit
def _holds_drawn(game, seat):
    return game["drawn"] != NO_TILE and game["turn"] == seat


@jit
def _deal(game, seats, hands, hidden, stream, order, ends):
    """Deal the hidden tiles: `order` gets those of each seat, then of the wall, ending at `ends` i8[5].

    `hands` i8[n, 34] are the counts drawn for the `seats` in riichi, all copies equally likely. A tile just drawn is
    the last of its seat.
    """
    wanted = np.zeros((SEATS, KINDS), np.int64)
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
    shuffle(stream, rest, len(rest))  # again: what riichi hands have taken came early among its kind
    end, used = 0, 0
    for other in range(SEATS):
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
    """Put the tiles in `order` in the place of the hidden ones, in the wall, the events and the hands."""
    image = np.arange(TILES)
    place = np.zeros(SEATS + 1, np.int64)
    place[1:] = ends[:SEATS]
    for n in range(TILES - 1, -1, -1):  # as they were dealt and drawn
        tile = np.int64(game["wall"][n])
        if not hidden[tile]:
            continue
        owner = _IN_WALL
        for other in range(SEATS):
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
        if event & 15 == EVENT_DRAW:
            game["events"][n] = event & 255 | image[event >> 8] << 8
    if game["drawn"] != NO_TILE:
        game["drawn"] = image[np.int64(game["drawn"])]
    for other in range(SEATS):
        if other != seat:
            game["hand"][other, :] = 0
            game["copies"][other, :] = 0
            game["suit_keys"][other, :] = 0
            first = ends[other - 1] if other else 0
            for n in range(first, ends[other]):
                add_tile(game, other, order[n])


@jit
def set_waits(lookup, game, other):
    """Write the waits of a seat: without the tile just drawn; none between a call and its discard."""
    n_melds = np.int64(game["n_melds"][other])
    hand = game["hand"][other].copy()
    if _holds_drawn(game, other):
        hand[np.int64(game["drawn"]) >> 2] -= 1
    game["waits"][other] = waits(lookup, hand, n_melds) if hand.sum() % 3 == 1 else 0


@jit
def _redeal(lookup, automata, game, seat, seed, wins_taken, counted):
    """Deal anew what a seat cannot see; return DEALT, or NO_DEAL or UNCOUNTED (see `draw_riichi_hands`)."""
    stream = open_stream(mix2(np.uint64(seed), np.uint64(_KEY)))
    hidden = np.empty(TILES, np.bool_)
    mark_hidden(game, seat, hidden)
    available = np.zeros(KINDS, np.int64)
    for tile in range(TILES):
        available[tile >> 2] += hidden[tile]
    seats = np.empty(_MOST_HIDDEN_HANDS, np.int64)
    n = 0
    for other in range(SEATS):
        if other != seat and game["riichi"][other]:
            seats[n] = other
            n += 1
    seats = seats[:n]
    hands = np.zeros((n, KINDS), np.int64)
    order, ends = np.empty(TILES, np.int64), np.empty(SEATS + 1, np.int64)
    for _ in range(ATTEMPTS):
        if n:
            status = draw_riichi_hands(lookup, automata, game, seats, available, wins_taken, counted, stream, hands)
            if status != DEALT:
                return status
        _deal(game, seats, hands, hidden, stream, order, ends)
        if _may_discard(game, seat, order, ends):
            _rewrite(game, seat, hidden, order, ends)
            for other in range(SEATS):
                if other != seat:
                    set_waits(lookup, game, other)
                    set_missed(game, other)
            return DEALT
    return NO_DEAL


@jit
def _may_discard(game, seat, order, ends):
    """Return whether a hidden hand that has just called holds a tile that it may discard: its call was legal then."""
    turn = np.int64(game["turn"])
    if game["phase"] != PHASE_CALL_DISCARD or turn == seat:
        return True
    for place in range(ends[turn - 1] if turn else 0, ends[turn]):
        if not game["forbidden"] >> (order[place] >> 2) & 1:
            return True
    return False


@jit
def _ask_again(lookup, game, seat):
    """Ask anew all who are to choose now, except that an answer which `seat` itself has given stands."""
    phase, turn = np.int64(game["phase"]), np.int64(game["turn"])
    asked = np.int64(game["asked"])
    claims = phase == PHASE_CLAIM or phase == PHASE_KONG_CLAIM
    if not claims and (turn == seat or not asked):
        return
    given = np.int64(game["answers"][seat])
    answered = (asked & ~np.int64(game["pending"])) >> seat & 1
    for other in range(SEATS):
        game["decisions"][other] -= asked >> other & 1  # counted again when asked again
    game["asked"] = 0
    game["pending"] = 0
    if claims:
        ask_claims(lookup, game)
    elif phase == PHASE_TURN:
        ask_turn(lookup, game)
    elif phase == PHASE_RIICHI_DISCARD:
        kinds = tenpai_discards(lookup, game["hand"][turn], np.int64(game["n_melds"][turn]))
        ask(game, turn, discards_within(game, turn, kinds), np.int64(0))
    else:
        ask(game, turn, call_discard_actions(game, turn), np.int64(0))
    if answered:
        answer(game, seat, given)


@jit
def _redeal_from(lookup, automata, games, seats, seeds, wins_taken, start, counted):
    """Deal anew in the games from `start` on; return the first that is not dealt (or how many there are), and why."""
    for i in range(start, len(games)):
        status = _redeal(lookup, automata, games[i], seats[i], seeds[i], wins_taken, counted)
        if status != DEALT:
            return i, status
    return len(games), DEALT


@jit
def _ask_all_again(lookup, games, seats):
    for i in range(len(games)):
        _ask_again(lookup, games[i], seats[i])


def redeal_hidden(games: np.ndarray, seats: ArrayLike, seeds: ArrayLike, wins_taken: bool = False) -> None:
    """Deal anew, in place, all tiles that a seat cannot see, uniformly over what is possible (see above).

    games: GAME[n], or one record `games[i]` of such an array; seats: the seat that looks, 0..3, for all or for each
    game; seeds: u64 for all or for each: one seed always gives the same deal of the same record. Copies of one record
    that follow each other are dealt faster, since hands are counted once. wins_taken: whoever is in riichi takes every
    win, so that no hand fits it that could have won on what was shown or drawn since; where hands that fit are rare or
    there are none (it has let a win go after all), others are dealt after some hundred tries.

    Who is to choose now is asked anew, except where `seat` itself has answered. If `seat` is not among them, maybe
    nobody has anything to choose now; then `pending` is 0, and `simulator.engine.advance` goes on. The record's
    `seed` still names the walls of later rounds. Raises ValueError for a game between rounds, and where no deal fits
    a riichi (never for a record of play): then that game and those after it are as they were.
    """
    records = np.frombuffer(games, GAME) if isinstance(games, np.void) else games
    if records.dtype != GAME or records.ndim != 1:
        raise ValueError(f"one game record, or an array of them, is needed, not {games.dtype!r} {games.shape}")
    records = records.view(GAME)  # a loaded array has an equal dtype, for which Numba would compile all anew
    # Copies, since Numba compiles anew for arrays that are not to be written to.
    each_seat = np.array(np.broadcast_to(np.asarray(seats, np.int64), records.shape))
    each_seed = np.array(np.broadcast_to(np.asarray(seeds, np.uint64), records.shape))
    if np.any((each_seat < 0) | (each_seat >= SEATS)):
        raise ValueError(f"a seat is 0 to {SEATS - 1}, not {seats!r}")
    in_play = np.isin(records["phase"], _PHASES_IN_PLAY)
    if not in_play.all():
        wrong = int(np.argmin(in_play))
        raise ValueError(f"game {wrong}: nothing is hidden in phase {PHASE_NAMES[int(records['phase'][wrong])]!r}")
    lookup, automata = get_lookup(), get_automata()
    counted, done, status = nothing_counted(automata), 0, UNCOUNTED
    while status == UNCOUNTED:
        done, status = _redeal_from(lookup, automata, records, each_seat, each_seed, wins_taken, done, counted)
        if status == UNCOUNTED:
            others = (records["riichi"][done] > 0) & (np.arange(SEATS) != each_seat[done])
            counted = count_together(automata, counted, records["n_melds"][done][others].astype(np.int64))
    _ask_all_again(lookup, records[:done], each_seat[:done])
    if status != DEALT:
        raise ValueError(f"game {done}: the tiles that seat {each_seat[done]} has not seen fit no deal")
