"""Shanten, waits and accepted tiles: against the definition, an independent library, and themselves."""

import itertools

import numba
import numpy as np
import pytest

from simulator import lookup as lookup_module
from simulator.efficiency import (
    accepted_batch,
    accepted_of,
    discards_batch,
    discards_of,
    kinds_of,
    shanten_batch,
    shanten_of,
    waits_batch,
    waits_of,
)
from simulator.lookup import KEY_STEP, derive, get_lookup
from simulator.shanten import NO_SHANTEN, is_complete, shanten_of_keys, suit_key, tenpai_discards_of_keys
from simulator.tiles import KINDS, TERMINALS_AND_HONORS, NotationError, parse_counts

COMPILED = not numba.config.DISABLE_JIT
MANY = 40_000 if COMPILED else 500
ORPHANS = [kind for kind in range(KINDS) if TERMINALS_AND_HONORS >> kind & 1]
SETS = [[k, k, k] for k in range(KINDS)] + [[k, k + 1, k + 2] for k in range(27) if k % 9 < 7]


def make_hands(n, size, seed=1):
    """Return u8[n, 34]: hands of `size` tiles or fewer by threes, of every sort that a rule could go wrong on."""
    rng = np.random.default_rng(seed)
    return np.array([_make_hand(rng, i % 7, size - 3 * rng.integers(0, 5) * (i % 3 == 2)) for i in range(n)], np.uint8)


def _make_hand(rng, sort, tiles):
    counts = np.zeros(KINDS, np.int64)
    if sort == 0 and tiles >= 13:  # orphans-like
        counts[rng.choice(ORPHANS, rng.integers(8, 14), replace=False)] += 1
    elif sort == 1 and tiles >= 13:  # pairs-like, fours among them
        for kind in rng.choice(KINDS, 6):
            counts[kind] = min(4, counts[kind] + 2)
    elif sort in (2, 3):  # near complete
        for block in [SETS[i] for i in rng.integers(0, len(SETS) if sort == 2 else 34, (tiles - 1) // 3)]:
            counts[block] += 1
        counts[rng.integers(KINDS)] += 2
        counts = np.minimum(counts, 4)
    pool = {4: range(9), 5: range(18, KINDS), 6: [*range(27, KINDS), 0, 1, 2, 3]}.get(sort, range(KINDS))
    copies = np.repeat(np.arange(KINDS), 4 - counts)
    copies = rng.permutation(copies[np.isin(copies, pool)])
    while counts.sum() > tiles:
        counts[rng.choice(np.flatnonzero(counts))] -= 1
    np.add.at(counts, copies[: tiles - counts.sum()], 1)
    return counts


@pytest.fixture(scope="module")
def before_draw():
    return make_hands(MANY // 2, 13)


@pytest.fixture(scope="module")
def after_draw():
    return make_hands(MANY // 2, 14, seed=2)


# Against the definition: the nearest of all complete hands, by enumeration.


def _suit_patterns(kinds, runs):
    """Return {(sets, pairs): patterns [n, kinds]} of everything that a suit of a complete hand can be."""
    blocks = [np.bincount([k] * 3, minlength=kinds) for k in range(kinds)]
    blocks += [np.bincount([k, k + 1, k + 2], minlength=kinds) for k in range(kinds - 2) if runs]
    found = {}
    for sets in range(5):
        sums = {
            tuple(sum(chosen, np.zeros(kinds, int))) for chosen in itertools.combinations_with_replacement(blocks, sets)
        }
        for pairs in range(2):
            pair_sums = {tuple(np.array(s) + 2 * np.eye(kinds, dtype=int)[k]) for s in sums for k in range(kinds)}
            chosen = np.array(sorted(pair_sums if pairs else sums), np.int8)
            found[sets, pairs] = chosen[chosen.max(axis=1) <= 4]
    return found


@pytest.fixture(scope="module")
def distance():
    """Return a function: counts, number of melds -> shanten, by measuring the way to every complete hand."""
    suited, honors = _suit_patterns(9, runs=True), _suit_patterns(7, runs=False)

    def away(counts, patterns):
        return {of: int(np.maximum(p - counts, 0).sum(axis=1).min()) for of, p in patterns.items()}

    def shortest(counts, n_melds):
        counts = counts.astype(np.int8)
        best = {(0, 0): 0}
        for suit in range(4):
            here = away(counts[9 * suit : 9 * suit + 9], suited if suit < 3 else honors)
            merged = {}
            for (m, p), (i, q) in itertools.product(best, here):
                if m + i <= 4 and p + q <= 1:
                    merged[m + i, p + q] = min(merged.get((m + i, p + q), 99), best[m, p] + here[i, q])
            best = merged
        numbers = [best[4 - n_melds, 1]]
        if n_melds == 0:
            numbers.append(sum(sorted(2 - np.minimum(counts, 2))[:7]))
            orphans = counts[ORPHANS]
            numbers.append((orphans == 0).sum() + (orphans.max() < 2))
        return min(numbers) - 1

    return shortest


@pytest.mark.parametrize("size", [13, 14])
def test_shanten_is_the_distance_to_the_nearest_complete_hand(distance, size):
    hands = make_hands(150, size, seed=3)
    expected = [distance(hand, 4 - int(hand.sum()) // 3) for hand in hands]
    assert shanten_batch(hands).tolist() == expected


def test_accepted_kinds_are_those_that_shorten_the_distance(distance):
    hands = make_hands(21, 13, seed=4)
    for hand, mask in zip(hands, accepted_batch(hands).tolist(), strict=True):
        n_melds = 4 - int(hand.sum()) // 3
        now = distance(hand, n_melds)
        for kind in range(KINDS):
            lowers = hand[kind] < 4 and distance(hand + np.eye(KINDS, dtype=np.uint8)[kind], n_melds) < now
            assert lowers == bool(mask >> kind & 1), (hand, kind)


def _complete(counts, n_melds):
    """Return whether a hand is complete, by taking it apart from the lowest tile on."""

    def sets_only(rest):
        first = next((k for k in range(KINDS) if rest[k]), None)
        if first is None:
            return True
        triplet = rest[first] >= 3 and sets_only([n - 3 * (k == first) for k, n in enumerate(rest)])
        run = first < 27 and first % 9 < 7 and rest[first + 1] and rest[first + 2]
        return triplet or bool(run and sets_only([n - (first <= k <= first + 2) for k, n in enumerate(rest)]))

    pairs = [kind for kind in range(KINDS) if counts[kind] >= 2]
    if any(sets_only([n - 2 * (k == pair) for k, n in enumerate(counts)]) for pair in pairs):
        return True
    if n_melds:
        return False
    return len([n for n in counts if n == 2]) == 7 or (
        all(counts[k] for k in ORPHANS) and sum(counts[k] for k in ORPHANS) == 14
    )


def test_waits_are_the_tiles_that_complete_the_hand(before_draw):
    tenpai = before_draw[shanten_batch(before_draw) == 0][:400]
    assert len(tenpai) > 20
    for hand, mask in zip(tenpai.tolist(), waits_batch(tenpai).tolist(), strict=True):
        expected = 0
        for kind in range(KINDS):
            hand[kind] += 1
            expected |= (hand[kind] <= 4 and _complete(hand, 4 - sum(hand) // 3)) << kind
            hand[kind] -= 1
        assert mask == expected, hand


def test_complete_means_that_it_can_be_taken_apart(after_draw):
    hands = after_draw[shanten_batch(after_draw) < 1][:600]
    found = [is_complete(get_lookup(), hand, 4 - int(hand.sum()) // 3) for hand in hands]
    assert found == [_complete(hand.tolist(), 4 - int(hand.sum()) // 3) for hand in hands]
    assert any(found) and not all(found)


# Against xiangting, which holds to the same rule: no hand may use a fifth tile of a kind. There is no difference.


@pytest.mark.parametrize("size", [13, 14])
def test_shanten_agrees_with_xiangting(before_draw, after_draw, size):
    xiangting = pytest.importorskip("xiangting", reason="xiangting is not installed: pip install 'suphx[bench]'")
    hands = before_draw if size == 13 else after_draw
    four = xiangting.PlayerCount.FOUR
    expected = [xiangting.calculate_replacement_number(hand, four) - 1 for hand in hands.tolist()]
    np.testing.assert_array_equal(shanten_batch(hands), expected)


def test_accepted_and_waits_agree_with_xiangting(before_draw):
    xiangting = pytest.importorskip("xiangting", reason="xiangting is not installed: pip install 'suphx[bench]'")
    expected = [xiangting.calculate_necessary_tiles(hand, xiangting.PlayerCount.FOUR) for hand in before_draw.tolist()]
    masks = np.array([mask for _, mask in expected], np.int64)
    np.testing.assert_array_equal(accepted_batch(before_draw), masks)
    tenpai = np.array([number for number, _ in expected]) == 1
    np.testing.assert_array_equal(waits_batch(before_draw), np.where(tenpai, masks, 0))


# Each against the others.


def test_tenpai_is_to_have_a_wait(before_draw):
    np.testing.assert_array_equal(shanten_batch(before_draw) == 0, waits_batch(before_draw) != 0)


def test_a_draw_lowers_shanten_by_one_or_nothing(before_draw):
    rng = np.random.default_rng(5)
    kinds = rng.integers(0, KINDS, len(before_draw))
    rows = np.flatnonzero(before_draw[np.arange(len(kinds)), kinds] < 4)
    drawn = before_draw[rows].copy()
    drawn[np.arange(len(rows)), kinds[rows]] += 1
    lower = accepted_batch(before_draw[rows]) >> kinds[rows] & 1
    np.testing.assert_array_equal(shanten_batch(drawn), shanten_batch(before_draw[rows]) - lower)


def test_every_discard_is_the_hand_without_it(after_draw):
    hands = after_draw[: 3000 if COMPILED else 60]
    remaining = np.random.default_rng(6).integers(0, 5, (len(hands), KINDS))
    found = discards_batch(hands, remaining=remaining)
    rows, kinds = np.nonzero(hands)
    left = hands[rows]
    left[np.arange(len(rows)), kinds] -= 1
    masks = accepted_batch(left)
    np.testing.assert_array_equal(found.shanten[rows, kinds], shanten_batch(left))
    np.testing.assert_array_equal(found.accepted[rows, kinds], masks)
    held = (masks[:, None] >> np.arange(KINDS) & 1) * remaining[rows]
    np.testing.assert_array_equal(found.tiles[rows, kinds], held.sum(axis=1))
    absent = hands == 0
    assert (found.shanten[absent] == NO_SHANTEN).all()
    assert not found.accepted[absent].any() and not found.tiles[absent].any()


def test_the_numbered_suits_are_alike(before_draw):
    turned = before_draw[:, [*range(9, 27), *range(9), *range(27, KINDS)]]
    np.testing.assert_array_equal(shanten_batch(turned), shanten_batch(before_draw))


def test_keys_follow_the_hand_tile_by_tile():
    tables = get_lookup()
    for counts in make_hands(50, 14, seed=7):
        n_melds = 4 - int(counts.sum()) // 3
        keys = np.zeros(4, np.int32)
        for kind in np.repeat(np.arange(KINDS), counts):
            keys[kind // 9] += KEY_STEP[kind]
        assert keys.tolist() == [suit_key(counts, suit) for suit in range(4)]
        assert shanten_of_keys(tables, keys, n_melds) == shanten_batch(counts[None])[0]
        tenpai = np.flatnonzero(discards_batch(counts[None]).shanten[0] == 0)
        assert tenpai_discards_of_keys(tables, counts, keys, n_melds) == sum(1 << int(kind) for kind in tenpai)


# The rules, hand by hand.


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("123m406p77z123789s", -1),
        ("1199m1199p1199s77z", -1),
        ("19m19p19s12345677z", -1),
        ("123m456p77z12378s", 0),
        ("19m19p19s1234567z", 0),
        ("147m258p369s12345z", 6),
        ("77z", -1),
        ("1m", 0),
    ],
)
def test_shanten_of_written_hands(hand, expected):
    assert shanten_of(hand) == expected


def test_seven_pairs_are_of_seven_kinds():
    assert shanten_of("1111m3355p7799s11z") == 1
    assert shanten_of("1133m3355p7799s1z") == 0


def test_pairs_and_orphans_need_a_closed_hand():
    assert shanten_of("1199m1199p1199s7z") == 0
    assert shanten_of("1199p1199s447z") == 2
    assert shanten_of("19m19p19s1234z") == 6


def test_a_fifth_tile_of_a_kind_is_no_wait():
    assert shanten_of("123m456p789s1111z") == 1
    assert waits_of("123m456p789s1111z") == []
    assert waits_of("1111m") == []


@pytest.mark.parametrize(
    ("hand", "waits"),
    [
        ("1112345678999m", "1m 2m 3m 4m 5m 6m 7m 8m 9m"),
        ("19m19p19s1234567z", "1m 9m 1p 9p 1s 9s 1z 2z 3z 4z 5z 6z 7z"),
        ("19m19p19s1123456z", "7z"),
        ("2233445566778m", "2m 5m 8m"),
        ("1m", "1m"),
        ("147m258p369s1234z", ""),
        ("2345m", "2m 5m"),
    ],
)
def test_waits_of_written_hands(hand, waits):
    assert waits_of(hand) == waits.split()


def test_accepted_of_counts_what_the_hand_does_not_hold():
    assert accepted_of("123m456p11z12379s") == {"8s": 4}
    assert accepted_of("123m456p1155z123s") == {"1z": 2, "5z": 2}


def test_discards_come_best_first():
    best = discards_of("123m406p77z125799s")[0]
    assert best.shanten == 1
    assert best.kind == "5s"
    assert best.accepted == {"3s": 4, "8s": 4, "9s": 2, "7z": 2}


def test_kinds_of_names_a_mask():
    assert kinds_of(1 << 0 | 1 << 33) == ["1m", "7z"]


# What is no hand.


@pytest.mark.parametrize("hand", ["12q", "123", "8z", "11111m"])
def test_unreadable_hands_are_refused(hand):
    with pytest.raises(NotationError):
        shanten_of(hand)


def test_wrong_numbers_of_tiles_are_refused():
    with pytest.raises(ValueError, match="has 3 tiles"):
        shanten_of("123m")
    with pytest.raises(ValueError, match="has 14 tiles; here it must be 1, 4, 7, 10 or 13"):
        waits_of("11223344556677m")
    with pytest.raises(ValueError, match="has 13 tiles"):
        discards_of("1122334455667m")


@pytest.mark.parametrize(
    ("hands", "word"),
    [
        (np.zeros(KINDS, np.uint8), "shape"),
        (np.ones((1, KINDS)), "integer"),
        (np.full((1, KINDS), -1), "-1"),
        (np.eye(KINDS, dtype=np.uint8)[:1] * 5, "hand 0 holds 5 1m"),
        (np.eye(KINDS, dtype=np.uint8)[:2] * 3, "hand 0 has 3 tiles"),
    ],
)
def test_batches_that_are_no_hands_are_refused(hands, word):
    with pytest.raises(ValueError, match=word):
        shanten_batch(hands)


def test_remaining_must_be_tiles():
    hand = parse_counts("11223344556677m")[None]
    with pytest.raises(ValueError, match="remaining"):
        discards_batch(hand, remaining=np.full(KINDS, 5))


def test_no_hands_are_fine():
    assert shanten_batch(np.zeros((0, KINDS), np.uint8)).shape == (0,)


# The tables.


def test_tables_are_kept_and_a_damaged_file_is_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(lookup_module, "cache_folder", lambda: tmp_path)
    first = get_lookup.__wrapped__()
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    monkeypatch.setattr(lookup_module, "derive", lambda: first)
    for damaged in (whole[:1000], b"", whole[:-5000] + bytes(5000), b"\x80\x04K\x01."):
        file.write_bytes(damaged)
        assert get_lookup.__wrapped__() == first
        assert file.read_bytes() == whole
    monkeypatch.delattr(lookup_module, "derive")
    assert get_lookup.__wrapped__() == first


def test_tables_work_where_they_cannot_be_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(lookup_module, "cache_folder", lambda: tmp_path / "missing")
    assert get_lookup.__wrapped__() == derive()
