"""Experiments on disk: tables as CSV, charts as SVG, claims as JSON."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from incrowd.api.experiments._result import MARK, Experiment, Row
from incrowd.core import DataError
from incrowd.io import atomic_path


def prepare(folder: str | os.PathLike[str], names: Sequence[str], *, force: bool) -> Path:
    """Make the folder, and refuse one that has files of an earlier run, before any work is done."""
    place = Path(folder)
    try:
        place.mkdir(exist_ok=True)
    except FileExistsError:
        msg = f"Cannot write into {place.name!r}: there is a file of that name."
    except PermissionError:
        msg = f"Cannot make the folder {place.name!r}: Permission denied."
    except FileNotFoundError:
        msg = f"Cannot make the folder {place.name!r}: there is no folder {place.parent.name!r}."
    else:
        there = [name for name in names if (place / f"{name}.json").exists()]
        if not there or force:
            return place
        msg = f"The folder {place.name!r} has results already: {', '.join(there)}."
        hint = "choose another folder, or allow to replace them: force=True, --force on the command line."
        raise DataError(msg, hint=hint)
    raise DataError(msg, hint="choose another folder.")


def write(experiment: Experiment, folder: Path) -> list[str]:
    """Write one experiment, and give the names of its files; the JSON file comes last, when all others are there."""
    from incrowd.report import svg_of  # noqa: PLC0415 - drawing is loaded when something is drawn

    texts = {f"{experiment.name}-{name}.csv": _csv(rows) for name, rows in _marked(experiment).items()}
    texts |= {f"{experiment.name}-{name}.svg": svg_of(chart) for name, chart in experiment.charts.items()}
    plain = {"schema": 1, **experiment.to_dict()}
    texts[f"{experiment.name}.json"] = json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    for name, text in texts.items():
        with atomic_path(folder / name, force=True) as path:
            path.write_text(text, encoding="utf-8")
    return list(texts)


def _marked(experiment: Experiment) -> Mapping[str, Sequence[Row]]:
    """Say in every row of every table that made-up rows stood in, if they did: files are passed on without the rest."""
    if not experiment.stand_in:
        return experiment.tables
    return {name: [{**row, "stand_in": MARK} for row in rows] for name, rows in experiment.tables.items()}


def _csv(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
