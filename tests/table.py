"""Scenes for tests of rules: hands in notation, tiles to be drawn, and a script that reads like the play.

```
scene = Scene({1: "123m456p789s1122z"}, draws={0: "1z"})
scene.play("0 discard 1z", "1 ron")
assert scene.won(1).points == 1000
```

Words of a script, each after the seat: `discard 5z`, `discard drawn`, `riichi 5z`, `tsumo` (tsumo),
`closed kong 1m`, `added kong 1m`, `abort` (nine terminals); for a discard or kong of another seat `ron` (win by
claim), `pong`, `pong red`, `chow 46m` (the own two tiles), `kong`, `pass`; for the dealer who may end the game `stop`
and `go on`. What nobody mentions: claims are passed, drawn tiles discarded. A win is never let go without a `pass`.
Tiles that nobody wrote are such that no seat waits for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scene_wall import SceneWall, ScriptError

from simulator.legal import is_legal
from simulator.moves import tiles_left
from simulator.record import (
    ACTIONS,
    ADDED_KONG,
    CHOW_LOW,
    CLOSED_KONG,
    DECLARE_RIICHI,
    DISCARD_DRAWN,
    DISCARD_RED,
    NINE_TERMINALS,
    OPEN_KONG,
    PASS,
    PHASE_CLAIM,
    PHASE_DEAL,
    PHASE_GAME_OVER,
    PHASE_KONG_CLAIM,
    PHASE_RIICHI_DISCARD,
    PHASE_STOP,
    PONG,
    PONG_RED,
    RESULT_NAMES,
    RIVER_RIICHI,
    RON,
    SEATS,
    STOP,
    TSUMO,
)
from simulator.rules import Rules
from simulator.scoring.yaku import yaku_of
from simulator.tables import Tables
from simulator.tiles import (
    KINDS,
    SUITS,
    TILES,
    format_tiles,
    kind_name,
    tile_name,
)
from simulator.walls import DORA_INDICATORS

_CLAIM_WORDS = ("ron", "pong", "chow", "kong", "pass")


class Win:
    """One win of the round that ended."""

    def __init__(self, record: np.void) -> None:
        self.source = int(record["source"])
        self.yaku = {yaku.japanese for yaku in yaku_of(int(record["yaku"]))}
        self.han, self.fu, self.yakuman = int(record["han"]), int(record["fu"]), int(record["yakuman"])
        self.dora, self.ura, self.red = int(record["dora"]), int(record["ura"]), int(record["red"])
        self.liable = int(record["liable"])
        self.points = int(record["points"])
        self.deltas = record["deltas"].tolist()


class Scene:
    """One table from the deal of a round on."""

    def __init__(
        self, hands: Mapping[int, str] | None = None, draws: Mapping[int, str] | None = None, *, indicators: str = "",
        ura: str = "", replacements: str = "", keep: str = "", round: int = 0, repeat_counter: int = 0,
        bets: int = 0, scores: Sequence[int] | None = None, rules: Rules | None = None,
    ) -> None:  # fmt: skip
        """Deal a round.

        hands: thirteen tiles of each seat that matters. draws: what each seat draws from the live wall, in its own
        order; `-` stands for a tile that does not matter, which are also all after the last. replacements: tiles
        drawn after kongs. keep: tiles that lie in the live wall until `draws` names them later. round: 0 = East 1;
        its dealer is seat `round % 4`.
        """
        self.rules = rules or Rules()
        self.ended: np.void | None = None
        tables = Tables(1, self.rules, restart=False)
        start = tables.snapshot()
        record = start[0]
        record["round"], record["dealer"], record["repeat_counter"] = round, round % SEATS, repeat_counter
        record["bets"], record["phase"], record["wall_given"] = bets, PHASE_DEAL, 1
        record["scores"] = self.rules.starting_points if scores is None else scores
        self._wall = SceneWall(self.rules.red_fives)
        self._wall.lay(
            record["wall"], round % SEATS, hands or {}, draws or {}, indicators, ura, replacements, keep
        )  # fmt: skip
        self._tables = tables
        self._try(start, None)

    def draws(self, seat: int, text: str) -> None:
        """Say what a seat draws next, after what was said before."""
        self._wall.add_draws(seat, text)

    @property
    def game(self) -> np.void:
        """The GAME record as it stands now."""
        return self._tables.games[0]

    def _try(self, start: np.ndarray, actions: Sequence[int] | None) -> None:
        """Carry out one step from `start`, again and again until all tiles drawn on the way are the right ones."""
        for _ in range(TILES):
            self._tables.restore(start)
            ended = None if actions is None else self._tables.step(np.array(actions))
            over = ended is not None and len(ended) > 0
            if not self._wall.fix(start[0], ended.records[0] if ended is not None and over else self.game):
                self.ended = ended.records[0] if ended is not None and over else self.ended
                return
        raise ScriptError("the draws cannot be laid")

    def options(self, seat: int) -> set[str]:
        """Return the words for what a seat may do now; none if it is not asked."""
        return set(self._words(seat))

    def _words(self, seat: int) -> dict[str, int]:
        game = self.game
        if not game["pending"] >> seat & 1:
            return {}
        return {self._word(action): action for action in range(ACTIONS) if is_legal(game, seat, action)}

    def _word(self, action: int) -> str:
        fixed = {
            DECLARE_RIICHI: "riichi", OPEN_KONG: "kong", PONG: "pong", PONG_RED: "pong red", TSUMO: "tsumo",
            RON: "ron", NINE_TERMINALS: "abort", STOP: "stop",
            PASS: "go on" if self.game["phase"] == PHASE_STOP else "pass",
        }  # fmt: skip
        if action in fixed:
            return fixed[action]
        if action == DISCARD_DRAWN:
            return f"discard {tile_name(int(self.game['drawn']), self.rules.red_fives)}"
        if action >= ADDED_KONG:
            return f"added kong {kind_name(action - ADDED_KONG)}"
        if action >= CLOSED_KONG:
            return f"closed kong {kind_name(action - CLOSED_KONG)}"
        if action >= CHOW_LOW:
            kind, place = int(self.game["claim_tile"]) >> 2, (action - CHOW_LOW) >> 1
            own = [k for k in range(kind - place, kind - place + 3) if k != kind]
            red = (action - CHOW_LOW) & 1
            digits = "".join("0" if red and k % 9 == 4 else str(k % 9 + 1) for k in own)
            return f"chow {digits}{SUITS[kind // 9]}"
        if action >= DISCARD_RED:
            return f"discard 0{SUITS[action - DISCARD_RED]}"
        return f"discard {kind_name(action)}"

    def play(self, *steps: str) -> Scene:
        """Play the steps; raise ScriptError for one that cannot be made. Returns the scene."""
        todo = [_read(step) for step in steps]
        while todo:
            if todo[0][1].startswith("discard sideways"):
                self._discard_sideways(todo)
            elif self.ended is not None:
                raise ScriptError(f"`{_written(todo[0])}`: the round is over ({self.how})")
            else:
                self._step(todo)
        return self

    def _discard_sideways(self, todo: list[tuple[int, str]]) -> None:
        """Discard with a riichi; where only one tile may be, it was discarded already."""
        seat, word = todo.pop(0)
        tile = word.split()[-1]
        if self.game["phase"] == PHASE_RIICHI_DISCARD:
            todo.insert(0, (seat, f"discard {tile}"))
            return
        game = self.game if self.ended is None else self.ended
        sideways = [entry & 255 for entry in game["river"][seat].tolist() if entry & RIVER_RIICHI]
        if tile_name(sideways[0], self.rules.red_fives) != tile:
            raise ScriptError(f"`{seat} riichi {tile}`: only {tile_name(sideways[0])} may be discarded")

    def _step(self, todo: list[tuple[int, str]]) -> None:
        """Answer what is asked now, from the script or by default."""
        asked = [seat for seat in range(SEATS) if self.game["pending"] >> seat & 1]
        chosen = self._claims(asked, todo) if self._claiming else self._turn(asked[0], todo)
        self._try(self._tables.snapshot(), [chosen[seat] for seat in asked])

    @property
    def _claiming(self) -> bool:
        return self.game["phase"] in (PHASE_CLAIM, PHASE_KONG_CLAIM)

    def _claims(self, asked: list[int], todo: list[tuple[int, str]]) -> dict[int, int]:
        chosen: dict[int, int] = {}
        while todo and todo[0][1].startswith(_CLAIM_WORDS) and todo[0][0] in asked and todo[0][0] not in chosen:
            seat, word = todo.pop(0)
            chosen[seat] = self._find(seat, word)
        for seat in asked:
            if seat not in chosen:
                if "ron" in self.options(seat):
                    raise ScriptError(f"seat {seat} may win on {self._claimed()}: write `{seat} ron` or `{seat} pass`")
                chosen[seat] = PASS
        return chosen

    def _claimed(self) -> str:
        return tile_name(int(self.game["claim_tile"]), self.rules.red_fives)

    def _turn(self, seat: int, todo: list[tuple[int, str]]) -> dict[int, int]:
        if todo and todo[0][1].startswith(_CLAIM_WORDS):
            raise ScriptError(f"`{_written(todo[0])}`: nobody is asked to claim; it is the turn of seat {seat}")
        if todo and todo[0][0] == seat:
            word = todo.pop(0)[1]
            if word.startswith("riichi "):
                todo.insert(0, (seat, word.replace("riichi", "discard sideways")))
                word = "riichi"
            return {seat: self._find(seat, word)}
        return {seat: self._default(seat)}

    def _default(self, seat: int) -> int:
        words = self._words(seat)
        if "tsumo" in words:
            raise ScriptError(f"seat {seat} may tsumo: write what it does")
        if DISCARD_DRAWN not in words.values() or self.game["phase"] == PHASE_RIICHI_DISCARD:
            raise ScriptError(f"seat {seat} must choose: write what it does, one of {', '.join(sorted(words))}")
        return DISCARD_DRAWN

    def _find(self, seat: int, word: str) -> int:
        words = self._words(seat)
        if word == "discard drawn" and DISCARD_DRAWN in words.values():
            return DISCARD_DRAWN
        found = [name for name in words if name == word] or [name for name in words if word == name.split()[0]]
        if len(found) != 1:
            raise ScriptError(f"`{seat} {word}` is not one of: {', '.join(sorted(words)) or 'nothing'}")
        return words[found[0]]

    def to_turn(self, seat: int) -> Scene:
        """Draw and discard until it is the turn of a seat."""
        while self._claiming or self.turn != seat:
            if self.ended is not None:
                raise ScriptError(f"the round is over ({self.how}) before the turn of seat {seat}")
            self._step([])
        return self

    def run_down(self, left: int) -> Scene:
        """Draw and discard until so many tiles are left and a seat has drawn."""
        while self.tiles_left > left or self._claiming:
            if self.ended is not None:
                raise ScriptError(f"the round is over ({self.how}) before only {left} tiles are left")
            self._step([])
        return self

    def run_out(self) -> Scene:
        """Draw and discard until the round is over."""
        while self.ended is None:
            self._step([])
        return self

    # What came of it.

    @property
    def tiles_left(self) -> int:
        """Tiles that can still be drawn."""
        return int(tiles_left(self.game))

    @property
    def turn(self) -> int:
        """Seat that is to act or has acted last."""
        return int(self.game["turn"])

    @property
    def indicators(self) -> str:
        """The dora indicators that lie open, in the order in which they were shown."""
        game = self.game if self.ended is None else self.ended
        shown = DORA_INDICATORS[: int(game["indicators"])]
        return " ".join(tile_name(int(game["wall"][place]), self.rules.red_fives) for place in shown)

    @property
    def _last(self) -> np.void:
        if self.ended is None:
            raise ScriptError("the round is not over")
        return self.ended

    @property
    def how(self) -> str:
        """How the round ended (`RESULT_NAMES`)."""
        return RESULT_NAMES[int(self._last["result"]["type"])]

    @property
    def winners(self) -> list[int]:
        """The winners in turn order from the discarder."""
        result = self._last["result"]
        return result["wins"]["seat"][: int(result["n_wins"])].tolist()

    def won(self, seat: int) -> Win:
        """Return the win of a seat."""
        if seat not in self.winners:
            raise ScriptError(f"seat {seat} has not won; winners: {self.winners}, {self.how}")
        return Win(self._last["result"]["wins"][self.winners.index(seat)])

    @property
    def deltas(self) -> list[int]:
        """Points each seat gained by the end of the round; riichi bets were paid before."""
        return self._last["result"]["deltas"].tolist()

    @property
    def scores(self) -> list[int]:
        """Points of each seat now."""
        return self.game["scores"].tolist()

    @property
    def bets(self) -> int:
        """Riichi bets on the table now."""
        return int(self.game["bets"])

    @property
    def next_round(self) -> tuple[int, int]:
        """Round (0 = East 1) and repeat counter of the round that follows."""
        assert not self.game_over and self._last is not None
        return int(self.game["round"]), int(self.game["repeat_counter"])

    @property
    def game_over(self) -> bool:
        """Whether the game ended."""
        return bool(self.game["phase"] == PHASE_GAME_OVER)

    @property
    def final_points(self) -> list[float]:
        """Final points in thousands."""
        assert self.game_over
        return [points / 10 for points in self.game["result"]["final_points"].tolist()]

    @property
    def ranks(self) -> list[int]:
        """Rank of each seat, 1 to 4."""
        assert self.game_over
        return [rank + 1 for rank in self.game["result"]["ranks"].tolist()]

    def tenpai(self) -> list[int]:
        """Return the seats that were tenpai at the exhaustive draw."""
        return [seat for seat in range(SEATS) if self._last["result"]["tenpai"] >> seat & 1]

    def hand(self, seat: int) -> str:
        """Return the concealed tiles of a seat."""
        copies = self.game["copies"][seat]
        held = [4 * kind + copy for kind in range(KINDS) for copy in range(4) if copies[kind] >> copy & 1]
        return format_tiles(held, self.rules.red_fives)

    def events(self, event_type: int) -> list[tuple[int, str]]:
        """Return (seat, tile) of the events of one type so far."""
        game = self.game if self.ended is None else self.ended
        found = [event for event in game["events"][: int(game["n_events"])].tolist() if event & 15 == event_type]
        return [(event >> 4 & 3, tile_name(min(event >> 8, TILES - 1), self.rules.red_fives)) for event in found]


def _read(step: str) -> tuple[int, str]:
    seat, _, word = step.partition(" ")
    if seat not in ("0", "1", "2", "3") or not word:
        raise ScriptError(f"`{step}`: a step is a seat and what it does, like `0 discard 5z`")
    return int(seat), word


def _written(step: tuple[int, str]) -> str:
    return f"{step[0]} {step[1]}"
