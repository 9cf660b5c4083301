"""The environments of `simulator.envs` with the 838 planes of the networks; registers `suphx/RiichiPlanes-v0`."""

import gymnasium
import numpy as np

from simulator.envs import Encoding
from simulator.tiles import KINDS
from suphx.features.encode import encode_batch, unpack
from suphx.features.layout import PLANES

ID = "suphx/RiichiPlanes-v0"


def _encode(games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
    return unpack(encode_batch(games, index, seats)).view(np.uint8)


#: u8[838, 34] of 0 and 1, as in `layout.LAYOUT`.
PLANES_838 = Encoding((PLANES, KINDS), 1, _encode)

gymnasium.register(
    ID,
    "simulator.envs.single:RiichiEnv",
    vector_entry_point="simulator.envs.vector:RiichiVectorEnv",
    kwargs={"encoding": PLANES_838},
)
