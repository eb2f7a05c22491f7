"""What the server says when it cannot do what was asked: always with the same six keys."""

from __future__ import annotations

import errno
from typing import Any

from incrowd.core import EngineError, IncrowdError, NoSafeRelease, PlanError, ReleaseMismatch
from incrowd.web._wording import sentence, worded, worded_problems

Plain = dict[str, Any]

FAULT = "This should not have happened"
REPORT = "Please report it, and say what you clicked last. Your plan is as it was."
SYSTEM = {
    errno.ENOSPC: ("The disk is full.", "Make room on it, and try again. Your plan is as it was."),
    errno.EDQUOT: ("Your share of the disk is full.", "Make room on it, and try again. Your plan is as it was."),
    errno.EROFS: ("The folder can only be read.", "Work in a folder of your own."),
    errno.EACCES: (
        "A file of the folder may not be used.",
        "Check your rights there, or work in a folder of your own.",
    ),
    errno.EPERM: ("A file of the folder may not be used.", "Check your rights there, or work in a folder of your own."),
    errno.ENOENT: ("A file that is needed is gone.", "Open the table again in step 1."),
    errno.EIO: ("The disk does not answer as it should.", "Try it again, or work on another disk."),
}
"""What the system says most often, in the page's words."""


class Refusal(Exception):  # noqa: N818 - it is no fault of anybody's
    """The server does not do what was asked.

    Parameters
    ----------
    status
        The status of the answer.
    said
        What is wrong: ``code``, ``message``, ``hint``, ``place``, ``problems`` and ``repairs``.
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
    words = {"message": sentence(message), "hint": sentence(hint)}
    return {"code": code, **words, "place": place, "problems": [], "repairs": []}


def said_by(error: BaseException) -> Plain:
    """Give any error as plain data; of a foreign one only the type, for its message may quote a record."""
    if isinstance(error, Refusal):
        return error.said
    if isinstance(error, PlanError):
        return _said_by_plan(error)
    if isinstance(error, IncrowdError):
        message, hint, repairs = worded(error.code, error.message, error.hint)
        return {**said(error.code, message, hint), "repairs": repairs}
    if isinstance(error, MemoryError):
        return said(EngineError.code, "There is not enough memory.", "Close other programs, or use a smaller table.")
    if isinstance(error, OSError) and error.strerror:
        usual = f"The system says: {error.strerror}.", "Check your rights and the disk."
        return said(EngineError.code, *SYSTEM.get(error.errno or 0, usual))
    return said("fault", f"{FAULT} ({type(error).__name__}).", REPORT)


def _said_by_plan(error: PlanError) -> Plain:
    """Name the place of the first problem; the drawing of lines is for terminals."""
    problems = list(worded_problems([{"place": one.key, "message": one.message} for one in error.problems]))
    if not problems:
        message, hint, repairs = worded(error.code, error.message, error.hint)
        return {**said(error.code, message, hint), "repairs": repairs}
    first = problems[0]
    listed = [{"place": one["place"], "message": sentence(one["message"])} for one in problems]
    told = said(error.code, first["message"], "", first["place"])
    return {**told, "problems": listed, "repairs": first["repairs"]}


def status_of(told: Plain) -> int:
    """Give the status that fits an error of the library."""
    ours = {EngineError.code, ReleaseMismatch.code, "fault"}
    return 500 if told["code"] in ours else 409 if told["code"] == NoSafeRelease.code else 422
