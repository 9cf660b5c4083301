"""Errors that are for the person at the keyboard."""


class InputError(ValueError):
    """Something that was asked for is not there or cannot be used: the message says what, and what could be done."""
