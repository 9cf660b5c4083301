from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from suphx.dataset.loader import Source
from suphx.dataset.pairs import FORCED
from suphx.dataset.selection import select
from suphx.networks.models import MODELS, OUTPUTS
from suphx.supervised import evaluate
from suphx.supervised.evaluate import evaluate_model
from suphx.supervised.results import show_results
from tests.dataset.made_games import sensible_games


class Knowing:
    """A network that answers as the seats did, but for every `wrong`-th pair."""

    def __init__(self, model: str, wrong: int = 0) -> None:
        source = Source(sensible_games(), select(sensible_games(), model, None))
        pairs = source.some_pairs()
        self._answers = {plane.tobytes(): answer for plane, answer in zip(pairs.planes, pairs.targets, strict=True)}
        self._model, self._wrong, self._asked = model, wrong, 0

    def logits(self, planes: np.ndarray) -> np.ndarray:
        found = np.zeros((len(planes), OUTPUTS[self._model]), np.float32)
        for n, plane in enumerate(planes):
            self._asked += 1
            turned = 10.0 if not self._wrong or self._asked % self._wrong else -10.0
            found[n, self._answers[plane.tobytes()]] = turned
        return found


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "_CHUNK_PAIRS", 500)


def measured(model: str, wrong: int = 0, most: int | None = None) -> dict:
    chosen = select(sensible_games(), model, None)
    return evaluate_model(Knowing(model, wrong).logits, sensible_games(), chosen, seed=0, most=most)


@pytest.mark.parametrize("model", ["riichi", "chow", "pong", "kong"])
def test_whoever_answers_as_the_seats_did_is_always_right(model: str) -> None:
    found = measured(model)
    number = MODELS.index(model)
    assert found["accuracy"] == 1
    assert found["pairs"] == sensible_games().rounds["counts"][:, :, number].sum()
    assert found["log_loss"] < 1e-3
    if model == "chow":
        assert found["by_opportunity"]["accuracy"] == 1
        assert found["by_opportunity"]["pairs"] < found["pairs"]


def test_one_wrong_answer_in_ten_shows_as_such() -> None:
    found = measured("pong", wrong=10)
    assert found["accuracy"] == pytest.approx(0.9, abs=2e-3)


@pytest.mark.parametrize("model", ["discard", "kong"])
def test_the_pairs_of_every_grouping_add_up(model: str) -> None:
    found = measured(model, wrong=7)
    groups = [name for name in found if name.startswith("by_")]
    assert set(groups) >= {"by_archive", "by_turn", "by_shanten", "by_riichi"}
    for group in groups:
        rows = [row for row in found[group].values() if row["pairs"]]
        assert sum(row["pairs"] for row in rows) == found["pairs"], group
        right = sum(row["accuracy"] * row["pairs"] for row in rows)
        assert right == pytest.approx(found["accuracy"] * found["pairs"]), group


def test_forced_discards_are_counted_apart() -> None:
    found = measured("discard", wrong=5)
    counts = sensible_games().rounds["counts"]
    with_forced = found["with_forced_moves"]
    has_pairs = counts[:, :, 0].sum(axis=1) > 0
    assert with_forced["pairs"] - found["pairs"] == counts[has_pairs][:, :, FORCED].sum()
    assert with_forced["accuracy"] > found["accuracy"]


def test_a_bound_on_pairs_takes_whole_rounds_at_random() -> None:
    few, other = measured("chow", most=300), measured("chow", most=300)
    assert 0 < few["pairs"] <= 300
    assert few == other


def test_names_of_archives_are_shown_as_they_are() -> None:
    found = measured("riichi")
    found["by_archive"] = {f"[/x]{name}": numbers for name, numbers in found["by_archive"].items()}
    screen = Console(width=160, file=io.StringIO(), record=True)
    show_results({"riichi": found}, screen)
    assert "[/x]" in screen.export_text()
