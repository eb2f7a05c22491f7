"""``Claim``, ``Experiment``, ``Reproduction``: claims with numbers, tables and charts, saved as CSV, SVG and JSON."""

from __future__ import annotations

import csv
import io
import json
import os
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from incrowd.core import FORCE, DataError, Hint, ParameterError, atomic_paths
from incrowd.report import Picture, bars_with_limit, points_beside, series_bars, series_curves, yes_and_no

Row = dict[str, Any]
WIDTH = 100
"""So wide are the lines of the text."""
MARK = "made-up rows stand in for Adult"
"""What charts and tables say of themselves where it is so."""
VERDICTS = {True: "holds", False: "does not hold", None: "cannot be compared"}


@dataclass(frozen=True, slots=True)
class Claim:
    """What a paper claims, what we found, and whether the claim holds."""

    said: str
    found: str
    holds: bool | None
    why: str = ""
    of_data: bool = False
    barely: bool = False

    @property
    def verdict(self) -> str:
        """The verdict in words: ``holds``, ``barely holds``, ``does not hold`` or ``cannot be compared``."""
        return "barely holds" if self.holds and self.barely else VERDICTS[self.holds]

    def __str__(self) -> str:
        lines = [_claim_line("paper", self.said), _claim_line("ours", self.found)]
        lines += [_claim_line("why", self.why)] if self.why else []
        return "\n".join([*lines, f"  {'=>':6} {self.verdict}"])


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """The experiment of one paper, done again."""

    name: str
    title: str
    paper: str
    data: str
    stand_in: bool
    claims: tuple[Claim, ...]
    tables: Mapping[str, Sequence[Row]] = field(repr=False)
    seconds: float = field(default=0.0, repr=False)

    @property
    def charts(self) -> dict[str, Picture]:
        """The charts of the tables by name, as pictures; what made-up rows gave is marked so."""
        heading = MARK if self.stand_in else ""
        return {name: draw(heading=heading) for name, draw in DRAWN[self.name](self.tables).items()}

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data."""
        claims = [
            {"said": one.said, "found": one.found, "holds": one.holds, "verdict": one.verdict, "why": one.why}
            for one in self.claims
        ]
        tables = {name: [dict(row) for row in rows] for name, rows in self.tables.items()}
        facts = {name: getattr(self, name) for name in ("name", "title", "paper", "data", "stand_in")}
        return {**facts, "claims": claims, "tables": tables, "seconds": self.seconds}

    def __str__(self) -> str:
        head = [f"{self.name}: {self.title}", _claim_line("from", self.paper), _claim_line("data", self.data)]
        return "\n\n".join(["\n".join(head), *map(str, self.claims)])


@dataclass(frozen=True, slots=True, eq=False)
class Reproduction:
    """The experiments of the papers, done again.

    Attributes
    ----------
    experiments
        One per paper.
    """

    experiments: tuple[Experiment, ...]

    def __iter__(self) -> Iterator[Experiment]:
        return iter(self.experiments)

    def __len__(self) -> int:
        return len(self.experiments)

    def __getitem__(self, name: str) -> Experiment:
        for one in self.experiments:
            if one.name == name:
                return one
        msg = f"There is no experiment {name!r} here."
        raise ParameterError(msg, hint=f"here are {', '.join(one.name for one in self.experiments)}.")

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data; ``schema`` is the version of its shape."""
        return {"schema": 1, "experiments": [one.to_dict() for one in self.experiments]}

    def save(self, folder: Any, *, force: bool = False) -> list[str]:
        """Write tables (CSV), charts (SVG) and claims (JSON) into a folder.

        Parameters
        ----------
        folder
            Where to; it is made if it is not there.
        force
            Whether files of an earlier run may be replaced.

        Returns
        -------
        list of str
            The names of the files.
        """
        place = prepare(folder, [one.name for one in self.experiments], force=force)
        return [name for one in self.experiments for name in write(one, place)]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.experiments))


def _claim_line(word: str, text: str) -> str:
    head = f"  {word:6} "
    return textwrap.fill(text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


# Which charts an experiment has.

Tables = Mapping[str, Sequence[Row]]
Drawing = Callable[..., Picture]


def _enhanced_charts(tables: Tables) -> dict[str, Drawing]:
    exposed = [
        {**row, "left_out": f"at most {100 * row['max_suppressed']:g} % left out"} for row in tables["similarity"]
    ]
    up, size, alpha = "distortion ratio (top-down)", "quasi-identifiers", "alpha (p = 2, k = 3)"
    return {
        "similarity": partial(
            series_bars,
            exposed,
            ("left_out", "exposed_share", "model"),
            ("", "minimal tables exposed to similarity"),
            share=True,
        ),
        "alpha": partial(series_curves, tables["alpha"], ("alpha", "distortion", "model"), (alpha, up)),
        "size": partial(series_curves, tables["size"], ("quasi_identifiers", "distortion", "model"), (size, up)),
        "time": partial(
            series_curves,
            tables["size"],
            ("quasi_identifiers", "seconds", "model"),
            (size, "processor seconds (top-down)"),
        ),
    }


def _homogeneity(tables: Tables) -> dict[str, Drawing]:
    up = "expected classes with one value"
    return {
        "size": partial(series_curves, tables["size"], ("n", "expected_classes", "how"), ("records (k = 5)", up)),
        "k": partial(series_curves, tables["k"], ("k", "expected_classes", "how"), ("k (60,000 records)", up), log="y"),
    }


def _p_sensitive(tables: Tables) -> dict[str, Drawing]:
    printed = {(row["size"], row["k"]): row["printed_disclosures"] for row in tables["summary"]}
    rows = [
        {
            "setting": f"{row['size']:,} records, k = {row['k']}",
            "ours": row["disclosures"],
            "printed": printed[row["size"], row["k"]],
        }
        for row in tables["samples"]
        if row["max_suppressed"] == 0
    ]
    titles = ("points: our samples, nobody left out; diamond: the paper", "attribute disclosures")
    return {"disclosures": partial(points_beside, rows, ("setting", "ours", "printed"), titles)}


def _improved_charts(tables: Tables) -> dict[str, Drawing]:
    rows = [{"table": row["table"], "k": row.get("k", 0)} for row in tables["results"]]
    return {
        "k": partial(bars_with_limit, rows, ("table", "k"), "records in the smallest class; 0: nothing published", 2)
    }


def _closeness(tables: Tables) -> dict[str, Drawing]:
    grids = {
        f"check-{name.replace(' ', '-').lower()}": partial(
            yes_and_no,
            [dict(row) for row in tables["check"] if row["table"] == name],
            ("n", "t", "holds"),
            (f"n (Table 5 {name})", "t"),
        )
        for name in dict.fromkeys(row["table"] for row in tables["check"])
    }
    cut = [{**row, "t": f"t = {row['t']:g}"} for row in tables["adult"] if row["model"] == "(n, t)-closeness"]
    up = "loss of the Mondrian release"
    return {**grids, "adult": partial(series_curves, cut, ("n", "loss", "t"), ("n", up), log="x")}


DRAWN: Mapping[str, Callable[[Tables], dict[str, Drawing]]] = {
    "enhanced": _enhanced_charts,
    "homogeneity": _homogeneity,
    "p-sensitive": _p_sensitive,
    "improved": _improved_charts,
    "closeness": _closeness,
}


# Experiments on disk: tables as CSV, charts as SVG, claims as JSON.


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
        hint = Hint("choose another folder, or allow to replace them: {}.", FORCE)
        raise DataError(msg, hint=hint)
    raise DataError(msg, hint="choose another folder.")


def write(experiment: Experiment, folder: Path) -> list[str]:
    """Write one experiment, and give the names of its files; all are there or none, the JSON file last."""
    # Every row of every table says that made-up rows stood in, if they did: files are passed on without the rest.
    mark = {"stand_in": MARK} if experiment.stand_in else {}
    marked = {name: [{**row, **mark} for row in rows] for name, rows in experiment.tables.items()}
    texts = {f"{experiment.name}-{name}.csv": _csv_text(rows) for name, rows in marked.items()}
    texts |= {f"{experiment.name}-{name}.svg": chart.svg for name, chart in experiment.charts.items()}
    plain = {"schema": 1, **experiment.to_dict()}
    texts[f"{experiment.name}.json"] = json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    with atomic_paths([folder / name for name in texts], force=True) as parts:
        for part, text in zip(parts, texts.values(), strict=True):
            part.write_text(text, encoding="utf-8")
    return list(texts)


def _csv_text(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
