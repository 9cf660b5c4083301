"""Hidden tiles dealt anew: the law of the deal against full enumeration, and its consistency in positions of play."""

import itertools
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from frequencies import check_frequencies

from simulator.asking import MISSED_IN_RIICHI, answer
from simulator.efficiency import discards_batch
from simulator.engine import advance
from simulator.legal import is_legal
from simulator.lookup import get_lookup
from simulator.record import (
    ADDED_KONG,
    CHOW_LOW,
    CLOSED_KONG,
    DECLARE_RIICHI,
    DISCARD_DRAWN,
    DISCARD_RED,
    EVENT_ADDED_KONG,
    EVENT_CHOW,
    EVENT_CLOSED_KONG,
    EVENT_DISCARD,
    EVENT_DORA,
    EVENT_OPEN_KONG,
    EVENT_PONG,
    EVENT_RIICHI,
    EVENT_RIICHI_ACCEPTED,
    GAME,
    MELD_CHOW,
    MELD_CLOSED_KONG,
    NO_ACTION,
    NO_TILE,
    OPEN_KONG,
    PASS,
    PHASE_CALL_DISCARD,
    PHASE_CLAIM,
    PHASE_DEAL,
    PHASE_KONG_CLAIM,
    PHASE_RIICHI_DISCARD,
    PHASE_ROUND_OVER,
    PHASE_STOP,
    PHASE_TURN,
    PONG,
    PONG_RED,
    TSUMO,
)
from simulator.redeal.hidden import mark_hidden, redeal_hidden
from simulator.rounds import deal
from simulator.rules import Rules
from simulator.shanten import suit_key, tenpai_discards, waits
from simulator.tables import Tables
from simulator.tiles import KINDS, TILES, parse_tiles, tile_name
from simulator.walls import DORA_INDICATORS

LOOKUP = get_lookup()
RED = 16  # 0m
NESTED = ("rules", "melds")


def table(hands, kongs=((), (), (), ()), riichi=(), turn=0, drawn=None, wall="", phase=PHASE_TURN, events=()):
    """A position by hand: four written hands, closed kongs, and what lies in the wall; all other tiles were discarded.

    `events`: what happened, as far as it matters: (type, seat, written tile).
    """
    game = np.zeros(1, GAME)[0]
    game["rules"] = Rules.tenhou().to_record()
    game["phase"], game["turn"], game["indicators"] = phase, turn, 1
    game["drawn"], game["claim_tile"] = NO_TILE, NO_TILE
    game["answers"] = NO_ACTION
    used, wall_tiles = [], []
    for seat in range(4):
        for n, text in enumerate(kongs[seat]):
            meld = game["melds"][seat, n]
            tiles = parse_tiles(text)
            meld["type"], meld["kind"], meld["source"] = MELD_CLOSED_KONG, tiles[0] >> 2, seat
            meld["tiles"] = sorted(tiles)
            used += tiles
        game["n_melds"][seat] = len(kongs[seat])
    for seat, text in enumerate(hands):
        tiles = parse_tiles(text, used=used)
        used += tiles
        for tile in tiles:
            game["hand"][seat, tile >> 2] += 1
            game["copies"][seat, tile >> 2] |= 1 << (tile & 3)
        for suit in range(4):
            game["suit_keys"][seat, suit] = suit_key(game["hand"][seat], suit)
        if seat == turn and drawn:
            game["drawn"] = tiles[-1]
    wall_tiles = parse_tiles(wall, used=used)
    rest = [tile for tile in range(TILES) if tile not in used and tile not in wall_tiles]
    for n, tile in enumerate(rest[1:]):
        seat = n % 4
        game["river"][seat, game["n_river"][seat]] = tile
        game["n_river"][seat] += 1
    game["wall"][: len(wall_tiles)] = wall_tiles
    others = [tile for tile in used + rest if tile != rest[0]]
    assert len(wall_tiles) <= DORA_INDICATORS[0]
    game["wall"][len(wall_tiles) :] = others[: 5 - len(wall_tiles)] + rest[:1] + others[5 - len(wall_tiles) :]
    for seat in riichi:
        game["riichi"][seat] = 2
    for n, (what, seat, text) in enumerate(events):
        game["events"][n] = what | seat << 4 | parse_tiles(text)[0] << 8 if text else what | seat << 4
    game["n_events"] = len(events)
    return game


def assignments(game, seat):
    """Every deal of the hidden tiles: ((hand of each seat, the wall's first tile), as physical tiles)."""
    hidden = np.zeros(TILES, np.bool_)
    mark_hidden(game, seat, hidden)
    tiles = frozenset(int(tile) for tile in np.flatnonzero(hidden))
    sizes = [int(game["hand"][other].sum()) if other != seat else 0 for other in range(4)]

    def split(rest, hands):
        if len(hands) == 4:
            for first in rest:
                yield (*hands, first)
            return
        for hand in itertools.combinations(sorted(rest), sizes[len(hands)]):
            yield from split(rest - set(hand), (*hands, hand))

    return split(tiles, ())


def counts_of(tiles):
    return np.bincount([tile >> 2 for tile in tiles], minlength=KINDS).astype(np.uint8)


def check_deals(game, possible, deals=12_000, wins_taken=False):
    """Compare deals of what seat 0 cannot see with their enumeration: hands by kind, who has 0m, the wall's first."""
    weights = Counter()
    for _, one, two, three, first in assignments(game, 0):
        if possible(one, two):
            holder = next((seat for seat, held in enumerate((one, two, three)) if RED in held), -1)
            weights[counts_of(one).tobytes(), counts_of(two).tobytes(), holder, first >> 2] += 1
    seen = Counter()
    for start in range(0, deals, 2000):
        games = np.tile(np.array([game]), 2000)
        redeal_hidden(games, 0, np.arange(start, start + 2000), wins_taken)
        assert (np.sort(games["wall"]) == np.arange(TILES)).all()
        holders = np.where(games["copies"][:, 1:, RED >> 2] & 1, np.arange(1, 4), 0).sum(axis=1) - 1
        for dealt, holder in zip(games, holders, strict=True):
            seen[dealt["hand"][1].tobytes(), dealt["hand"][2].tobytes(), int(holder), int(dealt["wall"][0] >> 2)] += 1
    check_frequencies(seen, weights)


def same(one, other):
    """Whether two records agree in all fields (between the fields a record has bytes that mean nothing)."""
    plain = [name for name in GAME.names if name not in (*NESTED, "trial", "result")]
    return all(np.array_equal(one[name], other[name]) for name in plain) and all(
        np.array_equal(one[name][part], other[name][part]) for name in NESTED for part in GAME[name].base.names
    )


def tiles_held(game, seat):
    return tuple(
        kind << 2 | copy for kind in range(KINDS) for copy in range(4) if game["copies"][seat, kind] >> copy & 1
    )


KONGS = (("1111z", "2222z", "3333z", "4444z"), ("1111m", "9999m", "1111p"), ("9999p", "1111s", "9999s"))


def test_deals_without_riichi():
    game = table(["3p", "2m", "3340m", "46m"], [KONGS[0], KONGS[1] + ("5555z",), KONGS[2], ()], wall="478m")
    check_deals(game, lambda one, two: True)


def test_deals_with_one_riichi():
    game = table(["3p", "2234m", "0m", "67m"], [KONGS[0], KONGS[1], (), ()], riichi=[1], wall="56m")

    def possible(one, two):
        return waits(LOOKUP, counts_of(one), 3)

    check_deals(game, possible)


def test_deals_with_one_riichi_and_the_tile_it_has_drawn():
    """The drawn tile is hidden too, and any: the thirteen others wait."""
    game = table(["3p", "22346m", "0m", "7m"], [KONGS[0], KONGS[1], (), ()], [1], turn=1, drawn=True, wall="56m")
    seen = Counter()
    for seed in range(300):
        dealt = np.array([game])
        redeal_hidden(dealt, 0, seed)
        hand = dealt[0]["hand"][1].copy()
        drawn = int(dealt[0]["drawn"])
        assert dealt[0]["copies"][1, drawn >> 2] >> (drawn & 3) & 1
        hand[drawn >> 2] -= 1
        assert dealt[0]["waits"][1] == waits(LOOKUP, hand, 3) != 0
        seen[drawn] += 1
    assert len(seen) > 6


def test_deals_with_riichi_just_declared():
    game = table(["3p", "22347m", "0m", "7m"], [KONGS[0], KONGS[1], (), ()], [1], 1, True, "668m", PHASE_RIICHI_DISCARD)

    def possible(one, two):
        return tenpai_discards(LOOKUP, counts_of(one), 3)

    check_deals(game, possible)


def test_deals_with_two_riichi():
    game = table(["3p", "2234m", "5678m", "0m"], [KONGS[0], KONGS[1], KONGS[2], ()], riichi=[1, 2], wall="56m")

    def possible(one, two):
        return waits(LOOKUP, counts_of(one), 3) and waits(LOOKUP, counts_of(two), 3)

    check_deals(game, possible)


def test_deals_with_three_riichi():
    kongs = [KONGS[0], KONGS[1], KONGS[2], ("5555z", "6666z", "7777z", "8888s")]
    game = table(["3p", "2234m", "5678m", "0m"], kongs, riichi=[1, 2, 3], wall="6m")

    def possible(one, two):
        return waits(LOOKUP, counts_of(one), 3) and waits(LOOKUP, counts_of(two), 3)

    check_deals(game, possible)


SINCE_RIICHI = [(EVENT_DISCARD, 1, "2m"), (EVENT_RIICHI, 1, ""), (EVENT_DISCARD, 1, "1p"), (EVENT_DISCARD, 2, "5m")]


def test_deals_with_a_riichi_that_takes_every_win():
    """It waits neither for 6m, which it has drawn, nor for 5m, which passed, unless it also waits for its own 2m."""
    events = [(EVENT_DISCARD, 3, "4m"), *SINCE_RIICHI, (EVENT_DISCARD, 3, "1s"), (EVENT_DISCARD, 1, "6m")]
    hands, kongs = ["3p", "2234m", "0m", "67m"], [KONGS[0], KONGS[1], (), ()]
    game = table(hands, kongs, riichi=[1], wall="556m", events=events)

    def possible(one, two):
        waited = waits(LOOKUP, counts_of(one), 3)
        let_go = waited >> 5 & 1 or (waited >> 4 & 1 and not waited >> 1 & 1)
        return waited and not let_go

    check_deals(game, possible, wins_taken=True)


def test_a_tile_that_may_be_claimed_now_is_no_win_let_go():
    kongs = [(), (*KONGS[1], "2222m"), (*KONGS[2], "8888s"), KONGS[0]]
    phases = {}
    for phase in (PHASE_TURN, PHASE_CLAIM):
        game = table(["3p", "5m", "6m", "7p"], kongs, riichi=[1], turn=2, phase=phase, events=SINCE_RIICHI, wall="7m")
        dealt = np.tile(np.array([game]), 50)
        redeal_hidden(dealt, 0, np.arange(50), wins_taken=True)
        phases[phase] = {int(np.flatnonzero(each["hand"][1])[0]) for each in dealt}
    assert phases[PHASE_CLAIM] - phases[PHASE_TURN] == {4} and len(phases[PHASE_TURN]) == 3


def test_a_riichi_that_cannot_have_taken_every_win_is_dealt_all_the_same():
    kongs = [(), (*KONGS[1], "2222m"), (*KONGS[2], "8888s"), KONGS[0]]
    game = table(["3p", "5m", "5m", "5m"], kongs, riichi=[1], events=SINCE_RIICHI)
    dealt = np.tile(np.array([game]), 2)
    redeal_hidden(dealt, 0, 7, wins_taken=True)
    assert same(dealt[0], dealt[1]) and dealt[0]["missed"][1] & MISSED_IN_RIICHI


@pytest.mark.parametrize("rule", ["same_waits", "same_hand"])
def test_deals_with_a_closed_kong_in_riichi(rule):
    """3m was a triplet in a hand whose waits the kong did not change: 2456m may not be left, nor 4555m or the like."""
    kongs = [KONGS[0], ("1111z", "9999m", "3333m"), (), ()]
    kongs[0] = ("2222z", "3333z", "4444z", "5555z")
    events = [(EVENT_RIICHI, 1, ""), (EVENT_DISCARD, 1, "1p"), (EVENT_CLOSED_KONG, 1, "3m")]
    game = table(["3p", "4455m", "2m", "6m"], kongs, riichi=[1], wall="2467m", events=events)
    game["rules"] = Rules(closed_kong_in_riichi=rule).to_record()

    def possible(one, two):
        hand = counts_of(one)
        before = hand.copy()
        before[2] += 3
        after = waits(LOOKUP, hand, 3)
        if not after or waits(LOOKUP, before, 2) != after:
            return False
        return rule == "same_waits" or all(no_chow_with_3m(before, kind) for kind in range(KINDS) if after >> kind & 1)

    def no_chow_with_3m(hand, wait):
        hand = hand.copy()
        hand[wait] += 1
        for low in range(3):
            rest = hand.astype(int)
            rest[low : low + 3] -= 1
            if rest.min() >= 0 and waits_complete(rest, 3):
                return False
        return True

    def waits_complete(hand, n_melds):
        """Complete, if taking one tile away leaves a hand that waits for it."""
        for kind in np.flatnonzero(hand):
            less = hand.astype(np.uint8)
            less[kind] -= 1
            return waits(LOOKUP, less, n_melds) >> int(kind) & 1

    check_deals(game, possible)


# Positions of play.


def play_boldly(tables, choose, steps):
    """Play on with riichi and kongs wherever they may be, and few wins; yield the batch at each step."""
    for _ in range(steps):
        decisions = tables.decisions()
        yield decisions
        actions = np.empty(len(decisions), np.int64)
        for i in range(len(decisions)):
            legal = np.flatnonzero(decisions.legal[i])
            game, seat = tables.games[decisions.game[i]], decisions.seat[i]
            kongs = legal[(legal >= CLOSED_KONG) & (legal < TSUMO)]
            if DECLARE_RIICHI in legal:
                actions[i] = DECLARE_RIICHI
            elif PASS in legal:
                actions[i] = PASS if choose.random() < 0.9 else choose.choice(legal)
            elif len(kongs):
                actions[i] = kongs[0]
            elif decisions.situation[i] in (PHASE_TURN, PHASE_CALL_DISCARD):
                shanten = discards_batch(game["hand"][seat][None]).shanten[0]
                discards = legal[legal <= DISCARD_DRAWN]
                kind = [kind_of(action, game) for action in discards]
                actions[i] = discards[np.argmin(shanten[kind])]
            else:
                actions[i] = choose.choice(legal)
        tables.step(actions)


def kind_of(action, game):
    if action == DISCARD_DRAWN:
        return int(game["drawn"]) >> 2
    return action if action < DISCARD_RED else 9 * (action - DISCARD_RED) + 4


@pytest.fixture(scope="module")
def positions():
    """Records of play with the seat that looks, at its decisions and others': many with riichi and kongs."""
    choose, found = np.random.default_rng(3), []
    tables = Tables(24, seed=11)
    for asked in play_boldly(tables, choose, 500):
        for i in range(len(asked)):
            game = tables.games[asked.game[i]]
            others = np.arange(4) != asked.seat[i]
            in_riichi = int((game["riichi"][others] > 0).sum())
            if asked.situation[i] != PHASE_STOP and choose.random() < (0.01, 0.03, 0.06, 0.1)[in_riichi]:
                looker = int(asked.seat[i]) if choose.random() < 0.8 else int(choose.integers(4))
                found.append((game.copy(), looker))
    return found


def view(game, seat):
    """The record without what a seat has not seen: others' hands, draws, answers and so on."""
    seen = game.copy()
    for n in range(seen["n_events"]):
        event = int(seen["events"][n])
        if event & 15 == 1 and event >> 4 & 3 != seat:
            seen["events"][n] = event & 255
    if seen["turn"] != seat:
        seen["drawn"] = NO_TILE
        seen["pending"], seen["asked"] = 0, 0
    shown = {DORA_INDICATORS[n]: seen["wall"][DORA_INDICATORS[n]] for n in range(seen["indicators"])}
    for other in range(4):
        if other != seat:
            for name in ("copies", "suit_keys", "waits", "missed", "answers", "legal", "decisions"):
                seen[name][other] = 0
            seen["hand"][other] = seen["hand"][other].sum()
            seen["pending"] &= 15 ^ (1 << other)
            seen["asked"] &= 15 ^ (1 << other)
    if not seen["pending"] >> seat & 1:
        seen["legal"][seat] = 0
    seen["wall"] = 0
    for place, tile in shown.items():
        seen["wall"][place] = tile
    return seen


def test_what_was_seen_stays(positions):
    assert sum(1 for game, _ in positions if (game["riichi"] > 0).sum() > 1) > 20
    for number, (game, seat) in enumerate(positions):
        dealt = np.array([game])
        redeal_hidden(dealt, seat, number)
        assert same(view(dealt[0], seat), view(game, seat)), f"position {number}"
        assert (np.sort(dealt[0]["wall"]) == np.arange(TILES)).all()
        held = [tile for other in range(4) for tile in tiles_held(dealt[0], other)]
        assert len(set(held)) == len(held)
        for other in range(4):
            assert (counts_of(tiles_held(dealt[0], other)) == dealt[0]["hand"][other]).all()


def test_others_hands_change_and_seeds_decide(positions):
    for number, (game, seat) in enumerate(positions[:60]):
        deals = np.tile(np.array([game]), 3)
        redeal_hidden(deals, seat, np.array([number, number + 1, number], np.uint64))
        assert same(deals[0], deals[2])
        assert (deals[0]["wall"] != deals[1]["wall"]).any()
        alone = np.array([game])
        redeal_hidden(alone[0], seat, number)
        assert same(alone[0], deals[0])


def next_moves(game, told, at):
    """Yield what the seats asked in `game` do so that the event at `at` of `told` comes next: (seat, action, hints)."""
    while at < told["n_events"] and told["events"][at] & 15 in (EVENT_DORA, EVENT_RIICHI_ACCEPTED):
        at += 1
    event = int(told["events"][at]) if at < told["n_events"] else 0
    what, seat, extra, tile = event & 15, event >> 4 & 3, event >> 6 & 3, event >> 8
    hints = (NO_TILE, NO_TILE)
    if what == EVENT_DISCARD:
        red = Rules.tenhou().red_fives and tile_name(tile)[0] == "0"
        action = DISCARD_DRAWN if extra & 1 else DISCARD_RED + tile // 36 if red else tile >> 2
        hints = (tile, NO_TILE)
    elif what == EVENT_RIICHI:
        action = DECLARE_RIICHI
    elif what in (EVENT_CLOSED_KONG, EVENT_ADDED_KONG):
        action = (CLOSED_KONG if what == EVENT_CLOSED_KONG else ADDED_KONG) + (tile >> 2)
        hints = (tile, NO_TILE)
    elif what in (EVENT_CHOW, EVENT_PONG, EVENT_OPEN_KONG):
        own = [int(own) for own in told["melds"][seat, extra]["tiles"][1:3]]
        red = any(tile_name(one)[0] == "0" for one in own)
        action = {EVENT_PONG: PONG_RED if red else PONG, EVENT_OPEN_KONG: OPEN_KONG}.get(what)
        if what == EVENT_CHOW:
            assert told["melds"][seat, extra]["type"] == MELD_CHOW
            action = CHOW_LOW + 2 * ((tile >> 2) - int(told["melds"][seat, extra]["kind"])) + red
        hints = (own[0], own[1]) if what != EVENT_OPEN_KONG else hints
    else:
        seat = -1
    for other in range(4):
        if game["pending"] >> other & 1:
            yield other, action if other == seat else PASS, hints


def replay(told):
    """Play the round of a record again, from its wall by its events; return the record that comes of it."""
    game = told.copy()
    game["wall_given"], game["phase"] = 1, PHASE_DEAL
    game["scores"], game["bets"] = told["start_scores"], told["start_bets"]
    deal(LOOKUP, game)
    advance(LOOKUP, game, False, NO_TILE, NO_TILE)
    while game["n_events"] < told["n_events"] or game["phase"] != told["phase"]:
        moves = list(next_moves(game, told, int(game["n_events"])))
        for seat, action, _ in moves:
            assert is_legal(game, seat, action)
            answer(game, seat, action)
        hints = moves[-1][2] if moves else (NO_TILE, NO_TILE)
        advance(LOOKUP, game, False, *hints)
        assert game["phase"] < PHASE_ROUND_OVER
    return game


def test_the_new_deal_could_have_been_played(positions):
    """Wall and events make the same record again, every move in it legal: hands, waits, furiten, who is asked."""
    replayed = 0
    for number, (game, seat) in enumerate(positions):
        dealt = np.array([game])
        redeal_hidden(dealt, seat, number)
        told = dealt[0]
        if told["phase"] in (PHASE_CLAIM, PHASE_KONG_CLAIM) and not told["asked"]:
            continue  # nobody has anything to choose any more
        again = replay(told)
        for name in GAME.names:
            if name in (
                "number",
                "wall_given",
                "answers",
                "decisions",
                "trial",
                "result",
                "deals",
                "legal",
                "pending",
                *NESTED,
            ):
                continue
            if name in ("waits", "missed"):
                # Between a call or a kong and the next discard they mean nothing.
                others = [s for s in range(4) if s != told["turn"] or told["phase"] == PHASE_CLAIM]
                assert (again[name][others] == told[name][others]).all(), f"position {number}: {name}"
            else:
                assert np.array_equal(again[name], told[name]), f"position {number}: {name}"
        for other in range(4):
            if told["asked"] >> other & 1:
                assert (again["legal"][other] == told["legal"][other]).all()
        replayed += 1
    assert replayed > 100


def test_riichi_hands_wait(positions):
    checked = 0
    for number, (game, seat) in enumerate(positions):
        dealt = np.array([game])
        redeal_hidden(dealt, seat, number)
        for other in range(4):
            if other != seat and dealt[0]["riichi"][other] and dealt[0]["phase"] != PHASE_RIICHI_DISCARD:
                assert dealt[0]["waits"][other]
                checked += 1
    assert checked > 100


def test_riichi_hands_of_play_take_every_win_where_that_is_asked(positions):
    """A mark of a win let go in riichi remains only beside a wait in the own river; otherwise all stays as it was."""
    let_go = {False: 0, True: 0}
    for wins_taken in let_go:
        for number, (game, seat) in enumerate(positions):
            dealt = np.array([game])
            redeal_hidden(dealt, seat, number, wins_taken)
            assert same(view(dealt[0], seat), view(game, seat))
            missed = dealt[0]["missed"] & MISSED_IN_RIICHI != 0
            furiten = dealt[0]["waits"] & dealt[0]["discarded"] != 0
            let_go[wins_taken] += int((missed & ~furiten)[np.arange(4) != seat].sum())
    assert let_go[False] > 10 and let_go[True] == 0


def test_temporary_furiten_follows_the_new_hand():
    """A tile that passes since the last own discard, or since riichi, is a win let go by whoever waits for it now."""
    events = [(EVENT_DISCARD, 3, "5m"), (EVENT_RIICHI, 2, ""), (EVENT_DISCARD, 2, "1z"), (EVENT_DISCARD, 0, "5m")]
    kongs = [(), (*KONGS[1], "2222m"), (*KONGS[2], "8888s"), KONGS[0]]
    game = table(["3p", "5m", "5m", "7p"], kongs, riichi=[2], events=events, wall="88p")
    seen = set()
    for seed in range(100):
        dealt = np.array([game])
        redeal_hidden(dealt, 0, seed)
        waiting = [int(dealt[0]["waits"][seat]) >> 4 & 1 for seat in range(4)]
        assert list(dealt[0]["missed"][1:]) == [waiting[1], 3 * waiting[2], waiting[3]]
        seen.add(tuple(waiting[1:]))
    assert len(seen) > 2


def test_a_claim_is_asked_anew():
    """Answers of others are forgotten, that of the seat that looks stands."""
    choose = np.random.default_rng(5)
    tables = Tables(32, seed=4)
    tried = 0
    for asked in play_boldly(tables, choose, 300):
        for i in np.flatnonzero(asked.situation == PHASE_CLAIM):
            game = tables.games[asked.game[i]].copy()
            others = [seat for seat in range(4) if game["pending"] >> seat & 1 and seat != asked.seat[i]]
            if not others:
                continue
            answer(game, others[0], PASS)
            dealt = np.array([game])
            redeal_hidden(dealt, int(asked.seat[i]), 1)
            assert dealt[0]["pending"] == dealt[0]["asked"]
            assert (dealt[0]["legal"][asked.seat[i]] == game["legal"][asked.seat[i]]).all()
            dealt = np.array([game])
            redeal_hidden(dealt, others[0], 1)
            assert dealt[0]["answers"][others[0]] == PASS
            assert not dealt[0]["pending"] >> others[0] & 1
            tried += 1
    assert tried > 5


def test_wrong_arguments():
    tables = Tables(2)
    with pytest.raises(ValueError, match="a seat is 0 to 3"):
        redeal_hidden(tables.games, 4, 0)
    with pytest.raises(ValueError, match="game record"):
        redeal_hidden(np.zeros(3), 0, 0)
    tables.games["phase"][1] = PHASE_ROUND_OVER
    with pytest.raises(ValueError, match="game 1: nothing is hidden in phase 'round over'"):
        redeal_hidden(tables.games, 0, 0)


def test_a_riichi_that_no_tiles_fit():
    game = table(["3p", "258s3p", "6p", "9p"], [KONGS[0], KONGS[1], (), ()], riichi=[1], wall="6z")
    before = game.copy()
    with pytest.raises(ValueError, match="game 0: the tiles that seat 0 has not seen fit no deal"):
        redeal_hidden(game, 0, 0)
    assert same(game, before)


SAME_DEAL = """
import zlib
import numpy as np
from simulator.redeal.hidden import redeal_hidden
from simulator.record import GAME
games = np.load(PATH)
redeal_hidden(games, 0, np.arange(len(games)))
print(zlib.crc32(games.tobytes()))
"""


def test_interpreted_functions_deal_the_same(positions, tmp_path):
    chosen = [game for game, seat in positions if seat == 0 and (game["riichi"][1:] > 0).sum() == 1][:1]
    np.save(tmp_path / "games.npy", np.array(chosen))
    script = SAME_DEAL.replace("PATH", repr(str(tmp_path / "games.npy")))
    printed = set()
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONWARNINGS": "ignore"}
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        printed.add(done.stdout)
    assert len(printed) == 1
