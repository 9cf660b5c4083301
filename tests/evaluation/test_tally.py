"""Counts of play: rounds made by hand, and whole games counted again from their mjai events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from table import Scene

from simulator.logs.from_record import game_log
from simulator.logs.mjai_words import REASON_NAMES
from simulator.logs.mjai_writer import round_events
from simulator.logs.model import GameLog
from simulator.players import player
from simulator.players.play import PlayedGame, play_games
from simulator.record import GAME, RESULT_EXHAUSTIVE, RESULT_NAGASHI, SEATS
from simulator.rules import Rules
from suphx.evaluation.tally import COLUMN, COLUMNS, FIELDS, tally

EXHAUSTIVE = (REASON_NAMES[RESULT_EXHAUSTIVE], REASON_NAMES[RESULT_NAGASHI])
CALLS = ("chi", "pon", "daiminkan")
MELD_ENDS = ("dahai", "ankan", "kakan", *CALLS)


def counted(scene: Scene, seat: int) -> dict[str, int]:
    """Return what a round counts for a seat, without zeros."""
    row = tally(np.array([scene.ended], GAME))[seat].tolist()
    return {name: count for name, count in zip(COLUMNS, row, strict=True) if count}


def test_every_column_has_a_name_and_says_what_it_counts() -> None:
    assert len(set(COLUMNS)) == len(FIELDS) == len(COLUMN)
    assert all(words for _, words in FIELDS)


def test_a_claim_with_repeat_counter_and_bet_counts_for_winner_and_discarder() -> None:
    scene = Scene({1: "123m456p789s1122z"}, draws={0: "1z"}, repeat_counter=1, bets=1)
    scene.play("0 discard 1z", "1 ron")
    hand = scene.won(1).points
    assert counted(scene, 1) == {
        "rounds": 1, "wins": 1, "silent_wins": 1, "win_points": hand + 300 + 1000, "hand_points": hand,
    }  # fmt: skip
    assert counted(scene, 0) == {"rounds": 1, "dealer_rounds": 1, "deal_ins": 1, "deal_in_points": hand + 300}
    assert counted(scene, 2) == counted(scene, 3) == {"rounds": 1}


def test_riichi_on_the_first_turn_and_a_win_by_draw_on_the_second() -> None:
    scene = Scene({1: "123m456p789s1122z"}, draws={1: "9p 1z"}).play("1 riichi 9p", "1 tsumo")
    mine = counted(scene, 1)
    assert mine["riichi"] == mine["bets"] == mine["riichi_turns"] == 1
    assert mine["wins"] == mine["draw_wins"] == mine["riichi_wins"] == 1
    assert mine["win_turns"] == 2
    assert mine["win_points"] == mine["hand_points"] + 1000  # the own bet comes back
    assert "silent_wins" not in mine and "open_wins" not in mine
    paid = [counted(scene, seat) for seat in (0, 2, 3)]
    assert all(each["draw_losses"] == 1 and "deal_ins" not in each for each in paid)
    assert sum(each["draw_loss_points"] for each in paid) == mine["hand_points"]


def test_a_riichi_tile_that_is_won_on_is_declared_and_not_paid() -> None:
    scene = Scene({1: "123m456p789s1122z", 0: "123m456p789s2344m"}, draws={0: "1z"})
    scene.play("0 riichi 1z", "1 ron")
    mine = counted(scene, 0)
    assert mine["riichi"] == mine["riichi_turns"] == mine["deal_ins"] == mine["riichi_deal_ins"] == 1
    assert "bets" not in mine


def test_calls_count_once_a_round_and_melds_each() -> None:
    scene = Scene({1: "55z66z123m456p999s"}, draws={0: "5z", 2: "6z", 3: "7s"})
    scene.play("0 discard 5z", "1 pong", "1 discard 1m", "2 discard 6z", "1 pong", "1 discard 2m").run_out()
    mine = counted(scene, 1)
    assert (mine["call_rounds"], mine["open_melds"], mine["exhaustive_draws"]) == (1, 2, 1)


def test_two_winners_on_one_tile_are_one_deal_in() -> None:
    hands = {1: "234m567p55p23467s", 2: "345m678m22p34678s"}
    scene = Scene(hands, draws={0: "5s"}).play("0 discard 5s", "1 ron", "2 ron")
    paid = counted(scene, 0)
    assert paid["deal_ins"] == 1
    assert paid["deal_in_points"] == scene.won(1).points + scene.won(2).points == -scene.deltas[0]
    assert counted(scene, 1)["wins"] == counted(scene, 2)["wins"] == 1


def test_liability_counts_for_who_pays_and_is_no_deal_in() -> None:
    draws = {0: "5z", 1: "9m", 2: "6z -", 3: "7z"}
    rules = Rules(bust=False)
    scene = Scene({1: "123m9m147p556677z"}, draws=draws, rules=rules).play(
        "0 discard 5z", "1 pong", "1 discard 1p", "2 discard 6z", "1 pong", "1 discard 4p",
        "3 discard 7z", "1 pong", "1 discard 7p", "1 tsumo",
    )  # fmt: skip
    assert counted(scene, 3) | {"draw_losses": 1} == {
        "rounds": 1, "draw_losses": 1, "draw_loss_points": 32000, "liabilities": 1,
    }  # fmt: skip
    assert "deal_ins" not in counted(scene, 3)
    mine = counted(scene, 1)
    assert (mine["yakuman_wins"], mine["open_wins"], mine["win_points"], mine["win_turns"]) == (1, 1, 32000, 4)


def test_nine_terminals_is_an_abortive_draw() -> None:
    scene = Scene({0: "19m19p19s1234567z"}, draws={0: "5m"}).play("0 abort")
    assert counted(scene, 0) == {"rounds": 1, "dealer_rounds": 1, "abortive_draws": 1}


def test_tenpai_at_an_exhaustive_draw() -> None:
    scene = Scene({1: "123m456p789s1122z"}, keep="1122z").run_out()
    assert scene.how == "exhaustive draw"
    for seat in range(SEATS):
        assert counted(scene, seat)["exhaustive_draws"] == 1
        assert counted(scene, seat).get("tenpai_draws", 0) == (seat in scene.tenpai())
    assert 1 in scene.tenpai()


def test_a_game_that_is_not_over_has_rounds_and_no_rank() -> None:
    game = next(play_games([player("sensible")] * SEATS, 1, seed=5))
    whole, part = tally(game.rounds), tally(game.rounds[:-1])
    assert (whole[:, COLUMN["games"]] == 1).all() and (part[:, COLUMN["games"]] == 0).all()
    assert (part[:, COLUMN["rank_sum"]] == 0).all()
    assert (part[:, COLUMN["rounds"]] == len(game.rounds) - 1).all()


def test_counts_add_up_over_the_seats_of_a_game() -> None:
    for game in play_games([player("random")] * SEATS, 40, seed=3):
        total = dict(zip(COLUMNS, tally(game.rounds).sum(0).tolist(), strict=True))
        assert total["first"] == total["second"] == total["third"] == total["fourth"] == 1
        assert total["rank_sum"] == 10 and total["points"] == 100_000 and total["final_points"] == 0
        assert total["wins"] == total["riichi_wins"] + total["open_wins"] + total["silent_wins"]
        assert total["draw_losses"] == 3 * total["draw_wins"]
        assert total["deal_ins"] <= total["wins"] - total["draw_wins"]
        assert total["dealer_rounds"] == total["rounds"] // 4 == len(game.rounds)


def slow_count(log: GameLog) -> list[Counter[str]]:
    """Count a game from its mjai events alone; tenpai that no payment shows is taken from the log."""
    seats: list[Counter[str]] = [Counter() for _ in range(SEATS)]
    for index, this in enumerate(log.rounds):
        events = round_events(log, index)
        moves = [[e for e in events if e.get("actor") == seat and e["type"] in MELD_ENDS] for seat in range(SEATS)]
        dealer = events[0]["oya"]
        in_riichi = {e["actor"] for e in events if e["type"] == "reach"}
        paid = {e["actor"] for e in events if e["type"] == "reach_accepted"}
        wins = [e for e in events if e["type"] == "hora"]
        draw = [e for e in events if e["type"] == "ryukyoku"]
        for seat, row in enumerate(seats):
            calls = sum(e["type"] in CALLS for e in moves[seat])
            discards = sum(e["type"] == "dahai" for e in moves[seat])
            row.update(rounds=1, dealer_rounds=seat == dealer, call_rounds=calls > 0, open_melds=calls)
            row.update(riichi=seat in in_riichi, bets=seat in paid)
            if seat in in_riichi:
                own = [e for e in events if e.get("actor") == seat and e["type"] in ("dahai", "reach")]
                row["riichi_turns"] += next(n for n, e in enumerate(own) if e["type"] == "reach") + 1
            for win, stated in zip(wins, this.wins, strict=True):
                if win["actor"] == seat:
                    by_draw = win["target"] == seat
                    row.update(wins=1, draw_wins=by_draw, riichi_wins=seat in paid, open_wins=calls > 0)
                    row.update(silent_wins=not calls and seat not in paid, win_points=win["deltas"][seat])
                    row.update(win_turns=discards + by_draw, hand_points=stated.points)
                    row.update(yakuman_wins=stated.yakuman)
                elif win["target"] == win["actor"]:
                    row.update(draw_losses=1, draw_loss_points=-win["deltas"][seat])
                row["liabilities"] += stated.liable == seat
            if any(win["target"] == seat != win["actor"] for win in wins):
                row.update(deal_ins=1, riichi_deal_ins=seat in in_riichi, open_deal_ins=calls > 0)
                row["deal_in_points"] -= sum(win["deltas"][seat] for win in wins)
            if draw and draw[0]["reason"] in EXHAUSTIVE:
                nagashi = draw[0]["reason"] == EXHAUSTIVE[1]
                shown = draw[0]["deltas"] if not nagashi and any(draw[0]["deltas"]) else (this.tenpai or [])
                row.update(exhaustive_draws=1, tenpai_draws=int(shown[seat]) > 0)
                # What is gained beside all payments to others' nagashi: only who has it gains.
                row["nagashi"] += nagashi and draw[0]["deltas"][seat] > 0
            elif draw:
                row["abortive_draws"] += 1
    scores = log.final_scores or []
    order = sorted(range(SEATS), key=lambda seat: (-scores[seat], seat))
    for seat, row in enumerate(seats):
        place = order.index(seat)
        row.update({"games": 1, ("first", "second", "third", "fourth")[place]: 1, "rank_sum": place + 1})
        row.update(points=scores[seat], busts=scores[seat] < 0)
        row.update(final_points=round((log.final_points or [])[seat] * 10))
    return seats


def played(names: Iterable[str], n: int, seed: int) -> Iterable[PlayedGame]:
    return play_games([player(name, seed) for name in names], n, seed=seed)


@pytest.mark.parametrize(
    ("names", "games"),
    [(["sensible"] * 4, 60), (["random"] * 4, 150), (["sensible", "random", "never_folds", "tsumogiri"], 60)],
)
def test_the_counts_are_those_of_the_mjai_events(names: list[str], games: int) -> None:
    for game in played(names, games, seed=11):
        slow = slow_count(game_log(game.rounds, Rules.tenhou()))
        fast = tally(game.rounds).tolist()
        for seat in range(SEATS):
            assert {name: slow[seat][name] for name in COLUMNS} == dict(zip(COLUMNS, fast[seat], strict=True))
