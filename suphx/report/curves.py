"""Read curves from TensorBoard's event files."""

import math
from collections.abc import Iterator
from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # type: ignore[import-untyped]
from tensorboard.compat.tensorflow_stub.errors import DataLossError, OutOfRangeError  # type: ignore[import-untyped]
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import PyRecordReader_New  # type: ignore[import-untyped]

from suphx.errors import InputError

#: Subfolder of each training's folder.
CURVES_FOLDER = "tensorboard"
#: Names of curves that earlier versions wrote under others.
_RENAMED = {"reward_spread": "reward_std", "kl_behaviour": "kl_behavior"}
#: Points (step, value) by the curve's name; steps are games or pairs.
Curves = dict[str, list[tuple[int, float]]]


def read_curves(folder: Path) -> Curves:
    """Return the finite scalars in a TensorBoard folder by name; none if there is no such folder.

    A file that resumes from an earlier step replaces the values of previous files from there on, as TensorBoard itself
    does. The incomplete end that a kill leaves is ignored; a file that is damaged otherwise raises InputError.
    """
    curves: Curves = {}
    for path in sorted(folder.glob("*.tfevents.*")):  # file names start with the time
        for event in _events(path):
            if event.session_log.status == SessionLog.START:
                curves = {name: [point for point in old if point[0] < event.step] for name, old in curves.items()}
            for value in event.summary.value:
                if value.HasField("simple_value") and math.isfinite(value.simple_value):
                    group, slash, name = value.tag.rpartition("/")
                    tag = group + slash + _RENAMED.get(name, name)
                    curves.setdefault(tag, []).append((event.step, value.simple_value))
    return {name: points for name, points in sorted(curves.items()) if points}


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
