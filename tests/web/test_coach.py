"""The coach of a person at the table: the same as a review says afterwards, and nothing that is hidden."""

from __future__ import annotations

import numpy as np
import pytest
import requests
from played_games import PLAIN, WHOLE, Person, walls
from reviewed_game import agent

from simulator.rules import Rules
from suphx.agent.registry import load_agent
from suphx.review.analysis import review_game
from suphx.review.choices import mistake_of
from suphx.web.coach import advice, costliest, costly
from suphx.web.host import Host


@pytest.fixture(scope="module")
def first_round():
    """The first round of a game, played as the clock does: its log, what the coach said, and at its end."""
    others = dict.fromkeys((1, 2, 3), load_agent("tsumogiri"))
    host = Host(Rules.tenhou(), WHOLE, others, list("abcd"), "game", lambda *_: None, 0, walls)
    host.begin()
    said = []
    while (asked := host.question_at(host.question.number)) is not None:
        said.append(advice(agent(), asked))
        host.answer(host.question.number, host.default())
    return host.log(), said, costly(agent(), host.answered)


def test_it_says_before_an_answer_what_the_review_says_afterwards(first_round):
    log, said, _ = first_round
    (seat,) = review_game(log, agent(), "sl", [0]).seats
    said = [each for each in said if each is not None]
    assert len(said) == len(seat.decisions[0]) > 5
    for before, after in zip(said, seat.decisions[0], strict=True):
        assert before.situation == after.situation and before.targets == after.targets
        assert before.taken == before.preferred and before.difference == 0
        for one, other in zip(before.candidates, after.candidates, strict=True):
            assert one.name == other.name and one.probability == pytest.approx(other.probability, abs=1e-4)
            assert one.deals_in == pytest.approx(other.deals_in, abs=1e-3)
            assert one.points == pytest.approx(other.points, abs=2)
        assert before.outlook == after.outlook and before.lost is None and not before.mistake


def test_after_a_round_it_names_the_two_that_lost_most(first_round):
    log, _, named = first_round
    (seat,) = review_game(log, agent(), "sl", [0]).seats
    mistakes = sorted((each.lost for each in seat.decisions[0] if each.mistake), reverse=True)
    assert len(mistakes) > 2
    assert [each.decision.lost for each in named] == pytest.approx(mistakes[:2], abs=2)
    assert all(len(each.hand) % 3 == 1 for each in named if each.drawn)


def test_what_the_outlook_does_not_value_costs_by_its_difference_and_what_lost_nothing_is_no_cost(first_round):
    log, _, _ = first_round
    (seat,) = review_game(log, agent(), "sl", [0]).seats
    one = seat.decisions[0][0]
    costs = [(40.0, 0.5), (None, 1.0), (-50.0, 2.0), (420.0, 0.1), (40.0, 0.0), (900.0, 0.0), (None, 0.0)]
    made = [
        one.model_copy(update={"lost": lost, "difference": difference, "mistake": mistake_of(lost, "discard")})
        for lost, difference in costs
    ]
    assert [(each.lost, each.difference) for each in costliest(made)] == [costs[n] for n in (5, 3, 1, 0)]


def test_a_game_without_an_outlook_has_advice_all_the_same():
    others = dict.fromkeys((1, 2, 3), load_agent("tsumogiri"))
    host = Host(Rules.m_league(), 3, others, list("abcd"), "game", lambda *_: None, 0)
    host.begin()
    said = advice(agent(), host.question_at(1))
    assert said is not None and said.outlook is None and said.candidates[0].points is None


def test_what_is_hidden_changes_nothing():
    others = dict.fromkeys((1, 2, 3), load_agent("tsumogiri"))
    host = Host(Rules.tenhou(), WHOLE, others, list("abcd"), "game", lambda *_: None, 0, walls)
    host.begin()
    asked = host.question_at(1)
    said = advice(agent(), asked)
    live = slice(14, 14 + 30)  # tiles of the wall that are still to come
    asked.game["wall"][live] = np.roll(asked.game["wall"][live], 1)
    assert advice(agent(), asked) == said


def test_over_http_only_the_question_that_is_asked_is_answered(served):
    person = Person(served, PLAIN, seed=WHOLE, seat=0, length="east")
    number = person.asked()["question"]["number"]
    found = requests.get(f"{person.url}/advice", params={"number": number}, timeout=60)
    assert sum(each["probability"] for each in found.json()["candidates"]) == pytest.approx(1, abs=0.01)
    assert requests.get(f"{person.url}/advice", params={"number": number + 1}, timeout=60).json() is None
    assert requests.get(f"{person.url}/costly", timeout=60).json() == []
    assert requests.get(f"{served}/api/play/gone/advice", params={"number": 1}, timeout=60).status_code == 404
    person.hang_up()
