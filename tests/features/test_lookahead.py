"""The look-ahead: its definition on written hands, agreement with the reference, and what it must not depend on."""

from fractions import Fraction

import numba
import numpy as np
import pytest
from lookahead_positions import SORTS, discard_views, kinds_at, made, of_view, planes_of, written
from lookahead_reference import STEPS, all_hands, hands_by_exchange, planes

from simulator.jit import jit
from simulator.logs.formats import read_games
from simulator.logs.generate import generate_games
from simulator.lookup import get_lookup
from simulator.players import choose_function
from simulator.record import GAME, MELD_CHOW, MELD_CLOSED_KONG, MELD_PONG, SEATS
from simulator.rules import Rules
from simulator.tables import Tables
from simulator.tiles import KINDS, kind_name, parse_kinds
from simulator.walls import DORA_INDICATORS
from suphx.features import layout
from suphx.features.lookahead import LIKELIHOODS, PLANES, VIEW, lookahead, see
from suphx.features.lookahead_parts import FURTHEST, MOST_PARTS, MOST_READINGS, SEARCH, fill_steps
from suphx.features.lookahead_parts import STEPS as COMPILED_STEPS
from suphx.features.lookahead_suits import find_parts

COMPILED = not numba.config.DISABLE_JIT


def kinds(text):
    return [kind for kind, _ in parse_kinds(text)]


def highest(out, away, kind):
    """The most points that are reached in `away` tiles with the discard of a kind; 0 for none."""
    return max(
        (points for points in STEPS if kinds_at(out, away, points) and kind in kinds_at(out, away, points)), default=0
    )


def differences(position):
    """Where the compiled look-ahead and the reference differ, in words."""
    found, wanted = planes_of(position), planes(position)
    return [
        f"{plane // 36 + 1} tiles, {STEPS[plane // 4 % 9]} points, bucket {plane % 4}: "
        f"{[kind_name(k) for k in range(KINDS) if (int(found[plane]) ^ int(wanted[plane])) >> k & 1]} in {position}"
        for plane in np.flatnonzero(found != wanted)
    ]


def test_one_tile_away_are_the_discards_that_leave_tenpai():
    assert kinds_at(planes_of(written("234m345678p67s99s1z")), 1, 1000) == kinds("1z")
    assert kinds_at(planes_of(written("234m345678p679s1z5z")), 1, 1000) == []


def test_points_are_those_of_the_best_winning_tile_in_riichi():
    out = planes_of(written("234m345678p67s99s1z"))  # 5s or 8s: riichi, pinfu, 8s no more
    assert highest(out, 1, kinds("1z")[0]) == 2000
    assert kinds_at(out, 1, 3900) == []
    out = planes_of(written("234m234678p34s88s1z"))  # 2s: all simples and three-colored runs as well
    assert highest(out, 1, kinds("1z")[0]) == 8000


def test_the_dealer_is_paid_half_as_much_again():
    hand = "234m345678p67s99s1z"
    assert highest(planes_of(written(hand, seat_wind=1)), 1, kinds("1z")[0]) == 2000
    assert highest(planes_of(written(hand, seat_wind=0)), 1, kinds("1z")[0]) == 2000  # 2,900
    hand = "234m234678p34s88s1z"
    assert highest(planes_of(written(hand, seat_wind=0)), 1, kinds("1z")[0]) == 12000


def test_dora_and_kept_red_fives_count():
    plain = planes_of(written("234m456678p67s99s1z"))
    red = planes_of(written("234m406678p67s99s1z"))
    dora = planes_of(written("234m456678p67s99s1z", dora="8s"))
    assert highest(plain, 1, kinds("1z")[0]) == 2000
    assert highest(red, 1, kinds("1z")[0]) == 3900
    assert highest(dora, 1, kinds("1z")[0]) == 5200  # 4 han 30 fu are 7,700


def test_of_two_fives_the_red_one_is_kept():
    out = planes_of(written("234m4056p1236799s"))
    assert highest(out, 1, kinds("5p")[0]) == 3900


def test_the_red_five_comes_last_of_those_unseen():
    hand = "222m234678p46s339s"  # 5s: riichi and all simples, 40 fu
    assert highest(planes_of(written(hand)), 1, kinds("9s")[0]) == 2000
    assert highest(planes_of(written(hand, seen="555s")), 1, kinds("9s")[0]) == 5200


def test_an_open_hand_needs_a_yaku():
    melds = [(MELD_CHOW, "123m")]
    assert not planes_of(written("456p67s99s345p1z", melds))[: 4 * len(STEPS)].any()
    assert kinds_at(planes_of(written("456p67s99s345p1z", [(MELD_PONG, "555z")])), 1, 1000) == kinds("1z")
    no_open_tanyao = Rules(open_tanyao=False)
    melds = [(MELD_CHOW, "234m")]
    assert kinds_at(planes_of(written("456p67s88s345p1z", melds)), 1, 1000) == kinds("1z")
    assert kinds_at(planes_of(written("456p67s88s345p1z", melds, rules=no_open_tanyao)), 1, 1000) == []


def test_a_closed_kong_leaves_the_hand_closed():
    assert kinds_at(planes_of(written("456p67s99s345p1z", [(MELD_CLOSED_KONG, "1111m")])), 1, 1000) == kinds("1z")


def test_only_unseen_tiles_come():
    hand = "234m345678p24s99s1z"
    assert kinds_at(planes_of(written(hand)), 1, 1000) == kinds("1z")
    gone = planes_of(written(hand, seen="3333s"))
    assert kinds_at(gone, 1, 1000) == []
    assert kinds("1z")[0] in kinds_at(gone, 2, 1000)


def test_likelihood_is_the_expected_number_of_ways_to_draw_the_tiles():
    # without 1z the hand waits for 5s and 8s, eight tiles
    hand = "234m345678p67s99s1z"
    unseen = sum(written(hand).unseen)
    for draws in range(18):
        likelihood = Fraction(8 * draws, unseen)
        out = planes_of(written(hand, draws_left=draws))
        assert kinds_at(out, 1, 1000, 0) == kinds("1z")
        for bucket, one_in in enumerate((16, 4, 2), start=1):
            assert bool(kinds_at(out, 1, 1000, bucket)) == (likelihood * one_in >= 1)


def test_two_tiles_away_take_two_draws():
    hand = "234m678p67s33s11z5z9m"
    once, often = planes_of(written(hand, draws_left=1)), planes_of(written(hand, draws_left=17))
    assert kinds_at(once, 2, 1000) == kinds_at(often, 2, 1000) == kinds("9m5z")
    assert kinds_at(once, 2, 1000, 1) == []
    assert kinds_at(often, 2, 1000, 1) == kinds("9m5z")


def test_seven_pairs_and_thirteen_orphans():
    out = planes_of(written("1133m5599p2244s17z"))
    assert kinds_at(out, 1, 3900) == []
    assert kinds_at(out, 1, 2000) == kinds("17z")  # riichi, seven pairs: 3 han 25 fu, 3,200
    out = planes_of(written("19m19p19s1234567z5m"))
    assert kinds_at(out, 1, 32000) == kinds("5m")


def test_a_hand_of_3n_1_tiles_shows_the_tiles_to_draw():
    out = planes_of(written("234m345678p67s99s"))
    assert kinds_at(out, 1, 1000) == kinds("58s")
    assert kinds_at(out, 1, 2000) == kinds("58s")


def test_a_hand_far_from_winning_shows_nothing():
    assert not planes_of(written("147m258p369s12345z")).any()


def test_planes_can_be_signed_as_well():
    position = written("234m345678p67s99s1z")
    signed = planes_of(position, np.full(PLANES, -1, np.int64))
    assert np.array_equal(signed.view(np.uint64), planes_of(position))


def test_the_layout_names_what_the_look_ahead_writes():
    assert layout.LOOKAHEAD_TILES == tuple(range(1, FURTHEST + 1))
    assert layout.LOOKAHEAD_POINTS == STEPS == COMPILED_STEPS
    assert layout.LOOKAHEAD_ANSWERS[1:] == tuple(f"is 1/{one_in} likely" for one_in in LIKELIHOODS)


def test_what_was_looked_at_before_leaves_no_trace():
    positions = [made(seed) for seed in range(30 if COMPILED else 3)]
    alone = [planes_of(position) for position in positions]
    for position, found in zip(reversed(positions), reversed(alone), strict=True):
        assert np.array_equal(planes_of(position), found)


def _check(positions):
    wrong = [line for position in positions for line in differences(position)]
    assert not wrong, "\n".join(wrong[:10])


def test_agrees_with_the_reference_on_made_hands():
    positions = [made(seed) for seed in range(90 if COMPILED else 10)]
    assert {bool(position.n_melds) for position in positions} == {False, True}
    _check(positions)


def test_agrees_with_the_reference_on_real_hands(real_logs):
    views = discard_views(read_games([real_logs / "phoenix-hanchan-2018.zip"]), 2000)
    _check(map(of_view, views[:: 40 if COMPILED else 300]))


@pytest.mark.full
def test_agrees_with_the_reference_on_many_made_hands():
    _check(made(seed) for seed in range(1000, 1000 + 200 * len(SORTS)))


@pytest.mark.full
def test_agrees_with_the_reference_on_many_played_hands(real_logs):
    for archive in sorted(real_logs.glob("*.zip")):
        _check(map(of_view, discard_views(read_games([archive]), 12000)[::20]))
    _check(map(of_view, discard_views(generate_games(1000, seed=1), 12000)[::20]))


def test_the_reference_finds_all_hands_that_exchanging_tiles_makes():
    for text in ("234m345678p67s99s1z", "1133m5599p2244s17z", "1112345678999s"):
        position = written(text, dora="1m", seen="666z")
        assert all_hands(position) == hands_by_exchange(position) - {tuple(position.hand)}


@pytest.mark.full
def test_the_reference_finds_all_hands_that_exchanging_tiles_makes_from_many():
    for seed in range(150):
        position = made(seed)
        assert all_hands(position) == hands_by_exchange(position) - {tuple(position.hand)}, position


def _hide_differently(game, seat, rng):
    """Change everything that a seat cannot see: the others' hands, the wall but for the shown indicators, the waits."""
    changed = game.copy()
    for other in range(SEATS):
        if other != seat:
            changed["hand"][other] = rng.integers(0, 5, KINDS)
            changed["copies"][other] = rng.integers(0, 16, KINDS)
            changed["waits"][other] = rng.integers(1 << 34)
    shown = DORA_INDICATORS[: int(game["indicators"])]
    hidden = np.setdiff1d(np.arange(136), shown)
    changed["wall"][hidden] = rng.permutation(changed["wall"][hidden])
    changed["seed"] = rng.integers(1 << 60)
    return changed


def _planes_of_game(games, seat):
    view, out = np.zeros(1, VIEW), np.zeros(PLANES, np.uint64)
    see(games[0], seat, view[0])
    lookahead(get_lookup(), view[0], games[0]["rules"], out)
    return out


def test_nothing_hidden_is_read():
    rng = np.random.default_rng(5)
    tables = Tables(8, seed=5)
    seen = 0
    for _ in range(150):
        decisions = tables.decisions()
        for game, seat in zip(decisions.game[:4], decisions.seat[:4], strict=False):
            planes_before = _planes_of_game(tables.games[game : game + 1], int(seat))
            changed = np.array([_hide_differently(tables.games[game], int(seat), rng)], GAME)
            assert np.array_equal(_planes_of_game(changed, int(seat)), planes_before)
            seen += planes_before.any()
        actions = np.empty(len(decisions), np.int64)
        choose_function("sensible")(tables.games, decisions.game, decisions.seat, decisions.legal, 1, actions)
        tables.step(actions)
    assert seen > 100


@jit
def _most_parts(hands, search):
    """Return the most parts and readings that a suit with one of these counts has, whatever the other suits hold."""
    nothing, nowhere = np.zeros(3, np.uint8), np.zeros(KINDS, np.uint8)
    search["most_replaced"] = 3
    search["missing"][:] = 0
    most_parts, most_readings = 0, 0
    for n in range(len(hands)):
        search["n_parts"], search["n_readings"] = 0, 0
        fill_steps(search, hands[n], nothing, 4 - hands[n], nothing, nowhere)
        find_parts(search, 0, hands[n], 4)
        most_parts = max(most_parts, search["n_parts"])
        most_readings = max(most_readings, search["n_readings"])
    return most_parts, most_readings


@pytest.mark.full
def test_there_is_room_for_the_parts_of_any_hand():
    counts = np.array(np.meshgrid(*[np.arange(5, dtype=np.uint8)] * 9)).reshape(9, -1).T
    most = np.zeros((15, 2), int)
    search = np.zeros(1, SEARCH)[0]
    for tiles in range(15):
        rows = counts[counts.sum(axis=1) == tiles]
        hands = np.zeros((len(rows), KINDS), np.uint8)
        hands[:, :9] = rows
        most[tiles] = _most_parts(hands, search)
    # honors have fewer parts than a suit with as many tiles
    together = max((most[[a, b, c, 14 - a - b - c]].sum(axis=0).tolist() for a, b, c in np.ndindex(15, 15, 15)
                    if a + b + c <= 14))  # fmt: skip
    assert together[0] <= MOST_PARTS and together[1] <= MOST_READINGS, together
