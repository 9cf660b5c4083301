"""riichienv lets the same seats do the same at every decision, and ends rounds the same way, or a rule says why not."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.asking import answer
from simulator.engine import advance
from simulator.lookup import get_lookup
from simulator.players import choose_function
from simulator.players.simple import choose_random
from simulator.record import DECLARE_RIICHI, GAME, NO_TILE
from simulator.rounds import deal, start_game
from simulator.rules import Rules
from simulator.scoring.yaku import KOKUSHI, TENHOU
from simulator.tables import Tables
from simulator.tiles import TILES
from simulator.walls import FIRST_LIVE, dealt_places

from .actions import legal_mask
from .differences import EARLY_INDICATOR, HEAVENLY_ORPHANS
from .endings import yaku_of_win
from .families import FAMILIES, play_family
from .players import CompiledPlayer, RandomPlayer, Taste, TastePlayer
from .real import play_log, sample
from .report import Report
from .side_by_side import SideBySide, Tally
from .walls import Ready, Shuffled

REPORT_VARIABLE = "SUPHX_PEER_REPORT"
ARCHIVES = {
    "phoenix-hanchan-2018.zip": "east_south",
    "phoenix-hanchan-2024.zip": "east_south",
    "expert-hanchan-ai.zip": "east_south",
    "phoenix-tonpuu-2023.zip": "east",
}

#: How often the steered games of the full run must have met each situation.
LEAST = {
    "a call offered beside a win": 500,
    "a chow gives way to a pong or kong": 100,
    "a discard forbidden as swap-calling": 1000,
    "a riichi's own discard is won on": 200,
    "a riichi's own discard is won on by three seats": 3,
    "a win let go": 1000,
    "a win let go in riichi": 1000,
    "a win let go for a call": 100,
    "added kong offered": 1000,
    "an abortive draw in the last round keeps the first dealer from stopping": 10,
    "chow refused: it leaves no discard": 10,
    "closed kong in riichi offered": 1000,
    "closed kong in riichi refused: other waits": 100,
    "closed kong offered": 1000,
    "counted yakuman": 20,
    "end: bets are left for the first": 50,
    "end: equal points": 50,
    "end: in west entry": 100,
    "end: somebody is below zero": 100,
    "end: the dealer stops": 50,
    "furiten: a win let go in riichi": 1000,
    "furiten: a win let go this turn": 500,
    "furiten: an own discard": 1000,
    "kong offered with a kong's indicator still to be shown": 100,
    "kong offered with one tile left": 100,
    "kong refused: four are made": 20,
    "kong refused: last tile drawn": 100,
    "liability of another seat for a part of the yakuman": 100,
    "liability, tsumo": 20,
    "liability, win on another's discard": 20,
    "liability, win on the liable seat's discard": 10,
    "nagashi mangan of two seats": 100,
    "nagashi mangan with bets on the table": 100,
    "nagashi mangan, the dealer is tenpai": 100,
    "nine terminals offered": 1000,
    "nine terminals refused: a call before": 50,
    "open kong offered": 1000,
    "riichi offered with exactly 1,000 points": 50,
    "riichi offered with four tiles left": 100,
    "riichi refused: fewer than 1,000 points": 1000,
    "riichi refused: fewer than four tiles left": 500,
    "robbing a kong by two seats": 50,
    "robbing a kong let go": 50,
    "robbing a kong offered": 200,
    "robbing a kong offered with an indicator still to be shown": 50,
    "several yakuman in one hand": 100,
    "tenpai for tiles that are all in its own melds": 20,
    "the dealer repeats behind another who has the target": 50,
    "two wins on one discard": 100,
    "two wins on one discard with bets or repeat counters to take": 50,
    "west entry: the game goes on": 100,
    "ron refused: no yaku": 1000,
    "tsumo offered to a furiten seat": 1000,
    "tsumo refused: no yaku": 500,
    "win on a replacement tile offered": 200,
    "win on a replacement tile offered with an indicator still to be shown": 50,
    "win on the last tile offered": 100,
}  # fmt: skip
LEAST_ENDINGS = {
    "exhaustive draw": 1000,
    "nagashi mangan": 1000,
    "nine terminals": 1000,
    "four riichi": 1000,
    "four kongs": 500,
    "triple ron": 20,
    "ron": 1000,
    "tsumo": 1000,
}


@pytest.fixture(scope="module")
def report() -> Iterator[Report]:
    """Collects tallies; written where SUPHX_PEER_REPORT says."""
    collected = Report()
    yield collected
    if target := os.environ.get(REPORT_VARIABLE):
        collected.write(Path(target))


def _play(games: int, player_of: Callable[[SideBySide, random.Random], RandomPlayer | CompiledPlayer]) -> Tally:
    tables = SideBySide()
    rng = random.Random(1)
    player, walls = player_of(tables, rng), Shuffled(rng)
    for _ in range(games):
        tables.play_game(player, walls)
    return tables.tally


def _play_random(games: int) -> Tally:
    return _play(games, lambda _, rng: RandomPlayer(rng))


def _play_sensible(games: int) -> Tally:
    choose = choose_function("sensible")
    return _play(games, lambda tables, rng: CompiledPlayer(choose, tables.games, 1, rng))


def _play_real(folder: Path, games: int) -> Tally:
    total = Tally()
    for name, length in ARCHIVES.items():
        if not (folder / name).is_file():
            pytest.skip(f"no real games: there is no {folder / name}")
        tables = SideBySide(replace(Rules.tenhou(), length=length))
        for log in sample(folder / name, games // len(ARCHIVES)):
            play_log(tables, log)
        total.add(tables.tally)
    return total


def test_random_games():
    assert _play_random(10).games == 10


def test_sensible_games():
    assert _play_sensible(10).games == 10


@pytest.mark.parametrize("family", FAMILIES)
def test_steered_games(family):
    assert play_family(family, games=4, seed=1).tally.games == 4


def test_real_games(real_logs):
    assert _play_real(real_logs, 24).games == 24


def test_a_robbed_kong_does_not_show_the_indicator_of_the_kong_before_it():
    """A known difference: there our indicators, and a robber's dora, are those of the kongs replaced so far."""
    tally = play_family("robbed kongs", games=20, seed=1).tally
    assert set(tally.explained) == {EARLY_INDICATOR}
    assert tally.situations["yaku: robbing a kong"] > 0


def test_a_heavenly_hand_of_thirteen_orphans_goes_by_the_tile_drawn_last():
    """A known difference in name alone; the points are the same."""
    tables = SideBySide()
    kinds = [0, 8, 9, 17, 18, 26, 27, 27, 28, 29, 30, 31, 32, 33]
    hand = [4 * kind + kinds[:n].count(kind) for n, kind in enumerate(kinds)]
    wall = np.full(TILES, TILES)
    wall[dealt_places(0, 0)] = hand[:13]
    wall[FIRST_LIVE] = hand[13]
    wall[wall == TILES] = sorted(set(range(TILES)) - set(hand))
    start_game(tables.game)
    tables.play_round(TastePlayer((Taste(),), random.Random(0)), wall)
    win = tables.game["result"]["wins"][0]
    assert yaku_of_win(win) == {TENHOU, KOKUSHI}
    assert win["points"] == 2 * 48_000
    assert tables.tally.explained == {HEAVENLY_ORPHANS: 1}


@pytest.mark.full
def test_5_000_random_games(report):
    report.parts["random"] = _play_random(5000)
    assert not report.parts["random"].explained


@pytest.mark.full
def test_5_000_sensible_games(report):
    report.parts["sensible"] = _play_sensible(5000)


@pytest.mark.full
def test_2_000_real_games(report, real_logs):
    report.parts["real"] = _play_real(real_logs, 2000)
    assert report.parts["real"].games == 2000
    assert not report.parts["real"].explained


@pytest.mark.full
def test_steered_games_meet_every_rare_situation_often(report):
    total = Tally()
    for family in FAMILIES:
        tally = play_family(family, games=400, seed=2).tally
        report.parts[f"steered: {family}"] = tally
        total.add(tally)
    met = {name: (total.situations[name], least) for name, least in LEAST.items()}
    met |= {name: (total.endings[name], least) for name, least in LEAST_ENDINGS.items()}
    assert {name: counts for name, counts in met.items() if counts[0] < counts[1]} == {}
    assert set(total.explained) == {EARLY_INDICATOR, HEAVENLY_ORPHANS}


@pytest.mark.parametrize(
    ("family", "rule", "value"),
    [
        ("efficient", "kiriage_mangan", True),
        ("liability", "double_wind_fu", 2),
        ("efficient", "ura_dora", False),
        ("efficient", "repeat_points", 600),
        ("efficient", "riichi_min_tiles", 5),
        ("efficient", "open_tanyao", False),
        ("kongs", "abort_four_kongs", False),
        ("kongs", "open_kong_dora", "immediate"),
        ("kongs", "kong_dora", False),
        ("kongs in riichi", "closed_kong_in_riichi", "never"),
        ("kongs in riichi", "closed_kong_in_riichi", "same_hand"),
        ("kongs in riichi", "kong_ura", False),
        ("swap-calls", "swap_calling", "allowed"),
        ("swap-calls", "swap_calling", "same"),
        ("four riichi", "abort_four_riichi", False),
        ("several wins", "abort_triple_ron", False),
        ("several wins", "multiple_ron", "head_bump"),
        ("several wins", "counted_yakuman", False),
        ("several wins", "bust", False),
        ("terminals", "abort_nine_terminals", False),
        ("terminals", "double_yakuman", True),
        ("four kongs, rare yakuman", "multiple_yakuman", False),
        ("liability", "liability_dragons", False),
        ("liability", "liability_winds", False),
        ("liability, several yakuman", "liability_whole", False),
        ("nagashi", "nagashi_mangan", False),
        ("last rounds", "dealer_stop", "never"),
        ("last rounds", "west_entry", False),
        ("last rounds", "sudden_death", False),
        ("last rounds", "leftover_bets", "lost"),
        ("last rounds", "target_points", 30100),
        ("few points", "riichi_min_points", 900),
        ("few points", "riichi_below_zero", True),
    ],
)
def test_the_comparison_notices_another_rule(family, rule, value):
    with pytest.raises(AssertionError):
        play_family(family, games=300, seed=3, rules=replace(Rules.tenhou(), **{rule: value}))


def _forced_decisions_left_out(seed: int) -> int:
    """Play a round on a batch of one, and beside it with forced decisions laid open; return how many those were."""
    wall = Ready(random.Random(seed))(np.zeros(1, GAME)[0])
    tables = Tables(1, restart=False, walls=lambda *_: wall)
    lookup = get_lookup()
    game = tables.snapshot()[0]
    game["wall_given"] = 1
    deal(lookup, game)
    advance(lookup, game, False, NO_TILE, NO_TILE)
    forced = 0
    while True:
        decisions = tables.decisions()
        while int(game["pending"]).bit_count() == 1:
            seat = int(game["pending"]).bit_length() - 1
            mask = legal_mask(game, seat)
            if mask & (mask - 1):
                break
            answer(game, seat, mask.bit_length() - 1)
            advance(lookup, game, False, NO_TILE, NO_TILE)
            forced += 1
        for seat in decisions.seat:
            assert legal_mask(tables.games[0], seat) == legal_mask(game, seat)
        actions = np.empty(len(decisions), np.int64)
        choose_random(tables.games, decisions.game, decisions.seat, decisions.legal, seed, actions)
        actions[decisions.legal[:, DECLARE_RIICHI]] = DECLARE_RIICHI
        for seat, action in zip(decisions.seat.tolist(), actions.tolist(), strict=True):
            answer(game, seat, action)
        advance(lookup, game, False, NO_TILE, NO_TILE)
        if len(tables.step(actions)):
            return forced


def test_a_batch_asks_the_same_but_for_forced_decisions():
    """A batch plays decisions with one legal action itself; the comparison above plays with them laid open."""
    assert sum(map(_forced_decisions_left_out, range(20))) > 100
