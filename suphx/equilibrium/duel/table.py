"""The game of the paper: 64 tiles, two players, chow, pong, kong and win, as one compiled record.

Where the paper is silent (its section 2):

- Kongs are open (on a discard), closed (four in hand) or added (to an own pong), each only while there is a tile to
  replace it with, which comes from the end of the wall. Nobody can win on the tile of a kong.
- What was claimed may be discarded at once.
- A win is worth the same by tsumo and ron, and the other player pays it. A hand with several patterns is paid for
  the best one. When the wall is exhausted, nobody pays.
- All melds lie open, closed kongs too.
"""

import numpy as np

from simulator.jit import jit
from simulator.lookup import COPIES, KEY_STEP
from simulator.tiles import KINDS as ALL_KINDS
from simulator.tiles import NO_TILE
from simulator.walls import below
from suphx.equilibrium.duel.patterns import (
    KINDS,
    NORMAL,
    PAIRS,
    POINTS,
    PONGS,
    TILES,
    normal_missing,
    pairs_missing,
    pongs_missing,
    tally_of,
)

#: Phases of a turn: answering a discard; after a draw; discarding. OVER when points are paid.
ANSWER, DRAWN, DISCARDING, OVER = range(4)
#: Actions. A chow says where the discard stands in the run; a kong of one's own and a discard name their kind.
PASS, WIN, CHOW, PONG, KONG = 0, 1, 2, 5, 6
OWN_KONG = 7
DISCARD = OWN_KONG + ALL_KINDS
ACTIONS = DISCARD + ALL_KINDS
#: Kinds of melds; a meld is its lowest kind | its kind of meld << 6.
CHOW_MELD, PONG_MELD, OPEN_KONG, CLOSED_KONG = range(4)
#: No plan was chosen yet: nothing is claimed.
UNDECIDED = 3
HAND_TILES = 13
#: A discard in a river that was claimed has this bit.
CLAIMED = 64
_LONGEST_RIVER = 40
_NOBODY = -1

#: The state of one game. Kinds are the simulator's, 0-33.
DUEL = np.dtype(
    [
        ("wall", "u1", TILES),  # kinds: 13 for seat 0, 13 for seat 1, then what is drawn
        ("front", "i1"),  # the next tile to be drawn
        ("back", "i1"),  # one after the last; replacements come from there
        ("hand", "u1", (2, ALL_KINDS)),  # concealed tiles by kind
        ("keys", "i4", (2, 2)),  # the simulator's keys of characters and honors in each hand
        ("meld", "u1", (2, 4)),
        ("melds", "i1", 2),
        ("chows", "i1", 2),  # how many of the melds are chows
        ("open", "u1", ALL_KINDS),  # tiles that lie open, by kind: rivers and melds
        ("river", "u1", (2, _LONGEST_RIVER)),  # kinds in order; | CLAIMED
        ("discards", "i1", 2),
        ("phase", "i1"),
        ("mover", "i1"),
        ("tile", "u1"),  # the kind that is offered or was drawn; NO_TILE after a claim
        ("turn", "i1", 2),  # which own turn it is or will be next, from 1
        ("plan", "i1", 2),
        ("chosen", "i1", 2),  # the turn in which the plan was last chosen, 0 for never
        ("four_as_two", "?"),  # whether four equal tiles are two of seven pairs
        ("winner", "i1"),  # -1 for nobody
        ("pattern", "i1"),  # of the win
    ],
    align=True,
)


@jit
def add(duel, seat, kind, by):
    """Put a tile into a hand (by 1), or take it out (by -1)."""
    duel["hand"][seat][kind] += np.int64(by)
    duel["keys"][seat][kind // 27] += by * KEY_STEP[kind]


@jit
def lay(duel, seat, kind, by):
    """Move a tile from a hand to the table (by 1), or back (by -1)."""
    add(duel, seat, kind, -by)
    duel["open"][kind] += np.int64(by)


@jit
def start(duel, wall, four_as_two):
    """Deal a game from a wall u8[64] of kinds, four of each; seat 0 has drawn its first tile."""
    duel["hand"][:] = 0
    duel["keys"][:] = 0
    duel["meld"][:] = 0
    duel["melds"][:] = 0
    duel["chows"][:] = 0
    duel["open"][:] = 0
    duel["river"][:] = 0
    duel["discards"][:] = 0
    duel["chosen"][:] = 0
    duel["wall"][:] = wall
    for k in range(2 * HAND_TILES):
        add(duel, k // HAND_TILES, wall[k], 1)
    duel["front"], duel["back"] = 2 * HAND_TILES, TILES
    duel["turn"][:] = 1
    duel["plan"][:] = UNDECIDED
    duel["four_as_two"] = four_as_two
    duel["winner"], duel["pattern"], duel["mover"] = _NOBODY, _NOBODY, 0
    draw(duel, False)


@jit
def shuffled(key, wall):
    """Shuffle a wall u8[64] (Fisher-Yates), depending only on the key."""
    for k in range(TILES):
        wall[k] = KINDS[k // COPIES]
    for k in range(TILES - 1):
        other = k + below(key, k, TILES - k)
        wall[k], wall[other] = wall[other], wall[k]


@jit
def draw(duel, is_replacement):
    """Give the mover a tile; the game ends if there is none."""
    if duel["front"] == duel["back"]:
        duel["phase"] = OVER
        return
    if is_replacement:
        duel["back"] -= 1
        duel["tile"] = duel["wall"][duel["back"]]
    else:
        duel["tile"] = duel["wall"][duel["front"]]
        duel["front"] += 1
    add(duel, duel["mover"], duel["tile"], 1)
    duel["phase"] = DRAWN


@jit
def pattern_of(lookup, duel, seat):
    """Return the best pattern that a hand of 3n+2 tiles completes, or -1."""
    melds, tally = duel["melds"][seat], tally_of(duel["hand"][seat])
    if melds == 0 and pairs_missing(tally, duel["four_as_two"]) == 0:
        return PAIRS
    if duel["chows"][seat] == 0 and pongs_missing(tally, melds) == 0:
        return PONGS
    keys = duel["keys"][seat]
    return NORMAL if normal_missing(lookup, np.int64(keys[0]), np.int64(keys[1]), melds) == 0 else _NOBODY


@jit
def can_win(lookup, duel):
    """Return whether the mover wins with the tile that was drawn or is offered."""
    seat = duel["mover"]
    if duel["phase"] == DRAWN:
        return pattern_of(lookup, duel, seat) >= 0
    add(duel, seat, duel["tile"], 1)
    pattern = pattern_of(lookup, duel, seat)
    add(duel, seat, duel["tile"], -1)
    return pattern >= 0


@jit
def can_chow(duel, place):
    """Return whether the offered tile makes a run in which it stands at a place, 0 to 2."""
    hand, low = duel["hand"][duel["mover"]], np.int64(duel["tile"]) - place
    if duel["tile"] >= 9 or low < 0 or low > 6:
        return False
    for k in range(3):
        if k != place and hand[low + k] == 0:
            return False
    return True


@jit
def can_kong(duel, kind):
    """Return whether the mover, having drawn, can declare a closed kong of a kind, or add one to a pong."""
    seat = duel["mover"]
    if duel["front"] == duel["back"]:
        return False
    if duel["hand"][seat][kind] == COPIES:
        return True
    return duel["hand"][seat][kind] == 1 and pong_place(duel, seat, kind) >= 0


@jit
def pong_place(duel, seat, kind):
    """Return which meld of a seat is the pong of a kind, or -1."""
    for k in range(duel["melds"][seat]):
        if duel["meld"][seat][k] == kind | PONG_MELD << 6:
            return k
    return -1


@jit
def legal(lookup, duel, out):
    """Write to out bool[75] which actions the mover has (the paper's Table 2)."""
    out[:] = False
    if duel["phase"] == OVER:
        return
    hand = duel["hand"][duel["mover"]]
    if duel["phase"] == DISCARDING:
        for kind in KINDS:
            out[DISCARD + kind] = hand[kind] > 0
        return
    out[PASS] = True
    out[WIN] = can_win(lookup, duel)
    if duel["phase"] == ANSWER:
        for place in range(3):
            out[CHOW + place] = can_chow(duel, place)
        out[PONG] = hand[duel["tile"]] >= 2
        out[KONG] = hand[duel["tile"]] >= 3 and duel["front"] < duel["back"]
        return
    for kind in KINDS:
        out[OWN_KONG + kind] = can_kong(duel, kind)


@jit
def meld(duel, seat, what, kind):
    """Lay a meld whose lowest kind is this, without moving any tiles."""
    duel["meld"][seat][duel["melds"][seat]] = kind | what << 6
    duel["melds"][seat] += 1
    duel["chows"][seat] += what == CHOW_MELD


@jit
def _claim(duel, action):
    """Take the offered tile for a meld."""
    seat = duel["mover"]
    other, tile = 1 - seat, np.int64(duel["tile"])
    duel["river"][other][duel["discards"][other] - 1] |= CLAIMED
    if action < PONG:
        low = tile - (action - CHOW)
        for kind in range(low, low + 3):
            if kind != tile:
                lay(duel, seat, kind, 1)
        meld(duel, seat, CHOW_MELD, low)
    else:
        for _ in range(2 if action == PONG else 3):
            lay(duel, seat, tile, 1)
        meld(duel, seat, PONG_MELD if action == PONG else OPEN_KONG, tile)
    if action == KONG:
        draw(duel, True)
    else:
        duel["tile"], duel["phase"] = NO_TILE, DISCARDING


@jit
def _own_kong(duel, kind):
    seat = duel["mover"]
    place = pong_place(duel, seat, kind)
    if place >= 0:
        lay(duel, seat, kind, 1)
        duel["meld"][seat][place] = kind | OPEN_KONG << 6
    else:
        for _ in range(COPIES):
            lay(duel, seat, kind, 1)
        meld(duel, seat, CLOSED_KONG, kind)
    draw(duel, True)


@jit
def act(lookup, duel, action):
    """Carry out a legal action of the mover."""
    seat = np.int64(duel["mover"])
    if action == WIN:
        if duel["phase"] == ANSWER:
            duel["river"][1 - seat][duel["discards"][1 - seat] - 1] |= CLAIMED
            add(duel, seat, duel["tile"], 1)
            duel["open"][duel["tile"]] -= 1
        duel["winner"], duel["pattern"], duel["phase"] = seat, pattern_of(lookup, duel, seat), OVER
    elif action >= DISCARD:
        kind = action - DISCARD
        lay(duel, seat, kind, 1)
        duel["river"][seat][duel["discards"][seat]] = kind
        duel["discards"][seat] += 1
        duel["turn"][seat] += 1
        duel["tile"], duel["phase"], duel["mover"] = kind, ANSWER, 1 - seat
    elif action >= OWN_KONG:
        _own_kong(duel, action - OWN_KONG)
    elif action > WIN:
        _claim(duel, action)
    elif duel["phase"] == ANSWER:
        draw(duel, False)
    else:
        duel["phase"] = DISCARDING


@jit
def payoff(duel):
    """Return what seat 0 wins from seat 1, when the game is over."""
    if duel["winner"] < 0:
        return 0
    points = POINTS[duel["pattern"]]
    return points if duel["winner"] == 0 else -points


def new_duels(n: int) -> np.ndarray:
    """Return empty records DUEL[n]."""
    return np.zeros(n, DUEL)
