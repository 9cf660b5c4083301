"""What a seat sees: nothing that is hidden from it; mjai in and out, held against riichienv's."""

import json
import random

import numpy as np
import pytest

from simulator import Game, build_wall
from simulator.logs.formats import read_log
from simulator.logs.mjai_words import TILE_NAMES
from simulator.record import EVENT_DRAW, PHASE_CALL_DISCARD, SEATS
from simulator.tiles import TILES, parse_counts, parse_kinds
from simulator.views.planes import ROW_NAMES, ROWS, SCALAR_NAMES
from simulator.walls import DEAD_WALL, DORA_INDICATORS, REPLACEMENTS, dealt_places

RARE = ("tsumo", "ron", "riichi", "added kong", "closed kong", "open kong")


def choose(seen, rng):
    """A random legal action, mostly a rare one where there is one."""
    actions = seen.legal_actions()
    rare = [action for action in actions if action.type in RARE]
    return rng.choice(rare if rare and rng.random() < 0.8 else actions)


def games(n, seed=0):
    """Play n games; yield each game, before every step, with what the asked seats see."""
    rng = random.Random(seed)
    for number in range(n):
        game = Game(seed=seed + number)
        while not game.over:
            seen = game.observations()
            yield game, seen
            game.step({seat: choose(each, rng) for seat, each in seen.items()})


def with_hidden_tiles_permuted(game, seat, rng):
    """Return a game that differs only in what a seat does not see (whether that could be so is not asked)."""
    record = game.record.copy()
    wall = record["wall"].copy()
    held = [(other, tile) for other in range(SEATS) if other != seat for tile in range(TILES)
            if record["copies"][other, tile >> 2] >> (tile & 3) & 1]  # fmt: skip
    shown = DORA_INDICATORS[: record["indicators"]].tolist()
    unseen_places = [place for place in range(record["next_draw"] + 1) if place not in shown]
    replaced = REPLACEMENTS[: record["kongs"]].tolist()
    unseen_places = [place for place in unseen_places if place not in replaced]
    tiles = [tile for _, tile in held] + wall[unseen_places].tolist()
    rng.shuffle(tiles)
    for field in ("hand", "copies", "suit_keys"):
        for other in range(SEATS):
            if other != seat:
                record[field][other] = 0
    for (other, _), tile in zip(held, tiles, strict=False):
        record["hand"][other, tile >> 2] += 1
        record["copies"][other, tile >> 2] |= 1 << (tile & 3)
    wall[unseen_places] = tiles[len(held) :]
    for other in range(SEATS):
        if other != seat:
            places = dealt_places(int(record["dealer"]), other)
            wall[places] = rng.sample(range(TILES), len(places))
            record["waits"][other] = rng.getrandbits(34)
            record["missed"][other] = rng.randrange(4)
            record["answers"][other] = rng.randrange(121)
            record["legal"][other] = rng.getrandbits(60)
            record["decisions"][other] += rng.randrange(5)
    for n, code in enumerate(record["events"][: record["n_events"]].tolist()):
        if code & 15 == EVENT_DRAW and code >> 4 & 3 != seat:
            record["events"][n] = code & 255 | rng.randrange(TILES) << 8
    if record["turn"] != seat and record["drawn"] != 255:
        record["drawn"] = rng.randrange(TILES)
    record["wall"], record["seed"] = wall, rng.getrandbits(60)
    record["pending"] &= 1 << seat
    return Game.from_record(record, game.rules)


def test_nothing_depends_on_what_is_hidden():
    rng = random.Random(3)
    compared = 0
    for n, (game, seen) in enumerate(games(2)):
        if n % 20:
            continue
        for seat in range(SEATS):
            asked = seat in seen
            first = Game.from_record(game.record, game.rules).observation(seat)
            second = with_hidden_tiles_permuted(game, seat, rng).observation(seat)
            assert first == second
            assert str(first) == str(second)
            assert first.new_events() == second.new_events()
            assert np.array_equal(first.array, second.array) and np.array_equal(first.legal, second.legal)
            assert asked == bool(first.legal_actions())
            compared += 1
    assert compared > 130


def test_others_tiles_are_masked_in_the_events():
    for game, seen in games(1):
        for seat, each in seen.items():
            for event in map(json.loads, each.new_events()):
                if event["type"] == "tsumo":
                    assert (event["pai"] == "?") == (event["actor"] != seat)
                if event["type"] == "start_kyoku":
                    assert [hand == ["?"] * 13 for hand in event["tehais"]] == [other != seat for other in range(SEATS)]
        assert all(event.get("pai") != "?" for event in game.events)


def test_new_events_are_each_seen_once():
    told = [[] for _ in range(SEATS)]
    for game, seen in games(1):
        if len(game.events) < 4:
            told = [[] for _ in range(SEATS)]
        for seat, each in seen.items():
            assert each.new_events() == each.new_events()
            told[seat] += map(json.loads, each.new_events())
            assert told[seat] == list(each.events)


def test_every_legal_action_is_found_by_its_own_mjai():
    for _, seen in games(3, seed=20):
        for each in seen.values():
            for action in each.legal_actions():
                assert each.select_action_from_mjai(action.to_mjai()) == action
                assert each.select_action_from_mjai(action.mjai) == action
            assert each.mask().tolist() == [number in each.legal_actions() for number in range(121)]


class MjaiBot:
    """A bot that knows nothing but mjai: it follows its hand by the events, discards at random and never calls."""

    def __init__(self, rng):
        self.rng, self.seat, self.hand, self.last = rng, None, [], None

    def react(self, line):
        event = json.loads(line)
        kind, mine = event["type"], event.get("actor") == self.seat
        if kind == "start_game":
            self.seat = event["id"]
        elif kind == "start_kyoku":
            self.hand = list(event["tehais"][self.seat])
        elif kind == "tsumo" and mine:
            self.hand.append(event["pai"])
        elif kind in ("dahai", "kakan") and mine:
            self.hand.remove(event["pai"])
        elif kind in ("chi", "pon", "daiminkan", "ankan") and mine:
            for tile in event["consumed"]:
                self.hand.remove(tile)
        self.last = event
        may_discard = mine and kind in ("tsumo", "chi", "pon", "reach")
        if not may_discard:
            return json.dumps({"type": "none"})
        drawn = kind == "tsumo" and self.rng.random() < 0.5
        tile = self.hand[-1] if drawn else self.rng.choice(self.hand)
        return json.dumps({"type": "dahai", "actor": self.seat, "pai": tile, "tsumogiri": drawn})


def test_an_mjai_bot_plays_whole_games():
    rng = random.Random(8)
    for number in range(2):
        game = Game(seed=number)
        bots = [MjaiBot(rng) for _ in range(SEATS)]
        while not game.over:
            answers = {}
            for seat, seen in game.observations().items():
                for line in seen.new_events():
                    reply = bots[seat].react(line)
                held = sorted(TILE_NAMES.index(tile) for tile in bots[seat].hand)
                own = [kind if not red else 34 + kind // 9 for kind, red in parse_kinds(seen.hand + seen.drawn)]
                assert held == sorted(own)
                answers[seat] = seen.select_action_from_mjai(reply)
            game.step(answers)
        assert json.loads(game.observation(0).new_events()[-1])["type"] == "end_game"
        assert sum(game.scores) == 100_000


def test_all_events_are_a_log_that_is_read_back():
    for game, _ in games(2, seed=5):
        if game.over:
            break
    rng = random.Random(0)
    while not game.over:
        game.step({seat: choose(seen, rng) for seat, seen in game.observations().items()})
    (log,) = read_log(game.to_mjai().encode())
    assert len(log.rounds) == len(game.results)
    assert [this.deltas for this in log.rounds] == [list(result.deltas) for result in game.results]
    assert log.final_scores == list(game.scores)


@pytest.mark.parametrize(("flag", "expected"), [({}, True), ({"tsumogiri": True}, True), ({"tsumogiri": False}, False)])
def test_tsumogiri_decides_where_both_are_possible(flag, expected):
    seen = Game.from_hands(["1479m258p369s123z"], draws="9m", indicator="9p").observation(0)
    action = seen.select_action_from_mjai({"type": "dahai", "actor": 0, "pai": "9m"} | flag)
    assert action.mjai["tsumogiri"] is expected


def test_rows_show_what_their_names_say():
    rows = [name for name, _ in ROW_NAMES]
    columns = {name: column for column, _, name, _ in SCALAR_NAMES}
    assert len(rows) == ROWS == len(set(rows))
    calls = 0
    for game, seen in games(2, seed=9):
        for seat, each in seen.items():
            row = dict(zip(rows, each.array, strict=True))
            assert row["hand"].tolist() == parse_counts(each.hand + each.drawn).tolist()
            assert row["drawn"].sum() == bool(each.drawn)
            assert row["indicators"].sum() == row["dora"].sum() == len(each.table.indicators)
            for relative in range(SEATS):
                other = each.table.seats[(seat + relative) % SEATS]
                melds = "".join(tile for meld in other.melds for tile in meld.tiles)
                assert row[f"seat +{relative} melds"].tolist() == parse_counts(melds).tolist()
                river = "".join(discard.tile for discard in other.river)
                assert row[f"seat +{relative} river"].tolist() == parse_counts(river).tolist()
                called = "".join(discard.tile for discard in other.river if discard.caller is not None)
                assert row[f"seat +{relative} river called"].tolist() == parse_counts(called).tolist()
                thousands, hundreds = (int(row["scalars"][columns[n] + relative]) for n in ("thousands", "hundreds"))
                assert (thousands - 100) * 1000 + hundreds * 100 == other.score
                assert row["scalars"][columns["concealed"] + relative] == other.hand_size
            assert row["scalars"][columns["tiles left"]] == each.table.tiles_left
            calls += game.record["phase"] == PHASE_CALL_DISCARD
    assert calls


def peers_wall(wall):
    """The wall in riichienv's order: dealt from its start; the dead wall's stacks hold the upper tile first."""
    return [int(wall[place ^ 1 if place < DEAD_WALL else place]) for place in range(TILES - 1, -1, -1)]


class Peer:
    """riichienv's table, and what it has told each seat of a round."""

    def __init__(self, riichienv, wall):
        self.env = riichienv.RiichiEnv("4p-red-half", rule=riichienv.GameRule.default_tenhou())
        self.told = [[] for _ in range(SEATS)]
        start = {"round_wind": 0, "scores": [25_000] * SEATS, "honba": 0, "kyotaku": 0}
        self.note(self.env.reset(oya=0, wall=peers_wall(wall), **start))

    def note(self, seen):
        self.seen = seen
        for seat, each in seen.items():
            self.told[seat] += map(json.loads, each.new_events())

    def step(self, replies):
        self.note(self.env.step(replies))

    def step_until_asked(self, wanted):
        """Make the forced moves, which play themselves here, until the wanted seats are asked."""
        while set(self.seen) != set(wanted):
            actions = {seat: each.legal_actions() for seat, each in self.seen.items()}
            assert all(len(legal) == 1 for legal in actions.values())
            self.step({seat: legal[0] for seat, legal in actions.items()})

    def reply(self, seat, action):
        reply = self.seen[seat].select_action_from_mjai(action.to_mjai())
        assert reply is not None, f"riichienv does not know {action.to_mjai()}"
        return reply


def comparable(events, ours):
    """Leave aside what is known to differ, and put kong indicators where a difference of time does not show.

    We name the players, their ids in what they see, and the tile of a win; riichienv names the kind of a closed kong.
    It shows the indicator of an open or added kong before the discard, we with it and after it in the list: as
    Tenhou does (see docs/rules.md).
    """
    events = [{name: sorted(value) if name == "consumed" else value for name, value in event.items()
               if name not in ("names", "id", "tsumo") and not (event["type"] in ("hora", "ankan") and name == "pai")}
              for event in events]  # fmt: skip
    for n in range(len(events) - 1):
        if ours and (events[n]["type"], events[n + 1]["type"]) == ("dahai", "dora"):
            events[n], events[n + 1] = events[n + 1], events[n]
    return events


def test_the_events_are_riichienvs():
    riichienv = pytest.importorskip("riichienv", reason="no riichienv to compare with: pip install 'suphx[bench]'")
    rng = random.Random(5)
    kinds = set()
    for number in range(40):
        wall = build_wall(["", "234m067p345s1155z"] if number % 4 == 0 else (), seed=number)  # one is ready to win
        game, peer = Game(wall=wall), Peer(riichienv, wall)
        while True:
            ours = game.observations()
            peer.step_until_asked(ours)
            chosen = {seat: choose(seen, rng) for seat, seen in ours.items()}
            replies = {seat: peer.reply(seat, action) for seat, action in chosen.items()}
            for seat, reply in replies.items():  # and the other way round: an agent of theirs replies here
                back = ours[seat].select_action_from_mjai(reply.to_mjai())
                assert (back.type, back.own) == (chosen[seat].type, chosen[seat].own)
            told = [list(each) for each in peer.told]
            if game.step(chosen):
                break
            peer.step(replies)
        peer.env.step(replies)
        end = next(n for n, event in enumerate(game.events) if event["type"] == "end_kyoku")
        assert comparable(game.events[:end], True) == comparable(peer.env.mjai_log[:end], False), f"wall {number}"
        for seat, events in enumerate(told):
            ours_told = game.observation(seat).events[: len(events)]
            assert comparable(ours_told, True) == comparable(events, False), f"wall {number}, seat {seat}"
        kinds |= {event["type"] for event in game.events[:end]}
    assert {"chi", "pon", "daiminkan", "ankan", "kakan", "reach", "dora", "hora", "ryukyoku"} <= kinds
