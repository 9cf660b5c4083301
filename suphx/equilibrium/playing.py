"""Playing a game against a policy in the terminal."""

from random import Random

from suphx.equilibrium.game import CHANCE, END, chance_of
from suphx.equilibrium.policy import Policy
from suphx.equilibrium.terminal import Quit, choose
from suphx.errors import InputError


def play(policy: Policy, player: int, games: int, seed: int) -> None:
    """Play games against the policy; the person is `player` and types an action's name, or `q` to stop.

    Raises:
        InputError: there is no such player.
    """
    if not 0 <= player < policy.game.players:
        raise InputError(f"there is no player {player}; the game has 0 to {policy.game.players - 1}")
    random, total = Random(seed), 0.0
    for number in range(1, games + 1):
        try:
            points = _play_one(policy, player, random)
        except Quit:
            return
        total += points
        print(f"game {number}: you win {points:g}; in all {total:g}, {total / number:g} a game\n")


def _play_one(policy: Policy, player: int, random: Random) -> float:
    """Return what the person wins; raises Quit."""
    flat, game = policy.game, policy.game.game
    state, node = game.root(), 0
    while (mover := game.mover(state)) != END:
        if mover == CHANCE:
            outcomes = chance_of(game, state)
            names, weights = [name for name, _ in outcomes], [p for _, p in outcomes]
        else:
            names = list(game.actions(state))
            weights = list(policy.at(int(flat.tree.kind[node])).values())
        if mover == player:
            print(f"you see: {game.seen(state)}")
            at = choose([str(name) for name in names])
        else:
            at = random.choices(range(len(names)), weights)[0]
        state, node = game.next(state, names[at]), int(flat.tree.child[node]) + at
    return float(list(game.payoffs(state))[player])
