"""The main job: from nothing to a measured agent, in steps that share the time that there is.

Every step is a command of `suphx`, so that each can be run by hand. What a step does is decided when it begins, from
the time that is left: on a machine that is slower than foreseen, or has become busy, it does less.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from rich.console import Console

from simulator.jit import cache_folder
from simulator.tiles import KINDS
from suphx.agent.registry import untrained_networks
from suphx.networks.models import MODEL_PLANES
from suphx.networks.precision import choose_precision
from suphx.networks.sizes import NetworkSize
from suphx.report.page import STEPS_NAME, SUPERVISED, TRAIN, TRAIN_WEAK, WEAK, duration, steps_in
from suphx.report.plots import CURVES_FOLDER, read_curves
from suphx.run_folder import settle

#: Networks from the smallest on: filters and blocks.
_SIZES = ((32, 2), (48, 3), (64, 6), (96, 6))
#: Pairs of each model: those that an agent has seen which knows little, and those of a usual supervised training, of
#: which a larger network is given `_ENOUGH` times as much.
_FEW_PAIRS = {"discard": 1_500, "riichi": 10_000, "chow": 12_000, "pong": 10_000, "kong": 4_000}
_PAIRS = {"discard": 500_000, "riichi": 100_000, "chow": 120_000, "pong": 100_000, "kong": 40_000}
_ENOUGH = 2
#: Seconds of every command before it begins its work, and of one that starts Ray.
_BEGIN, _BEGIN_RAY = 8.0, 25.0
#: Seconds for which self-play is begun after much supervised training; with fewer it is left out.
_LEAST_SELFPLAY = _BEGIN_RAY + 15
#: How much longer one core takes to compile what is used here than for a loop of Python (`_compile_seconds`).
_COMPILED = 1300.0
#: Decisions of a hanchan.
_DECISIONS = 650
#: What is different where an agent that has seen little plays itself. Its policy is nearly uniform at first, so that
#: its games would say little about its likeliest actions; its reward is that of the round.
_QUICK = (
    "learning.start_temperature=0.03", "learning.learning_rate=2.5e-5", "learning.entropy.beta=0",
    "reward={kind: round}",
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A part of the main job."""

    name: str
    words: str
    command: Callable[[float], list[str]]
    """Arguments of `suphx` for what can be done in a number of seconds."""
    seconds: float = 0.0
    """How long it takes, if nothing can be chosen."""
    share: float = 0.0
    """Its part of the time that is left for all that can be chosen."""


def plan(steps: Sequence[Step], left: float) -> list[float]:
    """Return the seconds of each step if `left` seconds remain for all; at least what a step needs to begin."""
    shares = sum(step.share for step in steps)
    free = left - sum(step.seconds for step in steps)
    return [step.seconds or max(free * step.share / shares, _BEGIN) for step in steps]


class MainJob:
    """The main job in its folder; commands are noted there, and it resumes with the first step that is not finished."""

    def __init__(
        self,
        folder: Path,
        minutes: float,
        logs: Sequence[Path],
        games: int | None,
        from_included: bool,
        seed: int,
        screen: Console,
    ) -> None:
        """logs: learned from instead of games that are made. games: how many are made; by default as the time allows.

        from_included: train nothing before self-play, and start from the included weights.
        """
        self.folder, self._minutes, self._screen = folder, minutes, screen
        self._logs = [str(path.resolve()) for path in logs]
        self._settings = {
            "minutes": minutes, "logs": self._logs, "games": games, "weights": from_included, "seed": seed,
        }  # fmt: skip
        self._seeds = dict(zip(("generate", "train", "measure", "match"), range(4 * seed, 4 * seed + 4), strict=True))
        self._seed, self._games = seed, games or round(min(40 * minutes, 4000))
        warmup = Step("warmup", "compile what is used", _compile, _compile_seconds())
        if from_included:
            self.steps = [
                warmup,
                self._train(TRAIN, "sl", "sl-weak", 3),
                self._match("match", f"{TRAIN}/agent", "sl", 1),
            ]
            return
        before = [
            Step(
                "generate", f"make {self._games:,} games by a rule-based player", self._generate, 4 + self._games / 50
            ),
            Step("verify", "verify their logs", lambda _: ["logs", "verify", self._archive], 4 + self._games / 150),
        ]
        self.steps = [
            warmup,
            *([] if logs else before),
            Step("weak", "learn a little from them", self._pretrain_little, 3 * _BEGIN),
            self._train(TRAIN_WEAK, WEAK, WEAK, 34, *_QUICK),
            self._match("match-weak", f"{TRAIN_WEAK}/agent", WEAK, 12),
            Step("pretrain", "learn much from them", self._pretrain, share=26),
            self._match("match-supervised", SUPERVISED, WEAK, 5),
            Step("reward", "learn what a round is worth", self._reward, 25),
            self._train(TRAIN, SUPERVISED, WEAK, 14, "reward.predictor=reward/reward.safetensors"),
            self._match("match", f"{TRAIN}/agent", SUPERVISED, 9),
        ]

    @property
    def _archive(self) -> str:
        return f"games-{self._games}.zip"

    @property
    def _data(self) -> list[str]:
        return [word for path in self._logs or [self._archive] for word in ("--logs", path)]

    def run(self) -> int:
        """Take all steps that are not finished; return the exit status of one that fails, or 0.

        Raises InputError if the folder is of a run with other settings.
        """
        settle(self.folder, "settings.json", STEPS_NAME, self._settings, "main job")
        noted = steps_in(self.folder / STEPS_NAME)
        todo = [step for step in self.steps if not (step.name in noted and noted[step.name][-1].status == 0)]
        left = 60 * self._minutes - sum(call.seconds for calls in noted.values() for call in calls)
        self._show(todo, left)
        while todo:
            step, seconds = todo[0], plan(todo, left)[0]
            if step.name == TRAIN and not (
                step.name in noted or self._settings["weights"] or seconds > _LEAST_SELFPLAY
            ):
                self._screen.print(f"\nNo time is left for {step.words}: more --minutes, in another folder, give it.")
                break
            earlier = noted.get(step.name)
            command = shlex.split(earlier[-1].command)[1:] if earlier else step.command(seconds)
            spent, status = self._take(step, seconds, command)
            if status:
                return status
            left -= spent
            todo = todo[1:]
        return 0

    def _show(self, steps: Sequence[Step], left: float) -> None:
        """Print the plan."""
        cores = os.cpu_count()
        self._screen.print(f"{duration(left)} on {cores} cores, of which each step gets about:", highlight=False)
        for step, seconds in zip(steps, plan(steps, left), strict=True):
            self._screen.print(f"  {step.name:<14}{duration(seconds):>12}  {step.words}", highlight=False)

    def _take(self, step: Step, planned: float, arguments: list[str]) -> tuple[float, int]:
        """Run a step's command in the folder, and note it; return the seconds that it took, and its exit status."""
        command, begun, status = shlex.join(["suphx", *arguments]), time.monotonic(), None
        self._screen.print(f"\n{step.name} ({duration(planned)}): {command}", style="bold", highlight=False)
        process = subprocess.Popen([sys.executable, "-m", "suphx", *arguments], cwd=self.folder)
        while status is None:
            with suppress(KeyboardInterrupt):  # the command was sent it as well, and ends by itself
                status = process.wait()
        spent = time.monotonic() - begun
        with open(self.folder / STEPS_NAME, "a", encoding="utf-8") as file:
            file.write(f"{step.name}\t{spent:.0f}\t{status}\t{command}\t{planned:.0f}\n")
        return spent, status

    def _generate(self, _: float) -> list[str]:
        words = f"logs generate --games {self._games} --seed {self._seeds['generate']} --out {self._archive}"
        return words.split()

    def _pretrain_little(self, _: float) -> list[str]:
        changes = {"average_steps": 10, "test_pairs": 5_000, "validation_pairs": 1_000, "validations": 1}
        return self._supervised("weak", _SIZES[0], _FEW_PAIRS, changes)

    def _pretrain(self, seconds: float) -> list[str]:
        """Return the supervised training of the largest networks that can see enough pairs in the given seconds."""
        for size in reversed(_SIZES):
            times = _pairs_per_second(size) * max(seconds - 2 * _BEGIN, 1) / sum(_PAIRS.values())
            if times >= _ENOUGH:
                break
        times = min(max(times, 0.05), 2 * _ENOUGH)
        pairs = {model: int(float(f"{times * n:.2g}")) for model, n in _PAIRS.items()}
        return [*self._supervised("pretrain", size, pairs), "--minutes", f"{seconds / 60:.2f}"]

    def _supervised(
        self, folder: str, size: tuple[int, int], pairs: Mapping[str, int], changes: Mapping[str, int] | None = None
    ) -> list[str]:
        sizes = "size={{filters: {}, blocks: {}}}".format(*size)
        numbers = {"seed": self._seed, **{f"models.{model}.pairs": n for model, n in pairs.items()}, **(changes or {})}
        return [
            "pretrain", "pretrain", *self._data, "--out", folder,
            *_set([sizes, *(f"{name}={n}" for name, n in numbers.items())]),
        ]  # fmt: skip

    def _reward(self, _: float) -> list[str]:
        return ["reward", "reward", *self._data, "--out", "reward"]

    def _train(self, folder: str, start: str, weak: str, share: float, *changes: str) -> Step:
        """Return self-play in a folder; weak: the agent that it is measured against."""

        def command(seconds: float) -> list[str]:
            minutes = max(seconds - _BEGIN_RAY, _BEGIN) / 60
            own = [f"seed={self._seeds['train']}", f"evaluation.seed={self._seeds['measure']}"]
            own += [f"start={start}", f"evaluation.opponent={weak}", *changes]
            return ["train", "first", "--out", folder, "--minutes", f"{minutes:.2f}", "--games", "1000000", *_set(own)]

        return Step(folder, f"self-play, starting from {start}", command, share=share)

    def _match(self, folder: str, after: str, before: str, share: float) -> Step:
        """Return a match of two agents in a folder, of as many games as the speed of earlier self-play suggests."""

        def command(seconds: float) -> list[str]:
            curves = [read_curves(self.folder / name / CURVES_FOLDER) for name in (TRAIN_WEAK, TRAIN)]
            rates = [rate for each in curves for _, rate in each.get("rate/decisions_per_s", ())]
            games = max(int(max(seconds - _BEGIN, 1) * float(np.median(rates or [0])) / _DECISIONS), 60)
            return [
                "evaluate", "--challenger", after, "--field", before, "--protocol", "two-two", "--games", str(games),
                "--seed", str(self._seeds["match"]), "--out", folder,
            ]  # fmt: skip

        return Step(folder, f"the match of {after} against {before}", command, share=share)


def _set(changes: Sequence[str]) -> list[str]:
    return [word for change in changes for word in ("--set", change)]


def _compile(_: float) -> list[str]:
    return ["warmup", "table", "features", "training", "logs"]  # the rest is not used here


def _compile_seconds() -> float:
    """Return about how long compiling takes here, judged by a loop of Python; little if there is compiled code."""
    if any(cache_folder().iterdir()):
        return 2 * _BEGIN
    begun, total = time.perf_counter(), 0
    for number in range(1_000_000):
        total += number * number & 7
    return _COMPILED * (time.perf_counter() - begun) / min(os.cpu_count() or 1, 4) ** 0.5


def _pairs_per_second(size: tuple[int, int]) -> float:
    """Return about how many pairs of discards a supervised training of networks of a size learns from in a second here.

    Reading and encoding a pair takes about twice as long as learning from it by the smallest networks.
    """
    return (os.cpu_count() or 1) / (_seconds_of_pair(*size) + 2 * _seconds_of_pair(*_SIZES[0]))


@cache
def _seconds_of_pair(filters: int, blocks: int) -> float:
    """Return how long one thread takes to learn from a pair, measured for half a second."""
    precision = choose_precision(None, None, 1)
    network = untrained_networks(NetworkSize(filters=filters, blocks=blocks))["discard"].to(precision.device)
    random = np.random.default_rng(0).integers(0, 1 << KINDS, (3, 256, MODEL_PLANES["discard"]), np.uint64)
    planes = np.bitwise_and.reduce(random)
    planes[:, np.arange(planes.shape[1]) % 4 > 0] = 0  # about as many bits as in a position
    begun, steps = 0.0, -1  # the first step sets up kernels
    while steps < 1 or time.perf_counter() - begun < 0.5:
        network.of_packed(planes, precision).sum().backward()
        steps += 1
        begun = begun or time.perf_counter()
    return (time.perf_counter() - begun) / (steps * len(planes))
