"""Read curves from TensorBoard's event files."""

import math
from collections.abc import Iterator
from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # type: ignore[import-untyped]
from tensorboard.compat.tensorflow_stub.errors import DataLossError, OutOfRangeError  # type: ignore[import-untyped]
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import PyRecordReader_New  # type: ignore[import-untyped]

from suphx.config import StrictModel
from suphx.errors import InputError

_FILES = "*.tfevents.*"
#: New names of curves that earlier versions wrote under other ones.
_RENAMED = {"play/reward_spread": "play/reward_std"}


class Curve(StrictModel):
    """A quantity over time: `values[i]` after `steps[i]` games or pairs; values that are not finite are left out."""

    steps: list[int]
    values: list[float]


Curves = dict[str, Curve]


def read_curves(folder: Path) -> Curves:
    """Return the scalars in a TensorBoard folder by name; none if there is no such folder.

    A file that resumes from an earlier step replaces the values of previous files from there on, as TensorBoard itself
    does. The incomplete end that a kill leaves is ignored; a file that is damaged otherwise raises InputError.
    """
    points: dict[str, list[tuple[int, float]]] = {}
    for path in sorted(folder.glob(_FILES)):  # file names start with the time
        for event in _events(path):
            if event.session_log.status == SessionLog.START:
                points = {name: [each for each in old if each[0] < event.step] for name, old in points.items()}
            for value in event.summary.value:
                if value.HasField("simple_value") and math.isfinite(value.simple_value):
                    points.setdefault(_RENAMED.get(value.tag, value.tag), []).append((event.step, value.simple_value))
    return {
        name: Curve(steps=[step for step, _ in each], values=[value for _, value in each])
        for name, each in sorted(points.items())
        if each
    }


def _events(path: Path) -> Iterator[Event]:
    reader = PyRecordReader_New(str(path))
    while True:
        try:
            reader.GetNext()
        except OutOfRangeError:
            return
        except DataLossError as error:
            if "truncated" in str(error.message):
                return
            raise InputError(f"{path}: not a TensorBoard file, or damaged; move it away") from error
        yield Event.FromString(reader.record())
