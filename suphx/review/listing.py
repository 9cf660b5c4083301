"""A list of the winning hands near a hand: the look-ahead's search, but keeping the best hands. Compiled.

`suphx.features.lookahead` defines a winning hand W near a hand, how many tiles away it is, the number of ways to draw
these tiles, and its likelihood; this module lists the same W, as far as they consist of sets and a pair.
"""

import numpy as np

from simulator.jit import hold, jit
from simulator.lookup import get_lookup
from simulator.record import GAME, WIN
from simulator.shanten import SUITS, shanten
from simulator.tiles import KINDS
from suphx.features import lookahead_parts as p
from suphx.features.encode import encode_batch, encode_call_batch
from suphx.features.lookahead import VIEW, begin_search, see, see_after
from suphx.features.lookahead_parts import NO_PART, SEARCH, STEPS
from suphx.features.lookahead_worth import worth_of_sets
from suphx.features.proposals import PROPOSAL

#: Number of hands listed for a position: those with the highest `score`.
LISTED = 48

#: A winning hand near the hand in a position.
LISTED_HAND = np.dtype(
    [
        ("counts", np.uint8, (KINDS,)),  # concealed tiles of the winning hand by kind
        ("away", np.int64),  # number of tiles to draw, 1 to 3
        ("ways", np.int64),  # number of ways to choose them from the unseen tiles
        ("likelihood", np.float64),  # expected number of these ways that the remaining draws complete
        ("worth", np.int64),  # how many of STEPS it reaches, 1 to 9
        ("score", np.float64),  # points of the highest step reached x likelihood
    ],
    align=True,
)

_POINTS = np.array((0, *STEPS), np.float64)


@jit
def _factors(view, out):
    """Write D (D-1) ... / (U (U-1) ...) for 1, 2, 3 tiles: the likelihood of a single way to draw them."""
    tiles = np.int64(0)
    for kind in range(KINDS):
        tiles += view["unseen"][kind]
    factor = 1.0
    for n in range(p.FURTHEST):
        factor *= max(0, np.int64(view["draws_left"]) - n) / max(1, tiles - n)
        out[n] = factor


@jit
def _keep(search, chosen, word, worth, factors, out, n):
    """Insert a hand, made of one part per suit, into the sorted list of the best; return the new length of the list."""
    away = word >> p.DRAWN_SHIFT & p.TILES_FIELD
    ways = p.WAYS[word >> p.WAYS_SHIFT & p.WAYS_FIELD]
    likelihood = ways * factors[away - 1]
    score = _POINTS[worth] * likelihood
    if score <= 0 or (n == len(out) and score <= out[n - 1]["score"]):
        return n
    n = min(n + 1, len(out))
    place = n - 1
    while place > 0 and out[place - 1]["score"] < score:
        out[place] = out[place - 1]
        place -= 1
    hand = out[place]
    hand["away"], hand["ways"], hand["likelihood"], hand["worth"], hand["score"] = away, ways, likelihood, worth, score
    for suit in range(SUITS):
        nibbles = search["parts"][chosen[suit], p.NIBBLES]
        for number in range(9 if suit < 3 else KINDS - 27):
            hand["counts"][9 * suit + number] = nibbles >> 4 * number & 15
    return n


@jit
def _is_whole(search, code):
    """Return whether four parts with this joint code form a winning hand that is not held already."""
    drawn, replaced = code & 3, code >> 2 & 3
    return code & p.PAIR_CODE != 0 and drawn > 0 and replaced == drawn - p.FURTHEST + search["most_replaced"]


@jit
def _join_all(search, chosen, out):
    for column in range(p.COLUMNS):
        out[column] = 0
        for suit in range(SUITS):
            out[column] += search["parts"][chosen[suit], column]


@jit
def _list_sets(search, own, rules, win, factors, out):
    """Enumerate combinations of one part per suit, by their codes first; write the best hands, return their number."""
    n = 0
    chosen, joined = np.empty(SUITS, np.int64), np.empty(p.COLUMNS, np.int64)
    first, following = search["first"], search["next"]
    for code_0 in range(p.CODES):
        for code_1 in range(p.CODES):
            both = np.int64(p.CODES_TOGETHER[code_0, code_1])
            if first[0, code_0] == NO_PART or first[1, code_1] == NO_PART or both == p.NO_CODE:
                continue
            for code_2 in range(p.CODES):
                three = np.int64(p.CODES_TOGETHER[both, code_2])
                if first[2, code_2] == NO_PART or three == p.NO_CODE:
                    continue
                for code_3 in range(p.CODES):
                    four = np.int64(p.CODES_TOGETHER[three, code_3])
                    if first[3, code_3] == NO_PART or four == p.NO_CODE or not _is_whole(search, four):
                        continue
                    chosen[0] = first[0, code_0]
                    while chosen[0] != NO_PART:
                        chosen[1] = first[1, code_1]
                        while chosen[1] != NO_PART:
                            chosen[2] = first[2, code_2]
                            while chosen[2] != NO_PART:
                                chosen[3] = first[3, code_3]
                                while chosen[3] != NO_PART:
                                    _join_all(search, chosen, joined)
                                    worth = worth_of_sets(search, joined, own, rules, win)
                                    n = _keep(search, chosen, joined[p.WORD], worth, factors, out, n)
                                    chosen[3] = following[chosen[3]]
                                chosen[2] = following[chosen[2]]
                            chosen[1] = following[chosen[1]]
                        chosen[0] = following[chosen[0]]
    return n


@jit
def _list_hands(lookup, view, rules, out):
    """Write the best winning hands near the hand of a VIEW into LISTED_HAND[...], best first; return their number."""
    if shanten(lookup, view["hand"], np.int64(view["n_melds"])) >= p.FURTHEST:
        return 0
    searches, wins, factors = np.empty(1, SEARCH), np.zeros(1, WIN), np.empty(p.FURTHEST)
    search = searches[0]
    own = begin_search(lookup, search, view, rules)
    _factors(view, factors)
    n = _list_sets(search, own, rules, wins[0], factors, out)
    hold(searches)
    hold(wins)
    return n


@jit
def _list_all(lookup, games, index, seats, actions, views, out, counts):
    proposals = np.empty(1, PROPOSAL)
    proposal = proposals[0]
    for n in range(len(index)):
        game, view = games[index[n]], views[n]
        see_after(game, np.int64(seats[n]), np.int64(actions[n]), proposal, view)
        counts[n] = _list_hands(lookup, view, game["rules"], out[n])
    hold(proposals)


@jit
def _see_all(games, index, seats, views):
    for n in range(len(index)):
        see(games[index[n]], np.int64(seats[n]), views[n])


def see_all(games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return VIEW[n]: what seats[n] sees of games[index[n]], for each n."""
    views = np.zeros(len(index), VIEW)
    if len(index):
        _see_all(games, index.astype(np.int64), seats.astype(np.int64), views)
    return views


def list_hands(
    games: np.ndarray, index: np.ndarray, seats: np.ndarray, actions: np.ndarray, most: int = LISTED
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the views of n seats, VIEW[n], the best hands near theirs, LISTED_HAND[n, most], and their counts, i64[n].

    games GAME[...], index i64[n], seats u8[n]; actions i64[n]: a chow or pong that is made first, or NO_PROPOSAL.
    Hands more than three tiles away, seven pairs and thirteen orphans are not included.
    """
    views, out = np.zeros(len(index), VIEW), np.zeros((len(index), most), LISTED_HAND)
    counts = np.zeros(len(index), np.int64)
    which, chosen = index.astype(np.int64), seats.astype(np.int64)  # compiled for these types alone
    _list_all(get_lookup(), games, which, chosen, actions, views, out, counts)
    return views, out, counts


def compile_features() -> None:
    """Compile what a review asks of features and of this list, in which no table is played."""
    games, none = np.zeros(1, GAME), np.zeros(0, np.int64)
    encode_batch(games, none, none)
    encode_call_batch(games, none, none, none)
    list_hands(games, none, none.astype(np.uint8), none)
