"""The experiment: which hands, what is measured, that it can be interrupted, and what is counted in the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from simulator.players import player
from simulator.record import RESULT_EXHAUSTIVE
from simulator.rounds import _is_game_over
from simulator.rules import Rules
from suphx.adaptation.adapting import Adapter
from suphx.adaptation.experiment import Experiment, ExperimentConfig, ExperimentHand, HandsConfig, find_hands
from suphx.adaptation.results import HANDS_NAME, HandResult, HandResults, Trial, summarize
from suphx.adaptation.rollouts import FinishedRollouts, RolloutPosition, roll_out, rollouts_of
from suphx.adaptation.steps import LearnedPart
from suphx.agent.interface import RuleAgent
from suphx.errors import InputError
from tests.adaptation.adaptation_positions import Honors, late_positions, points, tiny_agent

AGENT = tiny_agent()
RULES = Rules.tenhou()
SENSIBLE = RuleAgent(player("sensible"))
CONFIG = ExperimentConfig.model_validate(
    {
        "seed": 4,
        "adaptation": {"deals": 3, "copies": 2, "check_deals": 3, "reward": {"kind": "round"}},
        "deals": 6,
    }
)


def found(situation: str, count: int = 6, seed: int = 1) -> list[ExperimentHand]:
    config = HandsConfig.model_validate({"situation": situation, "count": count})
    return find_hands(config, SENSIBLE, RULES, seed)


@pytest.mark.parametrize("situation", ["any", "last", "behind", "lead"])
def test_hands_are_beginnings_of_rounds_of_their_situation(situation: str) -> None:
    hands = found(situation)
    for hand in hands:
        game = hand.position.game
        assert game["n_events"] == 1 and hand.situation == situation
        start = hand.position.history[-1]
        assert start["scores"].tolist() == game["start_scores"].tolist() and start["round"] == game["round"]
        if situation in ("last", "behind", "lead"):
            assert game["round"] >= 7 and game["dealer"] == game["round"] % 4
    assert len({hand.position.game["wall"].tobytes() for hand in hands}) == len(hands)
    seats = {hand.position.seat for hand in hands}
    assert seats == {3} if situation == "lead" else len(seats) > 1


DEALER = 3


def after_win(game: np.void, winner: int, won: int, source: int | None = None) -> np.void:
    """A last round's game after a win by another seat than the dealer: on a discard of `source`, or on a draw."""
    found = game.copy()
    paid = {source: won} if source is not None else {s: won // (2 if s == DEALER else 4) for s in range(4)}
    for seat, part in paid.items():
        if seat != winner:
            found["scores"][seat] -= part
            found["scores"][winner] += part
    return found


def place(game: np.void, seat: int) -> int:
    return int((game["scores"] > game["scores"][seat]).sum()) + 1


@pytest.mark.parametrize("situation", ["behind", "lead"])
def test_the_game_ends_with_a_last_round_that_is_made(situation: str) -> None:
    for hand in found(situation, 3):
        game = hand.position.game
        assert game["dealer"] == DEALER and game["scores"].sum() == 100_000
        assert _is_game_over(game, True, True) == 1  # the dealer in tenpai at the end, or winning
        for winner in range(DEALER):
            for won in (1_000, 2_000, 3_900, 5_200, 6_400, 8_000, 12_000, 16_000, 24_000):
                for source in {0, 1, 2, DEALER, None} - {winner}:
                    ended = after_win(game, winner, won, source)
                    assert _is_game_over(ended, False, True) == 1, (hand.position.seat, winner, won, source)


@pytest.mark.full
@pytest.mark.parametrize("situation", ["behind", "lead"])
def test_the_game_ends_in_rollouts_of_a_last_round_that_is_made(situation: str) -> None:
    positions = [hand.position for hand in found(situation, 4)]
    ended = roll_out(positions, rollouts_of(4, 50), [SENSIBLE] * 4, SENSIBLE, points(), 1).ended
    rare = (ended["result"]["type"] > RESULT_EXHAUSTIVE) | (ended["result"]["n_wins"] > 1)
    assert (ended["result"]["game_over"] == 1)[~rare].all() and rare.sum() < 20


def test_behind_needs_12_000_points_or_half_of_it_by_a_direct_hit() -> None:
    for hand in found("behind"):
        game, seat = hand.position.game, hand.position.seat
        others = set(range(DEALER)) - {seat}
        assert place(game, seat) == 4
        assert [place(after_win(game, seat, 8_000, source), seat) for source in (DEALER, None)] == [4, 4]
        assert [place(after_win(game, seat, 12_000, source), seat) for source in (DEALER, None)] == [2, 2]
        assert [place(after_win(game, seat, 5_200, source), seat) for source in others] == [4, 4]
        assert [place(after_win(game, seat, 6_400, source), seat) for source in others] == [3, 3]


def test_a_lead_is_lost_to_16_000_by_a_direct_hit_or_24_000_drawn() -> None:
    (hand,) = found("lead", 1)
    game = hand.position.game
    for won, source, expected in ((12_000, DEALER, 1), (16_000, DEALER, 2), (16_000, None, 1), (24_000, None, 2)):
        assert place(after_win(game, 1, won, source), DEALER) == expected


def test_the_same_seed_finds_the_same_hands_and_another_one_others() -> None:
    walls = [[hand.position.game["wall"].tobytes() for hand in found("any", seed=seed)] for seed in (1, 1, 2)]
    assert walls[0] == walls[1] and not set(walls[0]) & set(walls[2])


def test_rounds_of_a_game_played_here_go_on_as_they_were_played() -> None:
    for hand in found("any"):
        assert len(hand.position.history) == hand.position.game["deals"]
        assert hand.position.history[0]["scores"].tolist() == [25_000] * 4


@pytest.fixture(scope="module")
def hands() -> list[ExperimentHand]:
    return [ExperimentHand("late", position) for position in late_positions(3)]


def run(
    folder: Path, hands: list[ExperimentHand], stop_after: int = 99, threads: int = 1, **changes: Any
) -> list[dict[str, Any]]:
    """The results of an experiment without its times; KeyboardInterrupt after so many hands."""
    config = CONFIG.model_copy(update=changes)
    with HandResults(folder, config.settings()) as hand_results:

        def watch() -> None:
            if len(hand_results.done) == stop_after:
                raise KeyboardInterrupt

        try:
            Experiment(config, AGENT).run(hands, hand_results, watch, threads)
        except KeyboardInterrupt:
            pass
        done = [hand_results.done[number].model_dump() for number in sorted(hand_results.done)]
    for hand in done:
        del hand["rollout_seconds"]
        for trial in hand["trials"].values():
            del trial["steps_seconds"], trial["check_seconds"]
    return done


@pytest.fixture(scope="module")
def results(hands: list[ExperimentHand], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    return run(tmp_path_factory.mktemp("whole"), hands)


def test_an_interrupted_experiment_goes_on_with_the_same_numbers(
    hands: list[ExperimentHand], results: list[dict[str, Any]], tmp_path: Path
) -> None:
    assert len(run(tmp_path, hands, stop_after=1)) == 1
    with open(tmp_path / HANDS_NAME, "ab") as file:
        file.write(b'{"number":1,"situa')  # what a kill leaves
    assert run(tmp_path, hands) == results


def test_several_threads_find_the_same_numbers(
    hands: list[ExperimentHand], results: list[dict[str, Any]], tmp_path: Path
) -> None:
    assert run(tmp_path, hands, threads=3) == results
    assert not AGENT.stop.is_set()


def test_an_interruption_stops_other_threads_in_the_middle_of_their_hands(
    hands: list[ExperimentHand], results: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second_waits, roll = Event(), Adapter.roll

    def after_the_interruption(adapter: Adapter, positions: Sequence[RolloutPosition], *more: Any) -> FinishedRollouts:
        if positions[0] is hands[1].position:
            second_waits.set()
            assert AGENT.stop.wait(60)
        else:
            assert second_waits.wait(60)
        return roll(adapter, positions, *more)

    monkeypatch.setattr(Adapter, "roll", after_the_interruption)
    assert run(tmp_path, [hands[0], hands[1]], stop_after=1, threads=2) == results[:1]
    assert not AGENT.stop.is_set()


def test_gains_are_those_of_the_copies_on_the_test_deals(
    hands: list[ExperimentHand], results: list[dict[str, Any]]
) -> None:
    experiment = Experiment(CONFIG, AGENT)
    adapter, position = experiment.adapter, hands[1].position
    rewarded = adapter.roll([position], 0, 3)
    learned = adapter.learn([rewarded], 0)
    (tried,) = adapter.check(adapter.held_out([position], 3), [learned], 6)
    measuring = Adapter(AGENT, CONFIG.adaptation, points(), CONFIG.seed)
    played = measuring.play([position], 6, 1 << 33)
    expected = measuring.gains(played, [tried.copy])[0]
    trial = results[1]["trials"]["adapted"]
    assert trial["gain"] == pytest.approx(expected.mean()) and trial["kept"] == tried.passed
    assert trial["differing"] == (expected != 0).mean()
    assert results[1]["reward"] == pytest.approx(played.rewards.mean())


def of_honors(config: ExperimentConfig) -> Experiment:
    """An experiment whose rewards tell rollouts of a late position apart."""
    experiment = Experiment(config, AGENT)
    experiment.rewards = experiment.adapter.rewards = Honors()
    return experiment


def test_every_way_is_charged_for_what_ways_share(
    hands: list[ExperimentHand], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Namely for held-out deals, which are played once."""
    slow = 0.2

    def slowed(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: time.sleep(slow) or function(*arguments)

    monkeypatch.setattr(LearnedPart, "inputs", slowed(LearnedPart.inputs))
    monkeypatch.setattr(Adapter, "held_out", slowed(Adapter.held_out))
    with HandResults(tmp_path, CONFIG.settings()) as hand_results:
        of_honors(CONFIG).run(hands[:1], hand_results, lambda: None)
    trials = hand_results.done[0].trials
    assert set(trials) == {"adapted", "shuffled"}
    assert all(trial.steps_seconds >= slow and trial.check_seconds >= slow for trial in trials.values())


def test_some_hands_are_measured_on_more_deals() -> None:
    config = CONFIG.model_copy(update={"more_hands": 3, "more_deals": 50})
    assert [config.deals_of(number, 10) for number in range(10)] == [50, 6, 6, 50, 6, 6, 50, 6, 6, 6]
    assert {CONFIG.deals_of(number, 10) for number in range(10)} == {6}


def test_another_experiment_another_writer_and_broken_lines_are_refused(
    hands: list[ExperimentHand], tmp_path: Path
) -> None:
    run(tmp_path, hands[:0])
    with pytest.raises(InputError, match="another experiment, with deals"):
        HandResults(tmp_path, CONFIG.model_copy(update={"deals": 7}).settings())
    with (
        HandResults(tmp_path, CONFIG.settings()),
        pytest.raises(InputError, match=r"process [0-9]+ on .* is at this experiment"),
    ):
        HandResults(tmp_path, CONFIG.settings())
    (tmp_path / HANDS_NAME).write_text('{"number": -1}\n')
    with pytest.raises(InputError, match=r"hands.jsonl, line 1: no hand"):
        HandResults(tmp_path, CONFIG.settings())


def test_a_file_of_another_predictor_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "phi.safetensors"
    path.write_bytes(b"one")
    config = ExperimentConfig.model_validate({"adaptation": {"reward": {"kind": "phi", "predictor": path}}})
    before = config.fingerprints()
    assert set(before) == {"weights", "predictor"}
    path.write_bytes(b"another")
    after = config.fingerprints()
    assert {key for key in after if after[key] != before[key]} == {"predictor"}
    assert set(ExperimentConfig().fingerprints()) == {"weights", "predictor"}
    assert set(CONFIG.fingerprints()) == {"weights"}
    path.unlink()
    with pytest.raises(InputError, match=r"phi.safetensors: cannot be read"):
        config.fingerprints()


def test_an_adaptation_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="greater than or equal to 2"):
        ExperimentConfig.model_validate({"adaptation": {"copies": 1}})
    with pytest.raises(ValueError, match="one deal has no standard error"):
        ExperimentConfig.model_validate({"adaptation": {"check_deals": 1}})


@pytest.mark.faults
def test_a_journal_cut_anywhere_goes_on_after_its_last_whole_line(tmp_path: Path) -> None:
    with HandResults(tmp_path, CONFIG.settings()) as hand_results:
        for number in range(3):
            hand_results.add_hand(made(number, 1.0, True, "good"))
    data = (tmp_path / HANDS_NAME).read_bytes()
    for cut in range(0, len(data) + 1, 13):
        (tmp_path / HANDS_NAME).write_bytes(data[:cut])
        whole = data[:cut].count(b"\n")
        with HandResults(tmp_path, CONFIG.settings()) as hand_results:
            assert sorted(hand_results.done) == list(range(whole))
            for number in range(whole, 3):
                hand_results.add_hand(made(number, 1.0, True, "good"))
        assert (tmp_path / HANDS_NAME).read_bytes() == data


def made(number: int, gain: float, kept: bool, kind: str, by_chance: float = 0.0, error: float = 0.5) -> HandResult:
    trials = {
        name: Trial(
            gain=each, error=error, differing=0.1, distance=0.01, kept=kept, steps_seconds=1.0, check_seconds=2.0,
        )
        for name, each in {"adapted": gain, "shuffled": by_chance}.items()
    }  # fmt: skip
    return HandResult(
        number=number, situation="any", kind=kind, shanten=3, round=0, seat=0, dealer=True, scores=[25_000] * 4,
        deals=100, reward=0.0, spread=1.0, rollouts=8, rollout_seconds=3.0, trials=trials,
    )  # fmt: skip


def test_a_summary_counts_hands_that_improve() -> None:
    gains = [1.0, 2.0, -1.0, 0.0, 3.0]
    results = [made(n, gain, gain > 1, "good" if n < 3 else "poor") for n, gain in enumerate(gains)]
    numbers = summarize(results, 10.0, "points")["ways"]["adapted"]
    assert (numbers["better"], numbers["worse"], numbers["same"]) == (3, 1, 1)
    assert numbers["share"] == 0.75
    assert numbers["share_interval"] == pytest.approx([0.3006, 0.9544], abs=1e-4)  # Wilson's, 3 of 4
    assert numbers["gain"]["value"] == pytest.approx(10.0)
    half = 2.776 * 10 * np.std(gains, ddof=1) / 5**0.5  # Student's t, 4 degrees of freedom
    assert numbers["gain"]["interval"] == pytest.approx([10 - half, 10 + half], rel=0.01)
    assert numbers["kept"] == 0.4 and numbers["gain_with_check"]["value"] == pytest.approx(10.0)
    assert numbers["by_kind"]["poor"]["hands"] == 2 and numbers["by_kind"]["good"]["better"] == 2
    assert numbers["by_deals"]["100 deals"]["hands"] == 5 and numbers["by_kind"]["good"]["rollout_seconds"] == 3.0


def test_a_summary_holds_ways_against_the_control_hand_by_hand() -> None:
    gains, by_chance = [1.0, 2.0, -1.0, 0.5], [0.5, 2.0, 1.0, 0.0]
    pairs = zip(gains, by_chance, strict=True)
    results = [made(n, gain, True, "poor" if n else "good", chance) for n, (gain, chance) in enumerate(pairs)]
    ways = summarize(results, 10.0, "points")["ways"]
    less = ways["adapted"]["less_shuffled"]
    differences = 10 * (np.array(gains) - by_chance)
    assert (less["control"], less["better"], less["worse"], less["same"]) == ("shuffled", 2, 1, 1)
    assert less["share"] == pytest.approx(2 / 3) and less["gain"]["value"] == pytest.approx(differences.mean())
    half = 3.182 * differences.std(ddof=1) / 2  # Student's t, 3 degrees of freedom
    assert less["gain"]["interval"] == pytest.approx([differences.mean() - half, differences.mean() + half], rel=0.01)
    assert ways["adapted"]["by_kind"]["good"]["less_shuffled"]["gain"]["value"] == pytest.approx(5.0)
    assert "less_shuffled" not in ways["shuffled"]
