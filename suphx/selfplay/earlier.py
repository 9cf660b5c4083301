"""Earlier versions of the run itself, as opponents: the learner's networks, kept every so many games."""

from collections.abc import Mapping

import torch

from suphx.checkpoint import joined, tensors_below
from suphx.config import StrictModel
from suphx.learning.oracle import without_hidden
from suphx.networks.policy import PolicyNetwork
from suphx.selfplay.seating import EarlierConfig


class EarlierState(StrictModel):
    """What has been kept so far, besides tensors."""

    taken: int = 0
    """Number of versions kept since the run began."""
    games: int = 0
    """Games of self-play when the last one was kept."""


class EarlierVersions:
    """Versions of the learning networks, in places from 0 to count - 1; the newest replaces the oldest."""

    def __init__(self, config: EarlierConfig | None, starts: Mapping[str, PolicyNetwork]) -> None:
        """config: None to keep nothing. starts: what the learner starts from, by model, which fills all places."""
        self._config = config
        self.kept = [_copies(starts) for _ in range(config.count if config else 0)]
        """Copies of the learning networks by place and model, without hidden planes, as opponents see none."""
        self.state = EarlierState()

    def keep_if_due(self, games: int, networks: Mapping[str, PolicyNetwork]) -> int | None:
        """Keep the learning networks if that is due after so many games; return the place, or None if it is not."""
        if self._config is None or games - self.state.games < self._config.every:
            return None
        place = self.state.taken % self._config.count
        self.kept[place] = _copies(networks)
        self.state = EarlierState(taken=self.state.taken + 1, games=games)
        return place

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return the weights of all places, for a checkpoint."""
        kept = [(f"{place}.{model}", each) for place, all in enumerate(self.kept) for model, each in all.items()]
        return joined({name: network.state_dict() for name, network in kept})

    def load(self, state: EarlierState, tensors: dict[str, torch.Tensor]) -> None:
        """Resume from what `state` and `tensors` were."""
        self.state = state.model_copy()
        for place, networks in enumerate(self.kept):
            for model, network in networks.items():
                network.load_state_dict(tensors_below(tensors, f"{place}.{model}."))


def _copies(networks: Mapping[str, PolicyNetwork]) -> dict[str, PolicyNetwork]:
    return {model: without_hidden(each) for model, each in networks.items()}
