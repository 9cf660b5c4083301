"""What the networks make of every action: the distribution that the flow draws from, held against the flow itself."""

from collections import Counter

import numpy as np
import pytest
from frequencies import check_frequencies
from stand_in import StandInEncoder, StandInNetworks, decisions_of
from table import Scene

from simulator.record import ACTION_NAMES, CHOW_HIGH, CHOW_LOW, CHOW_MIDDLE, CLOSED_KONG, PONG
from simulator.tiles import KINDS
from suphx.agent.flow import Flow, Sampling
from suphx.agent.opinions import opinions_of

DRAWS = 20_000
SCENES = {
    "two kongs": lambda: Scene({0: "1111m2222p789p12s"}, draws={0: "6z"}),
    "kong and riichi": lambda: Scene({0: "1111m456p789p234s"}, draws={0: "6z"}),
    "claims": lambda: Scene({1: "346755m5566p12s7z"}, draws={0: "5m"}).play("0 discard 5m"),
}


def networks() -> StandInNetworks:
    yes = {
        **{CLOSED_KONG: -0.5, CLOSED_KONG + 10: 0.2, "riichi": 0.4},
        **{CHOW_LOW: -0.3, CHOW_MIDDLE: -1.5, CHOW_HIGH: 0.1, PONG: -0.1},
    }
    found = StandInNetworks(yes)
    found["discard"] = lambda planes: np.tile(np.linspace(-1, 1, KINDS, dtype=np.float32), (len(planes), 1))
    return found


@pytest.mark.parametrize("name", SCENES)
def test_the_flow_at_temperature_1_draws_each_action_as_often_as_its_probability_says(name):
    games = np.array([SCENES[name]().game])
    said = opinions_of(Flow(networks(), StandInEncoder(), Sampling()), games, decisions_of(games)).probability[0]
    many = np.repeat(games, DRAWS)
    many["seed"] = np.arange(DRAWS)  # other random numbers for each
    flow = Flow(networks(), StandInEncoder(), Sampling(temperature=1.0, seed=3))
    drawn = Counter(flow.act(many, decisions_of(many)).actions.tolist())
    weights = {action: float(said[action]) for action in np.flatnonzero(said).tolist()}
    assert len(weights) > 4
    assert sum(weights.values()) == pytest.approx(1)
    check_frequencies(drawn, weights)


@pytest.mark.parametrize("name", SCENES)
def test_the_preferred_action_is_what_the_flow_does_by_likeliest_answers(name):
    games = np.array([SCENES[name]().game])
    flow = Flow(networks(), StandInEncoder(), Sampling())
    decisions = decisions_of(games)
    preferred = opinions_of(flow, games, decisions).preferred
    assert [ACTION_NAMES[action] for action in preferred] == [
        ACTION_NAMES[action] for action in flow.act(games, decisions).actions
    ]


def test_a_win_that_the_rules_decide_has_probability_1_and_asks_nobody():
    games = np.array([Scene({0: "234m567p55p23467s"}, draws={0: "5s"}).game])
    flow = Flow(networks(), StandInEncoder(), Sampling())
    said = opinions_of(flow, games, decisions_of(games))
    assert said.probability[0].max() == said.probability[0, said.preferred[0]] == 1
    assert flow.networks.asked == []
