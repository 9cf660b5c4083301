"""Players: fixed plans, tables of nodes, random moves, a person; whole games and matches between them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from simulator.lookup import get_lookup
from simulator.tiles import kind_name
from suphx.equilibrium import terminal
from suphx.equilibrium.duel.abstraction import BENCHMARK, DuelRules, choose, deal, key_of, must_choose, options_of
from suphx.equilibrium.duel.log import PlanChoice, legal_moves, name_of, side_of
from suphx.equilibrium.duel.nodes import Nodes, load_nodes
from suphx.equilibrium.duel.patterns import NORMAL, PATTERNS
from suphx.equilibrium.duel.plans import planned_action
from suphx.equilibrium.duel.table import OVER, act, new_duels, payoff
from suphx.errors import InputError


class DuelPlayer:
    """Plays for the mover of a game."""

    name: str
    four_as_two: bool | None = None
    """The rule it was trained for; None for any."""

    def choose(self, duel: np.void, random: np.random.Generator) -> PlanChoice | None:
        """Return the plan to play by from now on, or None if there is nothing to choose."""
        return None

    def act(self, duel: np.void, random: np.random.Generator) -> int:
        """Return a legal action."""
        raise NotImplementedError


class PlanPlayer(DuelPlayer):
    """Keeps to one plan, or to the normal one when that is not possible."""

    def __init__(self, plan: int) -> None:
        self.name, self._plan, self._mask = PATTERNS[plan], plan, DuelRules().mask

    def choose(self, duel: np.void, random: np.random.Generator) -> PlanChoice | None:
        seat = int(duel["mover"])
        return (
            self._chosen(seat, int(key_of(duel, seat)), random) if must_choose(get_lookup(), duel, self._mask) else None
        )

    def _chosen(self, seat: int, key: int, random: np.random.Generator) -> PlanChoice:
        return PlanChoice(seat, key, self._plan if self._plan < options_of(key) else NORMAL)

    def act(self, duel: np.void, random: np.random.Generator) -> int:
        return int(planned_action(get_lookup(), duel))


class TablePlayer(PlanPlayer):
    """Draws its plans from the regrets of a table, as the paper does."""

    def __init__(self, nodes: Nodes, name: str) -> None:
        self.name, self._nodes, self._mask = name, nodes, nodes.rules.mask
        self.four_as_two = nodes.rules.four_as_two

    def _chosen(self, seat: int, key: int, random: np.random.Generator) -> PlanChoice:
        policy = self._nodes.policies(np.array([key]))[0]
        regret, strategy = self._nodes.sums(key)
        return PlanChoice(seat, key, int(random.choice(len(policy), p=policy)), policy.tolist(), regret, strategy)


class RandomPlayer(DuelPlayer):
    """Chooses among its moves with equal probabilities."""

    name = "random"

    def act(self, duel: np.void, random: np.random.Generator) -> int:
        return int(random.choice(list(legal_moves(duel).values())))


class Person(DuelPlayer):
    """Asks in the terminal for every move that is not forced; `act` raises Quit."""

    name = "you"

    def act(self, duel: np.void, random: np.random.Generator) -> int:
        options = legal_moves(duel)
        if len(options) > 1:
            own, other = (side_of(duel, seat) for seat in (int(duel["mover"]), 1 - int(duel["mover"])))
            print(f"other: {_table(other)}\nyou:   {_table(own)}; {int(duel['back'] - duel['front'])} tiles left")
            print(f"hand:  {''.join(own['hand'])} {own['drawn']}")
        names = list(options)
        return options[names[terminal.choose(names) if len(names) > 1 else 0]]


def _table(side: dict[str, Any]) -> str:
    """Return what lies before a seat in words."""
    melds = "".join(f"[{''.join(meld['tiles'])}]" for meld in side["melds"])
    return f"{melds} discards {''.join(tile for tile, claimed in side['river'] if not claimed) or 'none'}"


def player_named(name: str) -> DuelPlayer:
    """Return a plan by its name, `random`, or a table from its file; InputError for anything else."""
    if name in PATTERNS:
        return PlanPlayer(PATTERNS.index(name))
    if name == "random":
        return RandomPlayer()
    if not name.endswith(".npz"):
        raise InputError(
            f"no player is named {name!r}; there are {', '.join(PATTERNS)}, random, and files of nodes (npz)"
        )
    return TablePlayer(load_nodes(Path(name)), Path(name).stem)


def play_game(players: list[DuelPlayer], seed: int, number: int) -> dict[str, Any]:
    """Play a deal and return its log; players by seat."""
    wanted = {player.four_as_two for player in players} - {None}
    if len(wanted) > 1:
        raise InputError("one table counts four equal tiles as two pairs, the other does not")
    duel, lookup = new_duels(1)[0], get_lookup()
    deal(np.uint64(seed), BENCHMARK, number, wanted != {False}, duel)
    random = np.random.default_rng([seed, number])
    wall, moves = "".join(kind_name(int(kind)) for kind in duel["wall"]), []
    while duel["phase"] != OVER:
        mover = players[int(duel["mover"])]
        chosen = mover.choose(duel, random)
        if chosen is not None:
            moves.append(chosen.entry())
            choose(duel, chosen.plan)
        action = mover.act(duel, random)
        moves.append({"seat": int(duel["mover"]), "phase": int(duel["phase"]), "do": name_of(duel, action)})
        act(lookup, duel, action)
    won, names = int(payoff(duel)), [player.name for player in players]
    return {"players": names, "four_as_two": bool(duel["four_as_two"]), "wall": wall, "moves": moves,
            "points": [won, -won]}  # fmt: skip


def match(
    first: DuelPlayer, second: DuelPlayer, deals: int, seed: int, both_seats: bool = True
) -> Iterator[tuple[float, list[dict[str, Any]]]]:
    """Yield what the first player wins in each deal, on average over its games, with their logs."""
    for number in range(deals):
        games = [play_game([first, second], seed, number)]
        points = [games[0]["points"][0]]
        if both_seats:
            games.append(play_game([second, first], seed, number))
            points.append(games[1]["points"][1])
        yield sum(points) / len(points), games
