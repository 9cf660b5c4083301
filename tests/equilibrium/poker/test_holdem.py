"""The table: blinds, order, raises, side pots, split pots, odd chips; random hands keep their chips."""

import numpy as np
import pytest

from suphx.equilibrium.poker.cards import parse_cards
from suphx.equilibrium.poker.equity import exact_equity
from suphx.equilibrium.poker.holdem import (
    ALL_IN,
    CALL,
    FOLD,
    OVER,
    POT,
    RAISE,
    SEATS,
    act,
    bet_to,
    checked_stacks,
    legal,
    mean_gain,
    new_hands,
    start,
)
from suphx.equilibrium.poker.match import deal_hands, play_hands
from suphx.equilibrium.poker.players import random_player
from suphx.equilibrium.poker.ranges import parse_range
from suphx.errors import InputError

BOARD = "2c7d9hJsQc"


def dealt(stacks, cards, board=BOARD, button=0, raises=4):
    """A hand with given cards for each seat; seats that do not exist get what is left."""
    known = [card for hand in cards for card in parse_cards(hand)]
    last = parse_cards(board)
    rest = [card for card in range(52) if card not in known + last]
    hand = new_hands(1)[0]
    order = known + rest[: 2 * SEATS - len(known)] + last
    start(hand, np.array(order + rest), np.array(stacks), button, raises)
    return hand


def can(hand):
    out = np.zeros(6, np.bool_)
    legal(hand, out)
    return set(np.flatnonzero(out).tolist())


def play(hand, *actions):
    for action in actions:
        assert action in can(hand), (action, can(hand), hand["mover"])
        act(hand, action)


def chips(hand):
    return hand["stack"][: hand["seats"]].tolist()


def test_two_players_the_button_posts_small_acts_first_and_then_last():
    hand = dealt([100, 100], ["AhAd", "KhKd"])
    assert hand["put"][:2].tolist() == [1, 2] and hand["mover"] == 0
    play(hand, CALL)
    assert hand["mover"] == 1 and hand["street"] == 0  # the big blind has the option
    play(hand, CALL)
    assert hand["street"] == 1 and hand["mover"] == 1
    play(hand, CALL, CALL, CALL, CALL, CALL, CALL)
    assert chips(hand) == [102, 98] and hand["street"] == OVER


def test_six_players_act_from_the_left_of_the_big_blind_and_then_of_the_button():
    hand = dealt([100] * 6, [])
    order = []
    while hand["street"] == 0:
        order.append(int(hand["mover"]))
        act(hand, CALL)
    assert order == [3, 4, 5, 0, 1, 2] and hand["mover"] == 1


def test_everybody_folds_to_the_big_blind_and_what_was_not_called_returns():
    hand = dealt([100] * 3, [])
    play(hand, ALL_IN, FOLD, FOLD)
    assert chips(hand) == [103, 99, 98] and hand["street"] == OVER


def test_side_pots_three_all_ins():
    hand = dealt([30, 60, 100], ["AhAd", "KhKd", "3h4d"])
    play(hand, ALL_IN, ALL_IN, CALL)
    assert chips(hand) == [90, 60, 40]  # the main pot, the side pot, and what was never in it


def test_the_best_hand_with_the_least_chips_wins_only_what_it_paid_for():
    hand = dealt([10, 100, 100], ["AhAd", "3h4d", "KhKd"])
    play(hand, ALL_IN, CALL, CALL)
    assert hand["street"] == 1 and hand["mover"] == 1
    play(hand, POT, CALL, CALL, CALL, CALL, CALL)
    assert chips(hand) == [30, 60, 120]


def test_folded_chips_belong_to_the_pots_they_were_put_in():
    hand = dealt([20, 200, 200, 200], ["AhAd", "3h4d", "KhKd", "5h6d"], button=3)
    play(hand, CALL, CALL, CALL, CALL)
    play(hand, ALL_IN, CALL, CALL, CALL)  # 18 more: the first to act is the short stack
    play(hand, POT, FOLD, CALL)
    assert hand["put"][:4].sum() == 80 + 160
    play(hand, CALL, CALL)
    assert hand["street"] == OVER and chips(hand) == [80, 100, 180, 260]


def test_odd_chips_go_to_the_left_of_the_button():
    hand = dealt([50, 50, 50], ["AhKd", "AdKh", "3h4d"], button=1)
    play(hand, CALL, FOLD, CALL)  # button, small blind, big blind
    assert hand["street"] == 1 and hand["mover"] == 0
    play(hand, *[CALL] * 6)
    assert chips(hand) == [48 + 3, 48 + 2, 49]  # five chips: of the winners, seat 0 sits first to the button's left


def test_a_split_pot_on_the_board():
    hand = dealt([40, 40], ["2h3d", "2d3h"], board="AsKsQsJsTs")
    play(hand, ALL_IN, CALL)
    assert chips(hand) == [40, 40]


def test_a_raise_is_at_least_the_last_one():
    hand = dealt([500, 500, 500], [])
    assert bet_to(hand, RAISE) == 2 + 6 and bet_to(hand, POT) == 2 + 5
    play(hand, POT)
    assert hand["bet"] == 7 and hand["full"] == 5 and bet_to(hand, RAISE) == 7 + 6


def test_a_short_all_in_does_not_reopen_the_betting_but_two_that_add_up_do():
    hand = dealt([500, 12, 500, 500], [], button=3)
    play(hand, RAISE, FOLD, FOLD, ALL_IN)  # seat 2 to 8; the big blind has 12 in all: 4 more, less than 6
    assert hand["mover"] == 2 and can(hand) == {FOLD, CALL}
    hand = dealt([16, 12, 500, 500], [], button=3)
    play(hand, RAISE, CALL)
    hand["stack"][0], hand["stack"][1] = 11, 14  # all-in for 12 and for 16: 4 and 4 more, together more than 6
    play(hand, ALL_IN, ALL_IN)
    assert hand["bet"] == 16 and hand["mover"] == 2 and ALL_IN in can(hand)


def test_an_all_in_is_worth_its_mean_over_boards():
    hand = dealt([100, 60], ["AhAd", "KhKd"], board="KcKs2d3h4h")
    play(hand, ALL_IN, CALL)
    scratch = new_hands(1)
    came, _ = mean_gain(hand, 0, 0, 1, scratch, 1)
    assert came == -60  # the kings made four of a kind
    found, _ = mean_gain(hand, 0, 0, 20_000, scratch, 1)
    share = exact_equity(np.stack([parse_range("AhAd"), parse_range("KhKd")]), []).share[0]
    assert found == pytest.approx(120 * share - 60, abs=4 * 60 * 0.8 / 20_000**0.5)
    assert chips(hand) == [40, 120]  # the hand itself is left as it was
    turn, _ = mean_gain(hand, 0, 2, 4000, scratch, 1)
    assert turn == -60  # on the board KcKs2d3h no river helps the aces


def test_the_limit_of_raises():
    hand = dealt([500, 500], [], raises=1)
    play(hand, RAISE)
    assert can(hand) == {FOLD, CALL}
    play(hand, CALL)
    assert ALL_IN in can(hand)  # a new street


def test_the_last_player_with_chips_is_not_asked():
    hand = dealt([20, 100], ["AhAd", "KhKd"])
    play(hand, ALL_IN)
    assert can(hand) == {FOLD, CALL}
    play(hand, CALL)
    assert hand["street"] == OVER and chips(hand) == [40, 80]


@pytest.mark.parametrize("hands", [20_000, pytest.param(1_000_000, marks=pytest.mark.full)])
def test_random_hands_keep_their_chips(hands):
    random = np.random.default_rng(7)
    for number in range(hands // 500):
        seats = int(random.integers(2, 7))
        stacks = 2 + (300 * random.random(seats) ** 2).astype(np.int64)
        seeds = random.integers(1 << 62, size=500).astype(np.uint64)
        played = deal_hands(stacks, np.arange(500) % seats, 1 + number % 4, seeds)
        play_hands(played, np.zeros((500, seats), np.int64), [random_player], number)
        assert (played["stack"].sum(1) == stacks.sum()).all() and (played["stack"] >= 0).all()


@pytest.mark.faults
@pytest.mark.parametrize(("stacks", "said"), [([100], "1 seats"), ([100] * 7, "7 seats"), ([100, 1], "stack of 1")])
def test_impossible_tables(stacks, said):
    with pytest.raises(InputError, match=said):
        checked_stacks(stacks)
