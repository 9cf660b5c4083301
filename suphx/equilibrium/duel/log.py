"""Games as lines of JSON: the wall, every move by name, and every choice of a plan; written, and replayed for a reader.

A line is an object with `players` (two names), `four_as_two`, `wall` (64 tiles in notation, in the order of the deal),
`moves` and `points`. A move is `{"seat", "phase", "do"}`; a choice `{"seat", "node", "choose"}`, with `policy`,
`regret` and `strategy` in the order of the plans where a table has chosen.
"""

import json
import math
from typing import Any, NamedTuple

import numpy as np

from simulator.lookup import COPIES, get_lookup
from simulator.tiles import NO_TILE, NotationError, kind_name, parse_kinds
from suphx.equilibrium.duel import table as t
from suphx.equilibrium.duel.abstraction import choose, features_of, key_of
from suphx.equilibrium.duel.patterns import KINDS, PATTERNS, TILES
from suphx.equilibrium.duel.table import act, legal, new_duels, payoff, pong_place, start
from suphx.errors import InputError

MELDS = ("chow", "pong", "kong", "closed kong")
#: Moves of a game at most; more than any game has.
_MOST_MOVES = 500


def name_of(duel: np.void, action: int) -> str:
    """Return an action in words: `pass`, `win`, `chow 2m3m4m`, `pong 5z`, `closed kong 1m`, `discard 9m`."""
    tile = int(duel["tile"])
    if action in (t.PASS, t.WIN):
        return "pass" if action == t.PASS else "win"
    if action >= t.DISCARD:
        return f"discard {kind_name(action - t.DISCARD)}"
    if action >= t.OWN_KONG:
        kind = action - t.OWN_KONG
        added = pong_place(duel, int(duel["mover"]), kind) >= 0
        return f"{'added' if added else 'closed'} kong {kind_name(kind)}"
    if action in (t.PONG, t.KONG):
        return f"{'pong' if action == t.PONG else 'open kong'} {kind_name(tile)}"
    low = tile - (action - t.CHOW)
    return "chow " + "".join(kind_name(low + k) for k in range(3))


def legal_moves(duel: np.void) -> dict[str, int]:
    """Return the mover's actions by name."""
    out = np.zeros(t.ACTIONS, np.bool_)
    legal(get_lookup(), duel, out)
    return {name_of(duel, int(action)): int(action) for action in np.flatnonzero(out)}


class PlanChoice(NamedTuple):
    """A plan that was chosen at a node, and what a table keeps of it, if one has chosen."""

    seat: int
    key: int
    plan: int
    policy: list[float] | None = None
    regret: list[float] | None = None
    strategy: list[float] | None = None

    def entry(self) -> dict[str, Any]:
        """Return the choice as it stands in a log."""
        entry: dict[str, Any] = {"seat": self.seat, "node": self.key, "choose": PATTERNS[self.plan]}
        if self.policy is not None:
            entry |= {"policy": self.policy, "regret": self.regret, "strategy": self.strategy}
        return entry


def parse_log(data: bytes, name: str) -> list[dict[str, Any]]:
    """Return the games of a file, one a line, unchecked; InputError if a line is no JSON object, or there is none."""
    games = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            games.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name}, line {number}: not JSON") from error
        if not isinstance(games[-1], dict):
            raise InputError(f"{name}, line {number}: not an object")
    if not games:
        raise InputError(f"{name}: there is no game in it")
    return games


def replay(game: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a game for a reader: `players`, `points` and `frames`, the table before every move and at the end.

    A frame: `seats` (hand, drawn, melds, river, plan, turn), `left`, `phase`, `mover`, `tile`, `did` (seat and words
    that led here), `choice` (what is known of the node at which a plan is about to be chosen), `legal` (moves).

    Raises:
        InputError: naming the file and the move that cannot be.
    """
    duel = _dealt(game, name)
    moves = game.get("moves")
    if not isinstance(moves, list) or len(moves) > _MOST_MOVES:
        raise InputError(f"{name}: it has no list of at most {_MOST_MOVES} moves")
    frames, did = [], None
    for number, move in enumerate(moves, 1):
        place = f"{name}, move {number}"
        if not isinstance(move, dict) or move.get("seat") != int(duel["mover"]) or duel["phase"] == t.OVER:
            raise InputError(f"{place}: it is not that seat's turn")
        seat = int(duel["mover"])
        if "choose" in move:
            frames.append(_frame(duel, did, _choice(duel, move, place)))
            choose(duel, PATTERNS.index(move["choose"]))
            did = [seat, f"plan: {move['choose']}"]
            continue
        frames.append(_frame(duel, did, None))
        options = legal_moves(duel)
        words = str(move.get("do"))
        if words not in options:
            raise InputError(f"{place}: {words[:40]!r} is none of {', '.join(options)}")
        act(get_lookup(), duel, options[words])
        did = [seat, words]
    if duel["phase"] != t.OVER:
        raise InputError(f"{name}: the game does not end")
    won = int(payoff(duel))
    if game.get("points") != [won, -won]:
        raise InputError(f"{name}: it states {game.get('points')} points, but it is {[won, -won]}")
    pattern = PATTERNS[duel["pattern"]] if duel["winner"] >= 0 else None
    frames.append(_frame(duel, did, None))
    return {"players": game["players"], "points": [won, -won], "pattern": pattern, "frames": frames}


def _dealt(game: dict[str, Any], name: str) -> np.void:
    players, four, wall = game.get("players"), game.get("four_as_two"), game.get("wall")
    if not (isinstance(players, list) and len(players) == 2 and all(isinstance(each, str) for each in players)):
        raise InputError(f"{name}: it does not name two players")
    if not isinstance(four, bool) or not isinstance(wall, str) or len(wall) > 4 * TILES:
        raise InputError(f"{name}: `four_as_two` or `wall` is missing")
    try:
        kinds = np.array([kind for kind, _ in parse_kinds(wall)], np.int64)
    except NotationError as error:
        raise InputError(f"{name}: wall: {error}") from error
    if len(kinds) != TILES or (np.bincount(kinds, minlength=34)[KINDS] != COPIES).any():
        raise InputError(f"{name}: the wall is not four each of 1-9m and 1-7z")
    duel = new_duels(1)[0]
    start(duel, kinds.astype(np.uint8), four)
    return duel


def _choice(duel: np.void, move: dict[str, Any], place: str) -> dict[str, Any]:
    """Return what a frame says of a choice."""
    seat, chosen = int(duel["mover"]), move["choose"]
    if duel["phase"] not in (t.DRAWN, t.DISCARDING) or duel["chows"][seat] > 0 or chosen not in PATTERNS:
        raise InputError(f"{place}: a plan cannot be chosen here")
    key = int(key_of(duel, seat))
    if move.get("node") != key:
        raise InputError(f"{place}: the node is {key}, not {move.get('node')!r}")
    choice: dict[str, Any] = {"node": key, "features": features_of(key)._asdict(), "chosen": chosen}
    for part in ("policy", "regret", "strategy"):
        numbers = move.get(part)
        if numbers is None:
            continue
        if not (isinstance(numbers, list) and len(numbers) == len(PATTERNS) and all(map(_is_number, numbers))):
            raise InputError(f"{place}: {part} is not three numbers")
        choice[part] = numbers
    return choice


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _frame(duel: np.void, did: list[Any] | None, choice: dict[str, Any] | None) -> dict[str, Any]:
    tile = int(duel["tile"])
    phase = ("answer", "drawn", "discard", "over")[duel["phase"]]
    return {
        "seats": [side_of(duel, seat) for seat in range(2)],
        "left": int(duel["back"] - duel["front"]),
        "phase": phase,
        "mover": int(duel["mover"]),
        "tile": "" if tile == NO_TILE else kind_name(tile),
        "did": did,
        "choice": choice,
        "legal": [] if choice else list(legal_moves(duel)),
    }


def side_of(duel: np.void, seat: int) -> dict[str, Any]:
    """Return what lies before a seat. The drawn tile is apart, as is the one that a game was won with."""
    hand = duel["hand"][seat].astype(int)
    drawn = ""
    mine = duel["mover"] == seat and duel["phase"] in (t.DRAWN, t.DISCARDING)
    if (mine or duel["winner"] == seat) and duel["tile"] != NO_TILE:
        drawn = kind_name(int(duel["tile"]))
        hand[duel["tile"]] -= 1
    river = duel["river"][seat][: duel["discards"][seat]].tolist()
    plan = int(duel["plan"][seat])
    return {
        "hand": [kind_name(kind) for kind in range(len(hand)) for _ in range(hand[kind])],
        "drawn": drawn,
        "melds": [_meld(code) for code in duel["meld"][seat][: duel["melds"][seat]].tolist()],
        "river": [[kind_name(kind & ~t.CLAIMED), bool(kind & t.CLAIMED)] for kind in river],
        "plan": None if plan == t.UNDECIDED else PATTERNS[plan],
        "turn": int(duel["turn"][seat]),
    }


def _meld(code: int) -> dict[str, Any]:
    low, what = code & t.CLAIMED - 1, code >> 6
    kinds = [low, low + 1, low + 2] if what == t.CHOW_MELD else [low] * (3 if what == t.PONG_MELD else COPIES)
    return {"kind": MELDS[what], "tiles": [kind_name(kind) for kind in kinds], "closed": what == t.CLOSED_KONG}
