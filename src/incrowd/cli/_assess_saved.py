"""``incrowd assess`` of a saved release: its folder says which column is what."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incrowd.api._risk._saved import Saved


def open_saved(data: Path, given: Mapping[str, Any], reading: Mapping[str, Any]) -> Saved | None:
    """Open the folder, the certificate or the data file of a release; nothing if this is a table.

    Parameters
    ----------
    data
        What was named.
    given
        What was said about the columns of a table, by the name of the option.
    reading
        How to read a file.
    """
    from incrowd.api._release_folder import certificate_in
    from incrowd.api._risk._saved import saved_release
    from incrowd.core import ParameterError

    useless = [name for name, value in given.items() if value]
    if useless and certificate_in(data) is None:  # a data file, of which somebody says more than its certificate
        return None
    found = saved_release(data, dict(reading))
    if found is None:
        return None
    if useless:
        msg = f"--{useless[0]} is about the columns of a table, and a release says itself what its columns are."
        raise ParameterError(msg, hint=f"leave --{useless[0]} out, or name the data file in the folder public.")
    if found.several:
        msg = "People have several rows in this release, and it does not say whose row is whose."
        raise ParameterError(msg, hint=f"incrowd attack {data} --original DATA counts people, and so does its report.")
    return found
