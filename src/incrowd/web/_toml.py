"""Reading a plan that anybody may have written: what would take the reader down is refused before it is read."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from incrowd.api import Plan
from incrowd.core import PlanError
from incrowd.web._refusal import Plain, Refusal, refusal

DEEP = 40
"""So deep may tables and lists stand in each other."""

_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{DEEP}}}")
"""A key of many parts: reading it takes memory by the square of their number."""


def tables_of(text: str) -> Plain:
    """Read the tables of a plan; what is no TOML, or nests without end, is refused.

    Parameters
    ----------
    text
        What somebody wrote.
    """
    if _LONG_KEY.search(text):
        raise _too_deep()
    where = ""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = f" at {str(error).rpartition(' (at ')[2].rstrip(')')}"
    except RecursionError:
        raise _too_deep() from None
    except ValueError:  # a number with more digits than Python reads
        where = ": a number is too long"
    else:
        check_depth(tables)
        return tables
    raise refusal(422, PlanError.code, f"The plan is not valid TOML{where}.", "undo what was changed there.")


def check_depth(plain: Any) -> None:
    """Refuse what nests too deep, without going down step by step oneself."""
    level = [plain]
    for _ in range(DEEP):
        inner = [one.values() if isinstance(one, Mapping) else one for one in level if isinstance(one, Mapping | list)]
        level = [value for values in inner for value in values]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> Refusal:
    return refusal(422, PlanError.code, f"The plan nests deeper than {DEEP} levels.", "write fewer tables in tables.")


def tables_in(plan: Plan) -> dict[str, Any]:
    """Give the tables of a plan, with files named as they lie in its folder.

    Parameters
    ----------
    plan
        The plan.
    """
    return replace(plan, folder=None).to_dict()
