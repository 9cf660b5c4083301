"""Of several readings, and places of the winning tile, the one that is worth the most counts."""

from simulator.scoring.hands import score


def names(hand, **how):
    return {name.rpartition("(")[2].rstrip(")") for name in score(hand, **how).yaku}


def test_three_equal_runs_where_they_are_worth_more():
    assert names("111222333m99s78p9p") == {"pinfu", "iipeiko", "junchan"}


def test_three_triplets_where_they_are_worth_more():
    assert names("222333444m55z78s9s") == {"sanankou"}


def test_winning_tile_in_the_run_for_pinfu():
    assert names("34555m123p456p789s", win="5m") == {"pinfu"}


def test_winning_tile_in_the_pair_for_its_fu():
    assert score("34555m", melds=["pong 555z", "closed kong 2222p", "chow 123s"], win="5m").fu == 50


def test_claimed_tile_in_the_run_so_that_the_triplet_stays_concealed():
    scored = score("222m777p999978s11z", win="9s")
    assert (scored.han, scored.fu) == (2, 50)  # 30 + 4 + 4 + 8, the pair is the round wind's: 2


def test_seven_pairs_or_twin_runs():
    assert names("223344m667788p1s1s") == {"ryanpeiko"}


def test_yakuman_before_a_counted_yakuman():
    scored = score(
        "222333444888s55z", win="2s", tsumo=True, double_riichi=True, indicators="7s7s1s", ura_indicators="4z4z4z"
    )
    assert (scored.limit, list(scored.yaku)) == ("yakuman", ["four concealed triplets (suuankou)"])
