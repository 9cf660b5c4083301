"""The key of 20 bits, and what may be set about the abstract game."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from simulator.lookup import get_lookup
from suphx.equilibrium.duel.abstraction import (
    NODE,
    DuelFeatures,
    DuelRules,
    deal,
    features_of,
    grow,
    key_of,
    options_of,
    packed,
    turns_of,
)
from suphx.equilibrium.duel.table import new_duels
from suphx.errors import InputError


def test_the_papers_example():
    assert features_of(734401) == DuelFeatures(turn=1, pairs=3, pongs=2, characters=3, honors=11)
    assert packed(1, 3, 2, 3, 11) == 734401 and options_of(734401) == 3


def test_keys_are_read_as_they_were_packed():
    read = 0
    for fields in itertools.product((1, 7, 38, 63), range(7), range(5), range(15), range(15)):
        _, pairs, pongs, characters, honors = fields
        melds, rest = divmod(14 - characters - honors, 3)
        possible = rest == 0 and 0 <= melds <= pongs and 2 * pairs + 3 * (pongs - melds) <= characters + honors
        if possible:
            assert features_of(int(packed(*fields))) == fields
            assert options_of(int(packed(*fields))) == (3 if melds == 0 else 2)
            read += 1
        else:
            with pytest.raises(InputError, match="is no node"):
                features_of(int(packed(*fields)))
    assert read > 1000


@pytest.mark.faults
@pytest.mark.parametrize("key", [-1, 0, 1 << 20, 1 << 40, 734400])
def test_what_is_no_key_is_refused(key):
    with pytest.raises(InputError, match="is no node"):
        features_of(key)


def test_every_node_that_is_met_can_be_read():
    rules, met = DuelRules(), set()
    duels, nodes = new_duels(rules.most_nodes), np.zeros(rules.most_nodes, NODE)
    for number in range(300):
        deal(2, 0, number, True, duels[0])
        met |= set(nodes["key"][: grow(get_lookup(), duels, rules.mask, nodes)].tolist()) - {-1}
    assert {features_of(key).turn for key in met} == set(rules.turns)
    assert 300 < len(met) <= rules.most_keys


def test_a_key_counts_the_hand():
    duel = new_duels(1)[0]
    deal(1, 0, 0, True, duel)
    found, hand = features_of(int(key_of(duel, 0))), duel["hand"][0]
    assert found.turn == 1 and found.characters == hand[:9].sum() and found.honors == hand[27:].sum()
    assert found.pairs == (hand == 2).sum() and found.pongs == (hand >= 3).sum()


@pytest.mark.faults
@pytest.mark.parametrize("turns", ["", "1,", "7,1", "1,1", "0,5", "1,64", "1,2,3,4,5", "1;7", "-1"])
def test_turns_that_cannot_be_are_refused(turns):
    with pytest.raises(InputError):
        DuelRules(turns_of(turns))


def test_turns_and_the_size_of_trees():
    assert DuelRules(turns_of("1,7,13")) == DuelRules()
    assert DuelRules((2,)).most_nodes == 1 + 3 + 9
