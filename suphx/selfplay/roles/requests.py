"""Requests to other roles that nobody waits for: what they raise is heard all the same."""

from __future__ import annotations

from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError


def is_answered(request: Any) -> bool:  # a reference, or None
    """Return whether a request has been answered, or there is none; raises what it raised.

    One to a process that has died since counts as answered: that one comes up again.
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
        return True
    return True
