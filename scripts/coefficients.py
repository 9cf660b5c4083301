"""Estimate which changes of an agent's habits would gain, from its own games, and write the agent that has them.

usage: python scripts/coefficients.py measure OUT [--agent tuned] [--seed 1] [--games 20000]
       python scripts/coefficients.py step OUT... [--length 2] [--write NAME --agent tuned-large]

`measure` lets the agent play all seats with its logits doubled and its actions drawn, and estimates the policy gradient
in a few coefficients: of named features of discards, and of yes in its other networks. It uses one thread; processes
with other seeds may run beside it. `step` adds up such files and goes a step along the natural gradient. NAME is a
folder of weights beside the agent's: a network without blocks, whose filters are the features, is added to its discards
(`SumNetwork`), and the biases are on its card.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the code of this checkout

from simulator.files import write_whole
from simulator.record import SEATS
from simulator.rules import Rules
from suphx.agent.registry import weights_folder
from suphx.agent.sampling import softmax
from suphx.features.layout import LAYOUT, LOOKAHEAD_ANSWERS, LOOKAHEAD_POINTS, LOOKAHEAD_TILES, start
from suphx.intervals import half_width, mean_interval
from suphx.networks.policy import KindHead, PolicyNetwork
from suphx.networks.precision import choose_precision
from suphx.networks.sizes import NetworkSize
from suphx.networks.weights import CARD_NAME, load_card, save_network
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.folder import load_start
from suphx.selfplay.play import CollectedRounds
from suphx.selfplay.policy import SelfPlayPolicy

MODELS = ("discard", "riichi", "chow", "pong", "kong")
_PLACE = {plane.name: number for number, plane in enumerate(LAYOUT)}
_RIVALS = ("right", "across", "left")
_RIICHI = tuple(f"{rival} riichi" for rival in _RIVALS)
_TEMPERATURE = 0.5
_DECISIONS = 16_384  # of a look at the games


@dataclass(frozen=True)
class Filter:
    """The number of planes `counted` that contain a kind, if all `wanted` ones and no `unwanted` one contain it."""

    counted: tuple[int | str, ...]
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()

    def write(self, weight: torch.Tensor, bias: torch.Tensor) -> None:
        """Set a filter's weights f[planes] and bias f[]: after the ReLU it is that number."""
        most = len(self.counted)
        weight[[_PLACE[plane] if isinstance(plane, str) else plane for plane in self.counted]] = 1
        weight[[_PLACE[plane] for plane in self.wanted]] += most
        weight[[_PLACE[plane] for plane in self.unwanted]] -= most
        bias.fill_(-most * len(self.wanted))


def _hands(points: int) -> tuple[int, ...]:
    """Return the planes of wins with so many points in one or two tiles, which a discard keeps possible."""
    first, answers = start("lookahead.points"), len(LOOKAHEAD_ANSWERS)
    return tuple(
        first
        + (LOOKAHEAD_TILES.index(tiles) * len(LOOKAHEAD_POINTS) + LOOKAHEAD_POINTS.index(points)) * answers
        + answer
        for tiles in (1, 2)
        for answer in range(answers)
    )


_ACCEPTS = tuple(f"keeps shanten, accepts >= {n}" for n in (4, 8, 12, 16, 20, 24, 32, 40, 56))
_FIRST, _FOURTH = ("self is rank 1", "South round"), ("self is rank 4", "South round")
#: Of each discard; the sum of its filters is the feature.
FEATURES = {
    "safe from riichi, far from tenpai": [Filter(("safe from riichi",), (), ("shanten <= 1",))],
    "safe from riichi, one from tenpai": [Filter(("safe from riichi",), ("shanten <= 1",), ("shanten <= 0",))],
    "safe from riichi, at tenpai": [Filter(("safe from riichi",), ("shanten <= 0",))],
    "safe from riichi, first in South": [Filter(("safe from riichi",), _FIRST)],
    "safe from riichi, fourth in South": [Filter(("safe from riichi",), _FOURTH)],
    "suji of riichi": [Filter((f"suji of {r}",), (f"{r} riichi",), ("safe from riichi",)) for r in _RIVALS],
    "safe from all, late, no riichi": [Filter(("safe from all",), (), ("wall >= 28", *_RIICHI))],
    "safe from two open melds": [Filter((f"safe from {r}",), (f"{r} open melds >= 2",), _RIICHI) for r in _RIVALS],
    "in a rival's flush": [Filter(tuple(f"{rival} flush" for rival in _RIVALS))],
    "keeps shanten, no riichi": [Filter(("keeps shanten",), (), _RIICHI)],
    "keeps shanten, late, no riichi": [Filter(("keeps shanten",), (), ("wall >= 28", *_RIICHI))],
    "accepts, early, no riichi": [Filter(_ACCEPTS, ("wall >= 48",), _RIICHI)],
    "accepts, midway, no riichi": [Filter(_ACCEPTS, ("wall >= 28",), ("wall >= 48", *_RIICHI))],
    "2,000 points": [Filter(_hands(2000))],
    "8,000 points": [Filter(_hands(8000))],
    "8,000 points, first in South": [Filter(_hands(8000), _FIRST)],
    "8,000 points, fourth in South": [Filter(_hands(8000), _FOURTH)],
    "dora, no riichi": [Filter(("dora >= 1",), (), _RIICHI)],
    "a lone red five": [Filter(("own red fives",), (), ("own >= 2",))],
    "valued, early": [Filter(("valued for self",), ("wall >= 48",))],
    "pair, no riichi": [Filter(("own >= 2",), (), _RIICHI)],
    "unseen": [Filter(("left >= 1", "left >= 2", "left >= 3"))],
}
#: The coefficients: those of discards' features, and the biases of yes.
NAMES = (*FEATURES, *MODELS[1:])
#: What the gradient is taken of besides: the logits' scales, which do not matter for likeliest actions.
_COLUMNS = len(NAMES) + len(MODELS)


def correction(coefficients: Sequence[float]) -> PolicyNetwork:
    """Return the network whose logits are the features of each discard times their coefficients, by NAMES."""
    filters = [(each, value) for parts, value in zip(FEATURES.values(), coefficients, strict=False) for each in parts]
    network = PolicyNetwork("discard", NetworkSize(filters=len(filters), blocks=0))
    assert isinstance(network.head, KindHead) and network.first.bias is not None
    with torch.no_grad():
        for tensor in network.state_dict().values():
            tensor.zero_()
        for n, (each, value) in enumerate(filters):
            each.write(network.first.weight[n, :, 1, 0], network.first.bias[n])
            network.head.score.weight[0, n] = value
    return network


class Scores:
    """Scores of decisions: of each coefficient, the derivative of the action's log-probability."""

    def __init__(self) -> None:
        self._network = correction([1.0] * len(FEATURES))
        counts = [len(parts) for parts in FEATURES.values()]
        self._first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        self._precision = choose_precision("cpu", "float32", 1)

    def features(self, planes: np.ndarray) -> np.ndarray:
        """Return f32[n, 34, features] for planes u64[n, planes]."""
        with torch.no_grad():
            filters = self._network.first_of_packed(planes, self._precision)
        return np.add.reduceat(filters.squeeze(-1).transpose(1, 2).numpy(), self._first, axis=2)

    def of(self, model: str, planes: np.ndarray, logits: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Return f32[n, columns] for logits f[n, options], -inf where illegal; actions: i64[n], the options taken."""
        scores = np.zeros((len(actions), _COLUMNS), np.float32)
        scale = len(NAMES) + MODELS.index(model)
        finite = np.where(np.isfinite(logits), logits, 0)
        if model == "discard":
            places = [*range(len(FEATURES)), scale]
            values = np.concatenate([self.features(planes), finite[:, :, None]], axis=2)
        else:
            places = [NAMES.index(model), scale]
            values = np.stack([np.broadcast_to(np.arange(2), logits.shape), finite], axis=2)
        expected = np.einsum("no,nok->nk", softmax(logits), values)
        scores[:, places] = values[np.arange(len(actions)), actions] - expected
        return scores


@dataclass
class Gradient:
    """What some games say: for each the sum of scores times the rewards of their rounds, and Fisher's matrix."""

    agent: str
    seed: int
    games: int
    of_games: np.ndarray
    """f64[m, columns]; games that were not finished are among them."""
    fisher: np.ndarray
    """f64[columns, columns], summed over all decisions."""
    names: tuple[str, ...] = NAMES

    def write(self, path: Path) -> None:
        """Write it whole; what was there is replaced."""
        beside = path.with_suffix(".part.npz")
        np.savez(beside, **vars(self) | {"names": np.array(self.names)})
        beside.replace(path)

    @classmethod
    def read(cls, path: Path) -> Gradient:
        """Read it back; raises SystemExit if it is none, or of other coefficients."""
        try:
            with np.load(path, allow_pickle=False) as file:
                if tuple(file["names"]) != NAMES:
                    raise SystemExit(f"{path}: a gradient of other coefficients")
                return cls(str(file["agent"]), int(file["seed"]), int(file["games"]), file["of_games"], file["fisher"])
        except (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile) as error:
            raise SystemExit(f"{path}: no gradient, or not whole ({error})") from error


def measure(agent: str, predictor: str | None, seed: int, games: int) -> Iterator[Gradient]:
    """Play games, and yield the gradient whenever it has become better."""
    learning = {"models": list(MODELS), "start_temperature": _TEMPERATURE, "max_confidence": 0.98}
    reward = {"kind": "phi"} | ({"predictor": predictor} if predictor else {})
    config = TrainConfig.model_validate({"start": agent, "reward": reward, "learning": learning, "evaluation": None})
    policy = SelfPlayPolicy(1, load_start(config), choose_precision("cpu", None, 1), seed, learning=MODELS)
    rewards = config.reward.load(Rules.preset(config.rules))
    play = CollectedRounds(config, 256, seed, rewards, [])
    play.collector.set_policy(1, policy)
    scores, played, sums = Scores(), 0, dict[int, np.ndarray]()
    fisher = np.zeros((_COLUMNS, _COLUMNS))
    while played < games:
        while play.collector.learnable < _DECISIONS:
            play.collector.step()
        batch, counts = play.take()
        played += counts.games
        for model, rows in batch.experience.items():
            if not len(rows):
                continue
            of_rows = scores.of(model, rows["planes"], _logits(policy, model, rows), rows["action"].astype(np.int64))
            fisher += of_rows.T.astype(np.float64) @ of_rows
            numbers, of_game = np.unique(batch.trajectories["game"][rows["trajectory"]], return_inverse=True)
            parts = np.zeros((len(numbers), _COLUMNS))
            np.add.at(parts, of_game, of_rows * rows["rewards"][:, :1] * rewards.unit)
            for game, part in zip(numbers, parts, strict=True):
                sums[game] = sums.get(game, 0) + part
        yield Gradient(agent, seed, played, np.stack(list(sums.values())), fisher)


def _logits(policy: SelfPlayPolicy, model: str, rows: np.ndarray) -> np.ndarray:
    """Return the logits that the actions were drawn from, -inf where illegal."""
    planes = np.ascontiguousarray(rows["planes"])
    parts = [policy.networks[model](planes[n : n + 1024]) for n in range(0, len(planes), 1024)]
    return np.where(rows["legal"], np.concatenate(parts), -np.inf)


@dataclass
class Estimate:
    """The gradient of an agent's gain in the coefficients, and its Fisher information, for a seat and game.

    The logits' scales are taken out: a change of coefficients is made together with the change of scales that leaves
    no correlation with them.
    """

    of_games: np.ndarray
    """f64[m, coefficients]; their mean is the gradient, in ranks."""
    fisher: np.ndarray
    """f64[coefficients, coefficients]."""

    @classmethod
    def of(cls, gradients: Sequence[Gradient]) -> Estimate:
        """Add gradients of one agent up."""
        played = sum(each.games for each in gradients)
        scores = np.concatenate([each.of_games for each in gradients])
        scores *= len(scores) / played / SEATS
        fisher = np.sum([each.fisher for each in gradients], axis=0) / played / SEATS
        n = len(NAMES)
        scales = np.linalg.solve(fisher[n:, n:], fisher[n:, :n])
        return cls(scores[:, :n] - scores[:, n:] @ scales, fisher[:n, :n] - fisher[:n, n:] @ scales)

    def direction(self, games: np.ndarray) -> np.ndarray:
        """Return f64[coefficients] of length 1: the natural gradient by some games, bool[m]; 0 if all may be chance.

        Each network's part is shrunk by the share of its squared length that chance does not explain (James and Stein).
        """
        scores, result = self.of_games[games], np.zeros(len(NAMES))
        for part in (slice(len(FEATURES)), *(slice(n, n + 1) for n in range(len(FEATURES), len(NAMES)))):
            own, inverse = scores[:, part], np.linalg.inv(self.fisher[part, part])
            mean = own.mean(0)
            chance = np.einsum("mj,jk,mk->", own - mean, inverse, own - mean) / len(own) ** 2
            square = mean @ inverse @ mean
            result[part] = inverse @ mean * max(square - chance, 0) / (square or 1)
        return result / (np.sqrt(result @ self.fisher @ result) or 1)

    def held_out(self, seed: int = 0) -> tuple[float, list[float] | None]:
        """Return what a step of length 1 fitted to half of the games gains in the other half, to first order.

        In ranks, with its interval; both halves take their turn.
        """
        half = np.random.default_rng(seed).random(len(self.of_games)) < 0.5
        return mean_interval(np.concatenate([self.of_games[~each] @ self.direction(each) for each in (half, ~half)]))

    def alone(self) -> dict[str, list[float]]:
        """Return what length 1 in each coefficient by itself gains, half its interval, and how long 1 is."""
        lengths = np.sqrt(np.diag(self.fisher))
        gains = self.of_games / lengths
        return {
            name: [float(gains[:, n].mean()), half_width(gains[:, n]), float(lengths[n])]
            for n, name in enumerate(NAMES)
        }


def write_agent(base: Path, name: str, coefficients: Mapping[str, float], about: Mapping[str, str]) -> Path:
    """Write the folder `name` beside an agent's: the same agent with the coefficients; return it."""
    card, folder = load_card(base), base.resolve().parent / name
    folder.mkdir(exist_ok=True)
    network = correction([coefficients[feature] for feature in FEATURES])
    file, own = "discard.safetensors", f"{name}/discard.safetensors"
    save_network(folder / "discard.safetensors", network, "float16")
    hashes = dict(card.sha256)
    sums = dict(card.sums.get("discard", {}))
    if not sums:
        sums, hashes[f"{base.name}/{file}"] = {base.name: 1.0}, hashes.pop(file)
    hashes[own] = hashlib.sha256((folder / file).read_bytes()).hexdigest()
    changes = {
        "name": name,
        "rest": base.name,
        "sha256": hashes,
        "sums": {**card.sums, "discard": {**sums, name: 1.0}},
        "biases": {model: card.biases.get(model, 0) + coefficients[model] for model in MODELS[1:]},
        "about": dict(about),
    }
    write_whole(folder / CARD_NAME, card.model_copy(update=changes).model_dump_json(indent=2).encode() + b"\n")
    return folder


def main() -> None:
    """Measure, or take a step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    part = parts.add_parser("measure")
    part.add_argument("out", type=Path)
    part.add_argument("--agent", default="tuned")
    part.add_argument("--predictor", help="of the reward, by default of ranks")
    part.add_argument("--seed", type=int, default=1)
    part.add_argument("--games", type=int, default=20_000)
    part.set_defaults(run=_measure)
    part = parts.add_parser("step")
    part.add_argument("gradients", type=Path, nargs="+")
    part.add_argument("--length", type=float, default=2, help="square root of Fisher information for a seat and game")
    part.add_argument("--agent", default="tuned", help="which plays with the step")
    part.add_argument("--write", help="folder beside the agent's that receives it")
    part.set_defaults(run=_step)
    options = parser.parse_args()
    options.run(options)


def _measure(options: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    began = time.monotonic()
    for gradient in measure(options.agent, options.predictor, options.seed, options.games):
        gradient.write(options.out)
        rate = gradient.games / (time.monotonic() - began)
        left = max(options.games - gradient.games, 0) / rate / 60 if rate else float("nan")
        print(f"{gradient.games:,} games, {rate:.1f} a second, {left:.0f} minutes left", flush=True)


def _step(options: argparse.Namespace) -> None:
    gradients = [Gradient.read(path) for path in options.gradients]
    estimate = Estimate.of(gradients)
    step = estimate.direction(np.ones(len(estimate.of_games), np.bool_)) * options.length * _TEMPERATURE
    gain, interval = estimate.held_out()
    result = {
        "games": sum(each.games for each in gradients),
        "of": sorted({each.agent for each in gradients}),
        "seeds": [each.seed for each in gradients],
        "length": options.length,
        "gain_of_length_1": {"held_out": gain, "interval": interval},
        "alone": estimate.alone(),
        "coefficients": dict(zip(NAMES, map(float, step), strict=True)),
    }
    print(json.dumps(result, indent=2))
    if options.write:
        about = {
            "data": f"{result['games']:,} games of {', '.join(result['of'])} with itself",
            "command": " ".join(["python scripts/coefficients.py", *sys.argv[1:]]),
        }
        write_agent(weights_folder(options.agent), options.write, result["coefficients"], about)


if __name__ == "__main__":
    main()
