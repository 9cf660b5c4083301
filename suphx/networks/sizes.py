"""The sizes of networks, and the architectures by name: the residual network of the paper, and those of users."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    SerializeAsAny,
    ValidationError,
    field_validator,
)

from suphx.errors import InputError
from suphx.networks.models import MODEL_PLANES
from suphx.plugins import Registry

if TYPE_CHECKING:
    from suphx.networks.policy import PolicyNetwork

#: The architecture of sizes that name none.
RESIDUAL = "residual"
#: A term of a sum: its factor, and filters and blocks of its network.
_TERM = r"([+-]\d{1,3}(?:\.\d{1,6})?) \* ([1-9]\d{0,3})x(\d{1,3})"


class Size(BaseModel):
    """The size of a network: the base class for the sizes of an architecture, whose fields are numbers and text.

    All but the residual network's have a field `kind`, whose only value is the architecture's name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    @property
    def architecture(self) -> str:
        """The name of the architecture."""
        return getattr(self, "kind", RESIDUAL)

    def __str__(self) -> str:
        """Return the size in words."""
        values = self.model_dump(exclude={"kind"})
        return f"{self.architecture} ({', '.join(f'{name} {value}' for name, value in values.items())})"


class NetworkSize(Size):
    """Width and depth of a residual network's trunk."""

    name: str = "custom"
    """`paper`, `base`, `small`, or any name for another size."""
    filters: int = Field(ge=1, le=4096)
    """Filters of every 3x1 convolution of the trunk."""
    blocks: int = Field(ge=0, le=1000)
    """Residual blocks, two convolutions each."""

    def __str__(self) -> str:
        """Return filters x blocks."""
        return f"{self.filters} x {self.blocks}"


def _parts_of(terms: str) -> list[tuple[float, NetworkSize]]:
    """Return the factors and sizes of a sum; raises ValueError for a size that no network has."""
    matches = re.findall(_TERM, terms)
    return [(float(factor), NetworkSize(filters=filters, blocks=blocks)) for factor, filters, blocks in matches]


class SumSize(Size):
    """Residual networks whose logits are added, each multiplied by its factor: `+1 * 192x16 -0.75 * 96x6`."""

    kind: Literal["sum"] = "sum"
    terms: str = Field(pattern=rf"^{_TERM}( {_TERM})*$")
    """Factor * filters x blocks of each network."""

    @classmethod
    def of(cls, parts: Iterable[tuple[float, NetworkSize]]) -> SumSize:
        """Return the size of a sum of networks of these sizes, each with its factor."""
        return cls(terms=" ".join(f"{factor:+} * {size}".replace(" x ", "x") for factor, size in parts))

    @property
    def parts(self) -> list[tuple[float, NetworkSize]]:
        """The factors and the sizes of the networks."""
        return _parts_of(self.terms)

    @field_validator("terms")
    @classmethod
    def _has_sizes(cls, terms: str) -> str:
        _parts_of(terms)
        return terms

    def __str__(self) -> str:
        """Return the sum."""
        return self.terms


SIZES = {
    size.name: size
    for size in (
        NetworkSize(name="paper", filters=256, blocks=50),
        NetworkSize(name="base", filters=128, blocks=10),
        NetworkSize(name="small", filters=64, blocks=6),
    )
}


def size_named(name: str) -> NetworkSize:
    """Return the size with a name, or FILTERSxBLOCKS, such as 96x6; raises InputError for others."""
    if match := re.fullmatch(r"([1-9]\d{0,3})x(\d{1,3})", name):
        return NetworkSize(name=name, filters=int(match[1]), blocks=int(match[2]))
    if name not in SIZES:
        raise InputError(f"no network size {name!r}; there are {', '.join(SIZES)}, and others such as 96x6")
    return SIZES[name]


@dataclass(frozen=True)
class Architecture:
    """A kind of network: the class of its sizes, and what builds one of a model with so many planes, fresh."""

    size: type[Size]
    build: Callable[[str, Any, int], Any]
    """(model, size, planes) -> a `policy.Network`."""


def _residual() -> Architecture:
    from suphx.networks.policy import PolicyNetwork

    return Architecture(NetworkSize, PolicyNetwork)


def _sum() -> Architecture:
    from suphx.networks.policy import SumNetwork

    return Architecture(SumSize, SumNetwork)


ARCHITECTURES: Registry[Architecture] = Registry("network architecture")
ARCHITECTURES.register(RESIDUAL, "the paper's residual convolutional network", _residual)
ARCHITECTURES.register("sum", "residual networks whose logits are added", _sum)


def build_network(model: str, size: Size, planes: int | None = None) -> PolicyNetwork:
    """Return a network of a model with fresh weights, of the architecture of its size.

    planes: number of input planes, by default the model's. Other architectures have what `policy.Network` declares.
    """
    network: PolicyNetwork = ARCHITECTURES[size.architecture].build(model, size, planes or MODEL_PLANES[model])
    return network


def _registered(values: Any) -> Any:
    """Return the size of a mapping with `kind`; anything else is returned as it is."""
    if not isinstance(values, dict) or "kind" not in values:
        return values
    fields = values if values["kind"] != RESIDUAL else {name: values[name] for name in values if name != "kind"}
    try:
        return ARCHITECTURES[str(values["kind"])].size.model_validate(fields)
    except ValidationError as error:
        raise ValueError("; ".join(f"{each['loc'][0]}: {each['msg']}" for each in error.errors())) from error


#: A size in a configuration: a name, {filters: ..., blocks: ...}, or {kind: ARCHITECTURE, ...}.
AnySize: TypeAlias = Annotated[str | NetworkSize | SerializeAsAny[InstanceOf[Size]], BeforeValidator(_registered)]
