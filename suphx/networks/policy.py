"""The paper's networks (section 2.2, Figures 4 and 5): a trunk with a head for tile kinds or for yes and no.

There is no normalization: the trunk starts as the identity and stays trainable at 50 blocks because the second
convolution of each block starts at zero and the first one is scaled down by the square root of the number of blocks
(Fixup, arXiv:1901.09321). Batch normalization gained nothing, costs a pass over memory, and would make a position's
output depend on its batch, which would invalidate importance weights.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import cast

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from simulator.record import SEATS
from simulator.tiles import KINDS
from suphx.errors import InputError
from suphx.features.layout import PLANES
from suphx.networks.convolution import KindConvolution, Packed, residual_block, unpack
from suphx.networks.first_layer import first_layer
from suphx.networks.models import CRITIC, MODEL_PLANES, OUTLOOK, OUTPUTS
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize, Size, SumSize

#: The head of the yes-or-no models: channels of its narrow convolution (the paper does not say), then its layers.
_HEAD_CHANNELS = 4
_HEAD_LAYERS = (1024, 256)
#: The outlook's outputs: for every kind of tile and for the position.
OUTLOOK_BY_KIND, OUTLOOK_BY_POSITION = 6, 10
#: The layers of its head.
_OUTLOOK_LAYERS = (128,)


class ResidualBlock(nn.Module):
    """Two 3x1 convolutions with a skip connection."""

    def __init__(self, filters: int, blocks: int) -> None:
        """blocks: number of such blocks in the trunk."""
        super().__init__()
        self.first = KindConvolution(filters, filters)
        self.second = KindConvolution(filters, filters)
        _start(self.first)
        with torch.no_grad():
            self.first.weight.mul_(blocks**-0.5)
        nn.init.zeros_(self.second.weight)
        assert self.second.bias is not None
        nn.init.zeros_(self.second.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return [n, filters, 34, 1] for x [n, filters, 34, 1]."""
        return residual_block(x, self.first, self.second)


class _Linear(nn.Linear):
    """A fully connected layer that computes in its input's type."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.linear(x, self.weight.to(x.dtype), self.bias.to(x.dtype))


class KindHead(nn.Module):
    """1x1 convolution to one channel: a logit for each kind of tile."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.score = _Linear(filters, 1)
        _start_answers(self.score)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return [n, 34] for rows [n, 34, filters]."""
        return self.score(rows).squeeze(-1)


class AnswerHead(nn.Module):
    """Narrow 1x1 convolution, then fully connected layers: a logit for no and one for yes."""

    def __init__(self, filters: int, outputs: int = 2, layers: tuple[int, ...] = _HEAD_LAYERS) -> None:
        super().__init__()
        self.narrow = _Linear(filters, _HEAD_CHANNELS)
        widths = (_HEAD_CHANNELS * KINDS, *layers)
        hidden = [_Linear(a, b) for a, b in pairwise(widths)]
        for layer in (self.narrow, *hidden):
            _start(layer)
        self.layers = nn.Sequential(*(part for layer in hidden for part in (layer, nn.ReLU())))
        self.answer = _Linear(widths[-1], outputs)
        _start_answers(self.answer)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return [n, outputs] for rows [n, 34, filters]."""
        return self.answer(self.layers(functional.relu(self.narrow(rows)).flatten(1)))


class OutlookHead(AnswerHead):
    """Outputs for every kind of tile, and outputs for the position; of those, the first are added to every kind's."""

    def __init__(self, filters: int, by_kind: int, by_position: int) -> None:
        super().__init__(filters, by_kind + by_position, _OUTLOOK_LAYERS)
        self.by_kind = by_kind
        self.score = _Linear(filters, by_kind)
        _start_answers(self.score)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return [n, by_kind x 34 + by_position] for rows [n, 34, filters], the kinds' outputs first."""
        of_position = super().forward(rows)
        of_kinds = self.score(rows).transpose(1, 2) + of_position[:, : self.by_kind, None]
        return torch.cat([of_kinds.flatten(1), of_position[:, self.by_kind :]], dim=1)


class Network(nn.Module):
    """What every network has, whatever its architecture.

    A user's architecture (`sizes.ARCHITECTURES`) derives from this and defines `forward`: its parameters are float32,
    and its planes have the type of the computation.
    """

    def __init__(self, model: str, size: Size, planes: int) -> None:
        super().__init__()
        self.model, self.size, self.planes = model, size, planes

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Return the outputs, float[n, outputs] as in `models.OUTPUTS`, for planes float[n, 34, planes]."""
        raise NotImplementedError

    def of_packed(self, packed: Packed, precision: Precision) -> torch.Tensor:
        """Return the outputs, float32, for packed planes; gradients flow to the parameters."""
        planes = unpack(packed, precision.dtype, precision.device)
        with torch.autocast(precision.device.type, precision.dtype, enabled=precision.dtype != torch.float32):
            return self(planes).float()

    def with_planes(self, planes: int) -> "Network":
        """Return a network that is the same function of another number of planes."""
        if planes != self.planes:
            raise InputError(f"networks of the architecture {self.size.architecture!r} cannot be shown other planes")
        return self

    def divide_logits(self, by: float) -> None:
        """Scale the last layer so that all logits are divided: below 1 the policy becomes more certain."""
        raise InputError(f"networks of the architecture {self.size.architecture!r} have no `divide_logits`")


class Trunk(Network):
    """The first convolution and the residual blocks, which all residual networks have in common.

    It computes in the type of its input planes, whatever the type of its parameters, so bfloat16 planes with float32
    parameters give mixed-precision training.
    """

    size: NetworkSize
    head: KindHead | AnswerHead

    def __init__(self, model: str, size: NetworkSize, planes: int) -> None:
        super().__init__(model, size, planes)
        self.first = KindConvolution(planes, size.filters)
        _start(self.first)
        self.blocks = nn.ModuleList(ResidualBlock(size.filters, size.blocks) for _ in range(size.blocks))

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Return the head's answers, float32, for planes float[n, 34, planes] (`planes.unpack`)."""
        return self.head(self._after_first(self.first_of(planes))).float()

    def of_packed(self, packed: Packed, precision: Precision) -> torch.Tensor:
        """Return the result of `forward` for packed planes; on a CPU they are not unpacked."""
        return self.head(self._after_first(self.first_of_packed(packed, precision))).float()

    def first_of(self, planes: torch.Tensor) -> torch.Tensor:
        """Return the first layer's output [n, filters, 34, 1], after the ReLU, for planes float[n, 34, planes]."""
        x = planes.transpose(1, 2).unsqueeze(-1)  # [n, planes, 34, 1], channels last in memory: no copy
        return functional.relu(self.first(x), inplace=True)

    def first_of_packed(self, packed: Packed, precision: Precision) -> torch.Tensor:
        """Return the same for packed planes."""
        if precision.device.type != "cpu":
            return self.first_of(unpack(packed, precision.dtype, precision.device))
        assert isinstance(packed, np.ndarray)
        assert self.first.bias is not None
        return first_layer(packed, self.first.weight, self.first.bias, precision.dtype, precision.threads)

    def _after_first(self, x: torch.Tensor) -> torch.Tensor:
        """Return the trunk's output [n, 34, filters] for the first layer's output."""
        for block in self.blocks:
            x = block(x)
        return x.squeeze(-1).transpose(1, 2)


class PolicyNetwork(Trunk):
    """The residual network of a model: its outputs are logits f32[n, 34 or 2]."""

    def __init__(self, model: str, size: NetworkSize, planes: int | None = None) -> None:
        """Build `model` (of `MODELS`) with fresh weights.

        planes: number of input planes, by default the model's (`MODEL_PLANES`); more if oracle planes are added.
        """
        if model not in MODEL_PLANES:
            raise ValueError(f"no model {model!r}; there are {', '.join(MODEL_PLANES)}")
        super().__init__(model, size, MODEL_PLANES[model] if planes is None else planes)
        self.head = KindHead(size.filters) if OUTPUTS[model] == KINDS else AnswerHead(size.filters)

    @torch.no_grad()
    def with_planes(self, planes: int) -> "PolicyNetwork":
        """Return a copy with another number of planes: the weights of additional ones, at the end, are zero.

        It is therefore the same function whatever they contain, and with fewer planes, as if the last ones were zero.
        """
        with torch.device("meta"):
            resized = PolicyNetwork(self.model, self.size, planes)
        resized.to_empty(device=self.first.weight.device)
        weights, first = self.state_dict(), torch.zeros_like(resized.first.weight)
        common = min(planes, self.planes)
        first[:, :common] = self.first.weight[:, :common]
        resized.load_state_dict(weights | {"first.weight": first})
        return resized

    @torch.no_grad()
    def divide_logits(self, by: float) -> None:
        """Scale the last layer so that all logits are divided: the likeliest actions stay the same."""
        last = self.head.score if isinstance(self.head, KindHead) else self.head.answer
        last.weight.div_(by)
        last.bias.div_(by)


class SumNetwork(Network):
    """Policy networks whose logits are added, each multiplied by its factor: a product of their policies.

    A large network plus what tuning changed in a smaller one, for example (Liu et al. 2024, arXiv:2401.08565).
    """

    size: SumSize

    def __init__(self, model: str, size: SumSize, planes: int) -> None:
        super().__init__(model, size, planes)
        self.parts = nn.ModuleList(PolicyNetwork(model, each, planes) for _, each in size.parts)

    @classmethod
    def of(cls, parts: Sequence[tuple[float, PolicyNetwork]]) -> "SumNetwork":
        """Return the sum of networks, each with its factor; they are not copied.

        Raises ValueError unless they are residual networks of one model, with the same planes.
        """
        first = parts[0][1]
        if any((each.model, each.planes) != (first.model, first.planes) for _, each in parts):
            raise ValueError("networks of several models, or with other planes, cannot be added")
        with torch.device("meta"):
            network = cls(first.model, SumSize.of((factor, each.size) for factor, each in parts), first.planes)
        network.parts = nn.ModuleList(each for _, each in parts)
        return network

    @property
    def terms(self) -> list[tuple[float, PolicyNetwork]]:
        """The factors and the networks."""
        factors = (factor for factor, _ in self.size.parts)
        return list(zip(factors, cast(Iterable[PolicyNetwork], self.parts), strict=True))

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Return the sum of the logits, float32."""
        return torch.stack([factor * each(planes) for factor, each in self.terms]).sum(0)

    def of_packed(self, packed: Packed, precision: Precision) -> torch.Tensor:
        """Return the result of `forward` for packed planes."""
        return torch.stack([factor * each.of_packed(packed, precision) for factor, each in self.terms]).sum(0)

    def divide_logits(self, by: float) -> None:
        """Scale the last layers, and with them the sum."""
        for _, each in self.terms:
            each.divide_logits(by)


class ValueNetwork(Trunk):
    """A network for the value of a position to each seat, f32[n, 4], starting with the seat that is to act.

    It has the trunk of a policy network, and is not part of an agent.
    """

    def __init__(self, size: NetworkSize, planes: int) -> None:
        super().__init__(CRITIC, size, planes)
        self.head = AnswerHead(size.filters, outputs=SEATS)
        nn.init.zeros_(self.head.answer.weight)  # all values are 0 before anything is learned


class OutlookNetwork(Trunk):
    """The network of `suphx.outlook`, which says what its outputs f32[n, 6 x 34 + 10] mean."""

    head: OutlookHead

    def __init__(self, size: NetworkSize, planes: int = PLANES) -> None:
        super().__init__(OUTLOOK, size, planes)
        self.head = OutlookHead(size.filters, OUTLOOK_BY_KIND, OUTLOOK_BY_POSITION)


def _start(layer: KindConvolution | nn.Linear) -> None:
    if _is_filled_later(layer):
        return
    nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)


def _start_answers(layer: nn.Linear) -> None:
    if _is_filled_later(layer):
        return
    nn.init.normal_(layer.weight, std=0.1 * layer.in_features**-0.5)  # nearly uniform
    nn.init.zeros_(layer.bias)


def _is_filled_later(layer: nn.Module) -> bool:
    """Whether a file's weights follow: for random numbers that nobody keeps, PyTorch would load its compiler."""
    return any(each.is_meta for each in layer.parameters())
