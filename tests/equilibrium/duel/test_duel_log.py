"""Matches, games as lines of JSON, and their replay."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from suphx import cli
from suphx.equilibrium.duel.abstraction import DuelRules
from suphx.equilibrium.duel.log import parse_log, replay
from suphx.equilibrium.duel.nodes import Nodes
from suphx.equilibrium.duel.patterns import NORMAL, PATTERNS
from suphx.equilibrium.duel.players import PlanPlayer, RandomPlayer, TablePlayer, match, play_game, player_named
from suphx.errors import InputError


@pytest.fixture(scope="module")
def table() -> TablePlayer:
    nodes = Nodes(seed=7)
    nodes.train(200)
    return TablePlayer(nodes, "mine")


def invoke(*words, **more):
    return CliRunner().invoke(cli.app, ["duel", *map(str, words)], **more)


def test_a_replay_shows_the_whole_game(table):
    players = [table, RandomPlayer()]
    for number in range(40):
        game = play_game(players, 1, number)
        shown = replay(json.loads(json.dumps(game)), "game")
        assert shown["points"] == game["points"] and len(shown["frames"]) == len(game["moves"]) + 1
        assert shown["frames"][0]["did"] is None and shown["frames"][-1]["phase"] == "over"
        for frame, move in zip(shown["frames"], game["moves"], strict=False):
            assert frame["mover"] == move["seat"] and ("choose" in move) == (frame["choice"] is not None)
            assert "choose" in move or move["do"] in frame["legal"]
            tiles = sum(len(side["hand"]) + bool(side["drawn"]) for side in frame["seats"])
            tiles += sum(len(meld["tiles"]) for side in frame["seats"] for meld in side["melds"])
            tiles += sum(not claimed for side in frame["seats"] for _, claimed in side["river"])
            assert tiles + frame["left"] == 64
        chosen = [frame["choice"] for frame in shown["frames"] if frame["choice"]]
        assert all(sum(choice["policy"]) == pytest.approx(1) for choice in chosen)
        assert {choice["features"]["turn"] for choice in chosen} <= set(DuelRules().turns)


def test_a_match_is_fair_and_seeded(table):
    even = [points for points, _ in match(PlanPlayer(NORMAL), PlanPlayer(NORMAL), 50, 1)]
    assert even == [0.0] * 50  # the same deals from both seats
    one, two, other = (list(match(table, PlanPlayer(NORMAL), 30, seed)) for seed in (3, 3, 4))
    assert one == two != other
    against = np.array([points for points, _ in match(PlanPlayer(NORMAL), RandomPlayer(), 100, 1)])
    assert against.mean() > 0.9  # who plays at random hardly ever wins


def test_tables_of_other_rules_do_not_meet(table):
    with pytest.raises(InputError, match="four equal tiles"):
        play_game([table, TablePlayer(Nodes(DuelRules(four_as_two=False)), "other")], 0, 0)


def test_play_prints_a_result_and_writes_a_log(tmp_path):
    log = tmp_path / "games.jsonl"
    done = invoke("play", "normal", "pairs", "--deals", 40, "--log", log, "--json")
    assert done.exit_code == 0, done.output
    numbers = json.loads(done.stdout)
    games = parse_log(log.read_bytes(), "games.jsonl")
    assert len(games) == 80 and games[0]["players"] == ["normal", "pairs"] == games[1]["players"][::-1]
    points = np.array([replay(game, "")["points"] for game in games])
    assert numbers["points"] == pytest.approx(np.mean([points[::2, 0], points[1::2, 1]]))
    assert "points a game over 80 games" in invoke("play", "normal", "pairs", "--deals", 40).stdout


def test_a_person_plays_in_the_terminal():
    done = invoke("play", "you", "random", "--deals", 1, input="nothing\n" + "0\n" * 200)
    assert done.exit_code == 0, done.output
    assert "is none of them" in done.stdout and "hand:" in done.stdout and "you win" in done.stdout
    assert invoke("play", "you", "random", input="q\n").exit_code == 0


@pytest.mark.faults
def test_what_cannot_be_played_is_said_in_a_line(tmp_path):
    for words, said in (
        (["nobody", "normal"], "no player is named"),
        (["normal", "you"], "no player is named"),
        (["normal", tmp_path / "none.npz"], "none.npz"),
        (["normal", "pairs", "--log", tmp_path / "no" / "g.jsonl"], "no folder"),
    ):
        done = invoke("play", *words)
        assert done.exit_code != 0 and said in str(done.exception)


@pytest.mark.faults
def test_bad_logs_are_refused_with_the_place():
    good = play_game([player_named("normal"), player_named("pongs")], 2, 0)
    move = next(n for n, each in enumerate(good["moves"]) if each.get("do", "").startswith("discard"))

    def refused(change) -> str:
        game = copy.deepcopy(good)
        change(game)
        with pytest.raises(InputError) as caught:
            replay(game, "g.jsonl, line 1")
        assert str(caught.value).startswith("g.jsonl, line 1")
        return str(caught.value)

    assert f"move {move + 1}: 'discard 9p' is none of" in refused(lambda g: g["moves"][move].update(do="discard 9p"))
    assert "is none of" in refused(lambda g: g["moves"][move].update(do=["discard 9m"]))
    assert "not that seat's turn" in refused(lambda g: g["moves"][0].update(seat=1))
    assert "not that seat's turn" in refused(lambda g: g["moves"].append({"seat": 0, "do": "pass"}))
    assert "does not end" in refused(lambda g: g["moves"].pop())
    assert "points" in refused(lambda g: g.update(points=[5, -5]))
    assert "wall" in refused(lambda g: g.update(wall=g["wall"][2:]))
    assert "wall" in refused(lambda g: g.update(wall="1p" * 64))
    assert "wall" in refused(lambda g: g.update(wall=None))
    assert "two players" in refused(lambda g: g.update(players=["one"]))
    assert "moves" in refused(lambda g: g.update(moves=[{}] * 1000))
    assert "the node is" in refused(lambda g: g["moves"][0].update(node=5))
    assert "cannot be chosen" in refused(lambda g: g["moves"][0].update(choose="nothing"))
    assert "three numbers" in refused(lambda g: g["moves"][0].update(policy=[float("nan"), 0, 1]))
    assert "choose" in good["moves"][0] and good["moves"][0]["choose"] == PATTERNS[NORMAL]
    for data, said in ((b"{", "line 1: not JSON"), (b"{}\n[]", "line 2: not an object"), (b"", "no game")):
        with pytest.raises(InputError, match=said):
            parse_log(data, "g.jsonl")
