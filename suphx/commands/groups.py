"""Groups of commands that plugins add to, and commands that say what they do."""

from collections.abc import Callable
from functools import wraps
from inspect import cleandoc
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from suphx.plugins import Registry


def with_plugins(registry: Registry[typer.Typer]) -> type[TyperGroup]:
    """Return a class of groups with the commands of a registry beside their own; a description is a panel's name."""

    class Group(TyperGroup):
        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            added = typer.Typer()
            for entry in registry:
                added.add_typer(entry.load(), name=entry.name, rich_help_panel=entry.description)
            self.commands = {**self.commands, **typer.main.get_group(added).commands}
            _fill(self)

    return Group


def _fill(command: TyperCommand | TyperGroup) -> None:
    """Let the terminal break the lines of a command's help and of those below it, not the docstring."""
    paragraphs = cleandoc(command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(each.split()) for each in paragraphs)
    for each in getattr(command, "commands", {}).values():
        _fill(each)


def announced(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that first says what it will measure: the first paragraph of its help, on standard error."""

    @wraps(command)
    def announce(*arguments: object, **options: object) -> None:
        from rich.console import Console

        words = " ".join(cleandoc(command.__doc__ or "").split("\n\n")[0].split())
        Console(stderr=True).print(words, style="dim", highlight=False)
        command(*arguments, **options)

    return announce
