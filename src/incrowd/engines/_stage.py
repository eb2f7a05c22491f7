"""What an engine is busy with, for whoever watches. Numbers only: nothing of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

StageName = Literal["reading", "writing", "checking"]


@dataclass(frozen=True, slots=True)
class Stage:
    """How far an engine is.

    Attributes
    ----------
    name
        What it is doing.
    done, total
        How many rows it is through with, and about how many there are; ``None`` where nobody knows.
    """

    name: StageName
    done: int | None = None
    total: int | None = None


Watcher = Callable[[Stage], None]

_WATCHER: ContextVar[Watcher | None] = ContextVar("incrowd_watcher", default=None)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Let somebody know what engines do, until the block ends.

    Parameters
    ----------
    watcher
        Called when a stage begins, and now and then while rows go by.
    """
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def is_watched() -> bool:
    """Say whether somebody wants to know: then it is worth a look how long it may take."""
    return _WATCHER.get() is not None


def begin(name: StageName, done: int | None = None, total: int | None = None) -> None:
    """Tell whoever watches."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(Stage(name, done, total))
