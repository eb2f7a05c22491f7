"""Help texts that read well: a switch takes no value, and its help does not look as if it did."""

from __future__ import annotations

from typing import Any


def tidy(command: Any, above: Any = None) -> Any:
    """Take the word for a value away from every switch of a command and of the commands below it."""
    context = command.make_context(command.name, [], parent=above, resilient_parsing=True)
    for inner in getattr(command, "commands", {}).values():
        tidy(inner, context)
    for option in command.get_params(context):  # with --help, which the command keeps
        if getattr(option, "is_flag", False):
            option.metavar = ""
    return command
