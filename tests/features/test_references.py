"""Safety, gaps and the worth of waits against references written plainly."""

from __future__ import annotations

import numpy as np
import pytest
from played import Planes, played

from simulator.efficiency import discards_batch
from simulator.record import (
    EVENT_ADDED_KONG,
    EVENT_DISCARD,
    EVENT_RIICHI,
    GAME,
    MELD_CHOW,
    NO_SEAT,
    NO_TILE,
    RIVER_CALLED,
    SEATS,
    WIN,
)
from simulator.scoring.payments import payments
from simulator.tiles import KINDS
from simulator.walls import DORA_INDICATORS
from suphx.features import layout
from suphx.features.encode import encode_batch

N = 600


def kinds(mask: int) -> set[int]:
    return {kind for kind in range(KINDS) if mask >> kind & 1}


def rows() -> tuple[np.ndarray, np.ndarray, list[Planes]]:
    games, seats = played(N)
    return games, seats, [Planes(row) for row in encode_batch(games, np.arange(N), seats, with_lookahead=False)]


def seen_counts(game: np.void, seat: int) -> list[int]:
    seen = game["hand"][seat].astype(int).tolist()
    for other in range(SEATS):
        for entry in game["river"][other, : game["n_river"][other]].tolist():
            if not entry & RIVER_CALLED:
                seen[(entry & 255) >> 2] += 1
        for meld in game["melds"][other, : game["n_melds"][other]]:
            for tile in meld["tiles"].tolist():
                if tile != NO_TILE:
                    seen[tile >> 2] += 1
    for place in DORA_INDICATORS[: game["indicators"]]:
        seen[game["wall"][place] >> 2] += 1
    return seen


def safe_kinds(game: np.void, other: int) -> set[int]:
    """Read the round forward: what has passed since the last own discard, or since the riichi."""
    own, passed, in_riichi = set(), set(), False
    for code in game["events"][: game["n_events"]].tolist():
        what, seat, kind = code & 15, code >> 4 & 3, code >> 10
        if what == EVENT_RIICHI and seat == other:
            in_riichi, passed = True, set()
        if what == EVENT_DISCARD and seat == other:
            own.add(kind)
            if not in_riichi:
                passed = set()
        elif what in (EVENT_DISCARD, EVENT_ADDED_KONG):
            passed.add(kind)
    return own | passed


def two_sided(kind: int, safe: set[int], seen: list[int]) -> tuple[bool, bool]:
    """Whether the two kinds below, and above, can wait for a kind from two sides."""
    if kind >= 27:
        return False, False
    number = kind % 9
    below = number >= 3 and seen[kind - 1] < 4 and seen[kind - 2] < 4 and kind - 3 not in safe
    above = number <= 5 and seen[kind + 1] < 4 and seen[kind + 2] < 4 and kind + 3 not in safe
    return below, above


def has_run_wait(kind: int, seen: list[int]) -> bool:
    """Whether any two kinds of a run with this one have a tile left."""
    if kind >= 27:
        return False
    number = kind % 9
    pairs = [(a, b) for a, b in ((-2, -1), (-1, 1), (1, 2)) if 0 <= number + a and number + b <= 8]
    return any(seen[kind + a] < 4 and seen[kind + b] < 4 for a, b in pairs)


def test_what_is_safe_from_each_rival() -> None:
    games, seats, planes = rows()
    nothing_seen = [0] * KINDS
    for game, seat, found in zip(games, seats.tolist(), planes, strict=True):
        seen = seen_counts(game, seat)
        for rival in range(3):
            safe = safe_kinds(game, (seat + 1 + rival) % 4)
            suji = {k: two_sided(k, safe, nothing_seen) for k in range(27)}
            possible = {k: two_sided(k, safe, seen) for k in range(27)}
            assert kinds(found.masks("safety.safe")[rival]) == safe
            assert kinds(found.masks("safety.suji")[rival]) == {k for k in suji if not any(suji[k])}
            half = {k for k in suji if 3 <= k % 9 <= 5 and suji[k][0] != suji[k][1]}
            assert kinds(found.masks("safety.half_suji")[rival]) == half
            assert kinds(found.masks("safety.below")[rival]) == {k for k in possible if possible[k][0]}
            assert kinds(found.masks("safety.above")[rival]) == {k for k in possible if possible[k][1]}
            lines = sum(k % 9 <= 5 and k not in safe and k + 3 not in safe for k in range(27))
            steps = len(layout.LINE_STEPS)
            assert found.flags("safety.lines")[rival * steps :][:steps] == [lines >= n for n in layout.LINE_STEPS]
            held = sum(int(game["hand"][seat, k]) for k in safe)
            steps = len(layout.SAFE_STEPS)
            assert found.flags("safety.own")[rival * steps :][:steps] == [held >= n for n in layout.SAFE_STEPS]


def test_what_the_tiles_left_rule_out() -> None:
    games, seats, planes = rows()
    for game, seat, found in zip(games, seats.tolist(), planes, strict=True):
        seen = seen_counts(game, seat)
        assert [kinds(mask) for mask in found.masks("tiles.left")] == [
            {k for k in range(KINDS) if 4 - seen[k] >= n} for n in (1, 2, 3, 4)
        ]
        no_chance = {k for k in range(27) if not any(two_sided(k, set(), seen))}
        fewer = [count + 1 for count in seen]
        one_chance = {k for k in range(27) if not any(two_sided(k, set(), fewer))} - no_chance
        assert kinds(found.masks("safety.no_chance")[0]) == no_chance
        assert kinds(found.masks("safety.one_chance")[0]) == one_chance
        no_wait = {k for k in range(KINDS) if seen[k] == 4 and not has_run_wait(k, seen)}
        assert kinds(found.masks("safety.no_wait")[0]) == no_wait
        rivals = [(seat + n) % 4 for n in (1, 2, 3)]
        in_riichi = [safe_kinds(game, other) for other in rivals if game["riichi"][other]]
        assert kinds(found.masks("safety.riichi")[0]) == (set.intersection(*in_riichi) if in_riichi else set())
        assert kinds(found.masks("safety.all")[0]) == set.intersection(*(safe_kinds(game, o) for o in rivals))


def scores_after(game: np.void, winner: int, source: int, han: int, fu: int) -> list[int]:
    """Points after a win, by the table's own payments, with all bets and repeat counters."""
    win = np.zeros((), WIN)[()]
    win["seat"], win["source"], win["liable"] = winner, source, NO_SEAT
    win["han"], win["fu"], win["yakuman"] = han, fu, han >= 13
    payments(win, int(game["dealer"]), int(game["repeat_counter"]), int(game["bets"]), game["rules"])
    return (game["scores"] + win["deltas"]).tolist()


def is_ahead(scores: list[int], one: int, other: int) -> bool:
    return scores[one] > scores[other] or (scores[one] == scores[other] and one < other)


def test_which_wins_overtake() -> None:
    games, seats, _ = rows()
    rng = np.random.default_rng(3)
    changed = np.zeros(60, GAME)
    changed[:] = games[:60]
    changed["scores"] = rng.integers(50, 450, (60, 4)) * 100
    changed["repeat_counter"], changed["bets"] = rng.integers(0, 4, 60), rng.integers(0, 3, 60)
    found = encode_batch(changed, np.arange(60), seats[:60], with_lookahead=False)
    for game, seat, row in zip(changed, seats.tolist(), found, strict=False):
        planes, overtakes, overtaken = Planes(row), [], []
        for rival in ((seat + n) % 4 for n in (1, 2, 3)):
            third = next(s for s in range(4) if s not in (seat, rival))
            for source in (seat, rival, third):
                overtakes += [is_ahead(scores_after(game, seat, source, *w), seat, rival) for w in layout.WINS.values()]
            for source in (rival, seat):
                after = [scores_after(game, rival, source, *layout.WINS[name]) for name in layout.RIVAL_WINS]
                overtaken += [is_ahead(scores, rival, seat) for scores in after]
        assert planes.flags("points.pass") == overtakes
        assert planes.flags("points.passed") == overtaken


def test_discards_shanten_and_accepted_tiles() -> None:
    games, seats, planes = rows()
    checked = 0
    for game, seat, found in zip(games, seats.tolist(), planes, strict=True):
        hand = game["hand"][seat]
        if hand.sum() % 3 != 2 or game["forbidden"]:
            continue
        checked += 1
        left = np.array([4 - count for count in seen_counts(game, seat)], np.uint8)
        after = discards_batch(hand[None], left[None])
        shanten, tiles = after.shanten[0].astype(int), after.tiles[0]
        held = np.flatnonzero(hand)
        least = min(shanten[held])
        keep, back = ({int(k) for k in held if shanten[k] == least + cost} for cost in (0, 1))
        assert found.reached("efficiency.shanten") == 0 if least > 5 else found.flags("efficiency.shanten")[least]
        assert kinds(found.masks("efficiency.keep")[0]) == keep
        assert kinds(found.masks("efficiency.back")[0]) == back
        for step, mask in zip(layout.ACCEPTED_STEPS, found.masks("efficiency.keep_tiles"), strict=True):
            assert kinds(mask) == {k for k in keep if tiles[k] >= step}
        for step, mask in zip(layout.BACK_STEPS, found.masks("efficiency.back_tiles"), strict=True):
            assert kinds(mask) == {k for k in back if tiles[k] >= step}
        best = sorted(keep, key=lambda k: (-tiles[k], -k))[: layout.BEST_DISCARDS]
        assert [k for mask in found.masks("efficiency.best") for k in kinds(mask)] == best
    assert checked > N / 3


@pytest.mark.parametrize("steps", [layout.GAP_STEPS, layout.POINT_STEPS, layout.ACCEPTED_STEPS, layout.WALL_STEPS])
def test_steps_rise(steps: tuple[int, ...]) -> None:
    assert list(steps) == sorted(set(steps))


def test_a_chow_shows_three_kinds() -> None:
    games, seats, planes = rows()
    for game, seat, found in zip(games, seats.tolist(), planes, strict=True):
        masks = iter(found.masks("melds.kinds"))
        for relative in range(SEATS):
            other = (seat + relative) % 4
            for n in range(4):
                meld, mask = game["melds"][other, n], next(masks)
                if n >= game["n_melds"][other]:
                    assert mask == 0
                else:
                    assert kinds(mask) == {tile >> 2 for tile in meld["tiles"].tolist() if tile != NO_TILE}
                    assert (meld["type"] == MELD_CHOW) == (mask.bit_count() == 3)
