"""A folder of prepared logs: what was saved comes back, damage is refused, and games are split by key alone."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from flow_pairs import collect

from simulator.logs.generate import generate_games
from simulator.logs.mjlog import read_mjlog
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.tenhou6 import read_tenhou6
from simulator.logs.tenhou6_writer import write_tenhou6
from simulator.rules import Rules
from suphx.dataset.prepare import prepare_games
from suphx.dataset.prepared import GAME_ROW, SPLITS, LeftOut, Prepared, load_prepared
from suphx.errors import InputError


@pytest.fixture(scope="module")
def prepared() -> Prepared:
    games = list(generate_games(2, ["random"], seed=4)) + list(generate_games(1, ["random"], Rules.m_league(), seed=4))
    return prepare_games(games)


@pytest.fixture
def folder(prepared, tmp_path) -> Path:
    prepared.save(tmp_path / "saved")
    return tmp_path / "saved"


def test_what_was_saved_comes_back(prepared, folder):
    loaded = load_prepared(folder)
    for name in ("games", "rounds", "events", "absent"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(prepared, name))
        assert getattr(loaded, name).dtype == getattr(prepared, name).dtype
    for name in ("archives", "players", "rooms", "rules", "left_out"):
        assert getattr(loaded, name) == getattr(prepared, name)
    assert loaded.rules == [Rules(), Rules.m_league()]
    assert collect(loaded).pairs == collect(prepared).pairs


def test_a_folder_is_never_written_to_by_who_reads_it(prepared, folder):
    load_prepared(folder).rounds["scores"] = 0
    np.testing.assert_array_equal(load_prepared(folder).rounds, prepared.rounds)


# Damage.


def refuse(folder: Path, match: str) -> None:
    with pytest.raises(InputError, match=match):
        load_prepared(folder)


@pytest.mark.faults
@pytest.mark.parametrize("name", ["games", "rounds", "events", "absent"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[:40],
        lambda data: b"",
        lambda data: b"PK\x03\x04" + data,
        lambda data: b"\x80\x04" + data,
        lambda data: data.replace(b"NUMPY", b"HUMPY"),
        lambda data: data.replace(b"'shape': (", b"'shape': (9"),
    ],
    ids=["cut", "cut in its head", "empty", "a zip", "a pickle", "no array", "too long a shape"],
)
def test_an_array_that_is_not_whole_is_refused_by_name(folder, name, damage):
    file = folder / f"{name}.npy"
    file.write_bytes(damage(file.read_bytes()))
    refuse(folder, f"{name}.npy: no array, or not whole")


@pytest.mark.faults
@pytest.mark.parametrize("name", ["games", "rounds", "events", "absent"])
def test_an_array_of_something_else_is_refused_by_name(folder, prepared, name):
    array = getattr(prepared, name)
    for other in (np.zeros(len(array), "i2"), array[None], array[0]):
        np.save(folder / f"{name}.npy", other)
        refuse(folder, f"{name}.npy: holds")
    np.save(folder / f"{name}.npy", np.array([{}], object))
    refuse(folder, f"{name}.npy: no array")
    (folder / f"{name}.npy").unlink()
    refuse(folder, f"{name}.npy: no array")


@pytest.mark.faults
@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("rounds", "game", 3),
        ("rounds", "rules", 2),
        ("rounds", "first_event", -1),
        ("rounds", "first_event", 1 << 40),
        ("rounds", "first_event", (1 << 63) - 1),  # with n_events added it is below zero
        ("rounds", "n_events", -1),
        ("rounds", "n_events", (1 << 31) - 1),
        ("rounds", "hands", 136),
        ("rounds", "indicator", 136),
        ("rounds", "dealer", 4),
        ("rounds", "round", 16),
        ("games", "first_round", 1 << 31),
        ("games", "n_rounds", (1 << 32) - 1),
        ("games", "archive", 1),
        ("games", "room", 1),
        ("games", "rules", 2),
        ("games", "players", 1),
    ],
)
def test_a_number_that_points_outside_is_refused_by_name(folder, name, field, value):
    array = np.load(folder / f"{name}.npy")
    array[field][1] = value
    np.save(folder / f"{name}.npy", array)
    refuse(folder, f"{name}.npy: does not fit what lies beside it")


@pytest.mark.faults
def test_arrays_of_different_lengths_are_refused(folder, prepared):
    np.save(folder / "absent.npy", prepared.absent[:-1])
    refuse(folder, r"absent.npy: does not fit")
    np.save(folder / "absent.npy", prepared.absent)
    np.save(folder / "rounds.npy", prepared.rounds[:-1])
    refuse(folder, r"games.npy: does not fit")


@pytest.mark.faults
@pytest.mark.parametrize("tile", [136, 200, 255])
def test_a_tile_that_does_not_exist_is_not_replayed(prepared, tile):
    for event in range(40):
        events = prepared.events.copy()
        events["tile"][event] = tile
        with pytest.raises(AssertionError, match="round 0 cannot be replayed"):
            collect(dataclasses.replace(prepared, events=events))


def page(change: Callable[[dict], object]) -> Callable[[bytes], bytes]:
    def changed(data: bytes) -> bytes:
        page = json.loads(data)
        change(page)
        return json.dumps(page).encode()

    return changed


@pytest.mark.faults
@pytest.mark.parametrize(
    ("damage", "match"),
    [
        (lambda data: data[:100], "Invalid JSON"),
        (lambda data: b"\xff\xfe", "Invalid JSON"),
        (lambda data: b"[]", "should be an object"),
        (page(lambda page: page.update(format=2)), "of format 2; this version reads 1"),
        (page(lambda page: page.pop("rooms")), "rooms"),
        (page(lambda page: page.update(players="a")), "players"),
        (page(lambda page: page["left_out"].update(lost=1)), "lost"),
        (page(lambda page: page["rules"][0].update(fog=True)), "fog"),
        (page(lambda page: page["rules"][0].update(length="west")), "length is 'west'"),
        (page(lambda page: page["rules"][0].update(uma=[1, 2])), "uma"),
        (page(lambda page: page["rules"][0].update(starting_points=None)), "starting_points"),
    ],
)
def test_a_page_that_was_changed_is_refused_by_name(folder, damage, match):
    file = folder / "prepared.json"
    file.write_bytes(damage(file.read_bytes()))
    refuse(folder, rf"prepared.json: (?s:.*){match}")


@pytest.mark.faults
def test_what_is_no_prepared_folder_is_refused(folder, tmp_path):
    (tmp_path / "file").write_text("")
    refuse(tmp_path / "file", "file")
    refuse(tmp_path / "missing", "missing: no prepared logs")
    (folder / "prepared.json").unlink()
    refuse(folder, "saved: no prepared logs: it has no prepared.json")


# Splits.


def with_keys(keys: np.ndarray) -> Prepared:
    games = np.zeros(len(keys), GAME_ROW)
    games["key"] = keys
    none = np.zeros(0)
    return Prepared(games, none, none, none, [], [], [], [], LeftOut())


def test_the_splits_have_their_shares_of_the_games():
    n = 200_000
    keys = np.random.default_rng(1).integers(0, 1 << 64, n, np.uint64)
    found = np.bincount(with_keys(keys).split(), minlength=len(SPLITS)) / n
    shares = np.array(list(SPLITS.values()))
    assert shares.sum() == pytest.approx(1)
    assert (np.abs(found - shares) < 4 * np.sqrt(shares * (1 - shares) / n)).all(), found


def test_keys_of_games_are_spread_as_random_numbers_are():
    keys = prepare_games(generate_games(40, ["tsumogiri"], seed=2)).games["key"]
    assert len(set(keys.tolist())) == 40
    assert 0.35 < np.mean(keys * 2.0**-64) < 0.65  # four standard deviations are 0.18


def test_the_least_and_the_greatest_key_have_a_split():
    assert with_keys(np.array([0, (1 << 64) - 1], np.uint64)).split().tolist() == [0, 2]


def test_the_split_of_a_game_is_of_its_key_alone():
    keys = np.random.default_rng(2).integers(0, 1 << 64, 1000, np.uint64)
    split = with_keys(keys).split()
    order = np.random.default_rng(3).permutation(len(keys))
    assert with_keys(keys[order]).split().tolist() == split[order].tolist()
    other = with_keys(keys)
    for name in set(GAME_ROW.names) - {"key"}:
        other.games[name] = 1
    assert other.split().tolist() == split.tolist()


def test_a_game_has_one_key_in_every_format_archive_and_company():
    logs = list(generate_games(3, ["random"], seed=6))
    here = prepare_games(logs, "here.zip")
    assert here.games["key"].tolist() == prepare_games(logs, "there.zip").games["key"].tolist()
    for log, key in zip(logs, here.games["key"].tolist(), strict=True):
        (tenhou6,) = read_tenhou6(write_tenhou6(log))
        for other in (log, read_mjlog(write_mjlog(log), "x"), tenhou6):
            assert prepare_games([other], "there.zip").games["key"].tolist() == [key]


def test_the_key_is_of_the_deals_and_points_and_of_no_name():
    (log,) = generate_games(1, ["tsumogiri"], seed=6)
    renamed = dataclasses.replace(log, names=["a", "b", "c", "d"], source="elsewhere", room="phoenix", dan=[20] * 4)
    assert prepare_games([renamed]).games["key"] == prepare_games([log]).games["key"]
