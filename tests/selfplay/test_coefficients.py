"""`scripts/coefficients.py`: its filters are what they are called, its gradient is one, and its agent has the step."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest
import torch

from suphx.agent.sampling import softmax
from suphx.features.encode import unpack
from suphx.features.layout import LAYOUT
from suphx.networks.models import MODEL_PLANES, MODELS
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import choose_precision
from suphx.networks.sizes import NetworkSize
from suphx.networks.weights import load_agent, save_agent

SCRIPT = Path(__file__).parents[2] / "scripts" / "coefficients.py"
PLACE = {plane.name: n for n, plane in enumerate(LAYOUT)}


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(SCRIPT))


@pytest.fixture(scope="module")
def planes() -> np.ndarray:
    """Made-up positions: every plane about as full as it is empty."""
    return np.random.default_rng(3).integers(0, 1 << 34, (60, MODEL_PLANES["discard"]), np.uint64)


def sees(planes: np.ndarray, name: str) -> np.ndarray:
    return unpack(planes[:, PLACE[name]])


def test_a_filter_counts_where_all_that_is_wanted_is_there(script, planes):
    features = script["Scores"]().features(planes)
    calm = ~(sees(planes, "right riichi") | sees(planes, "across riichi") | sees(planes, "left riichi"))
    accepts = sum(
        sees(planes, f"keeps shanten, accepts >= {n}").astype(int) for n in (4, 8, 12, 16, 20, 24, 32, 40, 56)
    )
    suji = sum(
        (sees(planes, f"suji of {rival}") & sees(planes, f"{rival} riichi") & ~sees(planes, "safe from riichi")).astype(
            int
        )
        for rival in ("right", "across", "left")
    )
    expected = {
        "accepts, midway, no riichi": accepts * (calm & sees(planes, "wall >= 28") & ~sees(planes, "wall >= 48")),
        "suji of riichi": suji,
        "safe from riichi, at tenpai": sees(planes, "safe from riichi") & sees(planes, "shanten <= 0"),
        "unseen": sum(sees(planes, f"left >= {n}").astype(int) for n in (1, 2, 3)),
    }
    for name, values in expected.items():
        assert values.any()
        np.testing.assert_array_equal(features[:, :, list(script["FEATURES"]).index(name)], values, err_msg=name)


@pytest.mark.parametrize("model", ["discard", "chow"])
def test_scores_are_derivatives_of_log_probabilities(script, planes, model):
    names, random = script["NAMES"], np.random.default_rng(4)
    options = 34 if model == "discard" else 2
    logits = random.normal(size=(len(planes), options))
    logits[:, 5:9] = -np.inf
    actions = random.integers(0, 2, len(planes))
    scores = script["Scores"]().of(model, planes, logits, actions)
    own = range(len(script["FEATURES"])) if model == "discard" else [names.index(model)]
    step = 1e-5
    for n in own:
        value = script["Scores"]().features(planes)[:, :, n] if model == "discard" else np.array([0, 1])
        taken = np.arange(len(planes)), actions
        change = np.log(softmax(logits + step * value)[taken]) - np.log(softmax(logits)[taken])
        np.testing.assert_allclose(scores[:, n], change / step, atol=1e-3)
    assert scores[:, own].any() and not np.delete(scores[:, : len(names)], own, axis=1).any()


def test_the_step_goes_where_the_games_say_and_not_along_the_scales(script):
    names, random = script["NAMES"], np.random.default_rng(5)
    columns, n, games = script["_COLUMNS"], len(script["NAMES"]), 40_000
    root = np.eye(columns) + 0.2 * random.normal(size=(columns, columns))
    fisher = root @ root.T
    true = np.zeros(columns)
    true[[names.index("kong"), names.index("unseen"), n]] = 0.3, -0.4, 5.0  # the last: a scale
    of_games = 4 * (random.normal(size=(games, columns)) @ root.T + fisher @ true)
    gradients = [script["Gradient"]("one", 3, games // 2, part, 2 * games * fisher) for part in np.split(of_games, 2)]
    estimate = script["Estimate"].of(gradients)
    direction = estimate.direction(np.ones(games, np.bool_))
    inner = fisher[:n, :n] - fisher[:n, n:] @ np.linalg.solve(fisher[n:, n:], fisher[n:, :n])
    assert direction @ estimate.fisher @ direction == pytest.approx(1)
    wanted = true[:n] / np.sqrt(true[:n] @ inner @ true[:n])
    assert direction @ inner @ wanted > 0.9
    gain, (low, high) = estimate.held_out()
    assert low < gain < high and gain == pytest.approx(np.sqrt(true[:n] @ inner @ true[:n]), rel=0.15)


def test_where_all_may_be_chance_no_step_is_taken(script):
    columns = script["_COLUMNS"]
    balanced = np.concatenate([np.eye(columns), -np.eye(columns)])
    estimate = script["Estimate"].of([script["Gradient"]("one", 3, len(balanced), balanced, np.eye(columns))])
    assert not estimate.direction(np.ones(len(balanced), np.bool_)).any()


def test_a_gradient_is_read_as_it_was_written(script, tmp_path):
    columns = script["_COLUMNS"]
    gradient = script["Gradient"]("one", 3, 7, np.ones((9, columns)), np.eye(columns))
    gradient.write(tmp_path / "g.npz")
    again = script["Gradient"].read(tmp_path / "g.npz")
    assert (again.agent, again.seed, again.games, again.of_games.shape) == ("one", 3, 7, (9, columns))
    assert [path.name for path in tmp_path.iterdir()] == ["g.npz"]
    gradient.names = ("others",)
    gradient.write(tmp_path / "g.npz")
    with pytest.raises(SystemExit, match="a gradient of other coefficients"):
        script["Gradient"].read(tmp_path / "g.npz")
    for data in (b"", b"nonsense", (tmp_path / "g.npz").read_bytes()[:-30]):
        (tmp_path / "g.npz").write_bytes(data)
        with pytest.raises(SystemExit, match="no gradient, or not whole"):
            script["Gradient"].read(tmp_path / "g.npz")


def test_games_are_measured_until_there_are_enough(script, tmp_path, monkeypatch):
    torch.manual_seed(1)
    networks = {model: PolicyNetwork(model, NetworkSize(filters=4, blocks=1)) for model in MODELS}
    save_agent(tmp_path / "tiny", networks, "tiny")
    measure = script["measure"]
    monkeypatch.setitem(measure.__globals__, "_DECISIONS", 500)
    *_, last = measure(str(tmp_path / "tiny"), None, 3, 2)
    assert last.games >= 2 and len(last.of_games) >= last.games
    assert np.isfinite(last.of_games).all() and last.of_games.any()
    assert (np.diag(last.fisher)[[script["NAMES"].index("unseen"), -5]] > 0).all()


def test_the_agent_that_is_written_has_the_step(script, planes, tmp_path):
    torch.manual_seed(2)
    base = tmp_path / "base"
    networks = {model: PolicyNetwork(model, NetworkSize(filters=4, blocks=1)) for model in MODELS}
    save_agent(base, networks, "base", seen=np.array([7 << 32], np.uint64))
    coefficients = dict.fromkeys(script["NAMES"], 0.0) | {"unseen": 0.5, "suji of riichi": -0.25, "pong": 1.5}
    folder = script["write_agent"](base, "more", coefficients, {"data": "made up"})
    precision = choose_precision("cpu", "float32", 1)
    before, after = load_agent(base), load_agent(folder)
    features = script["Scores"]().features(planes)
    change = 0.5 * features[:, :, list(script["FEATURES"]).index("unseen")]
    change -= 0.25 * features[:, :, list(script["FEATURES"]).index("suji of riichi")]
    with torch.no_grad():
        first, second = (each["discard"].of_packed(planes, precision).numpy() for each in (before, after))
        np.testing.assert_allclose(second - first, change, atol=1e-4)
        calls = np.concatenate([planes, planes[:, : MODEL_PLANES["pong"] - planes.shape[1]]], axis=1)
        for model, bias in (("pong", 1.5), ("kong", 0.0)):
            first, second = (each[model].of_packed(calls, precision).numpy() for each in (before, after))
            np.testing.assert_allclose(second - first, np.broadcast_to([0, bias], first.shape), atol=1e-5)
    twice = load_agent(script["write_agent"](folder, "twice", coefficients, {}))
    with torch.no_grad():
        np.testing.assert_allclose(twice["discard"].of_packed(planes, precision).numpy() - change * 2,
                                   before["discard"].of_packed(planes, precision).numpy(), atol=1e-4)  # fmt: skip
    assert json.loads((tmp_path / "twice" / "agent.json").read_text())["biases"]["pong"] == 3.0
