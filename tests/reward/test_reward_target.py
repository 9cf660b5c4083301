"""What a game is worth: prizes by rank, ranks by points."""

import numpy as np
import pytest
from pydantic import ValidationError

from simulator.players import player
from simulator.players.play import play_games
from suphx.reward.target import PrizeList, RankingPoints, centered, ranks
from suphx.reward.training import RewardConfig


@pytest.mark.parametrize(
    ("room", "dan", "length", "prizes"),
    [
        ("phoenix", 7, "east_south", (90, 45, 0, -135)),
        ("phoenix", 10, "east_south", (90, 45, 0, -180)),
        ("expert", 4, "east_south", (75, 30, 0, -90)),
        ("phoenix", 7, "east", (60, 30, 0, -90)),
    ],
)
def test_ranking_points_are_those_of_room_and_dan(room, dan, length, prizes):
    assert RankingPoints(room=room, dan=dan).by_rank(length) == prizes


def test_the_default_target_is_that_of_the_seventh_dan_in_the_phoenix_room():
    target = RewardConfig().target
    assert target.by_rank("east_south") == (90, 45, 0, -135)
    assert target.units == "ranking points, phoenix room, 7 dan"


def test_centered_prizes_add_up_to_zero_and_keep_their_differences():
    assert centered((75, 30, 0, -165)).tolist() == [90, 45, 15, -150]


def test_of_equal_points_the_seat_nearer_the_first_dealer_ranks_higher():
    assert ranks(np.array([25000, 30000, 20000, 25000])).tolist() == [1, 0, 3, 2]
    assert ranks(np.array([[25000] * 4, [0, 0, 50000, 50000]])).tolist() == [[0, 1, 2, 3], [2, 3, 0, 1]]


def test_ranks_are_those_of_the_table():
    records = [each.rounds[-1] for each in play_games([player("random", 0)] * 4, 50, seed=1)]
    for record in records:
        assert ranks(record["result"]["scores"]).tolist() == record["result"]["ranks"].tolist()


def test_a_list_of_prizes_is_taken_as_it_is():
    config = RewardConfig.model_validate({"target": {"kind": "prizes", "prizes": [15, 5, -5, -15], "units": "uma"}})
    assert config.target == PrizeList(prizes=(15, 5, -5, -15), units="uma")
    assert config.target.by_rank("east") == (15, 5, -5, -15)


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ({"kind": "prizes", "prizes": [1, 2, 3]}, "target.prizes.prizes"),
        ({"kind": "prizes", "prizes": [1, 2, 3, float("inf")]}, "target.prizes.prizes.3"),
        ({"kind": "ranking_points", "dan": 11}, "target.ranking_points.dan"),
        ({"kind": "ranking_points", "room": "beginners"}, "target.ranking_points.room"),
    ],
)
def test_a_target_that_is_none_is_refused_with_its_field(target, place):
    with pytest.raises(ValidationError) as error:
        RewardConfig.model_validate({"target": target})
    assert ".".join(map(str, error.value.errors()[0]["loc"])).startswith(place)
