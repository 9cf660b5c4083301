"""The sizes of networks."""

from pydantic import BaseModel, ConfigDict, Field

from suphx.errors import InputError


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
