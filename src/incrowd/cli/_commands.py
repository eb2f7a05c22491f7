"""The program ``incrowd``: all commands put together and run; closed streams, Ctrl-C and errors become exit codes."""

from __future__ import annotations

import ast
import contextlib
import inspect
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd.cli import _anonymize, _assess, _attack, _demo, _explain, _hierarchy, _init, _reproduce, _serve, _verify
from incrowd.cli._explain import NAMES_AS_UTF_8, STOPPED, Session, tell_error, tell_warning
from incrowd.cli._terminal import tell

JOB, LOOK, MORE = "From a table to its release", "Look and compare", "More"


class Program:
    """All commands, put together once; and the session in which one of them runs."""

    def __init__(self) -> None:
        self._session = Session()
        self._command = _with_words(typer.main.get_command(build()))

    def run(self, given: list[str]) -> int:
        """Run the command that the arguments name, and give its exit code."""
        main = partial(self._command.main, given, prog_name="incrowd", standalone_mode=False, obj=self._session)

        def checked() -> object:
            _refuse_bytes(given)
            return main()

        return run(checked, self._session)


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
    app.command("init", rich_help_panel=JOB)(_init.init)
    app.command("anonymize", rich_help_panel=JOB)(_anonymize.anonymize)
    app.command("apply", rich_help_panel=JOB)(_anonymize.apply)
    app.command("verify", rich_help_panel=JOB)(_verify.verify)
    app.command("serve", rich_help_panel=JOB)(_serve.serve)
    app.command("assess", rich_help_panel=LOOK)(_assess.assess)
    app.command("attack", rich_help_panel=LOOK)(_attack.attack)
    app.command("alternatives", rich_help_panel=LOOK)(_anonymize.alternatives)
    app.command("frontier", rich_help_panel=LOOK)(_anonymize.frontier)
    app.command("compare", rich_help_panel=LOOK)(_verify.compare)
    app.command("demo", rich_help_panel=MORE)(_demo.demo)
    app.command("explain", rich_help_panel=MORE)(_explain.explain)
    app.command("reproduce", rich_help_panel=MORE)(_reproduce.reproduce)
    app.add_typer(_hierarchy.app, name="hierarchy", rich_help_panel=MORE)
    return app


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        sys.stdout.write(f"incrowd {version('incrowd')}\n")
        raise typer.Exit


def _options(
    context: typer.Context,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where an error happened. Never shows values of the data.")
    ] = False,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    context.obj.debug = debug


def _with_words(command: Any, above: Any = None) -> Any:
    """Let a command, and those below, say what it does; and its switches no word for a value: a switch takes none."""
    context = command.context_class(command, parent=above, info_name=command.name, **command.context_settings)
    for inner in getattr(command, "commands", {}).values():
        _with_words(inner, context)
    command.help = command.help or _docstring_in_source(command.callback)
    for option in command.get_params(context):  # with --help, which the command keeps
        if getattr(option, "is_flag", False):
            option.metavar = ""
    return command


def _docstring_in_source(function: Callable[..., object]) -> str | None:
    """Read what a command does where it is written: ``python -OO`` keeps no docstrings."""
    with contextlib.suppress(OSError):
        (written,) = ast.parse(inspect.getsource(inspect.unwrap(function))).body
        return ast.get_docstring(written) if isinstance(written, ast.FunctionDef) else None
    return None


def _refuse_bytes(given: Sequence[str]) -> None:
    """Refuse arguments that are no text in the encoding of this system: no file would be found by them."""
    if any(not one.isprintable() and one != one.encode("utf-8", "replace").decode() for one in given):
        from incrowd.core import ParameterError

        msg = f"An argument has signs that are no text in the encoding of this system ({sys.getfilesystemencoding()})."
        raise ParameterError(msg, hint=NAMES_AS_UTF_8)


def run(body: Callable[[], object], session: Session) -> int:
    """Run a command's body and give its exit code; a body that returns a number chose it."""
    _replace_closed_streams()
    try:
        with _every_sign_written(), _termination_as_interrupt(), warnings.catch_warnings():
            warnings.showwarning = tell_warning
            result = body()
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        result = STOPPED
    except BrokenPipeError:
        _forget_stdout()
        return STOPPED
    except SystemExit as leaving:  # typer leaves with 1 when nobody reads any more
        return STOPPED if leaving.code == 1 else 0
    except Exception as error:  # noqa: BLE001 - the last place where an error can be told from a crash
        return tell_error(error, session)
    if result == STOPPED:
        tell("stopped.")
    return result if isinstance(result, int) else 0


@contextlib.contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """Let a system that ends us, or a terminal that goes, be heard as Ctrl-C is: nothing half done is left behind."""
    ours = threading.current_thread() is threading.main_thread()
    ends = [end for end in _ENDS if ours and signal.getsignal(end) == signal.SIG_DFL]  # nohup ignores one
    for end in ends:
        signal.signal(end, _interrupt_main)
    try:
        yield
    finally:
        for end in ends:
            signal.signal(end, signal.SIG_DFL)


_ENDS = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]


def _interrupt_main(_: int, frame: Any) -> None:
    """Do what is done for Ctrl-C; also where that is ignored, as in a job in the background."""
    heard = signal.getsignal(signal.SIGINT)
    if callable(heard):
        heard(signal.SIGINT, frame)  # a server ends by itself
        return
    raise KeyboardInterrupt


def _replace_closed_streams() -> None:
    """Let a command that was started without stdout or stderr (``>&-``) talk to nobody."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - to the end


@contextlib.contextmanager
def _every_sign_written() -> Iterator[None]:
    """Let a terminal or file that lacks a sign, as ASCII lacks umlauts, get its number: nothing fails for that."""
    changed = [(stream, stream.errors) for stream in (sys.stdout, sys.stderr) if isinstance(stream, TextIOWrapper)]
    for stream, _ in changed:
        stream.reconfigure(errors="backslashreplace")
    try:
        yield
    finally:
        for stream, errors in changed:
            if not stream.closed:
                stream.flush()
                stream.reconfigure(errors=errors)


def _forget_stdout() -> None:
    """Keep Python from complaining at its end that nobody reads any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
