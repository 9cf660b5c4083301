"""Errors meant for the user."""


class InputError(ValueError):
    """A requested input is missing or unusable; the message says which, and what to do about it."""


def words_of(error: OSError) -> str:
    """Return what the system says, and about which file."""
    if not error.strerror:
        return str(error)
    return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
