"""The values of calls, passes and kongs, and what their marks are worth, on numbers whose answer is known."""

import numpy as np
import torch

from simulator import record as r
from simulator.actions import legal_mask
from simulator.tables import Decisions
from suphx.agent.opinions import opinions_of
from suphx.agent.registry import load_agent
from suphx.dataset.loader import legal_discards
from suphx.features.encode import encode_batch
from suphx.networks.precision import Precision
from suphx.networks.weights import load_outlook
from suphx.outlook.examples import ChoiceSource
from suphx.outlook.marks import choice_evaluation
from suphx.outlook.predictor import INCLUDED, Outlook
from suphx.outlook.transitions import after_calls, after_kongs, after_passes
from suphx.outlook.valuation import by_choice, choice_values, choices_of, kinds_of_choices

PRECISION = Precision(torch.device("cpu"), torch.float32, 1, "")


def test_calls_are_worth_the_discard_after_them_and_passes_and_kongs_the_position(prepared):
    source = ChoiceSource(prepared, "training")
    examples = source.collect(source.rounds[:60], np.random.default_rng(0))
    games, seats = examples.positions, examples.seats
    rows = np.arange(len(seats))
    legal = np.array([legal_mask(game, seat) for game, seat in zip(games, seats, strict=True)])
    batch = Decisions(rows.astype(np.int32), seats, games["phase"].astype(np.uint8), legal)
    agent, outlook = load_agent("sl", precision=PRECISION), Outlook(load_outlook(INCLUDED), PRECISION)
    opinions = opinions_of(agent, games, batch)
    values = choice_values(outlook, agent, games, batch, examples.planes(), opinions)

    claims = games["phase"] == r.PHASE_CLAIM
    passed = np.flatnonzero(claims)
    after = after_passes(games[passed], seats[passed])
    expected = outlook.of(encode_batch(after, np.arange(len(passed)), seats[passed]))
    assert len(passed) > 100 and np.allclose(values.points[passed, r.PASS], expected.points, atol=1)

    kongs = np.argwhere(legal[:, r.OPEN_KONG : r.TSUMO])
    assert len(kongs) > 3
    for row, option in kongs:
        after = after_kongs(games[row : row + 1], seats[row : row + 1], np.array([option + r.OPEN_KONG]))
        expected = outlook.of(encode_batch(after, [0], seats[row : row + 1]))
        assert np.isclose(values.placement[row, option + r.OPEN_KONG], expected.placement[0], atol=0.01)

    calls = np.argwhere(legal[:, r.CHOW_LOW : r.OPEN_KONG])[:40]
    for row, option in calls:
        table, who = (
            after_calls(games[row : row + 1], seats[row : row + 1], np.array([option + 39])),
            seats[row : row + 1],
        )
        planes = encode_batch(table, [0], who)
        may = legal_discards(planes)
        kind = np.where(may, agent.networks["discard"](planes), -np.inf).argmax()
        assert np.isclose(values.points[row, option + 39], outlook.discards(table, who, may).points[0, kind], atol=1)
    unknown = ~legal & (np.arange(r.ACTIONS) >= r.DECLARE_RIICHI)
    assert np.isnan(values.points[unknown]).all() and np.isnan(values.points[:, [r.TSUMO, r.RON]]).all()


def test_red_fives_and_drawn_tiles_count_as_their_kinds():
    drawn = np.array([4 * 33, r.NO_TILE, r.NO_TILE], np.uint8)
    actions = np.array([r.DISCARD_DRAWN, r.DISCARD_RED + 2, r.PASS])
    assert choices_of(actions, drawn).tolist() == [33, 22, r.PASS]
    probability = np.zeros((3, r.ACTIONS))
    probability[np.arange(3), actions] = 1
    choices = by_choice(probability, drawn)
    assert choices.argmax(axis=1).tolist() == [33, 22, r.PASS] and (choices.sum(axis=1) == 1).all()


def test_a_choice_is_named_by_what_the_player_did_instead():
    chow, pong, kong, riichi = r.CHOW_LOW, r.PONG_RED, r.CLOSED_KONG + 5, r.DECLARE_RIICHI
    cases = [
        (r.PASS, chow, "chow"), (chow, pong, "pong"), (r.PASS, r.OPEN_KONG, "kong"), (7, kong, "kong"),
        (7, riichi, "riichi"), (chow, r.PASS, "pass"), (kong, 7, "no kong"), (r.OPEN_KONG, r.PASS, "no kong"),
        (riichi, 7, "no riichi"), (7, 8, "discard"), (riichi, kong, "kong"),
    ]  # fmt: skip
    preferred, taken, names = (np.array(each) for each in zip(*cases, strict=True))
    assert kinds_of_choices(preferred, taken).tolist() == names.tolist()


def test_losses_are_those_beyond_like_decisions_in_which_the_player_agreed():
    """The agent's choices are valued 200 points too high, and half of what the outlook says is lost."""
    random = np.random.default_rng(0)
    n = 40_000
    cost, agrees = random.uniform(-600, 2000, n), random.random(n) < 0.6
    missed = 200 + np.where(agrees, 0, cost / 2) + random.normal(0, 800, n)
    placement = np.where(agrees, 0, cost / 4000) + random.normal(0, 0.5, n)
    columns = {"game": random.integers(0, 500, n), "agrees": agrees, "cost": cost, "missed": missed,
               "placement": placement}  # fmt: skip
    result = choice_evaluation(columns, (-300.0, 300.0, 1000.0), 200, 0)
    assert result.decisions == (~agrees).sum() == sum(each.decisions for each in result.marks)
    assert sum(each.agreeing for each in result.marks) == agrees.sum()
    for each in (*result.marks, result.mistakes):
        assert each.actual.low < each.expected / 2 < each.actual.high or abs(each.actual.value - each.expected / 2) < 40
        assert abs(each.placement.value - each.expected / 4000) < 0.04
    assert result.mistakes.decisions == sum(each.decisions for each in result.marks[2:])


def test_a_class_without_like_decisions_has_no_result():
    columns = {"game": np.arange(4), "agrees": np.array([True, True, False, False]),
               "cost": np.array([0.0, 0.0, 500.0, 500.0]), "missed": np.zeros(4), "placement": np.zeros(4)}  # fmt: skip
    result = choice_evaluation(columns, (300.0,), 50, 0)
    assert result.mistakes.actual is None and result.mistakes.decisions == 2 and result.mistakes.agreeing == 0
