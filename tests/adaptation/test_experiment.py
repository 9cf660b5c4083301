"""The experiment: which hands, what is measured, that it can be interrupted, and what is counted in the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.logs.from_record import game_log
from simulator.logs.mjlog_writer import write_mjlog
from simulator.players import player
from simulator.players.play import play_games
from simulator.rules import Rules
from suphx.adaptation.comparing import Deals
from suphx.adaptation.experiment import Experiment, ExperimentConfig
from suphx.adaptation.hands import Hand, HandsConfig, find_hands
from suphx.adaptation.notebook import HANDS_NAME, HandResult, Notebook, Trial
from suphx.adaptation.pictures import plot_gains, plot_shares
from suphx.adaptation.summary import summarise
from suphx.agent.interface import RuleAgent
from suphx.errors import InputError
from tests.adaptation.adaptation_positions import late_positions, points, tiny_agent

AGENT = tiny_agent()
RULES = Rules.tenhou()
SENSIBLE = RuleAgent(player("sensible"))
CONFIG = ExperimentConfig.model_validate(
    {
        "seed": 4,
        "adaptation": {"deals": 3, "copies": 2, "check_deals": 3, "reward": {"kind": "round"}},
        "variants": {"shuffled": {"shuffled": True}, "far": {"steps": {"distance": 0.2}}},
        "deals": 6,
        "together": 2,
    }
)


def found(situation: str, count: int = 6, seed: int = 1, logs: tuple[Path, ...] = ()) -> list[Hand]:
    config = HandsConfig.model_validate({"situation": situation, "count": count, "logs": logs})
    return find_hands(config, SENSIBLE, RULES, seed)


@pytest.mark.parametrize("situation", ["first", "any", "last", "behind", "lead"])
def test_hands_are_beginnings_of_rounds_of_their_situation(situation: str) -> None:
    hands = found(situation)
    for hand in hands:
        game, seat = hand.position.game, hand.position.seat
        assert game["n_events"] == 1 and hand.situation == situation
        start = hand.position.history[-1]
        assert start["scores"].tolist() == game["start_scores"].tolist() and start["round"] == game["round"]
        own, others = int(game["scores"][seat]), np.delete(game["scores"], seat)
        if situation == "first":
            assert game["round"] == 0 and len(hand.position.history) == 1
        if situation in ("last", "behind", "lead"):
            assert game["round"] >= 7 and game["dealer"] == game["round"] % 4
        if situation == "behind":
            assert (others - own == 12_000).all() and game["scores"].sum() == 100_000
        if situation == "lead":
            assert (own - others == 28_000).all() and game["scores"].sum() == 100_000
    assert len({hand.position.game["wall"].tobytes() for hand in hands}) == len(hands)
    assert len({hand.position.seat for hand in hands}) > 1


def test_the_same_seed_finds_the_same_hands_and_another_one_others() -> None:
    walls = [[hand.position.game["wall"].tobytes() for hand in found("any", seed=seed)] for seed in (1, 1, 2)]
    assert walls[0] == walls[1] and not set(walls[0]) & set(walls[2])


def test_rounds_of_a_game_played_here_go_on_as_they_were_played() -> None:
    for hand in found("any"):
        assert len(hand.position.history) == hand.position.game["deals"]
        assert hand.position.history[0]["scores"].tolist() == [25_000] * 4


def test_hands_of_logs_are_their_rounds(tmp_path: Path) -> None:
    games = list(play_games([player("sensible")] * 4, 3, RULES, seed=5))
    for game in games:
        log = game_log(game.rounds, RULES, ["a", "b", "c", "d"], f"game-{game.number}")
        (tmp_path / f"{game.number}.mjlog").write_bytes(write_mjlog(log))
    hands = found("any", 3, logs=(tmp_path,))
    for hand, game in zip(hands, games, strict=True):
        number = len(hand.position.history) - 1
        assert hand.position.game["start_scores"].tolist() == game.rounds[number]["start_scores"].tolist()
        dealt = hand.position.game["wall"][-1:-53:-1]
        assert dealt.tolist() == game.rounds[number]["wall"][-1:-53:-1].tolist()
    with pytest.raises(InputError, match="3 hands of situation 'any' were found, not 4"):
        found("any", 4, logs=(tmp_path,))


@pytest.fixture(scope="module")
def hands() -> list[Hand]:
    return [Hand("late", position) for position in late_positions(3)]


def run(folder: Path, hands: list[Hand], stop_after: int = 99, **changes: Any) -> list[dict[str, Any]]:
    """The results of an experiment without its times; KeyboardInterrupt after so many hands."""
    config = CONFIG.model_copy(update=changes)
    with Notebook(folder, config.settings()) as notebook:

        def watch(hand: HandResult) -> None:
            if len(notebook.done) == stop_after:
                raise KeyboardInterrupt

        try:
            Experiment(config, AGENT).run(hands, notebook, watch)
        except KeyboardInterrupt:
            pass
        done = [notebook.done[number].model_dump() for number in sorted(notebook.done)]
    for hand in done:
        del hand["rollout_seconds"]
        for trial in hand["trials"].values():
            del trial["steps_seconds"], trial["check_seconds"]
    return done


@pytest.fixture(scope="module")
def results(hands: list[Hand], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    return run(tmp_path_factory.mktemp("whole"), hands)


def test_an_interrupted_experiment_goes_on_with_the_same_numbers(
    hands: list[Hand], results: list[dict[str, Any]], tmp_path: Path
) -> None:
    assert len(run(tmp_path, hands, stop_after=1)) == 1
    with open(tmp_path / HANDS_NAME, "ab") as file:
        file.write(b'{"number":1,"situa')  # what a kill leaves
    assert run(tmp_path, hands, together=1) == results


def test_gains_are_those_of_the_copies_on_the_test_deals(hands: list[Hand], results: list[dict[str, Any]]) -> None:
    experiment = Experiment(CONFIG, AGENT)
    adapter = experiment._adapter
    position, itself = hands[1].position, AGENT.itself
    lessons = adapter.roll([position], [itself], 0, 3)
    learned = adapter.learn(adapter.taught([lessons], 0, itself), steps=CONFIG.variants["far"].steps)
    (tried,) = adapter.try_out(adapter.held_out([position], [itself], 3), [itself], [learned], 6)
    deals = Deals(AGENT, points(), CONFIG.seed)
    played = deals.play([position], [itself], 6, 1 << 33, ["discard"])
    expected = deals.gains(played, [tried.proposed])[0]
    far = results[1]["trials"]["far"]
    assert far["gain"] == pytest.approx(expected.mean()) and far["kept"] == tried.kept
    assert far["differing"] == (expected != 0).mean()
    assert results[1]["worth"] == pytest.approx(played.worth.mean())


def test_some_hands_are_measured_on_more_deals() -> None:
    config = CONFIG.model_copy(update={"more_hands": 3, "more_deals": 50})
    assert [config.deals_of(number, 10) for number in range(10)] == [50, 6, 6, 50, 6, 6, 50, 6, 6, 6]
    assert {CONFIG.deals_of(number, 10) for number in range(10)} == {6}


def test_another_experiment_another_writer_and_broken_lines_are_refused(hands: list[Hand], tmp_path: Path) -> None:
    run(tmp_path, hands[:0])
    with pytest.raises(InputError, match="another experiment, by deals"):
        Notebook(tmp_path, CONFIG.model_copy(update={"deals": 7}).settings())
    with (
        Notebook(tmp_path, CONFIG.settings()),
        pytest.raises(InputError, match="another process is at this experiment"),
    ):
        Notebook(tmp_path, CONFIG.settings())
    (tmp_path / HANDS_NAME).write_text('{"number": -1}\n')
    with pytest.raises(InputError, match=r"hands.jsonl, line 1: no hand"):
        Notebook(tmp_path, CONFIG.settings())


def test_steps_that_do_not_fit_the_rollouts_are_refused() -> None:
    with pytest.raises(ValueError, match=r"variants.literal: .*form rollout needs every question"):
        ExperimentConfig.model_validate(
            {"adaptation": {"certain": 0.9}, "variants": {"literal": {"steps": {"form": "rollout"}}}}
        )
    with pytest.raises(ValueError, match="a baseline by deal needs two rollouts"):
        ExperimentConfig.model_validate({"adaptation": {"copies": 1}})
    with pytest.raises(ValueError, match="natural is for the head alone"):
        ExperimentConfig.model_validate({"variants": {"n": {"steps": {"optimizer": "natural"}}}})
    with pytest.raises(ValueError, match="natural is for the discard model alone"):
        steps = {"optimizer": "natural", "blocks": 0}
        ExperimentConfig.model_validate({"adaptation": {"models": ["pong"], "steps": steps}})
    with pytest.raises(ValueError, match="not taken from logs"):
        HandsConfig.model_validate({"situation": "lead", "logs": ["x"]})


def made(number: int, gain: float, kept: bool, kind: str) -> HandResult:
    trial = Trial(
        gain=gain, error=0.5, differing=0.1, distance=0.01, held_out=0.0, held_out_error=0.1, kept=kept,
        steps_seconds=1.0, check_seconds=2.0,
    )  # fmt: skip
    return HandResult(
        number=number, situation="any", kind=kind, shanten=3, round=0, seat=0, dealer=True, scores=[25_000] * 4,
        deals=100, worth=0.0, spread=1.0, rollouts=8, rollout_seconds=3.0, trials={"adapted": trial},
    )  # fmt: skip


def test_a_summary_counts_hands_that_improve() -> None:
    gains = [1.0, 2.0, -1.0, 0.0, 3.0]
    results = [made(n, gain, gain > 1, "good" if n < 3 else "poor") for n, gain in enumerate(gains)]
    numbers = summarise(results, 10.0, "points")["ways"]["adapted"]
    assert (numbers["better"], numbers["worse"], numbers["same"]) == (3, 1, 1)
    assert numbers["share"] == 0.75
    assert numbers["share_interval"] == pytest.approx([0.3006, 0.9544], abs=1e-4)  # Wilson's, 3 of 4
    assert numbers["gain"]["value"] == pytest.approx(10.0)
    error = 10 * np.std(gains, ddof=1) / 5**0.5
    assert numbers["gain"]["interval"] == pytest.approx([10 - 1.96 * error, 10 + 1.96 * error], abs=1e-3)
    assert numbers["true_spread"] == pytest.approx((100 * np.var(gains, ddof=1) - 25) ** 0.5)
    assert numbers["kept"] == 0.4 and numbers["kept_only"]["gain"]["value"] == pytest.approx(25.0)
    assert numbers["gain_with_check"]["value"] == pytest.approx(10.0)
    assert numbers["by_kind"]["poor"]["hands"] == 2 and numbers["by_kind"]["good"]["better"] == 2


def test_pictures_are_drawn(tmp_path: Path) -> None:
    results = [made(n, gain, True, "good") for n, gain in enumerate([1.0, -2.0, 0.0])]
    plot_gains(tmp_path / "gains.png", results, 1.0, "points")
    plot_shares(tmp_path / "shares.svg", summarise(results, 1.0, "points"))
    assert (tmp_path / "gains.png").read_bytes().startswith(b"\x89PNG")
    assert b"all hands" in (tmp_path / "shares.svg").read_bytes() or (tmp_path / "shares.svg").stat().st_size > 5_000
