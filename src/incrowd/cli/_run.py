"""Run a command and turn whatever happens into plain lines on stderr and an exit code.

- 0: done, and nothing is wrong
- 1: a promise does not hold, no safe release exists, or a check found problems
- 2: wrong use or bad input
- 3: our fault or the machine's: a bug, a full disk
- 4: a promise could not be checked
- 130: stopped by the user or the system, or by a reader that went away
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    from incrowd.core import Setting

Words = Mapping[str, "Callable[[Setting], str]"]
"""Per name of a setting how it is said here, in the words of the options and of a plan."""

_MEANINGS = {
    "categories": 'categories = "FILE"',
    "tree": 'hierarchy = { tree = "FILE" }',
    "ordered": 'hierarchy = { ordered = ["LEAST", "MOST"] }',
    "intervals": "hierarchy = { intervals = [5, 10] }",
}


def of_column(setting: Setting) -> str:
    """Say what a plan says about a column."""
    ((column, meaning),) = setting.value.items()
    return f"{_MEANINGS[meaning]} under [columns.{json.dumps(column, ensure_ascii=False)}]"


def _search(setting: Setting) -> str:
    """Write a search as a plan names it: one with options is a table there."""
    options = ", ".join(f"{name} = {json.dumps(value)}" for name, value in setting.value.items())
    return f"{{ {options} }}" if len(setting.value) > 1 else json.dumps(setting.value["name"])


def _mark(setting: Setting) -> str:
    return f'--{setting.name} "{setting.value}", or {setting.name} = "{setting.value}" in a plan'


def _choice(setting: Setting) -> str:
    return f'{setting.name} = "{setting.value}"'


_WORDS: Words = {
    "encoding": lambda one: f'--encoding {one.value}, or encoding = "{one.value}" in a plan',
    **dict.fromkeys(("separator", "decimal", "thousands", "dates"), _mark),
    "header": lambda _: "--no-header, or header = false in a plan",
    "sheet": lambda one: f"--sheet {one.value}, or sheet = {one.value} in a plan",
    "owner": lambda _: "--owner FOLDER",
    "memory": lambda one: f"--memory {one.value}",
    "force": lambda _: "--force",
    "others": lambda _: "",
    "on": lambda one: "--on " + ",".join(f"{here}={there}" for here, there in one.value.items()),
    "values": lambda one: f"--show-values prints {one.value}",
    "max_suppressed_records": lambda one: f"max_suppressed_records = {one.value} in place of max_suppressed",
    "sensitive": lambda one: f"write {of_column(one)}",
    "quasi": lambda one: f"say how it becomes vaguer, for example {of_column(one)}",
    "of": lambda one: f"name it in brackets: [{one.value}]",
    **dict.fromkeys(("suppression", "order"), _choice),
    "algorithm": _search,
    "supersets": lambda one: " or ".join(f"nt(...)[{kind}]" for kind in one.value),
}


def terminal_words(text: str, own: Words = MappingProxyType({})) -> str:
    """Say what a hint advises in the words of a plan and of the options, or of a command's own."""
    words = {**_WORDS, **own}
    parts = getattr(text, "parts", (text,))
    return "".join(part if isinstance(part, str) else words.get(part.name, str)(part) for part in parts)


@contextlib.contextmanager
def hints_in(own: Words) -> Iterator[None]:
    """Let errors give hints in a command's own words."""
    from incrowd.core import IncrowdError

    try:
        yield
    except IncrowdError as error:
        error.hint = terminal_words(error.hint, own)
        raise


FOUND, WRONG_USE, OUR_FAULT, NOT_CHECKED, STOPPED = 1, 2, 3, 4, 130


@dataclass
class Session:
    """What the user asked for besides the job itself."""

    debug: bool = False
    show_values: bool = False


def run(body: Callable[[], object], session: Session) -> int:
    """Run a command's body and give its exit code; a body that returns a number chose it."""
    _replace_closed()
    try:
        with _told_to_end(), warnings.catch_warnings():
            warnings.showwarning = _tell_warning
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
        return _explain(error, session)
    if result == STOPPED:
        tell("stopped.")
    return result if isinstance(result, int) else 0


@contextlib.contextmanager
def _told_to_end() -> Iterator[None]:
    """Let a system that ends us (SIGTERM) be heard as Ctrl-C is, so that nothing half done is left behind."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _as_by_hand)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _as_by_hand(_: int, frame: Any) -> NoReturn:
    """Do what is done for Ctrl-C; also where that is ignored, as in a job in the background."""
    heard = signal.getsignal(signal.SIGINT)
    if callable(heard):
        heard(signal.SIGINT, frame)
    raise KeyboardInterrupt


def tell(*lines: str) -> None:
    """Talk to the user, on stderr: stdout is for data."""
    for line in lines:
        sys.stderr.write(f"{line}\n")


def amount(number: int, noun: str) -> str:
    """Write a number and what it counts: one value, two values."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _explain(error: Exception, session: Session) -> int:
    from incrowd.core import EngineError, IncrowdError, NoSafeRelease, ReleaseMismatch, UncoveredValuesError

    if isinstance(error, IncrowdError):
        _tell_error(error.message, terminal_words(error.hint), error.code)
        if isinstance(error, UncoveredValuesError) and session.show_values:
            tell(*(f"  {value!r}" for value in error.values))
        _tell_end(error, session, error.code)
        if isinstance(error, NoSafeRelease):
            return FOUND
        return OUR_FAULT if isinstance(error, EngineError | ReleaseMismatch) else WRONG_USE
    usage = getattr(error, "format_message", None)  # typer brings its own copy of click's errors, or click's
    if usage is not None:
        if usage():  # empty after the help that a command without arguments shows
            _tell_error(usage(), "incrowd --help, or --help after a command, shows what there is.")
        return WRONG_USE
    return _explain_surprise(error, session)


def _explain_surprise(error: Exception, session: Session) -> int:
    """Name only the type: the message of a foreign error may quote a record."""
    from incrowd.core import EngineError

    code = EngineError.code if isinstance(error, OSError) and error.strerror else ""
    if code:
        hint = "check the path, your rights and the space on the disk."
        _tell_error(f"The system says: {getattr(error, 'strerror', '')}.", hint, code)
    else:
        hint = "please report it with the output of the same command with incrowd --debug ..."
        _tell_error(f"This should not have happened ({type(error).__name__}).", hint)
    _tell_end(error, session, code)
    return OUR_FAULT


def _tell_error(message: str, hint: str, code: str = "") -> None:
    tell(f"error{f'[{code}]' if code else ''}: {message}", *([f"hint: {hint}"] if hint else []))


def _tell_end(error: BaseException, session: Session, code: str) -> None:
    """Show where it happened to who asked for it, and last where to read more."""
    if session.debug:
        _tell_places(error)
    if code:
        tell(f"more: incrowd explain {code}")


def _tell_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Say what is dangerous; what other libraries warn about may quote the data and says nothing to the user."""
    from incrowd.core import PrivacyWarning

    if issubclass(category, PrivacyWarning):
        tell(f"warning: {terminal_words(message if isinstance(message, str) else message.args[0])}")


def _tell_places(error: BaseException) -> None:
    """Show where it happened: files, lines, functions; no message, no variables, no source line."""
    for place in traceback.extract_tb(error.__traceback__):
        tell(f"  at {place.filename}:{place.lineno} in {place.name}")
    tell(f"  {type(error).__module__}.{type(error).__name__}")
    if error.__cause__ is not None:
        tell("caused by")
        _tell_places(error.__cause__)


def _replace_closed() -> None:
    """Let a command that was started without stdout or stderr (``>&-``) talk to nobody."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - to the end


def _forget_stdout() -> None:
    """Keep Python from complaining at its end that nobody reads any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
