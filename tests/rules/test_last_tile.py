"""The last tile of the live wall: haitei, houtei, rinshan, and what may no longer be done.

In a round without calls the dealer, seat 0, draws the last tile but one, and seat 1 the last.
"""

from table import Scene

SIMPLES = "234m567p55p23467s"  # waits for 5s and 8s


def last_draw(hands, tile):
    """Return a scene in which seat 1 has drawn the last tile."""
    scene = Scene(hands, keep=tile).run_down(1)
    scene.draws(1, tile)
    return scene.to_turn(1)


def test_win_by_the_last_draw():
    scene = last_draw({1: SIMPLES}, "5s").play("1 tsumo")
    assert scene.won(1).yaku == {"haitei", "menzen tsumo", "pinfu", "tanyao"}


def test_win_on_the_last_discard():
    scene = last_draw({2: SIMPLES}, "5s").play("1 discard 5s", "2 ron")
    assert scene.won(2).yaku == {"houtei", "pinfu", "tanyao"}


def test_last_discard_cannot_be_called():
    scene = last_draw({0: "55s147m28p123456z", 2: "4677s147m28p1234z"}, "0s")
    assert scene.play("1 discard 0s").how == "exhaustive draw"


def test_last_discard_but_one_can():
    scene = Scene({1: "4677s147m28p1234z", 2: "55s147m28p123456z"}, keep="0s").run_down(2)
    scene.draws(0, "0s")
    scene.play("0 discard 0s")
    assert scene.options(1) == {"chow 46s", "chow 67s", "pass"}
    assert scene.options(2) == {"pong", "pass"}


def test_no_kong_with_the_last_tile():
    assert "closed kong 1m" not in last_draw({1: "111m147p258s1234z"}, "1m").options(1)
    scene = Scene({0: "111m147p258s1234z"}, keep="1m").run_down(2)
    scene.draws(0, "1m")
    assert "closed kong 1m" in scene.to_turn(0).options(0)


def test_no_added_kong_with_the_last_tile():
    scene = Scene({2: "11z147m258p258s34z"}, {1: "1z"}, keep="1z")
    scene.play("1 discard 1z", "2 pong", "2 discard 3z").run_down(1)
    assert scene.turn == 1  # seat 2 draws the last tile
    scene.draws(2, "1z")
    assert "added kong 1z" not in scene.to_turn(2).options(2)


def test_replacement_is_never_the_last_tile_but_the_discard_after_it_is():
    hands = {0: "111m234p678p567s9s", 1: "234m567m22p23467s"}
    scene = Scene(hands, replacements="9s", keep="1m").run_down(2)
    scene.draws(0, "1m")
    scene.to_turn(0).play("0 closed kong 1m")
    assert scene.tiles_left == 0
    scene.play("0 tsumo")
    assert scene.won(0).yaku == {"rinshan kaihou", "menzen tsumo"}
    scene = Scene(hands, replacements="8s", keep="1m").run_down(2)
    scene.draws(0, "1m")
    scene.to_turn(0).play("0 closed kong 1m", "0 discard 8s", "1 ron")
    assert scene.won(1).yaku == {"houtei", "pinfu", "tanyao"}


def test_replacement_after_an_open_kong():
    scene = Scene({1: "999p234m678m55s34s"}, {0: "9p"}, replacements="2s").play("0 discard 9p", "1 kong", "1 tsumo")
    assert scene.won(1).yaku == {"rinshan kaihou"}
    assert scene.deltas == [-700, 1500, -400, -400]  # all pay: there is no liability for the open kong
