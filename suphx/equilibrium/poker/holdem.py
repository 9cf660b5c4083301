"""No-limit hold'em for two to six seats as one record: blinds, betting, side pots, split pots, odd chips.

Rules where houses differ (Robert's Rules of Poker, and the Tournament Directors Association's, are followed):

- Two players: the button posts the small blind, acts first before the flop and last afterwards.
- A raise is at least as large as the last bet or raise. All-in may be less. Such all-ins reopen the betting to a player
  who has acted already once together they add up to a full raise for him (TDA rule 47), one alone does not.
- Each side pot goes to the best hand among those who paid for it. Chips that cannot be split evenly go one by one to
  the winners from the button's left. Uncalled bets are returned.
- The bets of DeepFool: fold, check or call, raise by three big blinds, pot, two pots, all-in. On each street at most
  `most_raises` bets and raises, of which an all-in that is less than a full one counts none.
"""

import numpy as np

from simulator.jit import jit
from suphx.equilibrium.poker.cards import CARDS
from suphx.equilibrium.poker.hands import BITS, strength
from suphx.errors import InputError

SEATS = 6
#: The six actions.
FOLD, CALL, RAISE, POT, TWO_POTS, ALL_IN = range(6)
ACTIONS = ("fold", "check/call", "raise 3 BB", "pot", "2 pots", "all-in")
#: Streets; OVER when the chips are paid.
PREFLOP, FLOP, TURN, RIVER, OVER = range(5)
#: Actions that a record remembers; the oldest go first.
HISTORY = 48
_SMALL, _BIG = 1, 2

#: The state of one hand. A seat beyond `seats` does not exist.
HAND = np.dtype(
    [
        ("stack", "i4", SEATS),  # chips behind
        ("street_put", "i4", SEATS),  # put in on this street
        ("put", "i4", SEATS),  # put in altogether
        ("start", "i4", SEATS),  # chips before the hand
        ("answered", "i4", SEATS),  # the bet that a seat has last answered on this street; -1 if it has not acted
        ("folded", "i1", SEATS),
        ("cards", "i1", 2 * SEATS + 5),  # two for each seat, then the board
        ("seats", "i1"),
        ("button", "i1"),
        ("street", "i1"),
        ("mover", "i1"),
        ("raises", "i1"),  # bets and raises on this street
        ("most_raises", "i1"),
        ("bet", "i4"),  # the chips on this street needed to stay in
        ("full", "i4"),  # the last full bet or raise: the least that a raise must add
        ("actions", "i1"),  # how many were taken
        ("history", "i1", HISTORY),  # 1 + action + 6 * (seat from the button) of each
        ("history_street", "i1", HISTORY),
    ]
)


@jit
def _pay(hand, seat, chips):
    chips = min(chips, hand["stack"][seat])
    hand["stack"][seat] -= chips
    hand["street_put"][seat] += chips
    hand["put"][seat] += chips


@jit
def start(hand, cards, stacks, button, most_raises):
    """Deal a hand: cards i[52], of which the first 17 are used; stacks i[seats], of at least 1; blinds 1 and 2."""
    seats = len(stacks)
    hand["stack"][:] = 0
    hand["street_put"][:] = 0
    hand["put"][:] = 0
    hand["answered"][:] = -1
    hand["folded"][:] = 1
    hand["history"][:] = 0
    hand["history_street"][:] = 0
    for k in range(2 * SEATS + 5):
        hand["cards"][k] = cards[k]
    hand["seats"], hand["button"], hand["street"], hand["most_raises"] = seats, button, PREFLOP, most_raises
    hand["raises"], hand["bet"], hand["full"], hand["actions"] = 0, _BIG, _BIG, 0
    for seat in range(seats):
        hand["stack"][seat] = stacks[seat]
        hand["folded"][seat] = 0
    hand["start"][:] = hand["stack"]
    small = button if seats == 2 else (button + 1) % seats
    big = (small + 1) % seats
    _pay(hand, small, _SMALL)
    _pay(hand, big, _BIG)
    hand["mover"] = big
    _next(hand)


@jit
def _may_act(hand, seat):
    """Whether a seat must still answer: not folded, chips left, and a bet or a street that it has not answered."""
    if hand["folded"][seat] or hand["stack"][seat] == 0:
        return False
    if hand["street_put"][seat] < hand["bet"]:
        return True
    return hand["answered"][seat] < 0


@jit
def _next(hand):
    """Find who acts next, deal the next streets, or end the hand."""
    seats, live, able, owing = hand["seats"], 0, 0, 0
    for seat in range(seats):
        if not hand["folded"][seat]:
            live += 1
            if hand["stack"][seat] > 0:
                able += 1
                owing += hand["street_put"][seat] < hand["bet"]
    if live > 1 and (able > 1 or owing > 0):
        for step in range(1, seats + 1):
            seat = (hand["mover"] + step) % seats
            # the last one with chips has nobody to bet against, and answers only what is owed
            if _may_act(hand, seat) and (able > 1 or hand["street_put"][seat] < hand["bet"]):
                hand["mover"] = seat
                return
    if live == 1 or hand["street"] == RIVER or able < 2:
        _finish(hand)
        return
    hand["street"] += 1
    hand["street_put"][:] = 0
    hand["answered"][:] = -1
    hand["raises"], hand["bet"], hand["full"] = 0, 0, _BIG
    hand["mover"] = hand["button"]
    for step in range(1, seats + 1):
        seat = (hand["button"] + step) % seats
        if _may_act(hand, seat):
            hand["mover"] = seat
            return


@jit
def pot(hand):
    """Return all chips that are in the middle."""
    total = 0
    for seat in range(hand["seats"]):
        total += hand["put"][seat]
    return total


@jit
def bet_to(hand, action):
    """Return what a seat has put in on this street after an action that raises, before it is cut to its stack."""
    bet = hand["bet"]
    call = min(bet - hand["street_put"][hand["mover"]], hand["stack"][hand["mover"]])
    after_call = pot(hand) + call
    if action == RAISE:
        return bet + max(3 * _BIG, hand["full"])
    if action == POT:
        return bet + max(after_call, hand["full"])
    if action == TWO_POTS:
        return bet + max(2 * after_call, hand["full"])
    return hand["street_put"][hand["mover"]] + hand["stack"][hand["mover"]]


@jit
def legal(hand, out):
    """Write to out bool[6] which actions the mover has. A raise that takes all chips is only there as all-in."""
    seat = hand["mover"]
    stack, put, bet = hand["stack"][seat], hand["street_put"][seat], hand["bet"]
    out[:] = False
    out[FOLD] = bet > put
    out[CALL] = True
    others = 0
    for other in range(hand["seats"]):
        others += other != seat and not hand["folded"][other] and hand["stack"][other] > 0
    answered = hand["answered"][seat]
    closed = answered >= 0 and bet - answered < hand["full"]  # no full raise since this seat acted
    if put + stack > bet and others > 0 and not closed and hand["raises"] < hand["most_raises"]:
        out[ALL_IN] = True
        for action in (RAISE, POT, TWO_POTS):
            out[action] = bet_to(hand, action) < put + stack


@jit
def act(hand, action):
    """Carry out a legal action of the mover, and play on to the next decision or the end."""
    seat = hand["mover"]
    at = hand["actions"]
    if at >= HISTORY:
        for k in range(HISTORY - 1):
            hand["history"][k] = hand["history"][k + 1]
            hand["history_street"][k] = hand["history_street"][k + 1]
        at = HISTORY - 1
    hand["history"][at] = 1 + action + 6 * ((seat - hand["button"]) % hand["seats"])
    hand["history_street"][at] = hand["street"]
    hand["actions"] = at + 1
    if action == FOLD:
        hand["folded"][seat] = 1
    elif action == CALL:
        _pay(hand, seat, hand["bet"] - hand["street_put"][seat])
    else:
        _pay(hand, seat, bet_to(hand, action) - hand["street_put"][seat])
        by = hand["street_put"][seat] - hand["bet"]
        if by >= hand["full"]:
            hand["full"] = by
            hand["raises"] += 1
        hand["bet"] += by
    hand["answered"][seat] = hand["bet"]
    _next(hand)


@jit
def _finish(hand):
    """Return uncalled bets, and pay each pot to its winners."""
    seats = hand["seats"]
    board = np.int64(0)
    for k in range(5):
        board |= BITS[hand["cards"][2 * SEATS + k]]
    worth = np.full(SEATS, -1, np.int64)
    for seat in range(seats):
        if not hand["folded"][seat]:
            worth[seat] = strength(board | BITS[hand["cards"][2 * seat]] | BITS[hand["cards"][2 * seat + 1]])
    left = hand["put"].copy()
    while True:
        layer = 0  # the least that a seat still in has in what is left
        for seat in range(seats):
            if not hand["folded"][seat] and left[seat] > 0 and (layer == 0 or left[seat] < layer):
                layer = left[seat]
        if layer == 0:
            break
        chips, best, winners = 0, np.int64(-1), 0
        for seat in range(seats):
            if not hand["folded"][seat] and left[seat] > 0:
                if worth[seat] > best:
                    best, winners = worth[seat], 0
                winners += worth[seat] == best
        for seat in range(seats):
            contends = not hand["folded"][seat] and left[seat] > 0
            part = min(left[seat], layer)
            chips += part
            left[seat] -= part
            if contends and worth[seat] == best:
                worth[seat] |= np.int64(1) << 40  # marked as a winner of this pot
        share, odd = chips // winners, chips % winners
        for step in range(1, seats + 1):
            seat = (hand["button"] + step) % seats
            if worth[seat] >= np.int64(1) << 40:
                hand["stack"][seat] += share + (odd > 0)
                odd -= odd > 0
                worth[seat] &= ~(np.int64(1) << 40)
    hand["street"] = OVER


@jit
def mean_gain(hand, seat, street, deals, scratch, state):
    """Return what a seat has won in a hand that is over, in chips, and the next state u64.

    If the betting ended on a street before the river, with two players or more, it is the mean over random boards from
    there on; a single deal is the one that came. scratch: HAND[1], work space.
    """
    live = 0
    for other in range(hand["seats"]):
        live += hand["folded"][other] == 0
    if deals == 1 or live == 1 or street == RIVER or hand["folded"][seat]:
        return np.float64(hand["stack"][seat] - hand["start"][seat]), state
    shown, left = 0 if street == PREFLOP else street + 2, 0
    deck, taken = np.empty(CARDS, np.int8), np.int64(0)
    for k in range(2 * hand["seats"]):
        taken |= BITS[hand["cards"][k]]
    for k in range(shown):
        taken |= BITS[hand["cards"][2 * SEATS + k]]
    for card in range(CARDS):
        if taken & BITS[card] == 0:
            deck[left] = card
            left += 1
    total = 0
    for _ in range(deals):
        scratch[0] = hand
        again = scratch[0]
        for other in range(hand["seats"]):
            again["stack"][other] = hand["start"][other] - hand["put"][other]
        for k in range(5 - shown):
            state, number = random_number(state)
            chosen = k + int(number * (left - k))
            deck[k], deck[chosen] = deck[chosen], deck[k]
            again["cards"][2 * SEATS + shown + k] = deck[k]
        _finish(again)
        total += again["stack"][seat] - again["start"][seat]
    return total / deals, state


@jit
def deal(hand, stacks, button, most_raises, seed):
    """Deal a hand whose cards depend on the seed alone."""
    cards = np.arange(CARDS)
    state = np.uint64(seed)
    for k in range(2 * SEATS + 5):
        state, number = random_number(state)
        other = k + int(number * (CARDS - k))
        cards[k], cards[other] = cards[other], cards[k]
    start(hand, cards, stacks, button, most_raises)


@jit
def random_number(state):
    """Return the next state u64 and a number in [0, 1): SplitMix64 (Steele, Lea and Flood 2014)."""
    state = np.uint64(state) + np.uint64(0x9E3779B97F4A7C15)
    mixed = state
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return state, np.float64(mixed >> np.uint64(11)) / 9007199254740992.0


def new_hands(n: int) -> np.ndarray:
    """Return empty records HAND[n]."""
    return np.zeros(n, HAND)


def checked_stacks(stacks: list[int]) -> np.ndarray:
    """Return the stacks of two to six seats, i64[seats]; InputError if there are others, or one below the big blind."""
    if not 2 <= len(stacks) <= SEATS:
        raise InputError(f"{len(stacks)} seats: a table has two to six")
    for stack in stacks:
        if not _BIG <= stack <= 1_000_000:
            raise InputError(f"a stack of {stack} chips: at least the big blind, {_BIG}, and at most a million")
    return np.array(stacks, np.int64)
