"""Any OpenSpiel game as one of ours, and a policy of ours as OpenSpiel's."""

import sys
from difflib import get_close_matches
from typing import Any

from suphx.equilibrium.game import CHANCE, END
from suphx.equilibrium.policy import Policy
from suphx.errors import InputError


class SpielGame:
    """An OpenSpiel game; its information-state strings are the names of the information sets."""

    complete_names = True

    def __init__(self, game: Any) -> None:
        self.spiel, self.players = game, game.num_players()

    def root(self) -> Any:
        return self.spiel.new_initial_state()

    def mover(self, state: Any) -> int:
        return END if state.is_terminal() else CHANCE if state.is_chance_node() else state.current_player()

    def actions(self, state: Any) -> list:
        if state.is_chance_node():
            return [(state.action_to_string(action), probability) for action, probability in state.chance_outcomes()]
        return [state.action_to_string(action) for action in state.legal_actions()]

    def next(self, state: Any, action: str) -> Any:
        return state.child(state.string_to_action(action))

    def seen(self, state: Any) -> str:
        return state.information_state_string()

    def payoffs(self, state: Any) -> list[float]:
        return state.returns()


def load(text: str) -> SpielGame:
    """Return the game of a name such as `leduc_poker(players=3)`; InputError if OpenSpiel cannot provide it."""
    try:
        import pyspiel
    except ImportError as error:
        raise InputError("OpenSpiel is not installed: pip install open_spiel (or the extra `bench`)") from error
    name = text.partition("(")[0]
    if name not in pyspiel.registered_names():  # OpenSpiel itself would print all of them
        near = ", ".join(get_close_matches(name, pyspiel.registered_names())) or "leduc_poker, liars_dice, ..."
        raise InputError(f"openspiel:{text}: OpenSpiel has no game {name!r}; it has: {near}")
    try:
        game = pyspiel.load_game(text)
    except pyspiel.SpielError as error:
        raise InputError(f"openspiel:{text}: {str(error).splitlines()[0][:200]}") from error
    kinds = pyspiel.GameType.Dynamics
    if game.get_type().dynamics == kinds.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
        print("suphx: players move at the same time there; as here, in turns and unseen", file=sys.stderr)
    if not game.get_type().provides_information_state_string:
        raise InputError(f"openspiel:{text}: it has no information-state strings")
    return SpielGame(game)


def exported(policy: Policy) -> Any:
    """Return the policy of an OpenSpiel game as OpenSpiel's TabularPolicy."""
    from open_spiel.python.policy import TabularPolicy

    spiel = policy.game.game
    if not isinstance(spiel, SpielGame):
        raise InputError("only the policy of an OpenSpiel game can be exported to it")
    table = TabularPolicy(spiel.spiel)
    for k, name in enumerate(policy.game.names):
        row = table.state_lookup[name]
        legal = table.legal_actions_mask[row] > 0
        table.action_probability_array[row][legal] = list(policy.at(k).values())
    return table
