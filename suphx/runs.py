"""The folder where runs and prepared logs are kept, outside the source tree."""

import os
from pathlib import Path

#: The environment variable that sets the folder; the default is `suphx` in the user's data folder.
RUNS_VARIABLE = "SUPHX_RUNS"


def runs_folder() -> Path:
    """Return the folder of runs, created if needed."""
    if chosen := os.environ.get(RUNS_VARIABLE):
        folder = Path(chosen).expanduser()
    else:
        folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "suphx"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
