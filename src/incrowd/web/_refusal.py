"""What the server says when it cannot do what was asked: always with the same five keys."""

from __future__ import annotations

from typing import Any

from incrowd.core import EngineError, IncrowdError, NoSafeRelease, PlanError, ReleaseMismatch

Plain = dict[str, Any]

FAULT = "This should not have happened"
REPORT = "please report it; the same plan on the command line with incrowd --debug says where it happens."


class Refusal(Exception):  # noqa: N818 - it is no fault of anybody's
    """The server does not do what was asked.

    Parameters
    ----------
    status
        The status of the answer.
    said
        What is wrong: ``code``, ``message``, ``hint``, ``place`` and ``problems``.
    """

    def __init__(self, status: int, said: Plain) -> None:
        super().__init__(said["message"])
        self.status = status
        self.said = said


def refusal(status: int, code: str, message: str, hint: str = "", place: str = "") -> Refusal:
    """Refuse something in our own words."""
    return Refusal(status, said(code, message, hint, place))


def said(code: str, message: str, hint: str = "", place: str = "") -> Plain:
    """Give an error as plain data."""
    return {"code": code, "message": message, "hint": hint, "place": place, "problems": []}


def said_by(error: BaseException) -> Plain:
    """Give any error as plain data; of a foreign one only the type, for its message may quote a record."""
    if isinstance(error, Refusal):
        return error.said
    if isinstance(error, PlanError):
        return _said_by_plan(error)
    if isinstance(error, IncrowdError):
        return said(error.code, error.message, error.hint)
    if isinstance(error, MemoryError):
        return said(EngineError.code, "There is not enough memory.", "close other programs, or use a smaller table.")
    if isinstance(error, OSError) and error.strerror:
        return said(EngineError.code, f"The system says: {error.strerror}.", "check your rights and the disk.")
    return said("fault", f"{FAULT} ({type(error).__name__}).", REPORT)


def _said_by_plan(error: PlanError) -> Plain:
    """Name the place of the first problem; the drawing of lines is for terminals."""
    problems = [{"place": one.key, "message": one.message} for one in error.problems]
    if not problems:
        return said(error.code, error.message, error.hint)
    first = problems[0]
    more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
    message = f"{first['place'] or 'The plan'}: {first['message']}{more}"
    return {**said(error.code, message, error.hint, first["place"]), "problems": problems}


def status_of(told: Plain) -> int:
    """Give the status that fits an error of the library."""
    ours = {EngineError.code, ReleaseMismatch.code, "fault"}
    return 500 if told["code"] in ours else 409 if told["code"] == NoSafeRelease.code else 422
