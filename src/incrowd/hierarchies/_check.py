"""Find everything that is wrong with a hierarchy file."""

from __future__ import annotations

import os

from incrowd.core import Domain, HierarchyError, UncoveredValuesError
from incrowd.hierarchies._paths import Problem, find_problems
from incrowd.hierarchies._tree import read_rows, tree


def check(path: str | os.PathLike[str], domain: Domain | None = None) -> list[Problem]:
    """Find everything that is wrong with a hierarchy file, not only the first thing.

    Parameters
    ----------
    path
        A file in ARX's format.
    domain
        The column that it is meant for; values that the file does not cover are then a problem too.

    Returns
    -------
    The problems in the order of their lines; none for a sound file. Messages hold no labels, ``values`` may.
    """
    try:
        problems = find_problems(read_rows(path))
        if not problems and domain is not None:
            tree(path).bind(domain)
    except UncoveredValuesError as error:
        return [Problem(None, error.message, error.values)]
    except HierarchyError as error:
        return [Problem(None, error.message)]
    return problems
