"""The models of an agent: one table, from which everything else that names them is derived.

To add one, append an entry here and ask it in `suphx.agent.model_decisions`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from simulator.tiles import KINDS
from suphx.features.layout import CALL_PLANES, PLANES

#: The two outputs of the models that answer yes or no.
NO, YES = 0, 1


@dataclass(frozen=True)
class ModelSpec:
    """A model: what its network sees, and what it decides."""

    name: str
    planes: int
    """Number of input planes (the paper's Table 2): PLANES, or CALL_PLANES if it is shown a proposed call."""
    outputs: int
    """Number of logits: one for each kind of tile, or NO and YES."""
    decides: str


#: The models of the paper's Table 1, in the order of the decision flow's text. Prepared logs and random seeds depend on
#: their places, so new ones are appended.
MODEL_SPECS = (
    ModelSpec("discard", PLANES, KINDS, "which kind of tile to discard"),
    ModelSpec("riichi", PLANES, 2, "whether to declare riichi"),
    ModelSpec("chow", CALL_PLANES, 2, "whether to make a chow"),
    ModelSpec("pong", CALL_PLANES, 2, "whether to make a pong"),
    ModelSpec("kong", CALL_PLANES, 2, "whether to make a kong"),
)
MODELS = tuple(each.name for each in MODEL_SPECS)
MODEL_PLANES = {each.name: each.planes for each in MODEL_SPECS}
OUTPUTS = {each.name: each.outputs for each in MODEL_SPECS}
#: The models that are shown a proposed call; their proposals compete, and the most confident yes is made.
CALL_MODELS = tuple(each.name for each in MODEL_SPECS if each.planes == CALL_PLANES)
#: The models that answer yes or no about the position itself; a yes ends the decision.
TURN_MODELS = tuple(each.name for each in MODEL_SPECS if each.planes == PLANES and each.outputs == 2)

if TYPE_CHECKING:
    Model: TypeAlias = str
else:
    Model = Literal[MODELS]

#: The additional network that predicts a round's reward; it is not part of an agent.
CRITIC = "critic"
#: The additional network that says what discards risk and what a position is worth; it is not part of an agent either.
OUTLOOK = "outlook"
