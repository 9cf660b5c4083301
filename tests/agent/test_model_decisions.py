"""The enumeration of questions, held against a plain reading of the legal actions in games of wild and of wise play."""

from __future__ import annotations

from collections import Counter

import numpy as np
from stand_in import decisions_of

from simulator.players import choose_function
from simulator.players.simple import choose_random
from simulator.record import ACTION_NAMES, NO_ACTION, PASS, SEATS
from simulator.tables import Tables
from simulator.tiles import KINDS, kind_name
from suphx.agent.model_decisions import discard_actions, discarded_kind, model_decisions
from suphx.networks.models import MODELS

#: First word of an action's name -> the network that is asked about it.
NETWORK = {"riichi": "riichi", "chow": "chow", "pong": "pong", "open": "kong", "closed": "kong", "added": "kong"}


def expected(names: list[str], drawn: int) -> tuple[list[tuple[str, str]], set[int]]:
    """Return the questions, as (model, action), and the kinds that may be discarded, by the names of legal actions."""
    kinds = {kind_name(kind): kind for kind in range(KINDS)}
    discards = set()
    for name in names:
        if name == "discard drawn":
            discards.add(drawn >> 2)
        elif name.startswith("discard "):
            discards.add(kinds[name.split()[1].replace("0", "5")])
    asked = [(NETWORK[name.split()[0]], name) for name in names if name.split()[0] in NETWORK]
    asked = sorted(asked, key=lambda each: each[0] == "riichi")  # a stable sort: riichi comes after the kongs
    return asked + [("discard", "")] * (len(discards) > 1), discards


def test_each_decision_gives_its_questions_in_the_order_of_the_flow() -> None:
    tables = Tables(48, seed=5)
    met, wise, forced = Counter[str](), choose_function("sensible"), 0
    for _ in range(260):
        decisions = tables.decisions()
        models = model_decisions(tables.games, decisions)
        assert (np.diff(models.rows["position"].astype(int)) >= 0).all()
        for n in range(0, len(decisions), 2):
            row = models.rows[models.rows["position"] == n]
            told = [(MODELS[q["model"]], ACTION_NAMES[q["option"]] if q["option"] >= 0 else "") for q in row]
            assert set(row["seat"]) <= {decisions.seat[n]}
            if models.by_rules[n] != NO_ACTION:
                met["by rules"] += 1
                assert not told and not models.kinds[n].any() and decisions.legal[n, models.by_rules[n]]
                continue
            names = [ACTION_NAMES[action] for action in np.flatnonzero(decisions.legal[n])]
            questions, kinds = expected(names, int(tables.games["drawn"][decisions.game[n]]))
            assert told == questions
            assert set(np.flatnonzero(models.kinds[n])) == kinds
            assert bool(kinds) != decisions.legal[n, PASS]
            met.update(model for model, _ in told)
            forced += len(kinds) == 1
        actions, wild = np.empty(len(decisions), np.int64), np.empty(len(decisions), np.int64)
        wise(tables.games, decisions.game, decisions.seat, decisions.legal, 5, actions)
        choose_random(tables.games, decisions.game, decisions.seat, decisions.legal, 5, wild)
        tables.step(np.where(decisions.game % 2 == 0, actions, wild))
    assert forced and min(met[each] for each in (*MODELS, "by rules")) > 5


def test_a_kind_is_discarded_by_a_legal_action_that_discards_it() -> None:
    tables = Tables(40, seed=6)
    for _ in range(40):
        decisions = tables.decisions()
        row, kind = np.nonzero(model_decisions(tables.games, decisions).kinds)
        actions = discard_actions(tables.games, decisions.game[row], decisions.seat[row], kind)
        assert decisions.legal[row, actions].all()
        games = tables.games[decisions.game[row]]
        assert [discarded_kind(*each) for each in zip(games, actions, strict=True)] == kind.tolist()
        wild = np.empty(len(decisions), np.int64)
        choose_random(tables.games, decisions.game, decisions.seat, decisions.legal, 6, wild)
        tables.step(wild)


def test_nobody_is_asked_in_games_without_a_decision() -> None:
    games = Tables(2, seed=1).games.copy()
    games["pending"] = 0
    models = model_decisions(games, decisions_of(games))
    assert not len(models.rows) and not len(models.by_rules)
    assert len(decisions_of(Tables(2, seed=1).games)) < 2 * SEATS
