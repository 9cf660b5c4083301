"""What `suphx warmup` compiles of this package."""

from suphx.equilibrium.duel.evaluation import Benchmark
from suphx.equilibrium.duel.log import replay
from suphx.equilibrium.duel.nodes import Nodes
from suphx.equilibrium.duel.players import match, player_named
from suphx.equilibrium.flat_game import flat
from suphx.equilibrium.games import Kuhn
from suphx.equilibrium.rules import NAMED
from suphx.equilibrium.solver import Solver


def warm_up_solve() -> None:
    """Compile the solver with each of its rules."""
    game = flat(Kuhn())
    for rule in NAMED:
        Solver(game, rule).run(1).nash_conv()


def warm_up_duel() -> None:
    """Compile two-player mahjong."""
    nodes = Nodes()
    nodes.train(1)
    Benchmark(nodes.rules, 2, 0).evaluate(nodes)
    for _, games in match(player_named("normal"), player_named("random"), 1, 0):
        replay(games[0], "warmup")
