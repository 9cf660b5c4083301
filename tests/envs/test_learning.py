"""The registered environments, and that the usual learners run on them as they are."""

import warnings

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="no gymnasium: pip install 'suphx[env]'")

import gymnasium
import torch
from gymnasium.utils.env_checker import check_env

from simulator import IllegalAction, Rules
from simulator.envs import ID
from simulator.envs.single import RiichiEnv
from suphx import load_agent
from suphx.agent.interface import AgentPlayer
from suphx.features.environments import ID as PLANES_ID

EAST = Rules.tenhou_east()


def play(env, seed=1):
    """Play a game at random; return the seat, what was gained, and the last information."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    gained, over = 0.0, False
    while not over:
        assert observation in env.observation_space and info["action_mask"].any()
        assert (env.get_wrapper_attr("action_masks")() == info["action_mask"]).all()
        observation, reward, over, cut, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
        assert not cut
        gained += reward
    assert info["action_mask"].any()
    return int(info["seat"]), gained, info


class Lenient(RiichiEnv):
    """Takes the first legal action for one that is not: the library's check samples without the mask."""

    def step(self, action):
        mask = self.action_masks()
        return super().step(action if mask[action] else mask.argmax())


def test_gymnasiums_own_check():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(Lenient(EAST, opponents="tsumogiri"), skip_render_check=True)


@pytest.mark.parametrize("module", ["simulator.envs:" + ID, "suphx.features.environments:" + PLANES_ID])
def test_they_are_made_by_their_names(module):
    single = gymnasium.make(module, rules=EAST, opponents="tsumogiri", reward="score")
    assert single.observation_space.shape == ((838, 34) if "Planes" in module else (45, 34))
    seat, gained, _ = play(single)
    assert gained == pytest.approx((single.unwrapped._table._tables.games[0]["result"]["scores"][seat] - 25_000) / 1000)
    envs = gymnasium.make_vec(module, num_envs=3, vectorization_mode="vector_entry_point", rules=EAST)
    observations, infos = envs.reset(seed=1)
    assert observations.shape == (3, *single.observation_space.shape) and infos["action_mask"].any(1).all()


def test_games_follow_from_the_seed_and_seats_change():
    env = RiichiEnv(EAST, opponents="random")
    assert play(env, 3)[:2] == play(env, 3)[:2]
    env.reset(seed=1)
    assert {int(env.reset()[1]["seat"]) for _ in range(40)} == {0, 1, 2, 3}
    assert {int(RiichiEnv(seat=2).reset(seed=seed)[1]["seat"]) for seed in range(5)} == {2}


def test_any_agent_may_be_the_opponent():
    opponents = AgentPlayer(lambda: load_agent("untrained"))
    assert play(RiichiEnv(EAST, opponents=opponents))[0] in range(4)


def test_an_illegal_action_is_an_error():
    env = RiichiEnv(opponents="tsumogiri")
    _, info = env.reset(seed=1)
    with pytest.raises(IllegalAction):
        env.step(np.flatnonzero(~info["action_mask"])[0])


def test_a_loop_like_cleanrls_learns_from_it():
    torch.manual_seed(1)
    envs = gymnasium.make_vec("simulator.envs:" + ID, num_envs=8, vectorization_mode="vector_entry_point", rules=EAST,
                              opponents="tsumogiri", reward="score")  # fmt: skip
    shape = np.prod(envs.single_observation_space.shape)
    policy = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(int(shape), envs.single_action_space.n))
    optimizer = torch.optim.Adam(policy.parameters())
    seen, infos = envs.reset(seed=1)
    ended = 0
    for _ in range(300):
        mask = torch.from_numpy(infos["action_mask"])
        answers = torch.distributions.Categorical(
            logits=policy(torch.from_numpy(seen).float().clamp(max=4)).masked_fill(~mask, -torch.inf)
        )
        actions = answers.sample()
        seen, rewards, terminated, _, infos = envs.step(actions.numpy())
        loss = -(answers.log_prob(actions) * torch.from_numpy(rewards).float()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ended += int(terminated.sum())
        assert torch.isfinite(loss)
    assert ended and all(torch.isfinite(each).all() for each in policy.parameters())


def test_stable_baselines_maskable_ppo_learns_from_it():
    contrib = pytest.importorskip(
        "sb3_contrib", reason="no Stable-Baselines3 with MaskablePPO: pip install sb3-contrib"
    )
    env = gymnasium.make("simulator.envs:" + ID, rules=EAST, opponents="tsumogiri", reward="score")
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=128, batch_size=64, n_epochs=2, seed=1, device="cpu")
    model.learn(512)
    observation, info = env.reset(seed=1)
    action, _ = model.predict(observation, action_masks=info["action_mask"])
    assert info["action_mask"][action]
