"""Where runs and prepared logs are kept: outside of the code's folder."""

from __future__ import annotations

import os
from pathlib import Path

#: Names the folder; by default it is `suphx` in the user's data folder.
RUNS_VARIABLE = "SUPHX_RUNS"


def runs_folder() -> Path:
    """Return the folder of runs, made if it is not there."""
    if chosen := os.environ.get(RUNS_VARIABLE):
        folder = Path(chosen).expanduser()
    else:
        folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "suphx"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
