"""Counts of the rare situations that a comparison has gone through: what was offered, refused, taken, and how it ended.

A comparison is worth as much as the situations it has met. Each name below says a situation; the tests ask for a
minimum of each.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from simulator.legal import is_furiten
from simulator.lookup import get_lookup
from simulator.moves import pong_of, tiles_left
from simulator.record import (
    ADDED_KONG,
    CHOW_LOW,
    CLOSED_KONG,
    DECLARE_RIICHI,
    DISCARD_DRAWN,
    DISCARD_RED,
    MELD_ADDED_KONG,
    MELD_CLOSED_KONG,
    MELD_OPEN_KONG,
    NINE_TERMINALS,
    NO_SEAT,
    NO_TILE,
    OPEN_KONG,
    PASS,
    PHASE_CALL_DISCARD,
    PHASE_CLAIM,
    PHASE_KONG_CLAIM,
    PHASE_TURN,
    PONG,
    PONG_RED,
    RESULT_EXHAUSTIVE,
    RESULT_NAGASHI,
    RESULT_RON,
    RESULT_TRIPLE_RON,
    RON,
    TSUMO,
)
from simulator.scoring.yaku import YAKU
from simulator.shanten import is_complete, tenpai_discards
from simulator.tiles import KINDS, TERMINALS_AND_HONORS

from .actions import legal_mask

_PONGS = 1 << PONG | 1 << PONG_RED
_CHOWS = ((1 << PONG) - 1) & ~((1 << CHOW_LOW) - 1)
_CLOSED_KONGS = ((1 << ADDED_KONG) - 1) & ~((1 << CLOSED_KONG) - 1)
_ADDED_KONGS = ((1 << TSUMO) - 1) & ~((1 << ADDED_KONG) - 1)
_KONGS = (MELD_OPEN_KONG, MELD_CLOSED_KONG, MELD_ADDED_KONG)
_RARE_YAKU = (3, 4, 5, 6, 21, *range(37, 52))
_LAST_ROUND = 7  # South 4


class Watch:
    """Looks on while a table is played, and counts into `counts`."""

    def __init__(self, counts: Counter[str]) -> None:
        self.counts = counts
        self.lookup = get_lookup()
        self.may_win: list[int] = []
        self.discarded = NO_TILE

    def decisions(self, game: np.void, seats: list[int]) -> None:
        """Count what the seats that are asked may do, and what is kept from them."""
        phase = game["phase"]
        if phase == PHASE_TURN:
            self._turn(game, seats[0], legal_mask(game, seats[0]))
        elif phase == PHASE_CALL_DISCARD:
            if any(game["hand"][seats[0], kind] for kind in range(KINDS) if game["forbidden"] >> kind & 1):
                self.counts["a discard forbidden as swap-calling"] += 1
        elif phase == PHASE_CLAIM:
            wins = sum(legal_mask(game, seat) >> RON & 1 for seat in seats)
            if wins > 1:
                self.counts[f"{wins} seats may win on one discard"] += 1
            for seat in seats:
                mask = legal_mask(game, seat)
                self.counts["open kong offered"] += mask >> OPEN_KONG & 1
                if wins and mask & (_PONGS | _CHOWS):
                    self.counts["a call offered beside a win"] += 1
        elif phase == PHASE_KONG_CLAIM:
            self.counts["robbing a kong offered"] += 1
            if game["pending_indicators"]:
                self.counts["robbing a kong offered with an indicator still to be shown"] += 1

    def _turn(self, game: np.void, seat: int, mask: int) -> None:
        counts = self.counts
        hand = game["hand"][seat]
        left = int(tiles_left(game))
        drawn = int(game["drawn"]) >> 2
        riichi = game["riichi"][seat] == 2
        closed = not game["n_open"][seat]
        if mask >> TSUMO & 1:
            if game["replacement"]:
                counts["win on a replacement tile offered"] += 1
                if game["pending_indicators"]:
                    counts["win on a replacement tile offered with an indicator still to be shown"] += 1
            if left == 0:
                counts["win on the last tile offered"] += 1
            if game["waits"][seat] & game["discarded"][seat]:
                counts["tsumo offered to a furiten seat"] += 1
        elif not closed and is_complete(self.lookup, hand, int(game["n_melds"][seat])):
            counts["tsumo refused: no yaku"] += 1
        if hand.max() == 4 or (not closed and any(hand[k] and pong_of(game, seat, k) >= 0 for k in range(KINDS))):
            self._kong(game, seat, mask, left, riichi, hand[drawn] == 4)
        if closed and not riichi:
            points = int(game["scores"][seat])
            if mask >> DECLARE_RIICHI & 1:
                counts["riichi offered with four tiles left"] += left == 4
                counts["riichi offered with exactly 1,000 points"] += points == 1000
            elif (left < 4 or points < 1000) and tenpai_discards(self.lookup, hand, int(game["n_melds"][seat])):
                counts["riichi refused: fewer than four tiles left"] += left < 4
                counts["riichi refused: fewer than 1,000 points"] += points < 1000
        if mask >> NINE_TERMINALS & 1:
            counts["nine terminals offered"] += 1
        elif not game["n_river"][seat] and game["interrupted"]:
            kinds = sum(1 for kind in range(KINDS) if hand[kind] and TERMINALS_AND_HONORS >> kind & 1)
            counts["nine terminals refused: a call before"] += kinds >= 9

    def _kong(self, game: np.void, seat: int, mask: int, left: int, riichi: bool, drawn_fourth: bool) -> None:
        counts = self.counts
        if left == 0:
            counts["kong refused: last tile drawn"] += not riichi
        elif game["kongs"] == 4:
            counts["kong refused: four are made"] += not riichi
        elif riichi:
            if drawn_fourth:
                counts["closed kong in riichi " + ("offered" if mask & _CLOSED_KONGS else "refused: other waits")] += 1
        else:
            counts["closed kong offered"] += bool(mask & _CLOSED_KONGS)
            counts["added kong offered"] += bool(mask & _ADDED_KONGS)
            if left == 1:
                counts["kong offered with one tile left"] += 1
        counts["kong offered with a kong's indicator still to be shown"] += bool(
            game["pending_indicators"] and mask & (_CLOSED_KONGS | _ADDED_KONGS)
        )

    def chosen(self, game: np.void, actions: dict[int, int]) -> None:
        """Note answers that are about to be carried out; count who may not win on a discard though it waits for it."""
        self.discarded = NO_TILE
        source = int(game["turn"])
        action = actions.get(source, PASS)
        if game["phase"] in (PHASE_CLAIM, PHASE_KONG_CLAIM):
            self._passed(game, actions)
        elif action <= DISCARD_DRAWN:
            kind = int(game["drawn"]) >> 2 if action == DISCARD_DRAWN else action
            kind = 9 * (action - DISCARD_RED) + 4 if DISCARD_RED <= action < DISCARD_DRAWN else kind
            self.discarded = kind
            self.may_win = []
            for seat, waits in enumerate(game["waits"].tolist()):
                if seat != source and waits >> kind & 1:
                    if is_furiten(game, seat):
                        self._furiten(game, seat)
                    else:
                        self.may_win.append(seat)

    def _passed(self, game: np.void, actions: dict[int, int]) -> None:
        for seat, action in actions.items():
            if action != RON and legal_mask(game, seat) >> RON & 1:
                self.counts["a win let go"] += 1
                self.counts["a win let go in riichi"] += bool(game["riichi"][seat])
                self.counts["robbing a kong let go"] += game["phase"] == PHASE_KONG_CLAIM
                self.counts["a win let go for a call"] += action != PASS
        calls = [action for action in actions.values() if action != PASS]
        if len(calls) > 1 and RON not in calls:
            self.counts["a chow gives way to a pong or kong"] += 1

    def _furiten(self, game: np.void, seat: int) -> None:
        if game["waits"][seat] & game["discarded"][seat]:
            self.counts["furiten: an own discard"] += 1
        elif game["missed"][seat] & 2:
            self.counts["furiten: a win let go in riichi"] += 1
        else:
            self.counts["furiten: a win let go this turn"] += 1

    def stepped(self, game: np.void) -> None:
        """Count who is not asked about the discard that was just made, and why."""
        kind = self.discarded
        if kind == NO_TILE or game["phase"] not in (PHASE_CLAIM, PHASE_TURN):
            return
        claims = game["phase"] == PHASE_CLAIM
        asked = int(game["asked"]) if claims else 0
        for seat in self.may_win:
            if not (asked >> seat & 1 and legal_mask(game, seat) >> RON & 1):
                self.counts["ron refused: no yaku"] += 1
        if not claims or not game["n_melds"].max() == 3 or not tiles_left(game):
            return
        source = int(game["turn"])
        for seat in range(4):
            if seat != source and game["n_melds"][seat] == 3 and not game["riichi"][seat]:
                mask = legal_mask(game, seat) if asked >> seat & 1 else 0
                self._no_discard_left(game["hand"][seat], kind, mask, (source + 1) & 3 == seat)

    def _no_discard_left(self, hand: np.ndarray, kind: int, mask: int, next_seat: bool) -> None:
        if hand[kind] >= 2 and not mask & _PONGS:
            self.counts["pong refused: it leaves no discard"] += 1
        if next_seat and kind < 27 and not mask & _CHOWS:
            firsts = (first for first in range(kind - 2, kind + 1) if first >= 0 and first // 9 == kind // 9)
            fitting = [f for f in firsts if f % 9 <= 6 and all(hand[k] for k in range(f, f + 3) if k != kind)]
            self.counts["chow refused: it leaves no discard"] += bool(fitting)

    def before_payment(self, game: np.void) -> None:
        """Count what is seen of a round that is over and not yet paid."""
        if game["result"]["type"] == RESULT_RON or game["result"]["type"] == RESULT_TRIPLE_RON:
            self.counts["a riichi's own discard is won on"] += bool((game["riichi"] == 1).any())
            if (game["riichi"] == 1).any() and game["result"]["type"] == RESULT_TRIPLE_RON:
                self.counts["a riichi's own discard is won on by three seats"] += 1
        if game["result"]["type"] == RESULT_EXHAUSTIVE:
            for seat, waits in enumerate(game["waits"].tolist()):
                if waits and all(self._own(game, seat, kind) == 4 for kind in range(KINDS) if waits >> kind & 1):
                    self.counts["tenpai for tiles that are all in its own melds"] += 1

    @staticmethod
    def _own(game: np.void, seat: int, kind: int) -> int:
        melds = game["melds"][seat][: game["n_melds"][seat]]["tiles"]
        return int(game["hand"][seat, kind]) + int(((melds >> 2 == kind) & (melds != NO_TILE)).sum())

    def after_payment(self, game: np.void) -> None:
        """Count how the round ended, and the game with it."""
        counts, result = self.counts, game["result"]
        wins = result["wins"][: result["n_wins"]]
        counts["robbing a kong by two seats"] += bool(len(wins) == 2 and int(wins["yaku"][0]) >> 3 & 1)
        if len(wins) == 2:
            counts["two wins on one discard"] += 1
            to_take = bool(result["bets"] or result["repeat_counter"])
            counts["two wins on one discard with bets or repeat counters to take"] += to_take
        for win in wins:
            for number in _RARE_YAKU:
                counts[f"yaku: {YAKU[number].name}"] += int(win["yaku"]) >> number & 1
            if win["liable"] != NO_SEAT:
                by_draw, liable = win["source"] == win["seat"], win["liable"] == win["source"]
                where = "the liable seat's" if liable else "another's"
                counts["liability, tsumo" if by_draw else f"liability, win on {where} discard"] += 1
                if win["liable_yakuman"] < win["yakuman"] and not liable:
                    counts["liability of another seat for a part of the yakuman"] += 1
            counts["several yakuman in one hand"] += bool(win["yakuman"] > 1)
            counts["counted yakuman"] += bool(not win["yakuman"] and win["han"] >= 13)
        if result["type"] == RESULT_NAGASHI:
            counts["nagashi mangan of two seats"] += bool(int(result["nagashi"]).bit_count() > 1)
            counts["nagashi mangan with bets on the table"] += bool(result["bets"])
            dealer_tenpai = bool(result["tenpai"] >> game["dealer"] & 1)
            counts["nagashi mangan, the dealer is tenpai"] += dealer_tenpai
        if result["game_over"]:
            self._game_over(game, result)
        else:
            self._goes_on(game, result)

    def _game_over(self, game: np.void, result: np.void) -> None:
        counts = self.counts
        counts["end: somebody is below zero"] += bool(result["scores"].min() < 0)
        counts["end: in west entry"] += bool(result["round"] > _LAST_ROUND)
        counts["end: bets are left for the first"] += bool(result["bets"] and not result["n_wins"])
        counts["end: equal points"] += len(set(result["scores"].tolist())) < 4
        if result["round"] == _LAST_ROUND and result["scores"].min() >= 0:
            dealer_won = any(win["seat"] == game["dealer"] for win in result["wins"][: result["n_wins"]])
            tenpai = result["type"] == RESULT_EXHAUSTIVE and result["tenpai"] >> game["dealer"] & 1
            counts["end: the dealer stops"] += bool(dealer_won or tenpai)

    def _goes_on(self, game: np.void, result: np.void) -> None:
        counts, scores = self.counts, result["scores"]
        if not game["rules"]["length"] or result["round"] < _LAST_ROUND:
            return
        counts["west entry: the game goes on"] += bool(result["round"] > _LAST_ROUND or game["round"] > _LAST_ROUND)
        if scores.max() >= game["rules"]["target_points"]:  # then the dealer has to repeat for the game to go on
            first = int(scores.argmax()) == game["dealer"]
            counts["an abortive draw in the last round keeps the first dealer from stopping"] += first
            counts["the dealer repeats behind another who has the target"] += not first
