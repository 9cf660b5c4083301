from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
import pytest

from simulator.logs.mjlog import read_mjlog
from simulator.players import IllegalPlayer
from simulator.record import GAME, SEATS
from simulator.tables import Decisions
from suphx.agent.interface import AgentOutput, RuleAgent
from suphx.agent.registry import load_agent
from suphx.errors import InputError
from suphx.evaluation import arena
from suphx.evaluation.arena import MatchTerms, play_here
from suphx.evaluation.protocol import NOBODY, MatchPlan, one_against_three, round_robin, two_against_two
from suphx.evaluation.results import GameDone, MatchResults
from suphx.evaluation.tally import COLUMN
from suphx.networks import convolution


def play(
    plan: MatchPlan, deals: int, terms: MatchTerms | None = None, batch: int = 64, threads: int = 1
) -> MatchResults:
    results = MatchResults(plan, deals)
    for game in play_here(plan, terms or MatchTerms(seed=1), results.missing(), batch, threads):
        assert results.add(game)
    assert results.complete_deals() == deals
    return results


def logs_of(plan: MatchPlan, deals: int, terms: MatchTerms, batch: int, threads: int) -> dict[tuple[int, int], str]:
    games = play_here(plan, terms, MatchResults(plan, deals).missing(), batch, threads)
    return {(int(game.row["deal"]), int(game.row["table"])): digest(game) for game in games}


def digest(game: GameDone) -> str:
    assert game.log is not None
    return hashlib.sha256(game.log).hexdigest()


def test_a_challenger_sits_on_every_seat_and_the_field_keeps_its_order() -> None:
    plan = one_against_three(["a", "b"], ["x", "y", "z"])
    seated = [[plan.agents[agent] for agent in table.agents] for table in plan.tables]
    assert seated[:4] == [list("axyz"), list("zaxy"), list("yzax"), list("xyza")]
    assert seated[4:] == [[name.replace("a", "b") for name in seats] for seats in seated[:4]]
    assert [table.sides for table in plan.tables[:2]] == [(0, NOBODY, NOBODY, NOBODY), (NOBODY, 0, NOBODY, NOBODY)]
    assert plan.pairs() == [(0, 1)]


def test_games_of_the_same_agents_can_follow_each_other() -> None:
    results = MatchResults(one_against_three(["a", "b"], ["x"]), 5)
    results.done[0, 1] = results.done[3] = True
    in_turn = results.missing()
    assert in_turn == [(deal, table) for deal in range(5) for table in range(8) if not results.done[deal, table]]
    together = results.missing(2)
    assert sorted(together) == in_turn
    assert [deal for deal, table in together if table < SEATS] == [0, 0, 0, *[1] * 4, *[2] * 4, *[4] * 4]
    assert [(deal // 2, table // SEATS) for deal, table in together] == sorted((d // 2, t // SEATS) for d, t in in_turn)


def test_two_against_two_is_seated_in_all_six_ways() -> None:
    plan = two_against_two("a", "b")
    seated = {"".join(plan.agents[agent] for agent in table.agents) for table in plan.tables}
    assert seated == {"aabb", "abab", "abba", "baab", "baba", "bbaa"}
    assert all((np.array(table.sides) == np.array(table.agents)).all() for table in plan.tables)
    assert plan.pairs() == [(0, 1)]


def test_a_round_robin_is_every_two_of_them() -> None:
    plan = round_robin(["a", "b", "c"])
    assert len(plan.tables) == 3 * 6
    assert plan.sides[2:4] == ("a", "c")
    assert plan.pairs() == [(0, 1), (2, 3), (4, 5)]


@pytest.mark.parametrize("challengers, field", [([], ["a"]), (["a"], ["b", "c"]), (["a", "a"], ["b"])])
def test_other_numbers_of_agents_are_refused(challengers: list[str], field: list[str]) -> None:
    with pytest.raises(InputError):
        one_against_three(challengers, field)


def test_one_of_four_equals_has_every_place_once_on_every_deal() -> None:
    results = play(one_against_three(["sensible"], ["sensible"]), 6)
    units = results.units(0)
    for place in ("first", "second", "third", "fourth"):
        assert (units[:, COLUMN[place]] == 1).all()
    assert (units[:, COLUMN["points"]] == 100_000).all()  # of one game, from its four seats
    games = results.games
    assert (games["scores"] == games["scores"][:, :1]).all()


def test_a_challenger_plays_the_same_games_beside_another_as_alone() -> None:
    results = play(one_against_three(["sensible", "never_calls"], ["tsumogiri"]), 4)
    first, second = results.units(0), results.units(1)
    alone = play(one_against_three(["never_calls"], ["tsumogiri"]), 4).units(0)
    assert np.array_equal(second, alone) and not np.array_equal(first, second)


def test_the_sides_of_two_against_two_share_their_games() -> None:
    results = play(two_against_two("sensible", "tsumogiri"), 3)
    sides = [results.units(side) for side in range(2)]
    assert (sum(side[:, COLUMN["games"]] for side in sides) == 24).all()
    assert (sum(side[:, COLUMN["rank_sum"]] for side in sides) == 60).all()
    assert (sides[0][:, COLUMN["rank_sum"]] < sides[1][:, COLUMN["rank_sum"]]).all()
    assert np.array_equal(results.units_of_agent("sensible"), sides[0])


@pytest.mark.full
def test_the_games_of_rule_based_players_do_not_depend_on_batch_or_threads() -> None:
    plan, terms = one_against_three(["sensible"], ["random"]), MatchTerms(seed=2, logs=True)
    one = logs_of(plan, 6, terms, 1, 1)
    assert one == logs_of(plan, 6, terms, 64, 1) == logs_of(plan, 6, terms, 8, 3)


@pytest.mark.parametrize("dtype, temperature", [("float32", 1.0), ("bfloat16", None)])
def test_the_games_of_networks_do_not_depend_on_batch_or_threads(dtype: str, temperature: float | None) -> None:
    if dtype == "bfloat16" and not convolution.BFLOAT16:
        pytest.skip("this CPU computes in bfloat16 so slowly that the games take minutes")
    plan = one_against_three(["sl-weak"], ["sensible"])
    terms = MatchTerms(seed=5, rules="tenhou_east", dtype=dtype, temperature=temperature, logs=True)
    assert logs_of(plan, 1, terms, 3, 1) == logs_of(plan, 1, terms, 8, 2)


def test_four_copies_of_a_network_play_four_identical_games_on_a_deal() -> None:
    plan = one_against_three(["sl-weak"], ["sl-weak"])
    terms = MatchTerms(seed=6, rules="tenhou_east", temperature=1.0, logs=True)
    found = logs_of(plan, 1, terms, 4, 1)
    assert len({found[0, table] for table in range(SEATS)}) == 1


def test_logs_are_mjlogs_that_name_who_sat_where() -> None:
    plan = one_against_three(["sensible"], ["tsumogiri"])
    (game,) = play_here(plan, MatchTerms(logs=True), [(0, 2)], 4, 1)
    assert game.log is not None
    log = read_mjlog(game.log)
    assert list(log.names) == ["tsumogiri", "tsumogiri", "sensible", "tsumogiri"]


class Cheat:
    """Answers what is never legal."""

    name = "cheat"

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        return AgentOutput(np.full(len(decisions), 120))


@pytest.mark.faults
@pytest.mark.parametrize("threads", [1, 2])
def test_an_illegal_action_ends_the_match_and_names_who_answered_it(
    monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    def load(name: str, *_: object, **__: object) -> object:
        return Cheat() if name == "cheat" else load_agent(name)

    monkeypatch.setattr(arena, "load_agent", load)
    with pytest.raises(IllegalPlayer, match="cheat: illegal in game number"):
        play(one_against_three(["cheat"], ["tsumogiri"]), 3, threads=threads)


class Diary(RuleAgent):
    """Notes what it is told of its games."""

    def __init__(self) -> None:
        from simulator.players import player

        super().__init__(player("tsumogiri"))
        self.heard: list[str] = []
        self.tables: dict[int, int] = {}
        self.rounds = 0
        self.closed = False

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        assert set(decisions.game.tolist()) <= set(self.tables)
        return super().act(games, decisions)

    def game_started(self, table: int, game: np.void, seats: list[int], names: list[str]) -> None:
        assert table not in self.tables and game.dtype == GAME and game["round"] == 0
        self.tables[table] = len(seats)

    def round_over(self, table: int, record: np.void) -> None:
        assert table in self.tables and record["result"]["type"] != 0
        self.rounds += 1

    def game_over(self, table: int) -> list[str]:
        return ["was late"] * self.tables.pop(table)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def diary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Diary]:
    kept = Diary()
    monkeypatch.setattr(arena, "load_agent", lambda name, *_, **__: kept if name == "diary" else load_agent(name))
    yield kept


def test_agents_from_outside_hear_of_their_games_and_their_faults_are_counted(diary: Diary) -> None:
    results = play(one_against_three(["sensible"], ["diary"]), 3, batch=5)
    assert diary.closed and not diary.tables
    assert results.faults == {(1, "was late"): 3 * 4 * 3}
    assert diary.rounds == results.units(0)[:, COLUMN["rounds"]].sum()


def test_a_game_is_counted_once() -> None:
    plan = one_against_three(["sensible"], ["tsumogiri"])
    (game,) = play_here(plan, MatchTerms(), [(0, 1)], 4, 1)
    results = MatchResults(plan, 2)
    assert results.add(game) and not results.add(game)
    assert results.done.sum() == 1 and len(results.missing()) == 7 and results.complete_deals() == 0
