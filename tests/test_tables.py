"""The batch: decisions and steps, walls and seeds, snapshots, restarts, and what is refused."""

import numpy as np
import pytest

from simulator.players.simple import choose_random
from simulator.record import DISCARD_DRAWN, NO_ACTION
from simulator.rules import Rules
from simulator.tables import IllegalAction, Tables
from simulator.walls import SHUFFLE_PREFIX, TenhouWalls, build_wall, shuffle_wall


def choose(tables, asked, seed=0):
    actions = np.empty(len(asked), np.int64)
    choose_random(tables.games, asked.game, asked.seat, asked.legal, seed, actions)
    return actions


def values(records):
    """Return all fields of records as plain values: the bytes have padding in them, which is not copied."""
    return [values(records[name]) for name in records.dtype.names] if records.dtype.names else records.tolist()


def play(n, numbers, seed=5, rules=None):
    """Return the records at every round's end of the first so many games, played in batches of n."""
    tables = Tables(n, rules, seed)
    rounds, over = {}, set()
    while True:
        for record in tables.step(choose(tables, tables.decisions())).records:
            rounds.setdefault(int(record["number"]), []).append(values(record))
            if record["result"]["game_over"]:
                over.add(int(record["number"]))
        if set(range(numbers)) <= over:
            return [rounds[number] for number in range(numbers)]


def test_same_seed_same_games_whatever_the_size_of_the_batch():
    assert play(1, 12) == play(5, 12) == play(12, 12) == play(40, 12)


def test_other_seed_other_games():
    assert play(4, 4) != play(4, 4, seed=6)


def test_decisions_are_in_order_and_complete():
    tables = Tables(50, seed=2)
    for _ in range(200):
        decisions = tables.decisions()
        keys = decisions.game.astype(int) * 4 + decisions.seat
        assert (np.diff(keys) > 0).all()
        assert decisions.legal.any(axis=1).all()
        assert set(decisions.game) == set(range(50))
        assert (decisions.situation == tables.games["phase"][decisions.game]).all()
        tables.step(choose(tables, decisions))


def test_decisions_stay_until_the_step():
    tables = Tables(3)
    assert tables.decisions() is tables.decisions()


def test_results_tell_how_rounds_and_games_ended():
    tables = Tables(20, seed=1)
    finished = 0
    while finished < 20:
        ended = tables.step(choose(tables, tables.decisions()))
        assert len(ended) == len(ended.results) == len(ended.finished)
        assert (ended.results["type"] > 0).all()
        assert (ended.records["number"] % 20 == ended.game).all()
        finished += int(ended.finished.sum())


def untouched(tables, actions):
    """Make a step that is refused; return the error once sure that nothing has changed."""
    before, asked = tables.games.tobytes(), tables.decisions()
    with pytest.raises(ValueError) as error:
        tables.step(actions)
    assert tables.games.tobytes() == before
    assert tables.decisions() is asked
    return error.value


def test_illegal_action_says_game_seat_action_and_what_is_legal():
    wall = build_wall(["147m258p369s1234z"], draws="5z")
    tables = Tables(2, seed=9, walls=lambda *_: wall)
    actions = np.array([DISCARD_DRAWN, 116])
    error = untouched(tables, actions)
    assert isinstance(error, IllegalAction)
    assert (error.game, error.seat, error.action) == (1, 0, 116)
    assert error.legal.sum() == 14
    assert str(error).startswith("game 1, seat 0: action 116 (tsumo) is not legal; legal: 0 (discard 1m), ")
    assert "37 (discard drawn)" in str(error)
    tables.step(np.array([DISCARD_DRAWN, DISCARD_DRAWN]))  # and the game goes on


@pytest.mark.parametrize("action", [-1, -100, 121, 122, 200, 2**40])
def test_number_that_is_no_action(action):
    assert "no action" in str(untouched(Tables(1), np.array([action])))


@pytest.mark.parametrize(
    "actions", [[], [DISCARD_DRAWN], [DISCARD_DRAWN] * 4, [[DISCARD_DRAWN] * 3], [0.0] * 3, [True] * 3]
)
def test_wrong_count_or_kind_of_actions(actions):
    error = untouched(Tables(3), np.array(actions))
    assert "3 decisions need as many integer actions" in str(error)


def test_any_integer_type_will_do():
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64):
        Tables(2).step(np.array([DISCARD_DRAWN] * 2, kind))


def test_decision_may_be_left_open():
    tables = Tables(2, seed=3)
    before = tables.games[1].tobytes()
    with pytest.raises(IllegalAction):
        tables.step(np.array([DISCARD_DRAWN, NO_ACTION]))
    tables.step(np.array([DISCARD_DRAWN, NO_ACTION]), may_wait=True)
    assert tables.games[1].tobytes() == before
    assert tables.games[0]["n_events"] > 1


def test_snapshot_and_restore():
    tables = Tables(10, seed=4)
    for _ in range(100):
        tables.step(choose(tables, tables.decisions()))
    kept = tables.snapshot()

    def go_on():
        for _ in range(300):
            tables.step(choose(tables, tables.decisions()))
        return values(tables.games)

    first = go_on()
    tables.restore(kept)
    assert values(tables.games) == values(kept)
    assert go_on() == first


def test_snapshot_is_a_file_like_any_array(tmp_path):
    tables = Tables(3, seed=4)
    np.save(tmp_path / "games.npy", tables.snapshot())
    other = Tables(3, seed=99)
    other.restore(np.load(tmp_path / "games.npy"))
    assert values(other.games) == values(tables.games)


def test_restore_refuses_what_does_not_fit():
    tables = Tables(3)
    for wrong in (tables.snapshot()[:2], np.zeros(3)):
        with pytest.raises(ValueError, match="snapshot of 3 games"):
            tables.restore(wrong)


@pytest.mark.parametrize(("n", "seed", "message"), [(0, 0, "at least one game"), (1, -1, "seed"), (1, 2**64, "seed")])
def test_batch_that_cannot_be(n, seed, message):
    with pytest.raises(ValueError, match=message):
        Tables(n, seed=seed)


# Walls.


def test_wall_from_seed_round_and_repeat_counter_alone():
    tables = Tables(1, seed=8)
    game = tables.games[0]
    wall = np.empty(136, np.uint8)
    seen = set()
    for _ in range(40):
        ended = tables.step(choose(tables, tables.decisions()))
        while not len(ended):
            ended = tables.step(choose(tables, tables.decisions()))
        shuffle_wall(game["seed"], game["round"], game["repeat_counter"], wall)
        assert (game["wall"] == wall).all()
        seen.add(wall.tobytes())
    assert len(seen) == 40


def test_wall_by_hand():
    tables = Tables(2, restart=False)
    wall = build_wall(["19m19p19s1234567z"], draws="1m")
    tables.set_wall(1, wall)
    tables.restart([1], [0])
    assert (tables.games[1]["wall"] == wall).all()
    assert (tables.games[0]["wall"] != wall).any()
    assert tables.decisions().legal[1, 116]  # thirteen orphans with the first draw


@pytest.mark.parametrize("wall", [np.zeros(136), np.arange(135), np.arange(1, 137), np.arange(136).reshape(2, 68)])
def test_wall_that_is_none(wall):
    with pytest.raises(ValueError, match="game 0: a wall has each of the tiles"):
        Tables(1).set_wall(0, wall)


def test_walls_from_elsewhere_are_asked_for_each_deal():
    asked = []

    def source(game, number, repeat_counter, deals):
        asked.append((game, number, repeat_counter, deals))
        return np.random.default_rng(len(asked)).permutation(136)

    tables = Tables(2, walls=source, restart=False)
    assert asked == [(0, 0, 0, 0), (1, 0, 0, 0)]
    while len(asked) < 8:
        tables.step(choose(tables, tables.decisions()))
    for game, number, repeat_counter, deals in asked[2:]:
        assert deals > 0
        assert (number, repeat_counter) > (0, 0)
        assert game in (0, 1)


def test_walls_of_a_tenhou_game():
    import base64

    seed = SHUFFLE_PREFIX + base64.b64encode(np.arange(624, dtype="<u4").tobytes()).decode()
    walls, again = TenhouWalls(seed), TenhouWalls(seed)
    tables = Tables(1, walls=lambda *_: walls.next_round()[0])
    assert (tables.games[0]["wall"] == again.next_round()[0]).all()


@pytest.mark.parametrize("seed", ["", "md5,abc", SHUFFLE_PREFIX + "!!!", SHUFFLE_PREFIX + "AAAA"])
def test_tenhou_seed_that_is_none(seed):
    with pytest.raises(ValueError, match="wall seed"):
        TenhouWalls(seed)


# Restarts.


def test_automatic_restart_goes_on_with_the_next_number_of_the_slot():
    tables = Tables(3, seed=5, rules=Rules.tenhou_east())
    while not (tables.games["number"] >= 3).all():
        ended = tables.step(choose(tables, tables.decisions()))
        for i in ended.game[ended.finished]:
            assert tables.games[i]["number"] % 3 == i
            assert (tables.games[i]["scores"] == 25000).all()


def test_manual_restart():
    tables = Tables(2, seed=5, rules=Rules.tenhou_east(), restart=False)
    while len(tables.decisions()):
        tables.step(choose(tables, tables.decisions()))
    assert (tables.games["result"]["game_over"] == 1).all()
    assert len(tables.step(np.empty(0, np.int64))) == 0
    tables.restart([1])
    assert tables.games["number"].tolist() == [0, 3]
    assert set(tables.decisions().game) == {1}
    tables.restart([0], [3])
    assert (tables.games[0]["wall"] == tables.games[1]["wall"]).all()
