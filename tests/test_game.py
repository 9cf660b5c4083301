"""`Game`: one table played by hand."""

import copy
import json
import pickle
import random
import re
from pathlib import Path

import numpy as np
import pytest

from simulator import Game, IllegalAction, NotationError, Rules, Tables, build_wall
from simulator.actions import IllegalReply
from simulator.game import GameOver
from simulator.record import CHOW_LOW_RED, DISCARD_DRAWN, PASS, RON, TSUMO
from simulator.tiles import format_tiles
from simulator.walls import TenhouWalls, dealt_places

ROOT = Path(__file__).resolve().parent.parent
#: Hands without pairs or neighbors: nobody calls with them.
QUIET = "147m258p369s1234z"
QUIET_TOO = "258m369p147s2346z"
SHUFFLE = "mt19937ar-sha512-n288-base64," + "A" * (2496 // 3 * 4)


def random_actions(game, rng):
    return {seat: rng.choice(seen.legal_actions()) for seat, seen in game.observations().items()}


def play(game, rng):
    while not game.over:
        game.step(random_actions(game, rng))
    return game


def readme_blocks():
    return re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)


def test_the_readmes_game_prints_its_end(capsys):
    names = {}
    exec(next(block for block in readme_blocks() if "Game(" in block), names)
    assert names["game"].over
    assert sorted(names["game"].ranks) == [1, 2, 3, 4]
    assert str(names["game"].scores) in capsys.readouterr().out


def test_the_same_seed_is_the_game_of_a_batch():
    game = Game(seed=7)
    assert game.record["wall"].tolist() == Tables(3, seed=7).games[0]["wall"].tolist()


def test_points_are_kept_and_results_follow_one_another():
    game = play(Game(Rules.tenhou_east(), seed=3), random.Random(1))
    assert sum(game.scores) == 100_000
    assert abs(sum(game.final_points)) < 1e-9
    assert game.results[-1].game_over and game.results[-1].scores == game.scores
    assert not any(result.game_over for result in game.results[:-1])
    assert game.observations() == {} and game.seats_to_act == ()
    with pytest.raises(GameOver):
        game.step(PASS)


def test_the_observation_of_a_seat_that_is_not_asked_is_an_error_that_says_so():
    seen = Game(seed=1).observations()
    assert list(seen) == [0]
    with pytest.raises(KeyError, match=r"seat 2 has nothing to choose, but \(0,\)"):
        seen[2]


def test_a_wall_is_for_the_first_round():
    wall = build_wall(["123m456p789s1234z"], indicators="7z")
    game = Game(wall=wall)
    assert game.record["wall"].tolist() == wall.tolist()
    while not game.results:
        game.step(random_actions(game, random.Random(0)))
    assert game.record["wall"].tolist() != wall.tolist()
    with pytest.raises(ValueError, match="each of the tiles"):
        Game(wall=np.zeros(136, np.uint8))


def test_walls_of_a_tenhou_seed():
    walls = TenhouWalls(SHUFFLE)
    game, rng = Game(tenhou_seed=SHUFFLE), random.Random(0)
    for _ in range(3):
        assert game.record["wall"].tolist() == walls.next_round()[0].tolist()
        rounds = len(game.results)
        while len(game.results) == rounds:
            game.step(random_actions(game, rng))


def test_written_hands_are_dealt():
    hands = ["123m406p77z", "19m19p19s1234567z", "", QUIET]
    game = Game.from_hands(hands, draws="9s5z", indicator="1z", round=1, repeat_counter=2, bets=1, scores=[20_000] * 4)
    seats = game.view().seats
    assert seats[1].hand == "19m19p19s1234567z"
    assert seats[3].hand == QUIET
    assert set("123m406p") <= set(seats[0].hand)
    assert seats[1].drawn == "9s" and seats[1].wind == "East" and game.seats_to_act == (1,)
    assert (game.view().repeat_counter, game.view().bets, game.view().dora) == (2, 1, ("2z",))
    assert game.view().name == "East 2" and game.scores == (20_000,) * 4


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"hands": ["11111m"]}, NotationError),
        ({"hands": ["", "123456789m12345p"]}, NotationError),
        ({"hands": [""] * 5}, NotationError),
        ({"round": 12}, ValueError),
        ({"scores": [25_000] * 3}, ValueError),
        ({"scores": [25_050] * 4}, ValueError),
        ({"scores": [10**10] * 4}, ValueError),
    ],
)
def test_what_cannot_be_set_up_is_refused(arguments, error):
    with pytest.raises(error):
        Game.from_hands(**arguments)


def test_places_of_a_deal_are_the_engines():
    for dealer in range(4):
        game = Game.from_hands(round=dealer, seed=5)
        wall = game.record["wall"]
        for seat in range(4):
            dealt = format_tiles(wall[dealt_places(dealer, seat)].tolist())
            assert game.view().seats[seat].hand == dealt


def test_an_action_may_be_given_in_five_ways():
    start = Game.from_hands([QUIET], draws="9s", indicator="1z")
    pictures = set()
    for action in (DISCARD_DRAWN, start.observation(0).legal_actions()[-1],
                   {"type": "dahai", "actor": 0, "pai": "9s", "tsumogiri": True},
                   '{"type": "dahai", "actor": 0, "pai": "9s"}', {0: np.int64(DISCARD_DRAWN)}):  # fmt: skip
        game = start.copy()
        game.step(action)
        pictures.add(str(game))
    assert len(pictures) == 1


def test_an_illegal_action_changes_nothing():
    game = Game.from_hands([QUIET], draws="9s", indicator="1z")
    before, events = game.record.tobytes(), list(game.events)
    for action in (TSUMO, -1, 500, {"type": "dahai", "pai": "9p"}, {"type": "none"}, "nonsense", None):
        with pytest.raises(IllegalAction, match=r"seat 0.*legal: "):
            game.step({0: action})
    with pytest.raises(ValueError, match=r"seats \(0,\) must choose"):
        game.step({1: DISCARD_DRAWN})
    assert game.record.tobytes() == before and game.events == events


def test_several_may_claim_and_each_must_answer():
    hands = ["147m258p369s1235z", "23m456p789s11155z", QUIET_TOO, "11m258p369s23467z"]
    game = Game.from_hands(hands, draws="5z", indicator="9p")
    game.step({"type": "dahai", "actor": 0, "pai": "1m"})
    assert game.seats_to_act == (1, 3)
    assert RON in game.observation(1).legal_actions()
    with pytest.raises(ValueError, match="must choose"):
        game.step({0: PASS})


def test_a_win_in_words():
    hands = ["147m258p369s1235z", "23m456p789s11155z", QUIET_TOO, QUIET_TOO]
    game = Game.from_hands(hands, draws="6z", indicator="9p", bets=2)
    game.step({"type": "dahai", "actor": 0, "pai": "1m"})
    result = game.step({"type": "hora", "actor": 1, "target": 0})
    win = result.wins[0]
    assert (win.seat, win.source, win.tile, result.how) == (1, 0, "1m", "ron")
    assert win.score.yaku == {"round wind east (bakaze ton)": 1}
    assert (win.score.han, win.score.fu, win.score.payments) == (1, 40, {"discarder": 1300})
    assert result.deltas == (-1300, 3300, 0, 0) and result.scores == game.scores
    assert "seat 1 wins on 1m from seat 0" in str(result)


def test_the_picture():
    hands = ["1m147p258s123557z", "0m4m123p456s11z567z", "19m19p19s1234567z"]
    game = Game.from_hands(hands, draws="3m", indicator="9s")
    game.step(DISCARD_DRAWN)
    chow = next(action for action in game.observation(1).legal_actions() if action == CHOW_LOW_RED)
    assert (chow.name, chow.type, chow.own, chow.claimed) == ("chow 3m with 4m0m", "chow", ("4m", "0m"), "3m")
    game.step(chow)
    lines = str(game).splitlines()
    assert lines[0] == "East 1, 69 tiles left, indicator 9s (dora 1s)"
    assert lines[1] == "  0 East   25,000  1m147p258s123557z"
    assert lines[2].strip() == "(3m)*"
    assert lines[3] == "> 1 South  25,000  123p456s11567z  (3m)4m0m"
    hidden = str(game.view(1)).splitlines()
    assert hidden[1] == "  0 East   25,000  ?????????????"
    assert hidden[3] == lines[3]


def test_melds_are_drawn_as_they_were_called():
    hands = ["1m258p369s12347z5p", "555z123456m12p66z", "", ""]
    game = Game.from_hands(hands, draws="5z", indicator="9s", replacements="6z")
    game.step(DISCARD_DRAWN)
    game.step({"type": "daiminkan", "actor": 1})
    game.step({"type": "dahai", "actor": 1, "pai": "1p"})
    meld = game.view().seats[1].melds[0]
    assert (meld.type, str(meld), meld.source) == ("open kong", "(5z)5z5z5z", 0)
    game = Game.from_hands(["1111z", "", "", ""], draws="2z", indicator="9s")
    game.step({"type": "ankan", "consumed": ["E"] * 4})
    assert str(game.view().seats[0].melds[0]) == "#1z1z1z1z#"


def test_a_copy_goes_its_own_way():
    game, rng = Game(seed=2), random.Random(4)
    for _ in range(30):
        game.step(random_actions(game, rng))
    other = game.copy()
    assert str(other) == str(game) and other.events == game.events
    before = str(game)
    play(other, rng)
    assert str(game) == before and not game.over
    for seat in range(4):
        assert other.observation(seat).events[: len(game.events)] == game.observation(seat).events


def test_a_game_of_a_batch_goes_on_by_hand():
    tables, rng = Tables(2, seed=4), np.random.default_rng(0)
    for _ in range(40):
        legal = tables.decisions().legal
        tables.step((rng.random(legal.shape) * legal).argmax(axis=1))
    game = Game.from_record(tables.games[1], tables.rules)
    assert [event["type"] for event in game.events[:2]] == ["start_game", "start_kyoku"]
    play(game, random.Random(0))
    with pytest.raises(ValueError, match="other rules"):
        Game.from_record(tables.games[0], Rules(red_fives=False))


def test_actions_are_numbers_with_words():
    game, rng = Game(seed=9), random.Random(9)
    while not game.over:
        for seen in game.observations().values():
            for action in seen.legal_actions():
                assert action in range(121) and seen.legal[action] and action.type in action.name
                assert np.array([action])[0] == action and json.loads(action.to_mjai()) == action.mjai
                for again in (pickle.loads(pickle.dumps(action)), copy.deepcopy(action)):
                    assert again == action and again.__dict__ == action.__dict__
        game.step(random_actions(game, rng))


def test_a_dealer_who_may_stop_is_asked():
    rules = Rules(dealer_stop="choice", length="east")
    hands = [QUIET, QUIET[:9] + "567z", "", "234m456p789s11155z"]
    game = Game.from_hands(hands, draws="5z", round=3, scores=[20_000] * 3 + [40_000], rules=rules)
    assert game.step({"type": "hora", "actor": 3, "target": 3}) is None
    assert [action.name for action in game.observation(3).legal_actions()] == ["pass", "stop"]
    assert game.copy().step({"type": "none"}).game_over is False
    assert game.step({"type": "end_game"}).game_over is True
    assert game.over and game.ranks[3] == 1


def test_illegal_replies_say_what_was_legal():
    with pytest.raises(IllegalReply, match=r"seat 0: .*dahai.*legal: .*<Action 37"):
        Game(seed=1).observation(0).select_action_from_mjai({"type": "dahai", "actor": 2, "pai": "1m"})


@pytest.mark.faults
@pytest.mark.parametrize(
    "reply",
    [
        {"type": "ankan", "consumed": 5},
        {"type": "ankan", "consumed": {"a": 1}},
        {"type": "ankan", "consumed": [["1m"]]},
        {"type": "ankan", "pai": ["1m"]},
        {"type": "ankan", "pai": "2m"},
        "[" * 100_000,
        "{",
        b"\xff",
        [],
        1.5,
    ],
)
def test_replies_of_any_shape_are_illegal_replies(reply):
    with pytest.raises(IllegalReply):
        Game.from_hands(["1111m0555p123s55z"], draws="2z").observation(0).select_action_from_mjai(reply)


def test_arguments_that_are_no_whole_numbers_are_named():
    with pytest.raises(ValueError, match=r"seed is 1\.5, not a whole number"):
        Game(seed=1.5)
    with pytest.raises(ValueError, match=r"round is 1\.5, not a whole number"):
        Game.from_hands(round=1.5)
    with pytest.raises(ValueError, match="rules is 3, neither Rules nor the name of a preset"):
        Game(rules=3)
    with pytest.raises(ValueError, match="hands has 5, not tiles in notation"):
        Game.from_hands([5])


@pytest.mark.faults
def test_a_discard_must_name_its_tile():
    with pytest.raises(IllegalReply, match=r"'actor': 0} is no legal action \(it has no 'pai'\); legal: "):
        Game(seed=1).step({"type": "dahai", "actor": 0})


def test_rules_may_be_named():
    assert Game("m_league").rules == Rules.m_league() and Game(rules="tenhou").rules == Rules.tenhou()
    with pytest.raises(ValueError, match="no preset 'tenho'"):
        Game("tenho")
