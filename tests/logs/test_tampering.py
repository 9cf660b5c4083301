"""What a log states is checked: statements of each format are changed, and each is noticed or explained."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from tampering import reason_of, tamper

from simulator.logs.archives import open_logs
from simulator.logs.convert import write_as
from simulator.logs.formats import FORMATS, format_named, read_log
from simulator.logs.generate import generate_games
from simulator.logs.model import LogError


def unnoticed(data: bytes, every: int) -> Counter[str]:
    return Counter(kind for kind, noticed in tamper(data, "made", every) if not noticed)


@pytest.mark.parametrize("name", [each.name for each in FORMATS])
def test_a_changed_statement_is_noticed_or_there_is_a_reason(name):
    missed = unnoticed(write_as(next(generate_games(1, seed=8)), format_named(name)), 37)
    assert [kind for kind in missed if reason_of(kind) is None] == []


def test_results_are_always_noticed():
    for kind in ("mjlog AGARI ten limit", "mjlog RYUUKYOKU hai0", "mjai hora fan", "tenhou6 result score han"):
        assert reason_of(kind) is None


def test_a_log_that_does_not_verify_is_refused():
    data = write_as(next(generate_games(1, seed=8)), format_named("mjai")).replace(b'"honba":0', b'"honba":1')
    with pytest.raises(LogError, match="does not verify as it is"):
        list(tamper(data))


@pytest.mark.full
def test_every_statement_of_real_logs(real_logs):
    """Each statement of ten logs of each archive, in all three formats, once."""
    for archive in sorted(real_logs.glob("*.zip")):
        for source, data in itertools.islice(open_logs([archive]), 10):
            for form in FORMATS:
                for log in read_log(data, source):
                    missed = unnoticed(data if form.name == "mjlog" else write_as(log, form), 1)
                    assert [kind for kind in missed if reason_of(kind) is None] == []
