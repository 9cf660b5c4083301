"""The paper's look-ahead features: which hands can still be won after each discard, with what points and likelihood.

Definition. Let H be the concealed hand of 3n+2 tiles and W a complete hand of as many tiles: sets that make four
together with the melds, and a pair, or, only without melds, seven pairs or thirteen orphans. W is K away if K of its
tiles are not in H. Then K tiles of H are not in W and are *replaced*: W is reached by discarding any of them first,
drawing a tile, discarding the next one, and so on; the K-th tile drawn wins. W *belongs* to the kinds replaced, and

    ways(W) = product over the kinds drawn of C(unseen copies, copies drawn)
    likelihood(K, S, d) = sum of ways(W) over all W exactly K away, worth at least S, that belong to d
                          * D (D-1) ... (D-K+1) / (U (U-1) ... (U-K+1))

with D own draws left and U unseen tiles. This is the expected number of such sets of K tiles among the next D draws.
For K = 1, 2, 3 and each S in `STEPS`, four planes say for each kind d whether such a W exists (ways > 0, even with too
few draws left), and whether its likelihood is at least 1/n for each n of `LIKELIHOODS`.

- *Exactly* K away, not at most: smaller K have their own planes, and a network can combine planes but not separate
  them.
- All W together, not only the likeliest: K = 1 counts the winning tiles, K = 2 the tiles that lead to them, and so on.
- The value of W is what is paid by ron without repeat counters and bets, half as much again for the dealer. The
  winning tile is the most valuable one of those drawn. Closed hands are in riichi (regardless of points and tiles
  left); ippatsu, ura dora and last tile yaku are ignored. An open W without a yaku does not count.
- Dora and red fives count. Of the fives held, the red one is discarded last; of the unseen ones, it is drawn last.
- Only unseen tiles are drawn. The other seats' actions are ignored, and so is furiten.

For 3n+1 tiles (before a draw or claim; K tiles are drawn, K-1 replaced) the planes are over the kinds drawn instead:
they say which tiles lead to such a W. A proposed chow or pong is evaluated with its meld added, as 3n+2 tiles.
Encoding them is a separate stage (see `encode`). Compiled.
"""

import numpy as np

from simulator.jit import hold, jit
from simulator.lookup import COPIES, SETS
from simulator.moves import has_red_five, is_red_tile, tiles_left
from simulator.record import MELD, NO_TILE, RIVER_CALLED, SEATS, WIN
from simulator.shanten import SUITS, shanten
from simulator.tiles import DORA_OF, KINDS, RED_FIVE_KINDS
from simulator.walls import DORA_INDICATORS
from suphx.features import at
from suphx.features import lookahead_parts as p
from suphx.features.lookahead_parts import NO_PART, SEARCH, STEPS, count_hand, fill_missing, fill_steps, lowest
from suphx.features.lookahead_special import add_orphans, add_seven_pairs
from suphx.features.lookahead_suits import find_parts
from suphx.features.lookahead_worth import own_facts, worth_of_sets
from suphx.features.proposals import PROPOSAL, propose

#: The thresholds of likelihood, as denominators n of 1/n.
LIKELIHOODS = (16, 4, 2)
BUCKETS = 1 + len(LIKELIHOODS)
#: Index of a plane: ((K - 1) * len(STEPS) + index of S) * BUCKETS + bucket; bucket 0: such a hand can be reached.
PLANES = p.FURTHEST * len(STEPS) * BUCKETS
_END = at.lookahead_points + PLANES
#: The action of a position without a proposed call.
NO_PROPOSAL = -1

_ONE_IN = np.array(LIKELIHOODS)

#: What a seat sees.
VIEW = np.dtype(
    [
        ("hand", np.uint8, (KINDS,)),  # concealed tiles
        ("red", np.uint8, (3,)),  # red fives among them
        ("melds", MELD, (4,)),  # with tiles; the first n_melds count
        ("n_melds", np.uint8),
        ("unseen", np.uint8, (KINDS,)),  # tiles of each kind that the seat does not see
        ("unseen_red", np.uint8, (3,)),  # red fives among them
        ("dora", np.uint8, (KINDS,)),  # dora han of a tile of each kind
        ("seat_wind", np.uint8),  # 0 to 3, East to North
        ("round_wind", np.uint8),
        ("draws_left", np.uint8),  # draws that the seat still has
    ],
    align=True,
)


@jit
def _join(first, second, out):
    """Write the combination of two groups of parts to `out`."""
    for column in range(p.COLUMNS):
        out[column] = first[column] + second[column]


@jit
def _codes_of(codes, others):
    """Return the mask of codes of all valid combinations of two groups; codes, others: masks of their codes."""
    mask = np.int64(0)
    while codes:
        code = lowest(codes)
        codes &= codes - 1
        rest = others
        while rest:
            both = np.int64(p.CODES_TOGETHER[code, lowest(rest)])
            rest &= rest - 1
            mask |= np.int64(both != p.NO_CODE) << (both & (p.CODES - 1))
    return mask


@jit
def _targets(search, code):
    """Return the mask of codes that complete a group with `code` to a winning hand."""
    mask = np.int64(0)
    for drawn in range(1, p.FURTHEST + 1):
        more_drawn = drawn - (code & 3)
        more_replaced = drawn - p.FURTHEST + search["most_replaced"] - (code >> 2 & 3)
        if more_drawn >= 0 and more_replaced >= 0:
            mask |= np.int64(1) << (more_drawn | more_replaced << 2 | (p.PAIR_CODE & ~code))
    return mask


@jit
def _add_hands(search, code_2, code_3, own, rules, win):
    """Count the hands made of the group in `joined[0]` and parts of suits 2 and 3 with the given codes."""
    joined, parts, following = search["joined"], search["parts"], search["next"]
    part_2 = search["first"][2, code_2]
    while part_2 != NO_PART:
        _join(joined[0], parts[part_2], joined[1])
        part_3 = search["first"][3, code_3]
        while part_3 != NO_PART:
            hand = joined[2]
            _join(joined[1], parts[part_3], hand)
            worth = worth_of_sets(search, hand, own, rules, win)
            count_hand(search, hand[p.WORD], hand[p.DRAWN], hand[p.REPLACED], worth)
            part_3 = following[part_3]
        part_2 = following[part_2]


@jit
def _complete(search, code, own, rules, win):
    """Count all hands that contain the group in `joined[0]`, which has the given code."""
    codes_2 = search["codes"][2]
    while codes_2:
        code_2 = lowest(codes_2)
        codes_2 &= codes_2 - 1
        both = np.int64(p.CODES_TOGETHER[code, code_2])
        if both != p.NO_CODE:
            codes_3 = search["codes"][3] & _targets(search, both)
            while codes_3:
                _add_hands(search, code_2, lowest(codes_3), own, rules, win)
                codes_3 &= codes_3 - 1


@jit
def _add_sets(search, own, rules, win):
    """Count every winning hand of sets and a pair, made of one part of each suit."""
    parts, following = search["parts"], search["next"]
    behind = _codes_of(search["codes"][2], search["codes"][3])
    codes_0 = search["codes"][0]
    while codes_0:
        code_0 = lowest(codes_0)
        codes_0 &= codes_0 - 1
        codes_1 = search["codes"][1]
        while codes_1:
            code_1 = lowest(codes_1)
            codes_1 &= codes_1 - 1
            both = np.int64(p.CODES_TOGETHER[code_0, code_1])
            if both == p.NO_CODE or not _targets(search, both) & behind:
                continue
            part_0 = search["first"][0, code_0]
            while part_0 != NO_PART:
                part_1 = search["first"][1, code_1]
                while part_1 != NO_PART:
                    _join(parts[part_0], parts[part_1], search["joined"][0])
                    _complete(search, both, own, rules, win)
                    part_1 = following[part_1]
                part_0 = following[part_0]


@jit
def _write_planes(search, draws_left, unseen, out):
    """Write the planes from the counted ways."""
    tiles = np.int64(0)
    for kind in range(KINDS):
        tiles += unseen[kind]
    draws, orders = np.int64(1), np.int64(1)  # D (D-1) ... and U (U-1) ...
    for drawn in range(p.FURTHEST):
        draws *= max(0, draws_left - drawn)
        orders *= max(1, tiles - drawn)
        for kind in range(KINDS):
            ways = np.int64(0)
            bit = np.int64(1) << kind
            for step in range(len(STEPS) - 1, -1, -1):
                ways += search["ways"][drawn, kind, step + 1]
                if ways:
                    plane = (drawn * len(STEPS) + step) * BUCKETS
                    out[plane] = np.int64(out[plane]) | bit
                    for n in range(len(_ONE_IN)):
                        if ways * draws * _ONE_IN[n] >= orders:
                            out[plane + 1 + n] = np.int64(out[plane + 1 + n]) | bit


@jit
def begin_search(lookup, search, view, rules):
    """Find the parts of winning hands near the hand of a VIEW, with their costs; return the seat's own facts."""
    hand, n_melds = view["hand"], np.int64(view["n_melds"])
    search["n_parts"], search["n_readings"] = 0, 0
    search["ways"][:] = 0
    tiles = 3 * n_melds
    for kind in range(KINDS):
        tiles += np.int64(hand[kind])
    search["by_drawn"] = tiles % 3 == 1
    search["most_replaced"] = p.FURTHEST - search["by_drawn"]
    fill_steps(search, hand, view["red"], view["unseen"], view["unseen_red"], view["dora"])
    fill_missing(lookup, search, hand, n_melds)
    seat_wind, round_wind = np.int64(view["seat_wind"]), np.int64(view["round_wind"])
    for suit in range(SUITS):
        find_parts(search, suit, hand, SETS - n_melds)
    return own_facts(view["melds"], n_melds, view["dora"], seat_wind, round_wind, rules)


@jit
def lookahead(lookup, view, rules, out):
    """Write the look-ahead planes of a hand of 3n+2 tiles (over discards) or 3n+1 tiles (over draws) into `out`.

    lookup: the shanten tables; view: a VIEW; rules: a RULES record; out: u64 or i64[PLANES], masks of kinds. All
    arguments are as the seat sees them: no hidden information is used.
    """
    out[:] = 0
    hand, n_melds = view["hand"], np.int64(view["n_melds"])
    if shanten(lookup, hand, n_melds) >= p.FURTHEST:
        return
    searches, wins = np.empty(1, SEARCH), np.zeros(1, WIN)
    search, win = searches[0], wins[0]
    own = begin_search(lookup, search, view, rules)
    _add_sets(search, own, rules, win)
    if n_melds == 0:
        add_seven_pairs(lookup, search, hand, own, rules, win)
        add_orphans(search, hand)
    _write_planes(search, np.int64(view["draws_left"]), view["unseen"], out)
    hold(searches)
    hold(wins)


@jit
def _show(game, view, tile):
    """Remove a tile that the seat sees from the unseen tiles."""
    view["unseen"][tile >> 2] -= 1
    if is_red_tile(game, tile):
        view["unseen_red"][tile // 36] -= 1


@jit
def _see_table(game, view):
    """Remove the tiles visible on the table from the unseen tiles, and write the dora."""
    for seat in range(SEATS):
        for n in range(np.int64(game["n_river"][seat])):
            entry = np.int64(game["river"][seat, n])
            if not entry & RIVER_CALLED:
                _show(game, view, entry & 255)
        for n in range(np.int64(game["n_melds"][seat])):
            for place in range(4):
                tile = np.int64(game["melds"][seat, n]["tiles"][place])
                if tile != NO_TILE:
                    _show(game, view, tile)
    for n in range(np.int64(game["indicators"])):
        tile = np.int64(game["wall"][DORA_INDICATORS[n]])
        _show(game, view, tile)
        view["dora"][DORA_OF[tile >> 2]] += 1


@jit
def see(game, seat, view):
    """Write what a seat sees of a game into a VIEW; draws_left assumes no further calls: every fourth tile left."""
    for kind in range(KINDS):
        view["hand"][kind] = game["hand"][seat, kind]
        view["unseen"][kind] = COPIES - game["hand"][seat, kind]
        view["dora"][kind] = 0
    for suit in range(3):
        view["red"][suit] = 1 if has_red_five(game, seat, RED_FIVE_KINDS[suit]) else 0
        view["unseen_red"][suit] = game["rules"]["red_fives"] - view["red"][suit]
    view["n_melds"] = game["n_melds"][seat]
    for n in range(np.int64(view["n_melds"])):
        view["melds"][n] = game["melds"][seat, n]
    _see_table(game, view)
    view["seat_wind"] = (seat - np.int64(game["dealer"])) & 3
    view["round_wind"] = np.int64(game["round"]) >> 2 & 3
    view["draws_left"] = max(0, tiles_left(game)) // SEATS


@jit
def see_after(game, seat, action, proposal, view):
    """Write what a seat sees into a VIEW as `see`, with its hand and melds after an action unless it is NO_PROPOSAL.

    proposal: a PROPOSAL to work with.
    """
    see(game, seat, view)
    if action == NO_PROPOSAL:
        return
    propose(game, seat, action, proposal)
    for kind in range(KINDS):
        view["hand"][kind] = proposal["hand"][kind]
    for suit in range(3):
        view["red"][suit] = proposal["reds"] >> RED_FIVE_KINDS[suit] & 1
    view["n_melds"] = proposal["n_melds"]
    for n in range(proposal["n_melds"]):
        view["melds"][n] = proposal["melds"][n]


@jit
def encode_lookahead_all(lookup, games, index, seats, actions, out):
    """Write the look-ahead planes of many positions; actions: the proposed calls, or NO_PROPOSAL."""
    views, proposals = np.empty(1, VIEW), np.empty(1, PROPOSAL)
    view, proposal = views[0], proposals[0]
    for n in range(len(index)):
        game = games[index[n]]
        see_after(game, np.int64(seats[n]), np.int64(actions[n]), proposal, view)
        lookahead(lookup, view, game["rules"], out[n, at.lookahead_points : _END])
    hold(views)
    hold(proposals)
