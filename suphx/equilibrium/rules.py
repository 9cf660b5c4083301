"""Update rules: what happens in one information set in one iteration. The named ones are written as a user's would be.

A rule gets q (what each action is worth, f64[n]: counterfactual values), policy (f64[n], to be overwritten), memory
(f64[rows, n], its own) and `at` (see `kernels.AT`). It returns the value that is passed on to its owner's decision
before. In a sampled traversal q is an estimate with the same mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any, Literal

import numpy as np
from numba import types

from simulator.jit import jit, jit_callback, numba_config
from suphx.equilibrium.kernels import PARAMETERS, SIGNATURE, sweep
from suphx.errors import InputError

Average = Literal["uniform", "linear", "quadratic", "last", "best"]
Start = Literal["zero", "policy", "share"]


class _Pointer(types.WrapperAddressProtocol):
    """A compiled sweep as an argument of compiled functions."""

    def __init__(self, compiled: Any) -> None:
        self.compiled = compiled

    def __wrapper_address__(self) -> int:
        return self.compiled.address

    def signature(self) -> Any:
        return SIGNATURE


@dataclass(frozen=True)
class Rule:
    """An update rule and how it is meant to be run."""

    function: Callable
    name: str
    memory: tuple[Start, ...] = ("zero",)  # what each row holds at the start
    sweeps: int = 1
    others_reach: bool = False  # whether it needs `at["others_reach"]`
    opponents: bool = False  # whether the last row's first number is what the opponents gain at this set
    parameters: dict[str, float] = field(default_factory=dict)  # `at["p"]`, in this order
    alternate: bool = False
    average: Average = "uniform"
    traverse: Literal["full", "external", "outcome"] = "full"
    explore: float = 0.0
    _compiled: list = field(default_factory=list, repr=False)

    def pointer(self) -> Any:
        """Return what the compiled functions take, a sweep that calls the rule; compiles on first use.

        Raises:
            InputError: Numba cannot compile the function; the message is Numba's.
        """
        if numba_config.DISABLE_JIT:
            return FunctionType(sweep.__code__, sweep.__globals__ | {"rule": self.function})
        if not self._compiled:
            from numba.core.errors import NumbaError

            try:
                self._compiled.append(_Pointer(jit_callback(sweep, SIGNATURE, "rule", self.function)))
            except NumbaError as error:
                raise InputError(f"the rule {self.name} does not compile: {_reason(error)}") from error
        return self._compiled[0]

    def with_parameters(self, **parameters: float) -> Rule:
        """Return the rule with other parameters.

        Raises:
            InputError: it has none of that name.
        """
        for name in parameters:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise InputError(f"the rule {self.name} has no parameter {name!r}; it has: {known}")
        return replace(self, parameters={**self.parameters, **parameters})


def _reason(error: Exception) -> str:
    """Return the line of Numba's message that says what is wrong, and where."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    where = next((line for line in lines if line.startswith("File ")), "").rstrip(":")
    reasons = [
        line for line in lines if not line.startswith(("Failed in", "During", "File ", ">>>", "-", "*", "def ", "<"))
    ]
    return f"{reasons[0] if reasons else type(error).__name__} {where}".strip()[:300]


def rule(memory: int | tuple[Start, ...] | Callable = 1, **options: Any) -> Any:
    """Make a rule of a function; words that are no field of `Rule` are its parameters, in this order.

    Args:
        memory: how many rows of memory it has (they start at zero), or what each holds at the start: "zero", "policy"
            (the policy of the start) or "share" (the share of the owner's subtree behind each action); the function
            itself, where `@rule` stands alone.
        options: fields of `Rule`, such as `alternate=True`, and parameters, such as `alpha=1.5`.

    Raises:
        InputError: it has too many parameters.
    """
    if callable(memory):
        return rule()(memory)
    rows: tuple[Start, ...] = tuple("zero" for _ in range(memory)) if isinstance(memory, int) else tuple(memory)
    fields = {name: options.pop(name) for name in list(options) if name in Rule.__dataclass_fields__}
    parameters = {name: float(value) for name, value in options.items()}
    if len(parameters) > PARAMETERS:
        raise InputError(f"a rule has at most {PARAMETERS} parameters, not {len(parameters)}")

    def decorate(function: Callable) -> Rule:
        name = fields.pop("name", function.__name__.replace("_plus", "+").replace("_", "-"))
        return Rule(function, name, rows, parameters=parameters, **fields)

    return decorate


@jit
def dot(a, b):
    """Return the sum of products; needs no array of its own, unlike `(a * b).sum()`."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@jit
def match(regret, policy):
    """Regret matching: write the positive part of `regret`, scaled to sum to 1, or the uniform policy."""
    total = 0.0
    for a in range(len(regret)):
        total += max(regret[a], 0.0)
    for a in range(len(regret)):
        policy[a] = max(regret[a], 0.0) / total if total > 0.0 else 1.0 / len(regret)


@jit
def distance(a, b):
    """Return half the squared Euclidean distance."""
    total = 0.0
    for i in range(len(a)):
        total += (a[i] - b[i]) ** 2
    return total / 2


@jit
def project(policy, floor):
    """Project in place onto the simplex, in Euclidean distance, with at least floor / n for every action.

    Source: Duchi, Shalev-Shwartz, Singer, Chandra 2008; the threshold is found by leaving out actions until all stay.
    """
    n = len(policy)
    low = floor / n
    count_before, threshold = n, (policy.sum() - n * low - (1.0 - floor)) / n
    for _ in range(n):  # one action at least is left out each time
        count, total = 0, 0.0
        for a in range(n):
            if policy[a] - low > threshold:
                count += 1
                total += policy[a] - low
        if count == count_before or count == 0:
            break
        count_before, threshold = count, (total - (1.0 - floor)) / count
    for a in range(n):
        policy[a] = max(policy[a] - low - threshold, 0.0) + low


@jit
def softmax(policy, share, floor):
    """Turn logarithms into a policy in place: the projection in KL divergence, at least floor * share for each action.

    Actions below their floor are set to it and the others scaled to the rest, until none is below.
    """
    n = len(policy)
    policy[:] = np.exp(policy - policy.max())
    for a in range(n):
        policy[a] = max(policy[a], 1e-300)
    for _ in range(n):
        free, fixed = 0.0, 0.0
        for a in range(n):
            if policy[a] > floor * share[a]:
                free += policy[a]
            else:
                fixed += floor * share[a]
        scale, again = (1.0 - fixed) / free, False
        for a in range(n):
            if policy[a] > floor * share[a]:
                policy[a] *= scale
                again |= policy[a] <= floor * share[a]
            else:
                policy[a] = floor * share[a]
        if not again:
            break


@rule(memory=1, alternate=False, average="uniform")
def cfr(q, policy, memory, at):
    """Counterfactual regret minimization. Source: Zinkevich, Johanson, Bowling, Piccione 2007, equations 7 and 8."""
    value = dot(q, policy)
    for a in range(len(q)):
        memory[0, a] += q[a] - value
    match(memory[0], policy)
    return value


@rule(memory=1, alternate=True, average="linear")
def cfr_plus(q, policy, memory, at):
    """CFR+: regrets never fall below 0. Source: Tammelin 2014, section 3."""
    value = dot(q, policy)
    for a in range(len(q)):
        memory[0, a] = max(memory[0, a] + q[a] - value, 0.0)
    match(memory[0], policy)
    return value


@rule(memory=1, alternate=True, average="quadratic", alpha=1.5, beta=0.0)
def dcfr(q, policy, memory, at):
    """Discounted CFR; gamma is the average's power. Source: Brown, Sandholm 2019, section 4."""
    value, before = dot(q, policy), at["t"] - 1
    for a in range(len(q)):
        power = before ** (at["p"][0] if memory[0, a] > 0 else at["p"][1])
        memory[0, a] = memory[0, a] * power / (power + 1) + q[a] - value
    match(memory[0], policy)
    return value


@rule(memory=2, alternate=True, average="linear")
def pcfr_plus(q, policy, memory, at):
    """Predictive CFR+: expects the last regret again. Source: Farina, Kroer, Sandholm 2021, algorithm 2."""
    value = dot(q, policy)
    for a in range(len(q)):
        memory[0, a] = max(memory[0, a] + q[a] - value, 0.0)
        memory[1, a] = memory[0, a] + q[a] - value
    match(memory[1], policy)
    return value


es = replace(cfr, name="es", alternate=True, traverse="external")
os = replace(cfr, name="os", traverse="outcome", explore=0.1)


@rule(memory=("policy", "policy"), sweeps=2, average="last", eta=0.1)
def domd(q, policy, memory, at):
    """Dilated optimistic mirror descent, Euclidean. Source: Lee, Kroer, Luo 2021, equations 3 and 4.

    The first sweep moves the anchor (memory 0, from memory 1), the second the policy from there.
    """
    eta = at["p"][0]
    before, new = (memory[1], memory[0]) if at["sweep"] == 0 else (memory[0], policy)
    if at["sweep"] == 0:
        before[:] = new
    for a in range(len(q)):
        new[a] = before[a] + eta * q[a]
    project(new, 0.0)
    return dot(q, new) - distance(new, before) / eta


@rule(memory=("policy", "policy"), sweeps=2, average="last", eta=0.1, tau=0.001)
def reg_domd(q, policy, memory, at):
    """DOMD on the game with a quadratic regularizer. Source: Liu, Ozdaglar, Yu, Zhang 2023, equation 8."""
    eta, tau = at["p"][0], at["p"][1]
    before, new = (memory[1], memory[0]) if at["sweep"] == 0 else (memory[0], policy)
    if at["sweep"] == 0:
        before[:] = new
    for a in range(len(q)):
        new[a] = before[a] + eta * (q[a] - tau * before[a])
    project(new, 0.0)
    regularizer = dot(before, new) - dot(before, before) / 2
    return dot(q, new) - distance(new, before) / eta - tau * regularizer


@rule(memory=("policy", "zero", "zero"), average="last", kappa=1.0, tau=0.001, gamma=0.001)
def reg_cfr(q, policy, memory, at):
    """CFR on the regularized game with optimistic steps of falling size. Source: Liu et al. 2023, algorithm 1.

    Memory: the anchor, the last q, and the sum of squared changes of q.
    """
    kappa, tau, gamma = at["p"][0], at["p"][1], at["p"][2]
    value = dot(q, policy) - tau * dot(policy, policy) / 2
    last = kappa + memory[2, 0]
    memory[2, 0] += 2 * distance(q, memory[1]) if at["t"] > 1 else 0.0
    memory[1] = q
    eta, keep = 1 / np.sqrt(kappa + memory[2, 0]), np.sqrt(last / (kappa + memory[2, 0]))
    for a in range(len(q)):
        anchor = memory[0, a]
        memory[0, a] = anchor * keep + (1 - keep) / len(q) + eta * (q[a] - tau * anchor)
    project(memory[0], gamma)
    for a in range(len(q)):
        policy[a] = memory[0, a] + eta * (q[a] - tau * memory[0, a])
    project(policy, gamma)
    return value


@rule(memory=("share",), average="last", others_reach=True, eta=0.005, tau=0.05, gamma=0.0)
def mmd(q, policy, memory, at):
    """Magnetic mirror descent with a uniform magnet. Source: Sokota et al. 2023, equation 12, with action values."""
    eta, tau, gamma = at["p"][0], at["p"][1], at["p"][2]
    value = dot(q, policy)
    for a in range(len(q)):
        policy[a] = (np.log(policy[a]) + eta * q[a] / at["others_reach"]) / (1 + eta * tau)
    softmax(policy, memory[0], gamma)
    return value


@rule(memory=("share", "policy", "zero"), average="last", others_reach=True, opponents=True,
      eta=0.1, tau=0.001, gamma=0.001)  # fmt: skip
def qfr(q, policy, memory, at):
    """Q-function based regret minimization, entropy. Source: Liu, Farina, Ozdaglar 2024, algorithm 1.

    Memory: the floor's shares, the anchor, and this set's regularizer, which the opponents gain.
    """
    eta, tau, gamma, n = at["p"][0], at["p"][1], at["p"][2], len(q)
    value = dot(q, policy) - at["others_reach"] * tau * (np.log(n) + dot(policy, np.log(policy)))
    for a in range(n):
        step = eta * q[a] / at["others_reach"]
        memory[1, a] = (np.log(memory[1, a]) + step) / (1 + eta * tau)
    softmax(memory[1], memory[0], gamma)
    for a in range(n):
        policy[a] = (np.log(memory[1, a]) + eta * q[a] / at["others_reach"]) / (1 + eta * tau)
    softmax(policy, memory[0], gamma)
    memory[2, 0] = tau * (np.log(n) + dot(policy, np.log(policy)))
    return value


@rule(memory=("policy",), average="last", eta=0.1, inner=10)
def cmd(q, policy, memory, at):
    """Clairvoyant mirror descent, Euclidean. Source: Piliouras, Sim, Skoulakis 2022, algorithm 1.

    The policy is moved towards the fixed point for `inner` iterations; then it becomes the anchor.
    """
    eta = at["p"][0]
    for a in range(len(q)):
        policy[a] = memory[0, a] + eta * q[a]
    project(policy, 0.0)
    value = dot(q, policy) - distance(policy, memory[0]) / eta
    if at["t"] % at["p"][1] == 0:
        memory[0] = policy
    return value


NAMED: dict[str, Rule] = {
    each.name: each for each in (cfr, cfr_plus, dcfr, pcfr_plus, es, os, domd, reg_domd, reg_cfr, mmd, qfr, cmd)
}
