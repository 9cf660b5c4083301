"""An agent that adapts, at a table: when it does, what it then plays by, and what it is called."""

from __future__ import annotations

import json
import time
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from simulator.actions import legal_actions
from simulator.game import Game
from simulator.logs.mjai_writer import player_view
from simulator.players import player
from simulator.rules import Rules
from simulator.tables import Tables
from suphx import cli
from suphx.adaptation import adapting
from suphx.adaptation.adapting import Adapter, RolloutPace, Stopwatch
from suphx.adaptation.agent import AdaptedAgent, AdaptedConfig, parse
from suphx.adaptation.experiment import ExperimentConfig
from suphx.adaptation.rollouts import FinishedRollouts, RolloutPosition
from suphx.agent.flow import PlaneEncoder
from suphx.agent.interface import Agent, RuleAgent
from suphx.agent.registry import fingerprint, has_networks, load_agent
from suphx.config import load_config
from suphx.errors import InputError
from suphx.evaluation.arena import MatchTerms, play_here
from suphx.evaluation.protocol import MatchPlan, one_against_three
from suphx.mjai.bot.seat import Seat
from tests.adaptation.adaptation_positions import PRECISION, Honors, late_positions, tiny_agent

AGENT = tiny_agent()
#: Adaptations that take hours.
LONG = {"adaptation": {"deals": 1_000_000, "reward": {"kind": "round"}}}


def adapted(seconds: float | None = None, **changes: Any) -> AdaptedAgent:
    usual = {"deals": 8, "copies": 2, "check_deals": 0, "bound": 5.0, "steps": {"distance": 0.5}}
    config = {"adaptation": usual | changes | {"reward": {"kind": "round"}}}
    agent = AdaptedAgent(AGENT, AdaptedConfig.model_validate(config | {"seconds_per_round": seconds}), 3)
    agent._adapter.rewards = Honors()
    return agent


@pytest.fixture(scope="module")
def positions() -> list[RolloutPosition]:
    return late_positions(2)


def tables_of(positions: list[RolloutPosition]) -> Tables:
    tables = Tables(len(positions), Rules.tenhou(), restart=False)
    tables.restore(np.array([position.game for position in positions]))
    return tables


def play_round(agent: AdaptedAgent, position: RolloutPosition) -> tuple[list[int], list[int]]:
    """Play a position's round with the agent on its seat; its actions, and how often it had adapted before each."""
    tables, actions, adaptations = tables_of([position]), [], []
    while True:
        decisions = tables.decisions()
        mine = decisions.seat == position.seat
        chosen = AGENT.greedy.act(tables.games, decisions).actions
        if mine.any():
            (row,) = np.flatnonzero(mine)
            part = type(decisions)(
                decisions.game[mine], decisions.seat[mine], decisions.situation[mine], decisions.legal[mine]
            )
            chosen[row] = agent.act(tables.games, part).actions[0]
            actions.append(int(chosen[row]))
            adaptations.append(agent.counts[0]["rounds"])
        if len(tables.step(chosen)):
            return actions, adaptations


def test_it_adapts_once_in_a_round_and_then_plays_by_the_copy(positions: list[RolloutPosition]) -> None:
    agent = adapted()
    actions, adaptations = play_round(agent, positions[0])
    assert set(adaptations) == {1} and agent.counts[0]["kept"] == 1 and agent.counts[0]["rollouts"] == 16
    assert agent.counts[0]["seconds"] > 0
    copy = agent._memory[0, positions[0].seat].player
    assert copy is not AGENT.greedy
    tables = tables_of(positions[:1])
    decisions = tables.decisions()
    assert copy.act(tables.games, decisions).actions.tolist() == actions[:1]


def test_before_its_first_round_the_original_plays(positions: list[RolloutPosition]) -> None:
    agent, position = adapted(), positions[0]
    agent._config = agent._config.model_copy(update={"first_round": 7})
    for number, adaptations in ((6, 0), (7, 1)):
        game = position.game.copy()
        game["round"] = number
        play_round(agent, RolloutPosition(game, position.seat, position.history))
        assert agent.take_counts(0)["rounds"] == adaptations


def test_with_a_copy_that_is_dropped_it_plays_as_the_original(
    positions: list[RolloutPosition], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapting, "_CHECK_MARGIN", 1e9)
    agent = adapted(check_deals=16)
    actions, _ = play_round(agent, positions[0])
    assert agent.counts[0]["rounds"] == 1 and agent.counts[0]["kept"] == 0

    class Plain(AdaptedAgent):
        def _is_due(self, game: np.void, table: int, seat: int) -> bool:
            return False

    plain = Plain(AGENT, AdaptedConfig.model_validate({"adaptation": {"reward": {"kind": "round"}}}))
    assert play_round(plain, positions[0])[0] == actions


def test_the_next_round_begins_with_the_original_and_a_longer_history(positions: list[RolloutPosition]) -> None:
    agent = adapted()
    first = positions[0].game.copy()
    second = first.copy()
    second["deals"], second["round"], second["start_scores"] = first["deals"] + 1, 1, [26_000, 24_000, 25_000, 25_000]
    for game in (first, second):
        tables = Tables(1, Rules.tenhou(), restart=False)
        tables.restore(np.array([game]))
        agent._is_due(tables.games[0], 0, positions[0].seat)
        memory = agent._memory[0, positions[0].seat]
        assert memory.player is AGENT.greedy
        memory.player = AGENT.player(AGENT.copy(AGENT.networks["discard"]))  # as if it had adapted
    assert memory.history["round"].tolist() == [int(first["round"]), 1]
    assert memory.history["scores"][1].tolist() == [26_000, 24_000, 25_000, 25_000]


def test_tables_together_are_played_as_each_alone(positions: list[RolloutPosition]) -> None:
    together = adapted()
    tables = tables_of(positions)
    decisions = tables.decisions()
    actions = together.act(tables.games, decisions).actions
    for number, position in enumerate(positions):
        alone = tables_of([position])
        expected = adapted().act(alone.games, alone.decisions()).actions
        assert actions[decisions.game == number].tolist() == expected.tolist()


def test_what_was_asked_is_told_with_the_rows_of_the_batch(positions: list[RolloutPosition]) -> None:
    tables = tables_of(positions)
    decisions = tables.decisions()
    choice = adapted().act(tables.games, decisions)
    for output in choice.outputs:
        if output.model == "discard":
            seen = PlaneEncoder().positions(
                tables.games, decisions.game[output.decision], decisions.seat[output.decision]
            )
            assert np.array_equal(output.planes, seen)


def test_without_time_for_a_check_nothing_is_changed(positions: list[RolloutPosition]) -> None:
    agent = adapted(seconds=1e-3, deals=1000, check_deals=100)
    play_round(agent, positions[0])
    assert agent.counts[0]["rounds"] == 1 and agent.counts[0]["kept"] == 0
    assert agent.counts[0]["rollouts"] == 16  # the first part, which tells how long one takes
    assert agent.counts[0]["late"] == 1


def test_a_clock_says_how_much_time_is_left() -> None:
    assert Stopwatch().left() == float("inf")
    clock = Stopwatch(positions=2, limit=10.0)
    time.sleep(0.02)
    assert 0.01 <= clock.seconds < 5
    assert 15 < clock.left() < 20 - 0.02 and 5 < clock.left(0.5) < 10 - 0.02


def test_a_pace_is_that_of_what_was_seen_last() -> None:
    pace = RolloutPace()
    assert pace.affordable(1000, float("inf"), 4) == 1000
    assert pace.affordable(1000, 1e9, 4) == 0  # nothing is known yet
    pace.note(32, 2.0)
    assert pace.predicted(32) == 2.0 and 2.0 < pace.predicted(64) < 4.0 and 1.0 < pace.predicted(16) < 2.0
    assert pace.affordable(0, 2.0, 4) == 0
    assert pace.affordable(1000, 2.0, 4) == 8 and pace.affordable(1000, 1.9, 4) == 4
    pace.note(1024, 8.0)
    assert pace.affordable(1000, 8.0, 4) == 256 and pace.affordable(100, 8.0, 4) == 100


@pytest.mark.parametrize("check_deals", [16, 0])
def test_with_more_time_it_plays_more(positions: list[RolloutPosition], check_deals: int) -> None:
    agent = adapted(seconds=60, deals=40, check_deals=check_deals)
    for _ in range(2):
        agent._memory.clear()
        play_round(agent, positions[0])
    assert agent.counts[0]["rounds"] == 2
    assert agent.counts[0]["late"] == 0
    assert agent.counts[0]["rollouts"] == 2 * 80  # every deal that is wanted: the limit is far away


def test_games_of_other_rules_than_the_predictors_are_refused(positions: list[RolloutPosition]) -> None:
    agent = AdaptedAgent(AGENT, AdaptedConfig())
    tables = tables_of(positions[:1])
    tables.games["rules"]["target_points"] += 1
    with pytest.raises(InputError, match="target_points is not that of the games"):
        agent.act(tables.games, tables.decisions())


def test_names_say_who_adapts_and_how(tmp_path: Path) -> None:
    agent, config = parse("adapted:sl,adaptation.deals=7,first_round=7,seconds_per_round=2.5")
    assert (agent, config.adaptation.deals, config.first_round, config.seconds_per_round) == ("sl", 7, 7, 2.5)
    assert parse("adapted:sl")[1] == AdaptedConfig()
    file = tmp_path / "how.yaml"
    file.write_text("adaptation: {deals: 9}\nfirst_round: 4\n")
    _, config = parse(f"adapted:sl,config={file},adaptation.copies=3")
    assert (config.adaptation.deals, config.adaptation.copies, config.first_round) == (9, 3, 4)
    assert isinstance(load_agent("adapted:untrained", precision=PRECISION), AdaptedAgent)
    assert has_networks("adapted:sl") and fingerprint("adapted:sl") != fingerprint("adapted:sl,first_round=5")


def test_the_ladders_agent_in_play_adapts_as_in_the_experiment() -> None:
    in_play = parse("adapted:sl,config=configs/experiments/adapted-ladder.yaml")[1].adaptation
    measured = load_config(Path("configs/experiments/adapt-ladder.yaml"), ExperimentConfig).adaptation
    assert in_play == measured.model_copy(update={"deals": in_play.deals, "check_deals": in_play.check_deals})


def test_it_plays_a_game_that_is_told_event_by_event() -> None:
    agent, game = adapted(), Game(Rules.tenhou(), seed=2)
    seat, told, asked = Seat(Rules.tenhou()), 0, 0
    while asked < 6:
        for event in player_view(game.events[told:], seat=0):
            seat.take(event)
        told = len(game.events)
        if seat.must_act:
            asked += 1
            action = int(agent.act(seat.games, seat.question()).actions[0])
            assert seat.question().legal[0, action]
        moves = {each: legal_actions(game.record, each, game.mask(each))[-1] for each in game.seats_to_act}
        game.step(moves)
    assert agent.counts[0]["rounds"] == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("adapted:", "names no agent"),
        ("adapted:sensible", "names no networks of ours"),
        ("adapted:nowhere", "'nowhere' names no networks of ours"),
        ("adapted:sl,adaptation.deal=5", "adaptation.deal: Extra inputs"),
        ("adapted:sl,first_round=8", "first_round: Input should be less than or equal to 7"),
        ("adapted:tuned-large", "tuned-large cannot adapt: its discard network, .* is not residual"),
        ("adapted:sl,config=a,config=b", "two configurations"),
    ],
)
def test_names_of_what_cannot_adapt_are_refused(name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        load_agent(name, precision=PRECISION)
    with pytest.raises(InputError, match="most likely actions"):
        load_agent("adapted:sl", temperature=0.5, precision=PRECISION)


def test_an_interrupted_match_ends_in_the_middle_of_an_adaptation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thread 1's game ends; what thread 2 adapts for hours is then given up."""
    plan, begun, roll = one_against_three(["adapted", "quick"], ["tsumogiri"]), Event(), Adapter.roll
    agents: list[AdaptedAgent] = []

    def load(plan: MatchPlan, terms: MatchTerms) -> list[Agent]:
        agents.append(AdaptedAgent(tiny_agent(), AdaptedConfig.model_validate(LONG), 3))
        return [agents[-1], *(RuleAgent(player("tsumogiri")) for _ in range(2))]

    def watched(*arguments: Any) -> FinishedRollouts:
        begun.set()
        return roll(*arguments)

    monkeypatch.setattr(Adapter, "roll", watched)
    games = play_here(plan, MatchTerms(), [(0, 0), (1, 4)], 1, 2, load)
    assert next(games).row["deal"] == 1  # the quick agent's
    assert begun.wait(60)
    started = time.perf_counter()
    games.close()
    assert time.perf_counter() - started < 30 and not any(agent.counts for agent in agents)


@pytest.mark.full
def test_its_games_in_the_arena_do_not_depend_on_the_batch_and_say_what_it_did() -> None:
    plan, terms = one_against_three(["adapted"], ["tsumogiri"]), MatchTerms(seed=2, logs=True)
    agents: list[AdaptedAgent] = []

    def load(plan: MatchPlan, terms: MatchTerms) -> list[Agent]:
        agents.append(adapted(deals=4))
        return [agents[-1], RuleAgent(player("tsumogiri"))]

    found = []
    for batch in (1, 2):
        games = list(play_here(plan, terms, [(0, 0), (1, 1)], batch, 1, load))
        found.append({int(game.row["deal"]): game for game in games})
        assert not agents[-1].counts  # all of it was handed out with the games
    for deal in (0, 1):
        one, other = (games[deal] for games in found)
        assert one.log == other.log
        ((agent, counts),), ((_, again),) = one.counted, other.counted
        assert agent == 0 and 0 < counts["rounds"]
        assert all(counts[name] == again[name] for name in ("rounds", "kept", "rollouts"))
    plain = play_here(plan, terms, [(0, 0), (1, 1)], 2, 1, lambda *_: [AGENT.greedy, RuleAgent(player("tsumogiri"))])
    assert any(game.log != found[0][int(game.row["deal"])].log for game in plain)


TINY_BUDGET = "adaptation.copies=2,adaptation.deals=2,adaptation.check_deals=2,adaptation.reward.kind=round"


@pytest.mark.full
@pytest.mark.parametrize("means", [["--threads", "1"], ["--workers", "2"]], ids=["threads", "workers"])
def test_suphx_evaluate_says_how_much_was_adapted(means: list[str], tmp_path: Path) -> None:
    name = f"adapted:untrained,{TINY_BUDGET}"
    words = ["--challenger", name, "--field", "tsumogiri", "--games", "8", "--batch", "8", "--precision", "float32"]
    words = ["evaluate", *words, "--out", str(tmp_path), *means]
    done = CliRunner().invoke(cli.app, [*words, "--json"], catch_exceptions=False)
    (found,) = json.loads(done.stdout)["adaptation"]
    assert found["agent"] == name and found["rounds"] > 8
    assert found["rollouts"] == 4 * found["rounds"] and 0 <= found["kept"] <= found["rounds"]
    assert found["seconds_per_round"] > 0
    again = CliRunner().invoke(cli.app, words, catch_exceptions=False)  # goes on from the folder, with nothing to play
    assert f"adapted in {found['rounds']:,} rounds, {found['kept']:,} copies" in again.output
