"""The PettingZoo environment: the library's own tests, and what the table adds."""

import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="no pettingzoo: pip install 'suphx[env]'")

from pettingzoo.test import api_test, render_test, seed_test

from simulator import IllegalAction, Rules
from simulator.envs import REWARDS, no_choice
from simulator.envs.aec import AGENTS, env, raw_env

EAST = Rules.tenhou_east()


def play(environment, seed=1):
    """Play a game at random; return what each agent was rewarded in all, and how often each acted."""
    environment.reset(seed=seed)
    rng = np.random.default_rng(seed)
    rewards, acted = dict.fromkeys(AGENTS, 0.0), dict.fromkeys(AGENTS, 0)
    for agent in environment.agent_iter():
        observation, reward, terminated, truncated, _ = environment.last()
        rewards[agent] += reward
        assert not truncated
        action = None if terminated else int(rng.choice(np.flatnonzero(observation["action_mask"])))
        acted[agent] += not terminated
        environment.step(action)
    return rewards, acted


@pytest.mark.parametrize("reward", REWARDS)
def test_pettingzoos_api_test(reward):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Said of every environment with an action mask but PettingZoo's own, which it knows by name.
        for known in ("Observation space for each agent probably", "Observation is not a NumPy array"):
            warnings.filterwarnings("ignore", known)
        api_test(env(rules=EAST, reward=reward), num_cycles=1000)


def test_pettingzoos_seed_test():
    seed_test(env, num_cycles=500)


def test_pettingzoos_render_test(capsys):
    render_test(env)
    assert "tiles left" in capsys.readouterr().out


def test_rewards_are_the_points():
    environment = env(rules=EAST, reward="final_points")
    rewards, acted = play(environment)
    game = environment.unwrapped.game
    assert list(rewards.values()) == list(game.final_points)
    assert all(acted.values())
    environment = env(rules=EAST, reward="score")
    rewards, _ = play(environment)
    assert environment.unwrapped.game.scores == game.scores
    assert list(rewards.values()) == pytest.approx([(score - 25_000) / 1000 for score in game.scores])


def test_only_the_selected_agent_has_a_mask_and_claims_go_in_turn():
    environment = raw_env()
    environment.reset(seed=3)
    rng = np.random.default_rng(0)
    several = 0
    while not environment.unwrapped.game.over:
        game = environment.game
        order = []
        asked = game.seats_to_act
        turn = int(game.record["turn"])
        for _ in asked:
            agent = environment.agent_selection
            order.append(AGENTS.index(agent))
            masks = {each: environment.observe(each)["action_mask"] for each in AGENTS}
            assert all((masks[each] == no_choice()).all() for each in AGENTS if each != agent)
            assert masks[agent].any()
            environment.step(rng.choice(np.flatnonzero(masks[agent])))
        assert order == sorted(asked, key=lambda seat: (seat - turn - 1) % 4)
        several += len(asked) > 1
    assert several


def test_an_illegal_action_is_an_error():
    environment = raw_env()
    environment.reset(seed=1)
    before = environment.game.record.tobytes()
    for action in (116, 121, -1, None):
        with pytest.raises(IllegalAction):
            environment.step(action)
    assert environment.game.record.tobytes() == before


def test_resets_without_a_seed_go_on_with_the_sequence():
    environment = raw_env()
    deals = []
    for seed in (5, None, 5, None):
        environment.reset(seed=seed)
        deals.append(environment.game.record["wall"].tolist())
    assert deals[0] == deals[2] != deals[1] == deals[3]


def test_it_is_pickled_by_its_arguments():
    again = pickle.loads(pickle.dumps(raw_env(rules=EAST, reward="score")))
    assert again.rules == EAST and again.reward == "score"


@pytest.mark.parametrize("arguments", [{"reward": "luck"}, {"rules": "luck"}, {"render_mode": "rgb_array"}])
def test_unknown_options_are_refused(arguments):
    with pytest.raises(ValueError, match="there are"):
        raw_env(**arguments)
