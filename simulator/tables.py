"""`Tables`: a batch of games played in parallel, with decisions and results as arrays.

```
tables = Tables(1024, Rules.tenhou(), seed=1)
while ...:
    decisions = tables.decisions()        # game, seat, situation, legal: arrays
    ended = tables.step(choose(decisions))  # one action for each decision
```
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from simulator import record as r
from simulator.asking import answer
from simulator.engine import advance
from simulator.jit import announce_compiling, jit
from simulator.legal import is_legal
from simulator.lookup import get_lookup
from simulator.rounds import deal, finish_round, resolve_stop, start_game
from simulator.rules import Rules
from simulator.tiles import TILES
from simulator.walls import mix2

_NO_ACTIONS = np.empty(0, np.int64)

#: A source of walls: (game index, round, repeat counter, rounds dealt so far) -> u8[136] in Tenhou's layout.
WallSource = Callable[[int, int, int, int], np.ndarray]


class IllegalAction(ValueError):
    """An action that the rules do not allow now; the message gives the game, seat, action and legal actions."""

    def __init__(self, game: int, seat: int, action: int, legal: np.ndarray) -> None:
        self.game, self.seat, self.action, self.legal = game, seat, action, legal
        name = r.ACTION_NAMES[action] if 0 <= action < r.ACTIONS else "no action"
        allowed = ", ".join(f"{a} ({r.ACTION_NAMES[a]})" for a in np.flatnonzero(legal))
        super().__init__(f"game {game}, seat {seat}: action {action} ({name}) is not legal; legal: {allowed}")


@dataclass(frozen=True)
class Decisions:
    """The seats that must choose, by game and seat. The arrays are the batch's buffers, valid until its next `step`."""

    game: np.ndarray
    """i32[n]: index of the game in the batch."""
    seat: np.ndarray
    """u8[n]: seat that is asked."""
    situation: np.ndarray
    """u8[n]: PHASE_TURN, PHASE_RIICHI_DISCARD, PHASE_CALL_DISCARD, PHASE_CLAIM, PHASE_KONG_CLAIM or PHASE_STOP."""
    legal: np.ndarray
    """bool[n, ACTIONS]: what the seat may choose."""

    def __len__(self) -> int:
        return len(self.game)


@dataclass(frozen=True)
class Ended:
    """The rounds that ended during a step."""

    game: np.ndarray
    """i32[n]: index of the game in the batch."""
    records: np.ndarray
    """GAME[n]: copies of the games after the payments and before the next deal; `result` holds the outcome."""

    def __len__(self) -> int:
        return len(self.game)

    @property
    def results(self) -> np.ndarray:
        """RESULT[n]: how each round ended."""
        return self.records["result"]

    @property
    def finished(self) -> np.ndarray:
        """bool[n]: whether the game ended with the round."""
        return self.records["result"]["game_over"] == 1


@jit
def expand_legal(low, high, mask):
    """Write two legal words into a bool[ACTIONS] row."""
    for action in range(r.WORD_BITS):
        mask[action] = low >> action & 1
    for action in range(r.WORD_BITS, r.ACTIONS):
        mask[action] = high >> (action - r.WORD_BITS) & 1


@jit
def collect(games, out_game, out_seat, out_situation, out_legal):
    """Write the pending decisions of all games into arrays; return their number."""
    n = 0
    for i in range(len(games)):
        game = games[i]
        if not game["pending"]:
            continue
        for seat in range(r.SEATS):
            if game["pending"] >> seat & 1:
                out_game[n] = i
                out_seat[n] = seat
                out_situation[n] = game["phase"]
                expand_legal(game["legal"][seat, 0], game["legal"][seat, 1], out_legal[n])
                n += 1
    return n


@jit
def _first_illegal(games, index, seats, actions, may_wait):
    for n in range(len(index)):
        if not is_legal(games[index[n]], seats[n], actions[n]) and not (may_wait and actions[n] == r.NO_ACTION):
            return n
    return -1


@jit
def _run(lookup, games, index, seats, actions, ended):
    """Apply the answers, if any, deal the rounds that are due, and run each game until a seat must choose.

    Writes the indices of games whose round is over, or whose dealer has decided whether to stop (see `_settle`), into
    `ended`; returns their number.
    """
    n_ended = 0
    for n in range(len(index)):
        game = games[index[n]]
        if len(actions):
            if actions[n] == r.NO_ACTION:
                continue
            answer(game, np.int64(seats[n]), np.int64(actions[n]))
        elif game["phase"] == r.PHASE_DEAL:
            deal(lookup, game)
        if not game["pending"]:
            advance(lookup, game, True, r.NO_TILE, r.NO_TILE)
            if not game["pending"]:
                ended[n_ended] = index[n]
                n_ended += 1
    return n_ended


@jit
def _settle(games, ended):
    """Make the payments of rounds that are over, and carry out the dealers' decisions whether to stop."""
    for n in range(len(ended)):
        game = games[ended[n]]
        if game["phase"] == r.PHASE_ROUND_OVER:
            finish_round(game)
        elif game["phase"] == r.PHASE_STOP and not game["pending"]:
            resolve_stop(game)


class Tables:
    """A batch of games under the same rules, each a GAME record in `games`.

    The same seed gives the same games for any batch size: the walls of game number g depend only on (seed, g).
    Slot i of a batch of n plays the games numbered i, i + n, i + 2n, ...
    """

    def __init__(
        self, n: int, rules: Rules | None = None, seed: int = 0, restart: bool = True, walls: WallSource | None = None
    ) -> None:
        """Deal the first round of n games.

        seed: random seed, 0 to 2^64 - 1. restart: whether the next game follows a finished one automatically, rather
        than when `restart` is called. walls: supplies the walls instead of the seed. Raises ValueError for an n below
        1, a seed out of range or an invalid wall.
        """
        if n < 1:
            raise ValueError(f"a batch needs at least one game, not {n}")
        if not 0 <= seed < 1 << 64:
            raise ValueError(f"a seed is 0 to 2^64 - 1, not {seed}")
        announce_compiling(__name__)
        self.rules = rules or Rules.tenhou()
        self.seed = seed
        self.automatic_restart = restart
        self._walls = walls
        self._lookup = get_lookup()
        self.games = np.zeros(n, r.GAME)
        self.games["rules"] = self.rules.to_record()
        self.games["number"] = np.arange(n)
        most = 3 * n
        self._game = np.empty(most, np.int32)
        self._seat = np.empty(most, np.uint8)
        self._situation = np.empty(most, np.uint8)
        self._legal = np.empty((most, r.ACTIONS), np.bool_)
        self._ended = np.empty(n, np.int32)
        self._decisions: Decisions | None = None
        self._begin(np.arange(n, dtype=np.int32))

    def __len__(self) -> int:
        return len(self.games)

    def _begin(self, index: np.ndarray) -> None:
        # Nothing is left of the slot's last game, so a game is the same in any slot.
        fresh = np.zeros(len(index), r.GAME)
        for name in ("rules", "number", "wall", "wall_given"):
            fresh[name] = self.games[name][index]
        for game in fresh:
            game["seed"] = int(mix2(np.uint64(self.seed), np.uint64(game["number"])))
            start_game(game)
        self.games[index] = fresh
        self._deal(index)

    def _deal(self, index: np.ndarray) -> None:
        if self._walls is not None:
            for i in index:
                game = self.games[i]
                if game["phase"] == r.PHASE_DEAL:
                    wall = self._walls(int(i), int(game["round"]), int(game["repeat_counter"]), int(game["deals"]))
                    self.set_wall(int(i), wall)
        _run(self._lookup, self.games, index, self._seat[:0], _NO_ACTIONS, self._ended)
        self._decisions = None

    def set_wall(self, game: int, wall: np.ndarray) -> None:
        """Use `wall` u8[136] for the next deal of a game; raise ValueError if it is not a permutation of 0..135."""
        wall = np.asarray(wall)
        if wall.shape != (TILES,) or not np.array_equal(np.sort(wall), np.arange(TILES)):
            raise ValueError(f"game {game}: a wall has each of the tiles 0..135 exactly once, in {TILES} places")
        self.games[game]["wall"] = wall
        self.games[game]["wall_given"] = 1

    def decisions(self) -> Decisions:
        """Return the decisions that are due; there are none only if every game is over and not restarted."""
        if self._decisions is None:
            n = collect(self.games, self._game, self._seat, self._situation, self._legal)
            self._decisions = Decisions(self._game[:n], self._seat[:n], self._situation[:n], self._legal[:n])
        return self._decisions

    def step(self, actions: np.ndarray, may_wait: bool = False) -> Ended:
        """Carry out one action for each decision, and return the rounds that ended.

        actions: integer[n] in the order of `decisions()`. may_wait: allow NO_ACTION, which leaves a decision open so
        that its game waits. Raises IllegalAction (nothing has changed then), and ValueError for a wrong number of
        actions.
        """
        decisions = self.decisions()
        actions = np.asarray(actions)
        if actions.shape != decisions.game.shape or actions.dtype.kind not in "iu":
            shape = f"{actions.dtype} {actions.shape}"
            raise ValueError(f"{len(decisions)} decisions need as many integer actions, not {shape}")
        actions = actions.astype(np.int64, copy=False)
        wrong = _first_illegal(self.games, decisions.game, decisions.seat, actions, may_wait)
        if wrong >= 0:
            raise IllegalAction(
                int(decisions.game[wrong]),
                int(decisions.seat[wrong]),
                int(actions[wrong]),
                decisions.legal[wrong].copy(),
            )
        self._decisions = None
        n_ended = _run(self._lookup, self.games, decisions.game, decisions.seat, actions, self._ended)
        if not n_ended:
            return Ended(self._ended[:0].copy(), self.games[:0].copy())
        index = self._ended[:n_ended].copy()
        _settle(self.games, index)
        index = index[self.games["phase"][index] != r.PHASE_STOP]  # reported once the dealer has chosen
        ended = Ended(index, self.games[index])
        if self.automatic_restart:
            over = index[ended.finished]
            if len(over):
                self.games["number"][over] += len(self.games)
                self._begin(over)
        self._deal(index)
        return ended

    def restart(self, index: Iterable[int], numbers: Iterable[int] | None = None) -> None:
        """Start a new game in each of the given slots, with the slot's next number or with the given numbers."""
        which = np.fromiter(index, np.int32)
        if numbers is None:
            self.games["number"][which] += len(self.games)
        else:
            self.games["number"][which] = np.fromiter(numbers, np.uint32)
        self._begin(which)

    def snapshot(self) -> np.ndarray:
        """Return a copy of all games, which `np.save` can store as a checkpoint."""
        return self.games.copy()

    def restore(self, games: np.ndarray) -> None:
        """Go back to a snapshot, and deal the rounds that are due in it.

        Raises ValueError if the snapshot's size or record layout differs from this batch's.
        """
        if games.dtype != r.GAME or games.shape != self.games.shape:
            raise ValueError(f"a snapshot of {len(self.games)} games with this version's record layout is needed")
        self.games[:] = games
        self._deal(np.flatnonzero(games["phase"] == r.PHASE_DEAL).astype(np.int32))
