"""The five models, their inputs and outputs, and the network sizes."""

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from suphx.errors import InputError
from suphx.features.layout import CALL_PLANES, PLANES

#: The models of the paper's Table 1, in the order of the decision flow's text.
Model = Literal["discard", "riichi", "chow", "pong", "kong"]
MODELS: tuple[str, ...] = get_args(Model)
#: The additional network that predicts a round's reward; it is not part of an agent.
CRITIC = "critic"
#: The additional network that says what discards risk and what a position is worth; it is not part of an agent either.
OUTLOOK = "outlook"
#: Number of input planes (Table 2): the call models also see the proposed call.
MODEL_PLANES = {
    "discard": PLANES,
    "riichi": PLANES,
    "chow": CALL_PLANES,
    "pong": CALL_PLANES,
    "kong": CALL_PLANES,
}
#: The two outputs of the models that answer yes or no.
NO, YES = 0, 1
OUTPUTS = {"discard": 34, "riichi": 2, "chow": 2, "pong": 2, "kong": 2}


class NetworkSize(BaseModel):
    """Width and depth of a network's trunk."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: str = "custom"
    """`paper`, `base`, `small`, or any name for another size."""
    filters: int = Field(ge=1, le=4096)
    """Filters of every 3x1 convolution of the trunk."""
    blocks: int = Field(ge=0, le=1000)
    """Residual blocks, two convolutions each."""


SIZES = {
    size.name: size
    for size in (
        NetworkSize(name="paper", filters=256, blocks=50),
        NetworkSize(name="base", filters=128, blocks=10),
        NetworkSize(name="small", filters=64, blocks=6),
    )
}


def size_named(name: str) -> NetworkSize:
    """Return the size with a name; raise InputError, listing the sizes, if there is none."""
    if name not in SIZES:
        raise InputError(f"no network size {name!r}; there are {', '.join(SIZES)}")
    return SIZES[name]
