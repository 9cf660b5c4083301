"""Bots that do what they must not: the game goes on, the fault is counted and told, and nothing hangs or grows."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import resource
import time
from collections import deque

import pytest
from hosted import LIMITS, bot, play
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simulator.actions import IllegalReply, read_reply
from simulator.game import Game
from suphx.errors import InputError
from suphx.mjai.host.seat import BadReply, HostedSeat, read_action
from suphx.mjai.host.specs import external_agent

pytestmark = pytest.mark.faults
HASTY = dataclasses.replace(LIMITS, decision=0.25)
#: A second less than `faulty.py` takes to be late, so that a machine may stand still for a while on either side.
STRICT = dataclasses.replace(LIMITS, decision=2.0)


def only_faults(agent) -> dict[str, int]:
    return agent.verdict.faults


def test_a_good_bot_has_no_faults():
    agent = bot("faulty.py", "none", "1")
    games = play(agent, 2)
    assert only_faults(agent) == {} and all(not any(game.faults) for game in games)
    assert agent.verdict.games == 2 and agent.verdict.decisions > 20
    assert 0 < agent.verdict.slowest < LIMITS.decision


def test_one_who_is_always_late_is_asked_three_times():
    agent = bot("faulty.py", "late", "4", limits=STRICT)
    started = time.monotonic()
    (game,) = play(agent)
    assert only_faults(agent) == {"late": 3}
    assert agent.verdict.decisions == 6
    assert "late, 3 times, first: East" in game.faults[0][0] and "no answer within 2 s" in game.faults[0][0]
    assert time.monotonic() - started < LIMITS.start


def test_a_late_answer_is_not_taken_for_that_to_the_next_question():
    """It comes when the next question has been asked; all answers from then on would be off by one."""
    agent = bot("faulty.py", "late once", "4", limits=STRICT)
    play(agent)
    assert only_faults(agent) == {"late": 1}


def test_time_to_start_is_not_time_to_decide():
    agent = bot("faulty.py", "slow to start", "1000", limits=STRICT)
    play(agent)
    assert only_faults(agent) == {}


def test_one_who_does_not_start_is_late():
    agent = bot("faulty.py", "slow to start", "1", limits=dataclasses.replace(LIMITS, start=0.1))
    (game,) = play(agent)
    assert only_faults(agent) == {"late": 1} and "within 0.1 s" in game.faults[0][0]


def test_one_who_hangs_is_ended():
    agent = bot("faulty.py", "hangs", "4", limits=HASTY)
    play(agent)
    assert only_faults(agent) == {"late": 3}


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("dies", "it ended with exit status 1; it said: out of luck"),
        ("crashes", "it was ended by signal 11"),
        ("closes output", "it closed its output"),
        ("closes input", "it closed its input"),
    ],
)
def test_one_who_goes_is_asked_no_more(fault, words):
    agent = bot("faulty.py", fault, "4")
    (game,) = play(agent)
    assert only_faults(agent) == {"gone": 1} and words in game.faults[0][0]
    assert agent.verdict.decisions <= 5


def test_one_who_went_comes_again_in_the_next_game():
    agent = bot("faulty.py", "dies", "4")
    games = play(agent, 3)
    assert only_faults(agent) == {"gone": 3}
    assert all(len(game.faults[0]) == 1 for game in games)


@pytest.mark.parametrize(
    ("fault", "kind", "count"), [("floods", "unasked", LIMITS.unasked + 1), ("one huge line", "wrote too much", 1)]
)
def test_one_who_writes_without_end_is_stopped(fault, kind, count):
    """At once; how many questions it has answered by then depends on how fast it writes."""
    play(bot("faulty.py", "dies", "4"))  # so that nothing is compiled in what follows
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    agent = bot("faulty.py", fault, "4")
    play(agent)
    assert only_faults(agent)[kind] == count and agent.verdict.decisions < 50
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 * 1024  # KiB


def test_what_comes_on_stderr_holds_nobody_up():
    agent = bot("faulty.py", "stderr", "40")
    play(agent)
    assert only_faults(agent) == {}


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        ("no JSON", "unreadable", "not JSON: I would rather not"),
        ("no UTF-8", "unreadable", "not JSON"),
        ("deep", "unreadable", "not JSON: [[["),
        ("no action", "unreadable", "not an mjai action"),
        ("odd fields", "unreadable", "'consumed' of this action cannot be read"),
        ("illegal", "illegal", '"9z"'),
        ("another's", "illegal", "legal: "),
    ],
)
def test_nonsense_costs_the_decision_only(fault, kind, words):
    agent = bot("faulty.py", fault, "4")
    (game,) = play(agent)
    assert list(only_faults(agent)) == [kind] and words in game.faults[0][0]
    assert only_faults(agent)[kind] == agent.verdict.decisions - 3, "it was asked to the end"


def test_answers_that_nobody_asked_for_are_counted_and_dropped():
    agent = bot("faulty.py", "twice", "4")
    play(agent)
    assert "unasked" in only_faults(agent)


@pytest.mark.parametrize("seat", ["", "{seat}"])
def test_one_who_does_not_end_is_ended_with_all_it_started(tmp_path, seat):
    """With its game where it plays one, with the agent where it may be given more."""
    pids = tmp_path / "pids"
    agent = bot("faulty.py", "does not end", "1000", str(pids), seat)
    (game,) = play(agent)
    assert only_faults(agent) == {"did not end": 1}
    assert game.faults[0] == (["seat 0: did not end: still there after its input was closed"] if seat else [])
    for pid in map(int, pids.read_text().split()):
        assert _is_gone(pid)


def _is_gone(pid: int) -> bool:
    """Return whether a process has ended, be it that nobody has looked after it yet."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.01)
    return False


def test_games_are_the_same_whoever_was_to_blame():
    """The rule for faults is that of the good bot here, which discards what it draws."""
    good, bad = (play(bot("faulty.py", fault, "1"))[0].rounds for fault in ("none", "no JSON"))
    assert (good["events"] == bad["events"]).all() and (good["scores"] == bad["scores"]).all()


def test_no_descriptors_are_left():
    play(bot("faulty.py", "none", "1"))
    before = len(os.listdir("/proc/self/fd"))
    for fault in ("none", "dies", "hangs"):
        play(bot("faulty.py", fault, "3", limits=HASTY))
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_command_that_does_not_exist_is_said_at_once():
    agent = external_agent("bot:there-is-no-such-program --at all", LIMITS)
    with pytest.raises(InputError, match="there-is-no-such-program"):
        play(agent)


@pytest.mark.parametrize("name", ["bot:", "bot-every:", "bot:'unbalanced"])
def test_a_command_that_is_none_is_refused(name):
    with pytest.raises(InputError, match="bot"):
        external_agent(name, LIMITS)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["1m", "5mr", "E"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
TYPES = st.sampled_from(["dahai", "chi", "pon", "ankan", "kakan", "daiminkan", "reach", "hora", "ryukyoku", "none"])
FIELDS = {"actor": ANYTHING, "target": ANYTHING, "pai": ANYTHING, "consumed": ANYTHING, "tsumogiri": ANYTHING}


@settings(deadline=None)
@given(st.fixed_dictionaries({"type": TYPES | ANYTHING}, optional=FIELDS) | ANYTHING)
def test_a_reply_of_any_shape_is_an_action_or_refused(reply):
    seat = 0
    for game in (Game(seed=1), Game.from_hands(["1111m0555p123s55z"], draws="2z")):
        legal = [int(action) for action in game.observation(seat).legal_actions()]
        with contextlib.suppress(BadReply, IllegalReply):
            action = read_reply(read_action(json.dumps(reply).encode()), seat, game.observation(seat).legal_actions())
            assert int(action) in legal


class Answered:
    """A connection, its own channel, whose other side has written some lines."""

    def __init__(self, lines: list[bytes]) -> None:
        self.channel = self
        self.lines = deque(lines)
        self.ended = self.refused = self.sending = False

    def send(self, data: bytes) -> None:
        pass

    def pump(self) -> None:
        pass


DRAWN = {"type": "tsumo", "actor": 0, "pai": "1m"}
PLAYED = {"type": "dahai", "actor": 0, "pai": "1m", "tsumogiri": True}


@settings(deadline=None)
@given(st.fixed_dictionaries({"type": TYPES | ANYTHING}, optional=FIELDS) | ANYTHING)
@example({"type": None})
def test_a_reply_of_any_shape_where_there_is_no_choice_is_a_fault_at_most(reply):
    """To a draw after which the table itself discards, and to that discard."""
    seat = HostedSeat(0, Answered([json.dumps(reply).encode()] * 2), "every", LIMITS)
    seat.tell([DRAWN, PLAYED])
    seat.send()
    seat.poll()
    assert not seat.owes and not seat.dismissed
    assert set(seat.verdict.faults) <= {"unreadable", "unmatched"}
