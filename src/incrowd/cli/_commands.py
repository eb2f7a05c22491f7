"""The commands, put together."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

JOB, LOOK, MORE = "From a table to its release", "Look and compare", "More"


def build() -> typer.Typer:
    """Put the commands together; one line per command or group of commands."""
    app = typer.Typer(
        name="incrowd",
        help="Hide every person of a table in a crowd, prove it, and show what it cost.",
        epilog="Exit codes: 0 done, 1 not safe, 2 wrong use, 3 a fault, 4 not checked, 130 stopped.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)

    from incrowd.cli import (
        _anonymize,
        _anonymize as _apply,
        _anonymize as _frontier,
        _assess,
        _attack,
        _demo,
        _explain,
        _hierarchy,
        _init,
        _reproduce,
        _serve,
        _verify,
        _verify as _compare,
    )

    app.command("init", rich_help_panel=JOB)(_init.init)
    app.command("anonymize", rich_help_panel=JOB)(_anonymize.anonymize)
    app.command("apply", rich_help_panel=JOB)(_apply.apply)
    app.command("verify", rich_help_panel=JOB)(_verify.verify)
    app.command("serve", rich_help_panel=JOB)(_serve.serve)
    app.command("assess", rich_help_panel=LOOK)(_assess.assess)
    app.command("attack", rich_help_panel=LOOK)(_attack.attack)
    app.command("frontier", rich_help_panel=LOOK)(_frontier.frontier)
    app.command("compare", rich_help_panel=LOOK)(_compare.compare)
    app.command("demo", rich_help_panel=MORE)(_demo.demo)
    app.command("explain", rich_help_panel=MORE)(_explain.explain)
    app.command("reproduce", rich_help_panel=MORE)(_reproduce.reproduce)
    app.add_typer(_hierarchy.app, name="hierarchy", rich_help_panel=MORE)
    return app


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        sys.stdout.write(f"incrowd {version('incrowd')}\n")
        raise typer.Exit


def _options(
    context: typer.Context,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where an error happened. Never shows values of the data.")
    ] = False,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    context.obj.debug = debug


# Help texts that read well: a switch takes no value, and its help does not look as if it did.


def tidy(command: Any, above: Any = None) -> Any:
    """Take the word for a value away from every switch of a command and of the commands below it."""
    context = command.make_context(command.name, [], parent=above, resilient_parsing=True)
    for inner in getattr(command, "commands", {}).values():
        tidy(inner, context)
    for option in command.get_params(context):  # with --help, which the command keeps
        if getattr(option, "is_flag", False):
            option.metavar = ""
    return command
