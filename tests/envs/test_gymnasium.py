"""The Gymnasium vector environment: its library's checks, and that its games are the table's."""

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="no gymnasium: pip install 'suphx[env]'")

from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from simulator import IllegalAction, Rules
from simulator.envs import no_choice
from simulator.envs.vector import RiichiVectorEnv
from simulator.views.planes import ROWS

EAST = Rules.tenhou_east()
N = 6


def choose(rng, infos):
    return (rng.random(infos["action_mask"].shape) * infos["action_mask"]).argmax(axis=1)


def rollout(envs, steps, seed=1):
    """Play at random; yield what each step returns."""
    rng = np.random.default_rng(seed)
    observations, infos = envs.reset(seed=seed)
    yield observations, None, np.zeros(envs.num_envs, bool), np.zeros(envs.num_envs, bool), infos
    for _ in range(steps):
        step = envs.step(choose(rng, infos))
        infos = step[-1]
        yield step


@pytest.mark.parametrize("opponents", ["random", "tsumogiri", "self"])
def test_the_interface(opponents):
    envs = RiichiVectorEnv(N, EAST, opponents=opponents)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert envs.observation_space == batch_space(envs.single_observation_space, N)
    assert envs.action_space == batch_space(envs.single_action_space, N)
    for observations, rewards, terminated, truncated, infos in rollout(envs, 300):
        assert observations in envs.observation_space
        assert observations.shape == (N, ROWS, 34)
        assert rewards is None or (rewards.shape == (N,) and rewards.dtype == np.float64)
        assert terminated.shape == (N,) and terminated.dtype == np.bool_
        assert not truncated.any()
        assert infos["action_mask"].any(axis=1).all()
        assert (infos["action_mask"][terminated] == no_choice()).all()
        assert envs.action_space.contains(choose(np.random.default_rng(0), infos))
    envs.close()


@pytest.mark.parametrize("opponents", ["random", "self"])
def test_the_same_seed_is_the_same_games(opponents):
    first, second = (rollout(RiichiVectorEnv(N, EAST, opponents=opponents), 200) for _ in range(2))
    for one, two in zip(first, second, strict=True):
        assert data_equivalence(one, two, exact=True)


def test_resets_without_a_seed_go_on_with_the_sequence():
    envs = RiichiVectorEnv(N, opponents="random")
    deals = [envs.reset(seed=seed)[0].tobytes() for seed in (5, None, 5, None)]
    assert deals[0] == deals[2] != deals[1] == deals[3]
    assert RiichiVectorEnv(N, opponents="random").reset()[0].tobytes() != deals[0]


@pytest.mark.parametrize("reward", ["score", "final_points"])
def test_rewards_are_the_points_of_the_agents_seat(reward):
    envs = RiichiVectorEnv(N, EAST, opponents="tsumogiri", reward=reward)
    gained, finished = np.zeros(N), 0
    for _, rewards, terminated, _, infos in rollout(envs, 1500):
        if rewards is None:
            continue
        gained += rewards
        for i in np.flatnonzero(terminated):
            result = envs._tables.games[i]["result"]
            seat = int(infos["seat"][i])
            points = (
                (result["scores"][seat] - 25_000) / 1000 if reward == "score" else result["final_points"][seat] / 10
            )
            assert gained[i] == pytest.approx(points)
            gained[i] = 0
            finished += 1
    assert finished >= N


def test_the_step_after_the_end_deals_the_next_game():
    envs = RiichiVectorEnv(N, EAST, opponents="random")
    over = np.zeros(N, bool)
    restarted = 0
    for _, rewards, terminated, _, infos in rollout(envs, 1200):
        for i in np.flatnonzero(over):
            restarted += 1
            assert not terminated[i] and rewards[i] == 0 and infos["action_mask"][i].any()
            assert envs._tables.games[i]["round"] == 0
        over = terminated
    assert restarted


def test_the_agent_sits_in_every_seat_or_in_one():
    rotating = RiichiVectorEnv(8, opponents="random").reset(seed=1)[1]["seat"]
    assert rotating.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert RiichiVectorEnv(8, opponents="random", seat=2).reset(seed=1)[1]["seat"].tolist() == [2] * 8


def test_self_play_rewards_every_seat():
    envs = RiichiVectorEnv(N, EAST, opponents="self", reward="score")
    gained, seats = np.zeros((N, 4)), set()
    ended = 0
    for _, _, terminated, _, infos in rollout(envs, 1500):
        gained += infos["seat_rewards"]
        seats |= set(infos["seat"].tolist())
        for i in np.flatnonzero(terminated):
            assert gained[i] == pytest.approx((envs._tables.games[i]["result"]["scores"] - 25_000) / 1000)
            gained[i] = 0
            ended += 1
    assert seats == {0, 1, 2, 3} and ended


def test_an_illegal_action_changes_nothing():
    envs = RiichiVectorEnv(N, opponents="random")
    _, infos = envs.reset(seed=1)
    actions = choose(np.random.default_rng(0), infos)
    before = envs._tables.games.tobytes()
    for wrong in (116, -1, 121):
        actions[3] = wrong
        with pytest.raises(IllegalAction, match="game 3, seat 3"):
            envs.step(actions)
    with pytest.raises(ValueError, match="need one action each"):
        envs.step(actions[:2])
    assert envs._tables.games.tobytes() == before


def test_gymnasiums_wrappers_go_round_it():
    envs = RecordEpisodeStatistics(RiichiVectorEnv(N, EAST, opponents="random", reward="score"))
    returns = [infos["episode"]["r"][terminated] for *_, terminated, _, infos in rollout(envs, 600) if terminated.any()]
    assert len(returns) >= 1
    _, infos = DictInfoToList(RiichiVectorEnv(N, EAST, opponents="random")).reset(seed=1)
    assert len(infos) == N


def test_render_shows_each_table_to_the_agent():
    envs = RiichiVectorEnv(3, opponents="tsumogiri", render_mode="ansi")
    envs.reset(seed=1)
    pictures = envs.render()
    assert len(pictures) == 3 and all(picture.count("?" * 13) == 3 for picture in pictures)
    assert RiichiVectorEnv(3, opponents="tsumogiri").render() is None


def test_against_the_sensible_player():
    envs = RiichiVectorEnv(N, EAST, opponents="sensible")
    assert sum(step[2].sum() for step in rollout(envs, 300)) >= N


@pytest.mark.parametrize(
    "arguments", [{"opponents": "nobody"}, {"seat": 4}, {"reward": "luck"}, {"rules": "luck"}, {"render_mode": "human"}]
)
def test_unknown_options_are_refused(arguments):
    with pytest.raises(ValueError, match=r"there (are|is)|must be"):
        RiichiVectorEnv(2, **arguments)
