"""Libraries that are installed only by those who need them."""

from __future__ import annotations

import importlib
from typing import Any

from incrowd.core import EngineError


def need(module: str, *, extra: str, what: str) -> Any:
    """Import a library, or say how to install it.

    Parameters
    ----------
    module
        What to import.
    extra
        The extra of incrowd that brings it.
    what
        What it is for, as the subject of a sentence.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        pass
    package = module.partition(".")[0].replace("_", "-")
    msg = f"{what} needs the library {package!r}, which is not installed."
    raise EngineError(msg, hint=f"pip install 'incrowd[{extra}]'")
