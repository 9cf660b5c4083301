"""Errors meant for the user."""


class InputError(ValueError):
    """A requested input is missing or unusable; the message says which, and what to do about it."""
