"""The weights that come with the package go on answering as they did when they were stored: layout, encoders, networks.

`shipped_answers.json` has what the code of commit b14578b said, and of later agents what the code said that made them.
`python tests/networks/test_shipped_answers.py` prints the present answers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from simulator.players.simple import choose_random
from simulator.record import CHOW_LOW, OPEN_KONG, PASS, PONG, SEATS, TSUMO
from simulator.tables import Tables
from suphx.agent.registry import INCLUDED, load_networks
from suphx.features.encode import encode_batch, encode_call_batch
from suphx.features.layout import PLANES
from suphx.networks.convolution import unpack
from suphx.networks.models import MODEL_PLANES, MODELS
from suphx.networks.policy import PolicyNetwork
from suphx.review.analysis import shipped_predictor
from suphx.reward.games import START, Games

STORED = Path(__file__).with_name("shipped_answers.json")
POSITIONS = 4


def model_of(option: int) -> str:
    return "chow" if option < PONG else "pong" if option < OPEN_KONG else "kong"


def planes_of_play() -> dict[str, np.ndarray]:
    """Return for each model the planes of positions in random play that it may be asked about."""
    tables = Tables(16, seed=7)
    found: dict[str, list[np.ndarray]] = {model: [] for model in MODELS}
    step = 0
    while min(map(len, found.values())) < POSITIONS:
        decisions = tables.decisions()
        proposed = [next((a for a in range(CHOW_LOW, TSUMO) if row[a]), None) for row in decisions.legal]
        for n, option in enumerate(proposed):
            model = ("discard", "riichi")[step % 2] if option is None else model_of(option)
            if len(found[model]) == POSITIONS or (step < 300 and step % 60):
                continue
            one = decisions.game[n : n + 1], decisions.seat[n : n + 1]
            if MODEL_PLANES[model] == PLANES:
                if not decisions.legal[n, PASS]:
                    found[model].append(encode_batch(tables.games, *one)[0])
            else:
                found[model].append(encode_call_batch(tables.games, *one, np.array([option]))[0])
        actions = np.empty(len(decisions), np.int64)
        choose_random(tables.games, decisions.game, decisions.seat, decisions.legal, 7, actions)
        tables.step(actions)
        step += 1
    return {model: np.stack(rows) for model, rows in found.items()}


def answers_of(network: PolicyNetwork, packed: np.ndarray) -> list[list[float]]:
    """Return logits, computed in double precision: rounded to float32 they are the same on every machine."""
    planes = unpack(packed, torch.float64, torch.device("cpu"))
    with torch.inference_mode():
        return network.double()(planes).tolist()


def predictions() -> list[list[float]]:
    """Return what the reward predictor says after each round of a game."""
    starts = np.zeros((1, 4), START)
    scores = ([25_000] * SEATS, [33_000, 24_000, 17_000, 26_000], [33_000, 16_000, 25_000, 25_000])
    starts["scores"][0] = [*scores, [1_000, 48_000, 26_000, 25_000]]
    starts["round"][0], starts["repeat_counter"][0], starts["bets"][0] = [0, 0, 1, 2], [0, 1, 0, 0], [0, 0, 1, 0]
    none = np.zeros(1, np.bool_)
    return shipped_predictor().phi(Games(starts, np.array([4]), none, np.zeros((1, SEATS), np.int64)))[0, :-1].tolist()


def present() -> dict[str, object]:
    """Return the answers of all weights that come with the package."""
    packed = planes_of_play()
    found: dict[str, object] = {
        name: {model: answers_of(network, packed[model]) for model, network in load_networks(name)[1].items()}
        for name in INCLUDED
    }
    return found | {"reward": predictions()}


@pytest.mark.parametrize("name", INCLUDED)
def test_networks_answer_as_when_they_were_stored(name: str) -> None:
    stored, packed = json.loads(STORED.read_text())[name], planes_of_play()
    for model, network in load_networks(name)[1].items():
        assert np.ptp(stored[model]) > 0.1
        assert np.allclose(answers_of(network, packed[model]), stored[model], rtol=3e-7, atol=1e-9), model


def test_the_reward_predictor_predicts_as_when_it_was_stored() -> None:
    assert np.allclose(predictions(), json.loads(STORED.read_text())["reward"], rtol=1e-5, atol=1e-5)


if __name__ == "__main__":
    json.dump(present(), sys.stdout, indent=0)
