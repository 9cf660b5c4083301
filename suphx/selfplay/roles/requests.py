"""Requests to other roles whose results nobody waits for, but whose errors must not get lost."""

from __future__ import annotations

from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError


def is_answered(request: Any) -> bool:  # a reference, or None
    """Return whether a request has been answered or is None; raises the error that it raised.

    A request to a process that has died since counts as answered: the process is restarted.
    """
    if request is None:
        return True
    if not ray.wait([request], timeout=0)[0]:
        return False
    try:
        ray.get(request)
    except RayTaskError:
        raise
    except RayError:
        pass
    return True
