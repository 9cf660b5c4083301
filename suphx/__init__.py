"""The player: features, networks, training and evaluation around the table in `simulator`, and the command line.

The names below are what most users need. Each is loaded when it is first used, so that `suphx --help` answers at once.
"""

from typing import TYPE_CHECKING

from simulator.exports import lazy

# Relative imports: the cache key of compiled code includes every module imported as `suphx.x` (see `simulator.jit`).
if TYPE_CHECKING:
    from .agent.interface import Agent, AgentOutput, ModelOutput
    from .agent.registry import NetworkAgent, load_agent
    from .errors import InputError
    from .evaluation.arena import MatchTerms
    from .evaluation.match import Outcome, play_match
    from .evaluation.protocol import MatchPlan, one_against_three, round_robin, two_against_two
    from .features.encode import encode_batch, encode_call_batch, encode_oracle_batch, unpack
    from .features.layout import CALL_LAYOUT, LAYOUT, ORACLE_LAYOUT
    from .review.analysis import review_game
    from .review.document import Review

__all__ = [
    "CALL_LAYOUT", "LAYOUT", "ORACLE_LAYOUT",
    "Agent", "AgentOutput", "InputError", "MatchPlan", "MatchTerms", "ModelOutput", "NetworkAgent", "Outcome", "Review",
    "encode_batch", "encode_call_batch", "encode_oracle_batch", "load_agent", "one_against_three", "play_match",
    "review_game", "round_robin", "two_against_two", "unpack",
]  # fmt: skip

__getattr__, __dir__ = lazy(
    __name__,
    {
        "agent.interface": "Agent AgentOutput ModelOutput",
        "agent.registry": "NetworkAgent load_agent",
        "errors": "InputError",
        "evaluation.arena": "MatchTerms",
        "evaluation.match": "Outcome play_match",
        "evaluation.protocol": "MatchPlan one_against_three round_robin two_against_two",
        "features.encode": "encode_batch encode_call_batch encode_oracle_batch unpack",
        "features.layout": "CALL_LAYOUT LAYOUT ORACLE_LAYOUT",
        "review.analysis": "review_game",
        "review.document": "Review",
    },
)
