"""The solver: a rule run on a game, with averages, checkpoints, and information sets that are held fixed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from suphx.equilibrium.flat_game import FlatGame, flat
from suphx.equilibrium.game import ExtensiveGame
from suphx.equilibrium.kernels import SETTINGS, State, run
from suphx.equilibrium.npz import save_arrays
from suphx.equilibrium.policy import Policy, check_policy, load_arrays
from suphx.equilibrium.response import reach_of
from suphx.equilibrium.rules import NAMED, Average, Rule
from suphx.errors import InputError

POWERS: dict[str, int] = {"uniform": 0, "linear": 1, "quadratic": 2, "last": -1, "best": -1}
TRAVERSALS = ("full", "external", "outcome")


class Solver:
    """Runs an update rule over a game. Options that are not set are the rule's own.

    Args:
        game: a game, flat or not.
        rule: a rule, or the name of one.
        alternate: whether the players update in turn, each against what the others have become; else all at once.
        average: what `policy` returns: the average of the iterates, weighing all alike, or by the iteration, or by its
            square; the last iterate; or the best of those at the ends of `run`.
        traverse: all of the game in each iteration, or a sample for each player: all own actions and one of everybody
            else (external), or a single course of the game (outcome).
        explore: with outcome sampling, the share of the updating player's course that is balanced over the subtrees.
        uniform_first: whether the average begins with the policy of the start; else with the first update's.
        seed: of sampling.
        parameters: of the rule.
    """

    def __init__(
        self,
        game: FlatGame | ExtensiveGame,
        rule: Rule | str = "cfr+",
        *,
        alternate: bool | None = None,
        average: Average | None = None,
        traverse: str | None = None,
        explore: float | None = None,
        uniform_first: bool = False,
        seed: int = 0,
        **parameters: float,
    ) -> None:
        self.game = game if isinstance(game, FlatGame) else flat(game)
        if isinstance(rule, str):
            if rule not in NAMED:
                raise InputError(f"no rule is named {rule!r}; there are: {', '.join(NAMED)}")
            rule = NAMED[rule]
        self.rule = rule.with_parameters(**parameters)
        self.average: Average = average or rule.average
        self.traverse = traverse or rule.traverse
        if self.average not in POWERS or self.traverse not in TRAVERSALS:
            raise InputError(f"average is one of {', '.join(POWERS)}; traverse is one of {', '.join(TRAVERSALS)}")
        self.best = np.inf  # the NashConv of the best iterate so far
        self.best_policy = self.game.uniform()
        self.settings = self._settings(rule, alternate, explore, uniform_first)
        self.state = self._start()
        self.random = np.array([seed, 0], np.uint64)  # what SplitMix64 counts from, and how far it has counted

    def _settings(self, rule: Rule, alternate: bool | None, explore: float | None, uniform_first: bool) -> np.ndarray:
        settings = np.zeros(1, SETTINGS)
        settings["rows"], settings["sweeps"] = len(self.rule.memory), self.rule.sweeps
        settings["alternate"] = rule.alternate if alternate is None else alternate
        settings["others"], settings["opponents"] = self.rule.others_reach, self.rule.opponents
        settings["average"], settings["uniform_first"] = POWERS[self.average], uniform_first
        settings["outcome"] = self.traverse == "outcome"
        settings["explore"] = rule.explore if explore is None else explore
        settings["at"]["p"][0, : len(self.rule.parameters)] = list(self.rule.parameters.values())
        return settings

    def _start(self) -> State:
        game, rows = self.game, len(self.rule.memory)
        starts = {"zero": np.zeros(game.sequences), "policy": game.uniform(), "share": game.arrays.share}
        memory = np.zeros(rows * game.sequences)
        for k in range(game.infosets):
            here = game.place(k)
            memory[rows * here.start : rows * here.stop] = np.concatenate(
                [starts[row][here] for row in self.rule.memory]
            )
        policy, nothing = game.uniform(), np.zeros(game.sequences)
        return State(policy, reach_of(game, policy), nothing, nothing.copy(), memory,
                     np.zeros(game.infosets, np.bool_), np.ones(game.infosets))  # fmt: skip

    @property
    def iterations(self) -> int:
        """How many iterations were done."""
        return int(self.settings["t"][0])

    def lock(self, infoset: str | int, probabilities: list[float]) -> Solver:
        """Hold an information set at fixed probabilities; call it before `run`. InputError if they do not fit it."""
        number = self.game.find(infoset) if isinstance(infoset, str) else infoset
        changed = self.state.policy.copy()
        here = self.game.place(number)
        if len(probabilities) != here.stop - here.start:
            raise InputError(
                f"{self.game.names[number]} has {here.stop - here.start} actions, not {len(probabilities)}"
            )
        changed[here] = probabilities
        check_policy(self.game, changed, "lock")
        self.state.policy[:] = changed
        self.state.locked[number] = True
        self.state.reach[:] = reach_of(self.game, changed)
        return self

    def run(self, iterations: int) -> Solver:
        """Do n more iterations; InputError if the rule does not compile, gives NaN, or something that is no policy."""
        before = self.iterations
        settings, pointer = self.settings[0], self.rule.pointer()
        if self.traverse == "full":
            done = run(pointer, self.game.arrays, self.state, settings, iterations)
        else:
            from suphx.equilibrium.sampling import run_sampled  # only if it is sampled: a second less to load

            done = run_sampled(pointer, self.game.arrays, self.game.tree, self.state, settings, self.random, iterations)
        self._check(before + done + 1)
        if self.average == "best":
            policy = Policy(self.game, self.state.policy.copy())
            if (nash_conv := policy.nash_conv()) < self.best:
                self.best, self.best_policy = nash_conv, policy.probabilities
        return self

    def _check(self, iteration: int) -> None:
        bad = np.flatnonzero(np.isnan(self.state.policy[self.game.players :])) + self.game.players
        if len(bad):
            k = int(np.searchsorted(self.game.arrays.first, bad[0], side="right")) - 1
            at = f"iteration {iteration}, information set {self.game.names[k]}"
            raise InputError(f"the rule {self.rule.name} gave NaN in {at}")
        check_policy(self.game, self.state.policy, f"the rule {self.rule.name} after iteration {iteration - 1}")

    def policy(self) -> Policy:
        """Return the average policy, or the iterate that `average` names."""
        if self.average == "best":
            return Policy(self.game, self.best_policy.copy())
        if self.average == "last" or not self.state.average.any():
            return Policy(self.game, self.state.policy.copy())
        game, sums, chosen = self.game, self.state.average, self.game.uniform()
        total = np.repeat(np.add.reduceat(sums, game.arrays.first[:-1]), np.diff(game.arrays.first))
        np.divide(sums[game.players :], total, out=chosen[game.players :], where=total > 0)
        return Policy(game, chosen)

    def nash_conv(self) -> float:
        """Return the NashConv of `policy`."""
        return self.policy().nash_conv()

    def save(self, path: Path) -> None:
        """Write a checkpoint, from which solving resumes exactly."""
        arrays = {name: getattr(self.state, name) for name in ("average", "memory", "locked")}
        arrays |= {"best": np.array(self.best), "best_policy": self.best_policy, "random": self.random}
        arrays |= {"settings": self._fingerprint(), "t": self.settings["t"], "iterate": self.state.policy}
        save_arrays(path, arrays | {"game": np.array(self.game.key()), "policy": self.policy().probabilities})

    def _fingerprint(self) -> np.ndarray:
        """Return what must be the same to resume from a checkpoint."""
        return np.array(f"{self.rule.name} {self.rule.parameters} {self.average} {self.traverse} "
                        f"{self.settings[['alternate', 'uniform_first', 'explore']][0]}")  # fmt: skip

    def load(self, path: Path) -> Solver:
        """Resume from a checkpoint; InputError if it is unusable, or of another game, rule or setting."""
        names = ["iterate", "average", "memory", "locked", "best", "best_policy", "random", "settings", "t"]
        arrays = load_arrays(path, self.game, names)
        if str(arrays["settings"]) != str(self._fingerprint()):
            raise InputError(f"{path} was made by other settings: {arrays['settings']}")
        own = {"average": self.state.average, "memory": self.state.memory, "locked": self.state.locked}
        own |= {"random": self.random, "t": self.settings["t"]}
        for name, array in own.items():
            if arrays[name].shape != array.shape or arrays[name].dtype != array.dtype:
                raise InputError(f"{path}: {name} does not fit this game")
            array[...] = arrays[name]
        check_policy(self.game, arrays["iterate"], str(path))
        check_policy(self.game, arrays["best_policy"], str(path))
        self.state.policy[:] = arrays["iterate"]
        self.best, self.best_policy = float(arrays["best"]), arrays["best_policy"]
        self.state.reach[:] = reach_of(self.game, self.state.policy)
        return self
