"""Training the outlook network, its file, and what it says."""

import json
from threading import Event

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from simulator.rules import Rules
from suphx.cli import app
from suphx.dataset.loader import Loader, prefetch
from suphx.errors import InputError
from suphx.features.encode import encode_batch
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize
from suphx.networks.weights import WeightsError, load_network, load_outlook, save_network
from suphx.outlook.labels import after_discards
from suphx.outlook.predictor import INCLUDED, Outlook, check_rules, fresh_network, loss_of, outlooks
from suphx.outlook.training import OutlookConfig, OutlookTraining
from suphx.supervised.training import SupervisedInterrupted, SupervisedProgress

PRECISION = Precision(torch.device("cpu"), torch.float32, 1, "")
TINY = NetworkSize(filters=8, blocks=1)


def test_a_fresh_network_says_of_everything_what_is_usual(examples):
    network = fresh_network(TINY, 0)
    found = Outlook(network, PRECISION).of(examples.planes()[:50])
    unsafe = found.chances > 0
    assert 0.3 < unsafe.mean() < 1 and np.allclose(found.chances[unsafe], 0.015, rtol=0.7)
    assert np.allclose(found.results.sum(axis=1), 1)
    assert ((found.placement >= 1) & (found.placement <= 4)).all()


def test_the_loss_is_least_where_the_network_says_what_happens(examples):
    """Each part, with all outputs moved away from the frequencies in the examples."""
    targets = examples.targets
    dealing = (targets.kinds[:, :, None] >> np.arange(34) & 1).mean()
    mean = targets.losses[targets.losses > 0].mean() / 8000
    shares = [np.bincount(each, minlength=n) / len(each) for each, n in ((targets.results, 5), (targets.ranks, 4))]
    row = np.concatenate([
        np.full(102, np.log(dealing / (1 - dealing))), np.full(102, np.log(mean)), np.log(shares[0]),
        [targets.points.mean() / 8000], np.log(shares[1]),
    ])  # fmt: skip

    def parts(of: np.ndarray) -> dict[str, float]:
        outputs = torch.from_numpy(np.broadcast_to(of, (len(targets), len(of))).astype(np.float32).copy())
        return {name: float(each) for name, each in loss_of(outputs, targets)[1].items()}

    best = parts(row)
    for name, places in (
        ("deal in", slice(0, 102)), ("cost", slice(102, 204)), ("result", 204), ("points", 209), ("rank", 210),
    ):  # fmt: skip
        for step in (-0.2, 0.2):
            moved = row.copy()
            moved[places] += step
            assert parts(moved)[name] > best[name], name
    said = outlooks(row[None].astype(np.float32))
    assert np.allclose(said.chances, dealing, rtol=1e-4) and np.allclose(said.losses, mean * 8000, rtol=1e-4)
    assert np.allclose(said.results[0], shares[0], atol=1e-6) and np.allclose(said.ranks[0], shares[1], atol=1e-6)


def test_a_training_that_was_stopped_ends_as_one_that_was_not(prepared, tmp_path, monkeypatch):
    monkeypatch.setattr(Loader.__init__, "__defaults__", (1500, False, 1, False))  # pairs of a chunk
    config = OutlookConfig(size=TINY, decisions=6000, batch=128, validations=3, validation_decisions=1000)

    whole = OutlookTraining(config, prepared, tmp_path / "whole", PRECISION)
    whole.run()
    stop = Event()
    with pytest.raises(SupervisedInterrupted):
        OutlookTraining(config, prepared, tmp_path / "parts", PRECISION).run(lambda report: stop.set(), stop)
    again = OutlookTraining(config, prepared, tmp_path / "parts", PRECISION)
    assert 0 < again.progress.pairs < 6000
    again.run()
    assert again.progress.validations == whole.progress.validations
    for name, each in whole.average.state_dict().items():
        assert torch.equal(each, again.average.state_dict()[name]), name
    first, last = whole.progress.validations[0].metrics["loss"], whole.progress.validations[-1].metrics["loss"]
    assert last < first
    with pytest.raises(InputError, match="another configuration"):
        OutlookTraining(config.model_copy(update={"seed": 1}), prepared, tmp_path / "parts", PRECISION)


def test_validations_in_checkpoints_of_earlier_versions_are_read():
    written = {
        "purpose": "", "chunk": 3, "decisions": 900, "steps": 7,
        "validations": [{"decisions": 900, "losses": {"deal in": 0.5, "all": 2.0}}],
    }  # fmt: skip
    progress = SupervisedProgress.model_validate(written)
    assert (progress.chunk, progress.pairs, progress.steps) == (3, 900, 7)
    assert progress.validations[0].metrics == {"deal in": 0.5, "loss": 2.0}
    best = {"pairs": 900, "accuracy": 0.7, "loss": 0.9}
    progress = SupervisedProgress.model_validate({"purpose": "", "pairs": 900, "best": best, "validations": [best]})
    assert progress.best == progress.validations[0] and progress.best.metrics == {"accuracy": 0.7, "loss": 0.9}
    assert SupervisedProgress.model_validate_json(progress.model_dump_json()) == progress


def test_chunks_come_in_order_whatever_the_threads():
    numbers = prefetch(lambda number: number**2, 3, threads=3)
    assert [next(numbers) for _ in range(4)] == [(3, 9), (4, 16), (5, 25), (6, 36)]


def test_the_file_of_an_outlook_is_read_back_and_others_are_refused(tmp_path):
    path = tmp_path / "outlook.safetensors"
    save_network(path, fresh_network(TINY, 0), "float16")
    assert load_outlook(path).size.filters == 8
    with pytest.raises(WeightsError, match=r"outlook\.safetensors: weights of the outlook model; the discard model"):
        load_network(path, "discard")
    with pytest.raises(WeightsError, match=r"weights of the discard model; the outlook model is needed"):
        load_outlook(INCLUDED.parent / "sl" / "discard.safetensors")
    with pytest.raises(WeightsError, match=r"missing: no such file"):
        load_outlook(tmp_path / "missing")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(WeightsError, match=r"outlook\.safetensors: no safetensors file, or not whole"):
        load_outlook(path)


def test_only_the_rules_it_was_measured_by_have_an_outlook():
    check_rules(Rules.tenhou())
    check_rules(Rules.tenhou_east())
    with pytest.raises(InputError, match="rules: bust is False; the outlook was trained on games with True"):
        check_rules(Rules.m_league())


def test_discards_are_worth_what_passes_less_what_is_lost_at_once(examples, legal):
    outlook = Outlook(load_outlook(INCLUDED), PRECISION)
    rows = slice(0, 40)
    positions, seats = examples.positions[rows], examples.seats[rows]
    found = outlook.discards(positions, seats, legal[rows])
    for each in (found.risk, found.danger, found.points, found.placement):
        assert (np.isfinite(each) == legal[rows]).all()
    risk = 1 - np.prod(1 - found.before.chances, axis=1)
    assert np.allclose(found.risk[legal[rows]], risk[legal[rows]])
    one = legal[rows].argmax(axis=1)
    after = after_discards(positions, seats, one)
    passing = outlook.of(encode_batch(after, np.arange(40), seats)).points
    at = np.arange(40)
    bet = 1000 * (positions["riichi"][at, seats] == 1)
    expected = (1 - found.risk[at, one]) * (passing - bet) - found.danger[at, one]
    assert np.allclose(found.points[at, one], expected, atol=1)


def test_the_commands_train_and_measure(tmp_path, prepared):
    prepared.save(tmp_path / "prepared")
    folder = tmp_path / "run"
    run = CliRunner().invoke(app, [
        "outlook", "train", "--logs", str(tmp_path / "prepared"), "--out", str(folder), "--json", "--set",
        "decisions=600", "--set", "size={filters: 8, blocks: 1}", "--set", "validation_decisions=100",
    ])  # fmt: skip
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)[-1]["decisions"] == 600
    weights = folder / "outlook.safetensors"
    measure = [
        "outlook", "evaluate", "--logs", str(tmp_path / "prepared"), "--weights", str(weights), "--out",
        str(folder), "--decisions", "1500", "--valued", "200", "--choices", "500", "--bootstrap", "20",
        "--json",
    ]  # fmt: skip
    measured = CliRunner().invoke(app, measure)
    assert measured.exit_code == 0, measured.output
    found = json.loads(measured.stdout)
    assert found["choices"]["chow"]["decisions"] > 0
    assert found["decisions"] >= 1000 and set(found["events"]) >= {"tile deals in", "win", "deal in"}
    assert (folder / "outlook.png").read_bytes()[:4] == b"\x89PNG"
    others = CliRunner().invoke(app, [*measure, "--split", "validation"])
    assert others.exit_code == 0, others.output
    assert 0 < json.loads(others.stdout)["games"] <= (prepared.split() == 1).sum() < found["games"]
    refused = CliRunner().invoke(app, [*measure, "--split", "train"])
    assert refused.exit_code != 0 and "one of training, validation, test" in str(refused.exception)
