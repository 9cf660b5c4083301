"""What the way from a start to an agent is worth, from games of the start."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import torch
import yaml
from selfplay_tables import SEED, precision, tiny_collector, tiny_networks
from typer.testing import CliRunner

from simulator.record import SEATS
from simulator.rules import Rules
from simulator.tiles import KINDS
from suphx.bench.direction import Directions, directions
from suphx.bench.effects import Effects
from suphx.cli import app
from suphx.features.layout import LAYOUT, ORACLE_LAYOUT, PLANES
from suphx.learning.oracle import widen
from suphx.learning.policy_gradient import legal_answers, log_probabilities
from suphx.networks.planes import unpack
from suphx.networks.weights import save_agent, save_network
from suphx.selfplay.config import TrainConfig

GAMES = 4
UNIT = 10_000
#: Two planes, whichever.
FIRST, SAFE = 5, 615


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The start, another agent, and the start with logits doubled."""
    surer = tiny_networks()
    for network in surer.values():
        network.divide_logits(0.5)
    found = []
    for name, networks in (("start", tiny_networks()), ("other", tiny_networks(1)), ("surer", surer)):
        found.append(tmp_path_factory.mktemp(name))
        save_agent(found[-1], networks, name, storage="float32")
    return [str(folder) for folder in found]


def values(start: str, **learning: object) -> dict:
    models = ["discard", "riichi", "chow", "pong", "kong"]
    reward = {"kind": "round", "unit": UNIT}
    return {"start": start, "rules": "tenhou_east", "reward": reward, "learning": {"models": models} | learning}


def found(start: str, agents: list[str], side_by_side: int = 3, **learning: object) -> Directions:
    config = TrainConfig.model_validate(values(start, **learning))
    return directions(config, agents, GAMES, SEED, precision(), lambda over: None, side_by_side)


@pytest.fixture(scope="module")
def ways(folders: list[str]) -> Directions:
    return found(folders[0], folders)


def test_worth_is_what_other_chances_of_the_answers_make_of_the_rewards(ways):
    collector, other = tiny_collector(slots=2, rules=Rules.preset("tenhou_east")), tiny_networks(1)
    gains, distances, over, rounds = [0.0] * GAMES, [], 0, 0
    while over < GAMES:
        finished = collector.step()
        for model, asked in finished[0].experience.items() if finished else ():
            for n in range(len(asked)):
                path = finished[0].paths[asked["path"][n]]
                if path["game"] >= GAMES:
                    continue
                with torch.inference_mode():
                    logits = other[model](unpack(asked["planes"][n : n + 1], torch.float32, torch.device("cpu")))[0]
                possible = legal_answers(asked["legal"][n : n + 1], len(logits))[0]
                all_of_them = sum(math.exp(logit) for logit, can in zip(logits.tolist(), possible, strict=True) if can)
                weight = math.exp(logits[int(asked["answer"][n])]) / all_of_them / math.exp(asked["log_probability"][n])
                gains[int(path["game"])] += (weight - 1) * float(path["reward"]) * UNIT / SEATS
                distances.append(weight - 1 - math.log(weight))
        if finished:
            counted = finished[0].paths[finished[0].paths["game"] < GAMES]
            over, rounds = over + int(counted["last"].sum()) // SEATS, rounds + len(counted) // SEATS
    assert (ways.games, ways.rounds, ways.questions, ways.units) == (GAMES, rounds, len(distances), "points")
    way = ways.agents[1]
    assert way.worth == pytest.approx(np.mean(gains), rel=1e-3)
    assert way.distance == pytest.approx(np.mean(distances), rel=1e-3)
    half = 1.95996 * np.std(gains, ddof=1) / GAMES**0.5
    assert way.interval == pytest.approx((np.mean(gains) - half, np.mean(gains) + half), abs=0.1)


def test_the_way_to_the_start_is_worth_nothing_and_another_one_leads_away(folders, ways):
    itself, other, surer = ways.agents
    assert (itself.worth, itself.distance) == (pytest.approx(0, abs=0.1), pytest.approx(0, abs=1e-6))
    assert other.distance > 1e-5 < surer.distance
    assert abs(other.worth) > 1 < abs(surer.worth)
    as_it_begins = found(folders[0], folders[2:], start_temperature=0.5).agents[0]
    assert (as_it_begins.worth, as_it_begins.distance) == (pytest.approx(0, abs=0.1), pytest.approx(0, abs=1e-6))


def test_the_games_are_the_same_however_many_are_played_side_by_side(folders, ways):
    again = found(folders[0], folders, side_by_side=GAMES)
    assert (again.rounds, again.questions) == (ways.rounds, ways.questions)
    for one, other in zip(again.agents, ways.agents, strict=True):
        assert (one.worth, one.distance) == (pytest.approx(other.worth, abs=0.1), pytest.approx(other.distance))


def test_the_command_prints_them_and_refuses_games_that_were_learned_from(folders, tmp_path):
    config = tmp_path / "training.yaml"
    config.write_text(yaml.safe_dump(values(folders[0]) | {"seed": 5}))
    words = ["bench", "direction", str(config), *folders[1:], "--games", "2", "--threads", "1", "--planes", "3"]
    printed = CliRunner().invoke(app, [*words, "--json"])
    assert printed.exit_code == 0, printed.output
    numbers = json.loads(printed.stdout)
    assert [each["agent"] for each in numbers["agents"]] == folders[1:]
    assert (numbers["games"], numbers["seed"], numbers["start"]) == (2, 77, folders[0])
    assert [len(each["effects"]) for each in numbers["agents"]] == [3, 3]
    shown = CliRunner().invoke(app, words).stdout
    assert "95 %" in shown
    assert numbers["agents"][0]["effects"][0]["name"] in shown
    refused = CliRunner().invoke(app, [*words, "--seed", "5"])
    assert refused.exit_code == 2
    assert "seed 5" in refused.output


def test_effects_are_regressions_on_each_plane_within_questions():
    rng, n = np.random.default_rng(3), 300
    planes = rng.integers(0, 1 << KINDS, (n, PLANES), dtype=np.uint64)
    planes[:, SAFE] &= rng.integers(0, 1 << KINDS, n, dtype=np.uint64)  # a quarter of all kinds
    legal = torch.from_numpy(rng.random((n, KINDS)) < 0.5)
    logits = torch.from_numpy(rng.normal(size=(n, KINDS))).float()
    sets = unpack(planes, torch.float32, torch.device("cpu")).numpy()
    noise = 0.2 * rng.normal(size=(n, KINDS))
    changed = logits + torch.from_numpy(0.75 * sets[:, :, SAFE] - 0.25 * sets[:, :, FIRST] + noise).float()
    before, after = log_probabilities(logits, legal), log_probabilities(changed, legal)
    effects = Effects()
    for rows in (slice(0, 260), slice(260, n)):
        effects.add(planes[rows], before[rows], after[rows])
    safe, first, *others = effects.strongest(5)
    assert (safe.name, first.name) == (LAYOUT[SAFE].name, LAYOUT[FIRST].name)
    assert (safe.slope, first.slope) == (pytest.approx(0.75, abs=0.03), pytest.approx(-0.25, abs=0.03))
    assert all(each.share < 0.02 for each in others)
    together, of_plane, whole = 0.0, 0.0, 0.0
    for n in range(len(planes)):
        chance = before[n].exp().double().numpy()
        change = np.where(legal[n], (after[n] - before[n]).double().numpy(), 0)
        change -= (chance * change).sum()
        held = sets[n, :, SAFE] - (chance * sets[n, :, SAFE]).sum()
        together, of_plane = together + (chance * change * held).sum(), of_plane + (chance * held**2).sum()
        whole += (chance * change**2).sum()
    assert safe.slope == pytest.approx(together / of_plane, rel=1e-4)
    assert safe.share == pytest.approx(together**2 / of_plane / whole, rel=1e-4)


def test_an_oracle_is_shown_what_is_hidden(folders, tmp_path):
    """An oracle that keeps what one opponent holds leans on that plane, and one that ignores all on none."""
    networks = {model: widen(network) for model, network in tiny_networks().items()}
    (tmp_path / "oracle").mkdir()
    for model, network in networks.items():
        save_network(tmp_path / "oracle" / f"{model}.safetensors", network)
    ignoring = found(folders[0], [str(tmp_path / "oracle")]).agents[0]
    assert (ignoring.worth, ignoring.distance) == (pytest.approx(0, abs=0.1), pytest.approx(0, abs=1e-6))
    held = next(n for n, plane in enumerate(ORACLE_LAYOUT) if plane.name == "right >= 1")
    with torch.no_grad():
        score = networks["discard"].head.score.weight[0]
        networks["discard"].first.weight[:, PLANES + held, 1, 0] = -3 * score / (score**2).sum()
    save_network(tmp_path / "oracle" / "discard.safetensors", networks["discard"])
    config = TrainConfig.model_validate(values(folders[0]))
    (seeing,) = directions(config, [str(tmp_path / "oracle")], GAMES, SEED, precision(), lambda over: None, 1).agents
    assert seeing.distance > 1e-6
    assert [(each.block, each.name) for each in seeing.effects] == [("oracle", "right >= 1")]
    assert seeing.effects[0].slope < -0.5


def test_policies_that_are_the_same_lean_nowhere():
    effects, policy = Effects(), torch.full((2, KINDS), -math.log(KINDS))
    effects.add(np.ones((2, PLANES), np.uint64), policy, policy)
    assert effects.strongest(3) == []
