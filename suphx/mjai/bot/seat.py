"""`Seat`: what one seat sees of a game, updated event by event, as a game record that our agents can play from.

The visible part of the record is as at the table; the hidden tiles are dealt arbitrarily. When one is shown, it is
swapped with a made-up one (`unseen.py`), and the engine then carries out the move, so that all its consequences for the
own seat (waits, furiten, legal actions, points) come from the one implementation of the rules.

Hosts differ in where `dora` and `reach_accepted` stand among the events. Indicators are shown when a `dora` event
arrives; a riichi is accepted by the engine, once the discard has passed, whether or not an event reports it.
"""

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from simulator import record as r
from simulator.actions import Action, IllegalReply, legal_actions, legal_mask, read_reply
from simulator.logs.mjai_words import (
    EAST_ONLY,
    Event,
    read_count,
    read_points,
    read_seat,
    read_tile,
    read_tiles,
    stated,
)
from simulator.logs.mjai_writer import HIDDEN
from simulator.logs.round_builder import face_kind, face_name, face_of
from simulator.lookup import get_lookup
from simulator.moves import pong_of, tiles_left
from simulator.rounds import deal, start_game
from simulator.rules import Rules
from simulator.tables import Decisions
from simulator.tiles import EAST, KINDS, NORTH
from simulator.walls import DORA_INDICATORS, HAND_TILES
from suphx.errors import InputError
from suphx.mjai.bot.moves import ask_own_turn, carry_out, carry_out_discard, show_indicator
from suphx.mjai.bot.unseen import UnseenTiles

_MOST_MELDS, _MOST_KONGS, _MOST_INDICATORS = 4, 4, 5
_UNKNOWN = -1
#: Events that may come outside of a round.
_OUTSIDE = ("start_game", "start_kyoku", "end_kyoku", "end_game", "hora", "ryukyoku")
_TURNS = (r.PHASE_TURN, r.PHASE_RIICHI_DISCARD, r.PHASE_CALL_DISCARD)
_CLAIMS = (r.PHASE_CLAIM, r.PHASE_KONG_CLAIM)


class EventError(InputError):
    """An mjai event that cannot be read or cannot occur at this point; the message says what is wrong with it."""


class Seat:
    """One seat's view of a game, updated by mjai events (`take`); `record` is the game as far as the seat sees it."""

    def __init__(self, rules: Rules | None = None, seat: int | None = None) -> None:
        """Wait for a game.

        rules: the rules of the table, by default Tenhou's; the host's `start_game` may change red fives and length.
        seat: the own seat, used if `start_game` does not tell it; by default it is then the only seat whose hand is
        shown.
        """
        self._given_rules = self._rules = rules or Rules.tenhou()
        self._given_seat = _UNKNOWN if seat is None else seat
        self._lookup = get_lookup()
        self.games = np.zeros(1, r.GAME)
        """GAME[1]: the game as far as the seat sees it; everything hidden is made up."""
        self.seat = self._given_seat
        """The own seat; -1 until it is known."""
        self.in_round = False
        self._unseen = UnseenTiles(self._lookup, self.record)
        self._deals = 0
        self._n_games = 0
        self._takes: dict[str, Callable[[Event], None]] = {
            "start_game": self._start_game,
            "start_kyoku": self._start_round,
            **dict.fromkeys(("end_kyoku", "end_game"), self._end_round),
            "tsumo": self._draw,
            "dahai": self._discard,
            "reach": self._riichi,
            "reach_accepted": lambda event: None,
            **dict.fromkeys(("chi", "pon", "daiminkan"), self._call),
            **dict.fromkeys(("ankan", "kakan"), self._kong),
            "dora": self._indicator,
            **dict.fromkeys(("hora", "ryukyoku"), self._result),
        }

    @property
    def record(self) -> np.void:
        """The GAME record itself."""
        return self.games[0]

    @property
    def must_act(self) -> bool:
        """Whether the seat has a decision to make now, as far as the events tell."""
        return self.in_round and not self._unseen.draw_untold and bool(self.record["pending"] >> self.seat & 1)

    def question(self) -> Decisions:
        """Return the seat's decision in the form that agents take together with `games`; empty if it is not asked."""
        n = int(self.must_act)
        seats = np.full(n, self.seat, np.uint8)
        phases = np.full(n, self.record["phase"], np.uint8)
        masks = np.array([legal_mask(self.record, self.seat)] * n, np.bool_).reshape(n, -1)
        return Decisions(np.zeros(n, np.int32), seats, phases, masks)

    def legal(self) -> list[Action]:
        """Return the seat's legal actions, which also have an mjai form; empty if it is not asked."""
        mask = legal_mask(self.record, self.seat) if self.must_act else np.zeros(0, np.bool_)
        return legal_actions(self.record, self.seat, mask)

    def take(self, event: Event) -> bool:
        """Apply an event; return False for an unknown type. After an EventError the view must not be used any more."""
        if not isinstance(event, dict) or not isinstance(event.get("type"), str):
            raise EventError("an event is a JSON object with a `type`")
        event = stated(event)
        kind = event["type"]
        if kind not in self._takes:
            return False
        if not self.in_round and kind not in _OUTSIDE:
            raise EventError(f"{kind} outside of a round")
        try:
            self._takes[kind](event)
        except EventError:
            raise
        except KeyError as error:
            raise EventError(f"{kind} has no {error}") from error
        except IllegalReply as error:
            raise EventError(f"{kind}: {error}; does the host play by other rules?") from error
        except (ValueError, TypeError, AttributeError) as error:
            raise EventError(f"{kind}: {error}") from error
        return True

    # Games and rounds

    def _start_game(self, event: Event) -> None:
        self.seat = read_seat(event, "id") if "id" in event else self._given_seat
        names = event.get("names")
        if isinstance(names, list) and len(names) == r.SEATS - 1:
            raise EventError("games of three players are not supported")
        self._rules = self._given_rules
        if isinstance(event.get("aka_flag"), bool):
            self._rules = dataclasses.replace(self._rules, red_fives=event["aka_flag"])
        if "kyoku_first" in event:
            east = read_count(event, "kyoku_first", 0, 11) == EAST_ONLY
            self._rules = dataclasses.replace(self._rules, length="east" if east else "east_south")
        self.games[:] = np.zeros(1, r.GAME)
        self.in_round = False
        self._deals = 0
        self._n_games += 1

    def _start_round(self, event: Event) -> None:
        wind = read_tile(event["bakaze"])
        if not EAST <= wind < NORTH:
            raise ValueError(f"bakaze {event['bakaze']!r} is not a round wind")
        number = r.SEATS * (wind - EAST) + read_count(event, "kyoku", 1, r.SEATS) - 1
        dealer = number % r.SEATS
        if "oya" in event and read_seat(event, "oya") != dealer:
            raise ValueError(f"oya is {event['oya']}; with seat 0 as the first dealer it is {dealer}")
        scores = read_points(event, "scores")
        if scores is None and self._deals == 0:
            scores = [self._rules.starting_points] * r.SEATS
        hands = event["tehais"]
        if not isinstance(hands, list) or len(hands) != r.SEATS:
            raise ValueError("tehais is not four hands")
        if self.seat == _UNKNOWN:
            self.seat = _shown_hand(hands)
        own = read_tiles({"tehais": hands[self.seat]}, "tehais", HAND_TILES)
        before = self.record["scores"].tolist()
        self._unseen.begin(self.seat, self._rules.red_fives)
        game = self.record
        game["rules"] = self._rules.to_record()
        start_game(game)
        game["seed"] = self._n_games
        game["deals"] = self._deals
        game["round"], game["dealer"] = number, dealer
        game["repeat_counter"] = read_count(event, "honba", 0, 255)
        game["bets"] = read_count(event, "kyotaku", 0, 255) if "kyotaku" in event else 0
        game["scores"] = before if scores is None else scores
        game["wall"] = self._unseen.wall(own, dealer, read_tile(event["dora_marker"]))
        game["wall_given"] = 1
        deal(self._lookup, game)
        self._deals += 1
        self.in_round = True

    def _end_round(self, event: Event) -> None:
        self.in_round = False

    def _result(self, event: Event) -> None:
        """Take over the scores after a win or draw, for hosts that do not send them with the next `start_kyoku`."""
        scores, deltas = read_points(event, "scores"), read_points(event, "deltas")
        if scores is not None:
            self.record["scores"] = scores
        elif deltas is not None:
            self.record["scores"] += deltas
        self.in_round = False

    # Moves

    def _check_turn(self, seat: int, phases: Sequence[int]) -> None:
        """Raise ValueError unless it is the seat's turn, in one of the phases, and its draw has been reported."""
        game = self.record
        if self._unseen.draw_untold or game["phase"] not in phases or game["turn"] != seat:
            raise ValueError(f"it is not seat {seat}'s to do that now: {self._state()}")

    def _state(self) -> str:
        words = f"seat {self.record['turn']}, {r.PHASE_NAMES[self.record['phase']]}"
        return words + (", tsumo awaited" if self._unseen.draw_untold else "")

    def _own_action(self, event: Event) -> int:
        """Return the action of the own seat that an event reports; raises IllegalReply."""
        return int(read_reply(event, self.seat, self.legal()))

    def _carry_out(self, seat: int, action: int, hint_1: int = r.NO_TILE, hint_2: int = r.NO_TILE) -> None:
        carry_out(self._lookup, self.record, self.seat, seat, action, hint_1, hint_2)
        self._unseen.draw_untold = self.record["phase"] == r.PHASE_TURN

    def _draw(self, event: Event) -> None:
        game, seat = self.record, read_seat(event, "actor")
        if game["phase"] in _CLAIMS:
            self._carry_out(self.seat, r.PASS)
        if not self._unseen.draw_untold or game["turn"] != seat:
            raise ValueError(f"seat {seat} is not to draw: {self._state()}; does the host play by other rules?")
        if seat == self.seat:
            tile = self._unseen.find(read_tile(event["pai"]), int(game["drawn"]))
            ask_own_turn(self._lookup, game, seat, tile)
        self._unseen.draw_untold = False

    def _discard(self, event: Event) -> None:
        game, seat = self.record, read_seat(event, "actor")
        self._check_turn(seat, _TURNS)
        if seat == self.seat:
            action, tile = self._own_action(event), r.NO_TILE
        elif event.get("tsumogiri") and game["drawn"] != r.NO_TILE:
            self._unseen.show(int(game["drawn"]), read_tile(event["pai"]))
            action, tile = r.DISCARD_DRAWN, r.NO_TILE
        else:
            action = read_tile(event["pai"])
            (tile,) = self._unseen.give(seat, [action], from_draw=False)
        carry_out_discard(self._lookup, game, self.seat, action, tile)

    def _riichi(self, event: Event) -> None:
        seat = read_seat(event, "actor")
        self._check_turn(seat, (r.PHASE_TURN,))
        if self.record["riichi"][seat]:
            raise ValueError(f"seat {seat} is in riichi already")
        self._carry_out(seat, self._own_action(event) if seat == self.seat else r.DECLARE_RIICHI)

    def _call(self, event: Event) -> None:
        game, seat, source = self.record, read_seat(event, "actor"), read_seat(event, "target")
        kind = event["type"]
        face = read_tile(event["pai"])
        open_to_claims = game["phase"] == r.PHASE_CLAIM and game["turn"] == source
        if not open_to_claims or face_of(int(game["claim_tile"]), self._rules.red_fives) != face:
            raise ValueError(f"seat {source} has not just discarded {face_name(face)}: {self._state()}")
        if seat == self.seat:
            self._carry_out(seat, self._own_action(event))
            return
        from_left = seat == (source + 1) % r.SEATS
        if seat == source or (kind == "chi" and not from_left) or game["n_melds"][seat] == _MOST_MELDS:
            raise ValueError(f"seat {seat} cannot call a tile from seat {source}")
        if tiles_left(game) <= 0:
            raise ValueError("the last discard cannot be called")
        consumed = read_tiles(event, "consumed", 3 if kind == "daiminkan" else 2)
        action = self._claim(kind, face_kind(face), consumed)
        tiles = self._unseen.give(seat, consumed, from_draw=False)
        tiles.sort()
        hints = (r.NO_TILE, r.NO_TILE) if action == r.OPEN_KONG else (tiles[0], tiles[1])
        self._carry_out(seat, action, *hints)

    def _claim(self, word: str, kind: int, consumed: Sequence[int]) -> int:
        """Return the action that calls a tile of kind `kind` with own tiles of the faces `consumed`."""
        kinds = [face_kind(face) for face in consumed]
        red = any(face >= KINDS for face in consumed)
        if word == "chi":
            first = min(kind, *kinds)
            if sorted([kind, *kinds]) != [first, first + 1, first + 2] or first >= EAST or first % 9 > 6:
                raise ValueError("these three tiles are not a chow")
            return r.CHOW_LOW + 2 * (kind - first) + red
        if any(each != kind for each in kinds):
            raise ValueError("the tiles of this meld are not all of the same kind")
        if word == "daiminkan":
            self._check_kongs()
            return r.OPEN_KONG
        return r.PONG + red

    def _check_kongs(self) -> None:
        if self.record["kongs"] == _MOST_KONGS or tiles_left(self.record) <= 0:
            raise ValueError("there is no replacement tile for another kong")

    def _kong(self, event: Event) -> None:
        """Let a seat make a closed or added kong."""
        game, seat = self.record, read_seat(event, "actor")
        self._check_turn(seat, (r.PHASE_TURN,))
        if seat == self.seat:
            self._carry_out(seat, self._own_action(event))
            return
        self._check_kongs()
        if event["type"] == "kakan":
            face = read_tile(event["pai"])
            if pong_of(game, seat, face_kind(face)) < 0:
                raise ValueError(f"seat {seat} has no pong of {face_name(face)}")
            (tile,) = self._unseen.give(seat, [face], from_draw=True)
            self._carry_out(seat, r.ADDED_KONG + face_kind(face), tile)
            return
        consumed = read_tiles(event, "consumed", 4)
        kind = face_kind(consumed[0])
        if any(face_kind(face) != kind for face in consumed):
            raise ValueError("the tiles of this kong are not all of the same kind")
        if game["n_melds"][seat] == _MOST_MELDS:
            raise ValueError(f"seat {seat} has four melds already")
        self._unseen.give(seat, consumed, from_draw=True)
        self._carry_out(seat, r.CLOSED_KONG + kind)

    def _indicator(self, event: Event) -> None:
        game = self.record
        if game["indicators"] == _MOST_INDICATORS:
            raise ValueError("there are only five dora indicators")
        made_up = int(game["wall"][DORA_INDICATORS[int(game["indicators"])]])
        self._unseen.show(made_up, read_tile(event["dora_marker"]))
        show_indicator(game)


def _shown_hand(hands: Sequence[object]) -> int:
    """Return the seat of the only hand without hidden tiles; raises EventError."""
    shown = [seat for seat, hand in enumerate(hands) if isinstance(hand, list) and HIDDEN not in hand]
    if len(shown) != 1:
        raise EventError("neither start_game (`id`) nor the hands tell which seat is ours: give it with --seat")
    return shown[0]


assert r.DISCARD_RED == KINDS and r.PHASE_GAME_OVER > r.PHASE_TURN  # a face is the action that discards it
