"""The 64-tile game: tiles are conserved, phases have the paper's actions, wins are worth what they should be."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from simulator.lookup import get_lookup
from simulator.tiles import NO_TILE, kind_name, parse_kinds
from suphx.equilibrium.bench.duel import bench_duel, play_plans
from suphx.equilibrium.duel import table as t
from suphx.equilibrium.duel.abstraction import NODE, DuelRules, deal, grow, options_of
from suphx.equilibrium.duel.patterns import KINDS, NORMAL, PAIRS, PONGS, TILES
from suphx.equilibrium.duel.plans import planned_action
from suphx.equilibrium.duel.table import act, legal, new_duels, payoff, start

LOOKUP = get_lookup()


def can(duel) -> set[int]:
    out = np.zeros(t.ACTIONS, np.bool_)
    legal(LOOKUP, duel, out)
    return set(np.flatnonzero(out).tolist())


def kinds(text: str) -> list[int]:
    return [kind for kind, _ in parse_kinds(text)]


def table(first: str, second: str, draws: str = "", last: str = "", four_as_two: bool = True):
    """A game with these hands of 13, first draws, and tiles at the end of the wall."""
    assert len(kinds(first)) == len(kinds(second)) == 13
    known = kinds(first) + kinds(second) + kinds(draws)
    end = kinds(last)
    rest = Counter({int(kind): 4 for kind in KINDS})
    rest.subtract(known + end)
    assert min(rest.values()) >= 0
    wall = np.array(known + list(rest.elements()) + end, np.uint8)
    duel = new_duels(1)[0]
    start(duel, wall, four_as_two)
    return duel


def play(duel, *actions: int) -> None:
    for action in actions:
        assert action in can(duel), (action, can(duel))
        act(LOOKUP, duel, action)


def discard(text: str) -> int:
    return t.DISCARD + kinds(text)[0]


def own_kong(text: str) -> int:
    return t.OWN_KONG + kinds(text)[0]


def meld_tiles(code: int) -> list[int]:
    low, what = code & 63, code >> 6
    return [low, low + 1, low + 2] if what == t.CHOW_MELD else [low] * (3 if what == t.PONG_MELD else 4)


def tiles(duel) -> Counter:
    """All tiles of a game, wherever they lie."""
    found = Counter(duel["wall"][duel["front"] : duel["back"]].tolist())
    for seat in range(2):
        found.update({kind: int(n) for kind, n in enumerate(duel["hand"][seat]) if n})
        for code in duel["meld"][seat][: duel["melds"][seat]].tolist():
            found.update(meld_tiles(code))
        river = duel["river"][seat][: duel["discards"][seat]].tolist()
        found.update(kind for kind in river if not kind & t.CLAIMED)
    return found


def check(duel) -> None:
    """What holds at every moment of every game."""
    assert tiles(duel) == {int(kind): 4 for kind in KINDS}
    shown = Counter()
    for seat in range(2):
        held = 13 - 3 * duel["melds"][seat]
        has_more = (duel["mover"] == seat and duel["phase"] in (t.DRAWN, t.DISCARDING)) or duel["winner"] == seat
        assert duel["hand"][seat].sum() == held + has_more
        assert duel["keys"][seat][0] == sum(
            int(duel["hand"][seat][k]) * (5**k if k < 5 else 5 ** (k - 5) << 12) for k in range(9)
        )
        for code in duel["meld"][seat][: duel["melds"][seat]].tolist():
            shown.update(meld_tiles(code))
        river = duel["river"][seat][: duel["discards"][seat]].tolist()
        shown.update(kind for kind in river if not kind & t.CLAIMED)
    assert shown == Counter({kind: int(n) for kind, n in enumerate(duel["open"]) if n})


ALLOWED = {
    t.ANSWER: {t.PASS, t.WIN, t.CHOW, t.CHOW + 1, t.CHOW + 2, t.PONG, t.KONG},
    t.DRAWN: {t.PASS, t.WIN, *range(t.OWN_KONG, t.DISCARD)},
    t.DISCARDING: set(range(t.DISCARD, t.ACTIONS)),
}


@pytest.mark.parametrize("games", [100, pytest.param(1000, marks=pytest.mark.full)])
def test_random_games_keep_their_tiles_and_have_only_the_papers_actions(games):
    random, seen, ends = np.random.default_rng(1), Counter(), Counter()
    for number in range(games):
        duel = new_duels(1)[0]
        deal(5, 0, number, True, duel)
        while duel["phase"] != t.OVER:
            check(duel)
            options = can(duel)
            assert options and options <= ALLOWED[int(duel["phase"])]
            # claims and kongs more often than they come by chance
            rare = sorted(options - {t.PASS} - ALLOWED[t.DISCARDING])
            action = int(random.choice(rare if rare and random.random() < 0.7 else sorted(options)))
            seen[min(action, t.DISCARD) if action < t.OWN_KONG or action >= t.DISCARD else t.OWN_KONG] += 1
            act(LOOKUP, duel, action)
        check(duel)
        ends[payoff(duel)] += 1
        assert can(duel) == set()
    assert set(seen) == {t.PASS, t.WIN, t.CHOW, t.CHOW + 1, t.CHOW + 2, t.PONG, t.KONG, t.OWN_KONG, t.DISCARD}
    assert {-1, 0, 1} <= set(ends)


@pytest.mark.parametrize(
    "hand, drawn, pattern, worth",
    [
        ("123456789m1122z", "1z", NORMAL, 1),
        ("123456789m1222z", "1z", NORMAL, 1),
        ("111333m55577z11z", "1z", PONGS, 2),
        ("113355m1122334z", "4z", PAIRS, 2),
        ("112233m1122334z", "4z", PAIRS, 2),
        ("1111m22m334455z6z", "6z", PAIRS, 2),
    ],
)
def test_what_a_drawn_win_is_worth(hand, drawn, pattern, worth):
    left = Counter({int(kind): 4 for kind in KINDS}) - Counter(kinds(hand + drawn))
    duel = table(hand, "".join(kind_name(kind) for kind in list(left.elements())[-13:]), drawn)
    play(duel, t.WIN)
    assert (duel["pattern"], payoff(duel)) == (pattern, worth)


def test_four_equal_tiles_are_two_pairs_or_one_as_set():
    hand, other = "1111m22m334455z6z", "3344556677889m"
    assert t.WIN in can(table(hand, other, "6z"))
    assert t.WIN not in can(table(hand, other, "6z", four_as_two=False))


def test_a_discard_is_won_and_paid_by_who_discarded_it():
    duel = table("1122334455667z", "2223334448889m", "9m")
    play(duel, t.PASS, discard("9m"))
    assert duel["mover"] == 1 and t.WIN in can(duel)
    play(duel, t.WIN)
    assert payoff(duel) == -2 and duel["winner"] == 1
    check(duel)


#: Two hands that are far from a win.
SEAT_0, SEAT_1 = "1345m112233445z", "112466m5666777z"


def test_a_chow_leads_to_a_discard():
    duel = table(SEAT_0, SEAT_1, "3m")
    play(duel, t.PASS, discard("3m"))
    assert can(duel) == {t.PASS, t.CHOW + 1, t.CHOW + 2}  # 2-3-4 and 1-2-3
    play(duel, t.CHOW + 1)
    assert duel["phase"] == t.DISCARDING and duel["chows"][1] == 1 and duel["tile"] == NO_TILE
    assert meld_tiles(int(duel["meld"][1][0])) == kinds("234m")
    check(duel)


def test_a_pong_leads_to_a_discard_and_an_open_kong_to_a_replacement():
    duel = table(SEAT_0, SEAT_1, "9m")
    play(duel, t.PASS, discard("1m"), t.PONG)
    assert duel["phase"] == t.DISCARDING and duel["meld"][1][0] == t.PONG_MELD << 6
    check(duel)
    duel = table(SEAT_0, "111246m5666777z", "9m", last="7m8m")
    play(duel, t.PASS, discard("1m"))
    assert {t.PONG, t.KONG} <= can(duel)
    play(duel, t.KONG)
    assert duel["phase"] == t.DRAWN and duel["tile"] == kinds("8m")[0] and duel["meld"][1][0] == t.OPEN_KONG << 6
    check(duel)


def test_a_closed_kong_needs_a_tile_to_replace_it():
    duel = table("1111m112233445z", "2345678m566677z", "9m", last="7m8m")
    duel["front"], front = duel["back"], duel["front"]
    assert own_kong("1m") not in can(duel)
    duel["front"] = front
    play(duel, own_kong("1m"))
    assert duel["phase"] == t.DRAWN and duel["meld"][0][0] == t.CLOSED_KONG << 6 and duel["tile"] == kinds("8m")[0]
    check(duel)


def test_a_fourth_tile_is_added_to_a_pong():
    duel = table(SEAT_0, SEAT_1, "2m9m1m", last="8m")
    play(duel, t.PASS, discard("1m"), t.PONG, discard("4m"), t.PASS, t.PASS, discard("9m"), t.PASS)
    assert duel["tile"] == kinds("1m")[0]
    play(duel, own_kong("1m"))
    assert duel["meld"][1][0] == t.OPEN_KONG << 6 and duel["melds"][1] == 1 and duel["tile"] == kinds("8m")[0]
    check(duel)


def test_the_wall_runs_out_and_nobody_pays():
    duel = table(SEAT_0, SEAT_1)
    while duel["phase"] != t.OVER:
        options = can(duel)
        play(duel, t.PASS if t.PASS in options else max(options))
    assert payoff(duel) == 0 and duel["front"] == duel["back"] == TILES


@pytest.mark.parametrize("plan, twos", [(NORMAL, (0.0, 0.1)), (PONGS, (0.35, 0.6)), (PAIRS, (0.8, 1.0))])
def test_how_often_a_plan_wins_with_two_points(plan, twos):
    """A plan takes every win, so that those of pongs often have a run in place of the last triplet."""
    totals = np.zeros(6, np.int64)
    play_plans(LOOKUP, 500, 1, np.array([plan, plan]), totals, new_duels(1))
    assert totals[:5].sum() == 500 and totals[2] < 100
    assert twos[0] <= (totals[0] + totals[4]) / (500 - totals[2]) <= twos[1]


def test_a_planned_action_is_legal():
    for number in range(100):
        duel = new_duels(1)[0]
        deal(9, 0, number, True, duel)
        duel["plan"][:] = number % 3, number // 3 % 3
        while duel["phase"] != t.OVER:
            action = int(planned_action(LOOKUP, duel))
            assert action in can(duel)
            act(LOOKUP, duel, action)
            check(duel)


SAME_TREES = """
import zlib
import numpy as np
from simulator.lookup import get_lookup
from suphx.equilibrium.duel.abstraction import NODE, DuelRules, deal, grow
from suphx.equilibrium.duel.table import new_duels
rules = DuelRules(turns=(3,))
duels, nodes = new_duels(rules.most_nodes), np.zeros(rules.most_nodes, NODE)
for number in range(2):
    deal(3, 0, number, True, duels[0])
    count = grow(get_lookup(), duels, rules.mask, nodes)
    print(count, zlib.crc32(nodes[:count].tobytes()))
"""


def test_interpreted_functions_grow_the_same_trees():
    printed = set()
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONWARNINGS": "ignore"}
        done = subprocess.run([sys.executable, "-c", SAME_TREES], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        printed.add(done.stdout)
    assert len(printed) == 1


def test_a_tree_holds_every_choice_and_ends_in_payoffs():
    rules = DuelRules()
    duels, nodes = new_duels(rules.most_nodes), np.zeros(rules.most_nodes, NODE)
    for number in range(50):
        deal(4, 0, number, True, duels[0])
        count = grow(LOOKUP, duels, rules.mask, nodes)
        tree = nodes[:count]
        inner = tree[tree["key"] >= 0]
        children = np.sort(inner["child"][inner["child"] >= 0])
        assert children.tolist() == list(range(1, count))  # every node but the root has one parent
        assert set((inner["key"] & 63).tolist()) <= set(rules.turns)
        assert ((inner["child"] >= 0).sum(1) == [options_of(int(key)) for key in inner["key"]]).all()
        assert (np.abs(tree["payoff"]) <= 2).all() and not tree["payoff"][tree["key"] >= 0].any()


def test_the_benchmark_measures_games_iterations_and_an_evaluation(monkeypatch):
    monkeypatch.setattr("suphx.equilibrium.bench.duel._DEALS", 20)
    numbers = dict(bench_duel(50, 20))
    assert len(numbers) == 8 and all(value > 0 for value in numbers.values())
