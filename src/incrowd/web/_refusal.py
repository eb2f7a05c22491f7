"""``Refusal``: what the server answers when it cannot do what was asked: six keys and a status, also for errors."""

from __future__ import annotations

import errno
from typing import Any

from incrowd.core import EngineError, IncrowdError, NoSafeRelease, PlanError, ReleaseMismatch
from incrowd.web._error_texts import page_problems, page_words, sentence

Plain = dict[str, Any]

FAULT = "This should not have happened"
REPORT = "Please report it, and say what you clicked last. Your plan is as it was."
ROOM = "Make room on it, and try again. Your plan is as it was."
RIGHTS = "A file of the folder may not be used.", "Check your rights there, or work in a folder of your own."
SYSTEM = {
    errno.ENOSPC: ("The disk is full.", ROOM),
    errno.EDQUOT: ("Your share of the disk is full.", ROOM),
    errno.EROFS: ("The folder can only be read.", "Work in a folder of your own."),
    errno.EACCES: RIGHTS,
    errno.EPERM: RIGHTS,
    errno.ENOENT: ("A file that is needed is gone.", "Open the table again in step 1."),
    errno.EIO: ("The disk does not answer as it should.", "Try it again, or work on another disk."),
}
"""What the system says most often, in the page's words."""


class Refusal(Exception):  # noqa: N818 - it is no fault of anybody's
    """The server does not do what was asked; ``plain`` is what it answers."""

    def __init__(self, status: int, plain: Plain) -> None:
        super().__init__(plain["message"])
        self.status = status
        self.plain = plain


def refusal(status: int, code: str, message: str, hint: str = "", place: str = "") -> Refusal:
    return Refusal(status, plain_refusal(code, message, hint, place))


def plain_refusal(code: str, message: str, hint: str = "", place: str = "") -> Plain:
    words = {"message": sentence(message), "hint": sentence(hint)}
    return {"code": code, **words, "place": place, "problems": [], "repairs": []}


def plain_error(error: BaseException) -> Plain:
    """Give any error as plain data; of a foreign one only the type, for its message may quote a record."""
    if isinstance(error, Refusal):
        return error.plain
    if isinstance(error, PlanError):
        return _plain_plan_error(error)
    if isinstance(error, IncrowdError):
        message, hint, repairs = page_words(error.code, error.message, error.hint)
        return {**plain_refusal(error.code, message, hint), "repairs": repairs}
    if isinstance(error, MemoryError):
        return plain_refusal(
            EngineError.code, "There is not enough memory.", "Close other programs, or use a smaller table."
        )
    if isinstance(error, OSError) and error.strerror:
        usual = f"The system says: {error.strerror}.", "Check your rights and the disk."
        return plain_refusal(EngineError.code, *SYSTEM.get(error.errno or 0, usual))
    return plain_refusal("fault", f"{FAULT} ({type(error).__name__}).", REPORT)


def _plain_plan_error(error: PlanError) -> Plain:
    """Name the place of the first problem; the drawing of lines is for terminals."""
    problems = list(page_problems([{"place": one.key, "message": one.message} for one in error.problems]))
    if not problems:
        message, hint, repairs = page_words(error.code, error.message, error.hint)
        return {**plain_refusal(error.code, message, hint), "repairs": repairs}
    first = problems[0]
    listed = [{"place": one["place"], "message": sentence(one["message"])} for one in problems]
    told = plain_refusal(error.code, first["message"], "", first["place"])
    return {**told, "problems": listed, "repairs": first["repairs"]}


def status_of(told: Plain) -> int:
    ours = {EngineError.code, ReleaseMismatch.code, "fault"}
    return 500 if told["code"] in ours else 409 if told["code"] == NoSafeRelease.code else 422
