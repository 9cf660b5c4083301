"""The `Rules` value: validation, presets, plain values, and the compiled form."""

import dataclasses
import json
import typing

import pytest
from hypothesis import given
from rules_strategy import any_rules

from simulator.rules import PRESETS, RULES, Rules, RulesError
from simulator.tables import Tables

FIELDS = [field.name for field in dataclasses.fields(Rules)]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("length", "west"),
        ("length", 0),
        ("red_fives", 1),
        ("red_fives", "yes"),
        ("double_wind_fu", True),
        ("double_wind_fu", 3),
        ("starting_points", 25050),
        ("starting_points", -100),
        ("starting_points", 25000.0),
        ("target_points", 2_000_000),
        ("return_points", None),
        ("riichi_min_points", 950),
        ("riichi_min_tiles", 71),
        ("riichi_min_tiles", -1),
        ("repeat_points", 100),
        ("repeat_points", -300),
        ("uma", (20, 10, -10, -10)),
        ("uma", (20, 10, -30)),
        ("uma", (2000, 10, -10, -2000)),
        ("uma", ("20", 10, -10, -20)),
        ("uma", (float("nan"), 0, 0, 0)),
        ("multiple_ron", "none"),
        ("closed_kong_in_riichi", "always"),
    ],
)
def test_wrong_value_is_refused_and_the_field_named(field, value):
    with pytest.raises(RulesError, match=field):
        Rules(**{field: value})


def test_unknown_field_is_refused_and_named():
    with pytest.raises(RulesError, match="kuitan"):
        Rules.from_dict({"kuitan": True})


def test_unknown_preset_is_refused_and_the_known_ones_named():
    with pytest.raises(RulesError, match="'tenhu'; there are tenhou, tenhou_east, tenhou_2009, tenhou_east_2009,"):
        Rules.preset("tenhu")
    with pytest.raises(RulesError, match="no preset"):
        Rules.from_dict({"preset": "house"})


@given(any_rules)
def test_plain_values_read_back(rules):
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


def test_plain_values_start_from_a_preset():
    assert Rules.from_dict({}) == Rules.tenhou()
    rules = Rules.from_dict({"preset": "mahjong_soul", "red_fives": False, "uma": [10, 5, -5, -10]})
    assert rules == dataclasses.replace(Rules.mahjong_soul(), red_fives=False, uma=(10, 5, -5, -10))


@given(any_rules)
def test_compiled_form_says_the_same(rules):
    record = rules.to_record()[()]
    assert record.dtype == RULES
    hints = typing.get_type_hints(Rules)
    for name in FIELDS:
        value = getattr(rules, name)
        if name == "uma":
            assert (record[name] / 10).tolist() == list(value)
        elif isinstance(value, str):
            assert typing.get_args(hints[name])[record[name]] == value
        else:
            assert record[name] == value


def test_rules_are_values():
    assert Rules() == Rules.tenhou()
    assert len({Rules(), Rules.tenhou(), Rules.tenhou_east()}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        Rules().red_fives = False


@pytest.mark.parametrize("name", PRESETS)
def test_presets_can_be_named_and_played(name):
    assert Rules.preset(name) == getattr(Rules, name)() == PRESETS[name]
    tables = Tables(2, PRESETS[name])
    assert (tables.games["scores"] == PRESETS[name].starting_points).all()


def test_preset_of_tenhou():
    rules = Rules.tenhou()
    assert (rules.starting_points, rules.target_points, rules.return_points) == (25000, 30000, 30000)
    assert rules.uma == (20, 10, -10, -20)
    assert rules.abort_triple_ron and not rules.double_yakuman and rules.liability_whole
    assert rules.dealer_stop == "automatic"


def test_presets_of_old_tenhou():
    assert Rules.tenhou_2009() == Rules(dealer_stop="win")
    old = {"length": "east", "dealer_stop": "win", "east_into_west": True, "uma": (10, 5, -5, -10)}
    assert Rules.tenhou_east_2009() == Rules(**old)


def test_preset_of_mahjong_soul_differs_from_tenhou():
    changed = {name for name in FIELDS if getattr(Rules.mahjong_soul(), name) != getattr(Rules.tenhou(), name)}
    assert changed == {
        "return_points", "uma", "abort_triple_ron", "double_yakuman", "liability_whole",
        "thirteen_orphans_rob_closed_kong",
    }  # fmt: skip


def test_preset_of_the_m_league():
    rules = Rules.m_league()
    assert (rules.uma, rules.ties, rules.multiple_ron) == ((30, 10, -10, -30), "shared", "head_bump")
    assert not any(getattr(rules, name) for name in FIELDS if name.startswith("abort_"))
    assert not (rules.bust or rules.west_entry or rules.nagashi_mangan or rules.counted_yakuman)
    assert rules.dealer_stop == "never"
    assert rules.kiriage_mangan and rules.riichi_below_zero and rules.liability_kongs
