"""What `suphx warmup` compiles of this package."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from suphx.equilibrium.duel.evaluation import Benchmark
from suphx.equilibrium.duel.log import replay
from suphx.equilibrium.duel.nodes import Nodes
from suphx.equilibrium.duel.players import match, player_named
from suphx.equilibrium.flat_game import flat
from suphx.equilibrium.games import Kuhn
from suphx.equilibrium.poker import match as holdem
from suphx.equilibrium.poker.endgame import Endgame
from suphx.equilibrium.poker.players import player_named as poker_player
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


def warm_up_poker() -> None:
    """Compile hold'em: a deal between players, an endgame, and trees of MCCFR in a table and through a network."""
    from suphx.equilibrium.poker.blueprint import BlueprintConfig, BlueprintTraining
    from suphx.equilibrium.poker.mccfr import explore
    from suphx.equilibrium.poker.policy_net import PokerPolicyNetwork

    stacks = np.full(3, 60)
    list(holdem.duplicate(poker_player("equity:50/80"), poker_player("rule"), stacks, 2, 1, 0))
    list(holdem.duplicate(poker_player("blueprint"), poker_player("random"), stacks, 2, 1, 0))
    with TemporaryDirectory() as folder:
        list(BlueprintTraining(BlueprintConfig.model_validate({"hands": 1}), Path(folder)).run())
    endgame = Endgame.parse(("AA,KQs", "KK,AQs"), "QsJh2h8c", 10, 20, "100", "100")
    list(endgame.solve(1))
    seat = np.zeros(1, np.int64)
    explore(PokerPolicyNetwork(), holdem.deal_hands(stacks, seat, 2, np.ones(1, np.uint64)), seat, 0, straight=True)
