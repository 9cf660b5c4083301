"""A blueprint: a strategy for all of hold'em at once, by MCCFR whose regrets and policies add up in a table.

Information sets are told apart by what `key_of` keeps of a decision: cards by strength and how much may still change,
position, who is left, the price, what is behind, who has the initiative, and the legal actions. So recall is imperfect,
and there may be more than two players: nothing promises an equilibrium there. The same traversal finds those of small
games with perfect recall (tests/equilibrium/poker/test_blueprint.py).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import Field

from simulator.jit import jit
from simulator.walls import mix2
from suphx.config import Config
from suphx.equilibrium.npz import read_arrays, save_arrays
from suphx.equilibrium.poker.cards import CARDS
from suphx.equilibrium.poker.equity import by_thresholds, chance, draw, fill_deck
from suphx.equilibrium.poker.hands import BITS, strength
from suphx.equilibrium.poker.holdem import (
    ACTIONS,
    CALL,
    FOLD,
    HAND,
    OVER,
    PREFLOP,
    RIVER,
    SEATS,
    act,
    checked_stacks,
    deal,
    legal,
    mean_gain,
    pot,
    random_number,
)
from suphx.errors import InputError

#: What plays as `blueprint`: of `suphx poker blueprint` with its defaults.
INCLUDED = Path(__file__).parent / "blueprint.npz"
#: Runouts from which a decision's strength and its variance are estimated, against two random hands each.
_RUNOUTS = 100
#: Where classes of strength begin, as the chance to win against one random hand.
_STRENGTHS = np.array([0.15, 0.25, 0.33, 0.40, 0.46, 0.52, 0.58, 0.64, 0.70, 0.76, 0.82, 0.87, 0.91, 0.95, 0.98])
#: Where classes of the standard deviation of that chance over what may still come begin.
_DEVIATIONS = np.array([0.17, 0.25])
#: Where classes of the price begin, as a share of the pot after the call; of what is behind then, as multiples of it.
_PRICES = np.array([1e-9, 0.18, 0.26, 0.34, 0.45])
_DEPTHS = np.array([0.35, 1.0, 2.5, 6.0, 15.0])
#: Between which bounds a guest's thresholds are drawn, and the deals of one of its estimates.
_CALLS, _BETS, _GUEST_DEALS = (0.3, 0.7), (0.65, 0.95), 30
_DEEPEST = 256  # decisions of one hand, more than there can be
_FIRST_SIZE = 1 << 16


@jit
def _class_of(value, bounds):
    at = 0
    while at < len(bounds) and value >= bounds[at]:
        at += 1
    return at


@jit
def card_class(hand, seat):
    """Return the class of a seat's cards with the board of the street: before the flop one of the 169 hands.

    It depends on the cards alone, although it is estimated by random deals.
    """
    one, other = np.int64(hand["cards"][2 * seat]), np.int64(hand["cards"][2 * seat + 1])
    if hand["street"] == PREFLOP:
        low, high = min(one >> 2, other >> 2), max(one >> 2, other >> 2)
        return high * 13 + low if one & 3 == other & 3 else low * 13 + high
    shown, board = hand["street"] + 2, np.int64(0)
    for at in range(shown):
        board |= BITS[hand["cards"][2 * SEATS + at]]
    held, deck = BITS[one] | BITS[other], np.empty(CARDS, np.int64)
    left = fill_deck(held | board, deck)
    state, need = np.uint64(held | board), 9 - shown
    won, both = 0.0, 0.0
    for _ in range(_RUNOUTS):
        state = draw(deck, left, need, state)
        full = board
        for at in range(4, need):
            full |= deck[at]
        own = strength(full | held)
        first, second = strength(full | deck[0] | deck[1]), strength(full | deck[2] | deck[3])
        a = 1.0 if own > first else 0.5 * (own == first)
        b = 1.0 if own > second else 0.5 * (own == second)
        won += a + b
        both += a * b
    mean = won / (2 * _RUNOUTS)
    if hand["street"] == RIVER:
        return _class_of(mean, _STRENGTHS)
    deviation = max(both / _RUNOUTS - mean * mean, 0.0) ** 0.5
    return _class_of(mean, _STRENGTHS) * (len(_DEVIATIONS) + 1) + _class_of(deviation, _DEVIATIONS)


@jit
def _initiative(hand, seat):
    """Return who made the last bet or raise on the streets before: 0 nobody, 1 the seat itself, 2 another."""
    own = (seat - hand["button"]) % hand["seats"]
    for back in range(hand["actions"]):
        at = hand["actions"] - 1 - back
        if hand["history_street"][at] < hand["street"]:
            action = hand["history"][at] - 1
            if action % 6 > CALL:
                return 1 if action // 6 == own else 2
    return 0


@jit
def _with(key, value, room):
    return np.uint64(key) * np.uint64(room) + np.uint64(value)


@jit
def key_of(hand, can, classes):
    """Return the key u64 of the mover's information set, above 0.

    can: bool[6], what is legal. classes: i16[6, 4], card classes of the seats by street; those below 0 are filled in.
    """
    seat, street, seats = hand["mover"], hand["street"], hand["seats"]
    if classes[seat, street] < 0:
        classes[seat, street] = card_class(hand, seat)
    behind, inside, opponents = 0, 0, 0
    for other in range(seats):
        if other != seat and not hand["folded"][other]:
            opponents += 1
            waits = hand["answered"][other] < 0 and hand["stack"][other] > 0
            behind += waits
            inside += not waits
    call = min(hand["bet"] - hand["street_put"][seat], hand["stack"][seat])
    whole = pot(hand) + call
    key = _with(np.uint64(classes[seat, street]), street, 4)
    key = _with(key, (seat - hand["button"]) % seats if street == PREFLOP else min(behind, 3), SEATS)
    key = _with(key, min(opponents, 3) if street else opponents, SEATS)
    key = _with(key, min(inside, 3), 4)
    key = _with(key, min(hand["raises"], 3), 4)
    key = _with(key, _class_of(call / whole, _PRICES), len(_PRICES) + 1)
    key = _with(key, _class_of((hand["stack"][seat] - call) / whole, _DEPTHS), len(_DEPTHS) + 1)
    key = _with(key, _initiative(hand, seat), 3)
    for action in range(len(can)):
        key = _with(key, can[action], 2)
    return key + np.uint64(1)


@jit
def slot_of(keys, key):
    """Return where a key is in an open hash table u64[2^n], or where it would be: there the table has a 0."""
    mask = np.uint64(len(keys) - 1)
    mixed = (key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    at = (mixed ^ (mixed >> np.uint64(32))) & mask
    while keys[at] != 0 and keys[at] != key:
        at = (at + np.uint64(1)) & mask
    return at


@jit
def _match(regret, can, policy):
    """Regret matching: write the policy in proportion to regrets above 0; uniform if there is none."""
    total, options = 0.0, 0
    for action in range(len(can)):
        policy[action] = max(regret[action], np.float32(0)) if can[action] else np.float32(0)
        total += policy[action]
        options += can[action]
    for action in range(len(can)):
        policy[action] = policy[action] / total if total > 0 else can[action] / options


@jit
def guest_action(hand, can, guests, state):
    """Return the action of a player by thresholds (`equity.by_thresholds`), and the next state."""
    state, number = random_number(state)
    won = chance(hand, np.uint64(number * (1 << 53)), _GUEST_DEALS, np.empty(CARDS, np.int64))
    return by_thresholds(can, won, guests[0], guests[1]), state


@jit
def traverse(hands, seat, guests, weight, runouts, state, keys, regret, strategy, classes, room):
    """Walk the tree of a dealt hand for one seat by external sampling; returns its value, the next state, new keys.

    hands: records HAND[depth], the first one dealt; the others are room. guests: f64[2], thresholds of the players at
    the other seats, below 0 if these play by the table. weight: of what is added. regret, strategy: f32[slots, 6].
    room: can bool[depth, 6], policy f32[depth, 6], value f64[depth, 6], slot u64[depth], at i64[depth], HAND[1].
    """
    can, policy, value, slot, at, scratch = room
    depth, came, new = 0, 0.0, 0
    at[0] = -1
    while depth >= 0:
        hand = hands[depth]
        if hand["street"] == OVER:
            came, state = mean_gain(hand, seat, hands[depth - 1]["street"], runouts, scratch, state)
            depth -= 1
            continue
        here, own = at[depth], hand["mover"] == seat
        if here < 0:
            legal(hand, can[depth])
            if not own and guests[0] >= 0:
                here, state = guest_action(hand, can[depth], guests, state)
            else:
                key = key_of(hand, can[depth], classes)
                entry = slot_of(keys, key)
                if keys[entry] == 0:
                    keys[entry] = key
                    new += 1
                slot[depth] = entry
                _match(regret[entry], can[depth], policy[depth])
                if not own or guests[0] >= 0:  # guests leave the own policy no other place to add up
                    for action in range(len(can[depth])):
                        strategy[entry, action] += weight * policy[depth, action]
                if not own:
                    state, number = random_number(state)
                    for action in range(len(can[depth])):
                        if policy[depth, action] > 0 and number >= 0:
                            here = action
                            number -= policy[depth, action]
        elif not own:
            depth -= 1  # its value is that of what was drawn
            continue
        else:
            value[depth, here] = came
        if own:
            here += 1
            while here < len(can[depth]) and not can[depth, here]:
                here += 1
            if here == len(can[depth]):
                came = 0.0
                for action in range(here):
                    if can[depth, action]:
                        came += policy[depth, action] * value[depth, action]
                for action in range(here):
                    if can[depth, action]:
                        regret[slot[depth], action] += weight * (value[depth, action] - came)
                depth -= 1
                continue
        at[depth] = here
        hands[depth + 1] = hand
        act(hands[depth + 1], here)
        depth += 1
        at[depth] = -1
    return came, state, new


@jit
def train_on(stacks, most_raises, runouts, guests, seed, more, count, keys, regret, strategy, hands, room):
    """Traverse more hands, each for one seat in turn; stop early where the table has little room.

    guests: share of the hands in which players by thresholds sit at the other seats. count: i64[2], hands traversed so
    far, and keys used.
    """
    classes, seats, thresholds = np.empty((SEATS, 4), np.int16), len(stacks), np.empty(2)
    last = count[0] + more
    while count[0] < last and 10 * count[1] <= 7 * len(keys):
        number = count[0]
        deal(hands[0], stacks, (number // seats) % seats, most_raises, mix2(mix2(np.uint64(seed), 0), number))
        state = mix2(mix2(np.uint64(seed), 1), number)
        classes[:] = -1
        state, drawn = random_number(state)
        thresholds[0] = -1.0
        if drawn < guests:
            state, call = random_number(state)
            state, bet = random_number(state)
            thresholds[0] = _CALLS[0] + call * (_CALLS[1] - _CALLS[0])
            thresholds[1] = _BETS[0] + bet * (_BETS[1] - _BETS[0])
        count[1] += traverse(hands, number % seats, thresholds, np.float32(number + 1), runouts, state, keys, regret,
                             strategy, classes, room)[2]  # fmt: skip
        count[0] += 1


@jit
def _rehash(old_keys, old_rows, keys, rows):
    for k in range(len(old_keys)):
        if old_keys[k] != 0:
            at = slot_of(keys, old_keys[k])
            keys[at] = old_keys[k]
            rows[at] = old_rows[k]


@jit
def _look_up(hands, keys, policies, out):
    classes, can = np.empty((SEATS, 4), np.int16), np.empty(len(ACTIONS), np.bool_)
    for k in range(len(hands)):
        classes[:] = -1
        legal(hands[k], can)
        key = key_of(hands[k], can, classes)
        at = slot_of(keys, key)
        if keys[at] == key:
            out[k] = policies[at]
        else:  # never met: as cheaply as possible
            out[k] = 0
            out[k, FOLD if can[FOLD] else CALL] = 1


class BlueprintConfig(Config):
    """The table and the training."""

    seed: int = Field(0, ge=0)
    """Random seed of the deals and the play."""
    seats: int = Field(6, ge=2, le=6)
    """Players at the table."""
    stack: int = Field(500, ge=2, le=1_000_000)
    """Chips of each seat; blinds are 1 and 2."""
    raises: int = Field(2, ge=1, le=3)
    """Bets and raises on each street at most."""
    hands: int = Field(2_000_000, ge=1)
    """Hands to traverse, each for one seat."""
    guests: float = Field(0.2, ge=0, le=1)
    """Share of the hands in which players by random thresholds sit at the other seats, to be beaten too."""
    runouts: int = Field(10, ge=1, le=1000)
    """Boards over which an all-in before the river is averaged."""
    least: float = Field(0.03, ge=0, lt=0.5)
    """Actions of the average policy that are less probable than this are not played."""
    visits: float = Field(20, ge=0)
    """Information sets that were met more seldom, by weight, are left out of the strategy that is written."""


class BlueprintTraining:
    """A training in a folder: `training.npz`, from which the same call goes on, and the strategy, `blueprint.npz`."""

    def __init__(self, config: BlueprintConfig, folder: Path) -> None:
        """Open the folder; InputError if its training is of another configuration, or no file of ours."""
        self.config, self.folder = config, folder
        self._stacks = checked_stacks([config.stack] * config.seats)
        self._count = np.zeros(2, np.int64)
        self._keys, self._regret, self._strategy = self._empty(_FIRST_SIZE)
        self._hands = np.zeros(_DEEPEST, HAND)
        self._room = room_for(_DEEPEST, len(ACTIONS))
        folder.mkdir(parents=True, exist_ok=True)
        if (path := folder / "training.npz").exists():
            self._load(path)

    @property
    def done(self) -> int:
        """How many hands were traversed."""
        return int(self._count[0])

    @property
    def used(self) -> int:
        """How many information sets were met."""
        return int(self._count[1])

    @staticmethod
    def _empty(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = (size, len(ACTIONS))
        return np.zeros(size, np.uint64), np.zeros(rows, np.float32), np.zeros(rows, np.float32)

    def run(self, part: int = 20_000) -> Iterator[int]:
        """Train to the configured number of hands; yields how many are done, after each part."""
        config = self.config
        while self.done < config.hands:
            train_on(
                self._stacks, config.raises, config.runouts, config.guests, config.seed,
                min(part, config.hands - self.done), self._count, self._keys, self._regret, self._strategy,
                self._hands, self._room,
            )  # fmt: skip
            if 10 * self.used > 6 * len(self._keys):
                self._grow()
            yield self.done

    def _grow(self) -> None:
        keys, *tables = self._empty(2 * len(self._keys))
        for old, new in zip((self._regret, self._strategy), tables, strict=True):
            keys[:] = 0
            _rehash(self._keys, old, keys, new)
        self._keys, (self._regret, self._strategy) = keys, tables

    def save(self) -> None:
        """Write the training and the strategy, each whole."""
        there = np.flatnonzero(self._keys)
        there = there[np.argsort(self._keys[there])]
        arrays = {"key": self._keys[there], "regret": self._regret[there], "strategy": self._strategy[there]}
        origin = {"done": np.array(self.done), "config": np.array(self.config.model_dump_json())}
        save_arrays(self.folder / "training.npz", arrays | origin, compressed=False)
        save_arrays(self.folder / "blueprint.npz", self.blueprint()._asdict() | origin)

    def blueprint(self) -> "Blueprint":
        """Return the average policies."""
        total = self._strategy.sum(1, dtype=np.float64)
        there = np.flatnonzero((self._keys > 0) & (total > self.config.visits * (self.done + 1) / 2))
        there = there[np.argsort(self._keys[there])]
        policy = self._strategy[there] / total[there, None]
        policy[policy < self.config.least] = 0
        policy /= policy.sum(1, keepdims=True)
        return Blueprint(self._keys[there], np.round(policy * 255).astype(np.uint8))

    def _load(self, path: Path) -> None:
        parts = read_arrays(path, ("key", "regret", "strategy", "done", "config"))
        config = self.config.model_dump(exclude={"hands", "least", "visits"})
        try:
            if BlueprintConfig.model_validate_json(str(parts["config"])).model_dump(include=set(config)) != config:
                raise InputError("of another configuration; take another folder")
            keys, done = _checked_keys(parts["key"]), int(parts["done"])
            for name in ("regret", "strategy"):
                rows = parts[name]
                if rows.dtype != np.float32 or rows.shape != (len(keys), len(ACTIONS)) or not np.isfinite(rows).all():
                    raise InputError(f"{name!r} does not fit the rest")
            if not 0 <= done < 1 << 40:
                raise InputError(f"{done} hands")
        except (InputError, ValueError) as error:
            raise InputError(f"{path}: {error}") from error
        size = _FIRST_SIZE
        while 10 * len(keys) > 5 * size:
            size *= 2
        self._keys, self._regret, self._strategy = self._empty(size)
        for name, rows in (("regret", self._regret), ("strategy", self._strategy)):
            self._keys[:] = 0
            _rehash(keys, parts[name], self._keys, rows)
        self._count[:] = done, len(keys)


def room_for(depth: int, actions: int) -> tuple[np.ndarray, ...]:
    """Return the work space of `traverse`."""
    shape = (depth, actions)
    return (np.zeros(shape, np.bool_), np.zeros(shape, np.float32), np.zeros(shape), np.zeros(depth, np.uint64),
            np.zeros(depth, np.int64), np.zeros(1, HAND))  # fmt: skip


class Blueprint(NamedTuple):
    """A strategy to play by."""

    key: np.ndarray
    """u64[n], rising."""
    policy: np.ndarray
    """u8[n, 6], probabilities in units of 1/255."""


def _checked_keys(keys: np.ndarray) -> np.ndarray:
    if keys.dtype != np.uint64 or keys.ndim != 1 or (keys == 0).any() or (keys[1:] <= keys[:-1]).any():
        raise InputError("'key' must be different rising numbers above 0")
    return keys


class BlueprintPlayer:
    """Plays by a blueprint; where that knows nothing it checks or folds. A `PokerPlayer`."""

    def __init__(self, blueprint: Blueprint) -> None:
        size = _FIRST_SIZE
        while 2 * len(blueprint.key) > size:
            size *= 2
        self._keys, self._policies = np.zeros(size, np.uint64), np.zeros((size, len(ACTIONS)), np.float32)
        policies = blueprint.policy / blueprint.policy.sum(1, keepdims=True, dtype=np.float32)
        _rehash(blueprint.key, policies.astype(np.float32), self._keys, self._policies)

    def __call__(self, hands: np.ndarray, seed: int) -> np.ndarray:
        """Return f32[n, 6], probabilities of the movers' actions."""
        out = np.empty((len(hands), len(ACTIONS)), np.float32)
        _look_up(hands, self._keys, self._policies, out)
        return out


def load_blueprint(path: Path) -> Blueprint:
    """Read what `BlueprintTraining.save` wrote; InputError names the file if it is anything else."""
    parts = read_arrays(path, ("key", "policy"))
    try:
        keys, policy = _checked_keys(parts["key"]), parts["policy"]
        if policy.dtype != np.uint8 or policy.shape != (len(keys), len(ACTIONS)) or (policy.sum(1) == 0).any():
            raise InputError("'policy' does not fit the keys")
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return Blueprint(keys, policy)
