"""What is written to a file and read back."""

from pydantic import BaseModel


class Kept(BaseModel, extra="forbid"):
    """Base class of what a file holds: names that it does not know are errors."""
