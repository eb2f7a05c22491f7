"""The Adult table and its hierarchies, from a file that the user has, or a made-up stand-in. Nothing is fetched."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, DataError, Schema
from incrowd.engines import read_texts, table_of_columns
from incrowd.hierarchies import flat, intervals, tree
from incrowd.release import census

# Hierarchies for the columns of the Adult table.

AGES = range(17, 91)

OCCUPATIONS = {
    "office work": ["Adm-clerical", "Exec-managerial", "Prof-specialty", "Sales", "Tech-support"],
    "manual work": ["Craft-repair", "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct", "Transport-moving"],
    "service": ["Armed-Forces", "Other-service", "Priv-house-serv", "Protective-serv"],
}
MARITAL = {
    "married": ["Married-AF-spouse", "Married-civ-spouse", "Married-spouse-absent"],
    "no longer married": ["Divorced", "Separated", "Widowed"],
    "not yet married": ["Never-married"],
}
RACES = {"white": ["White"], "black": ["Black"], "neither": ["Amer-Indian-Eskimo", "Asian-Pac-Islander", "Other"]}
EDUCATION = {
    "up to school": {
        "primary": ["Preschool", "1st-4th", "5th-6th", "7th-8th"],
        "secondary": ["9th", "10th", "11th", "12th", "HS-grad"],
    },
    "after school": {
        "college": ["Some-college", "Assoc-acdm", "Assoc-voc"],
        "university": ["Bachelors", "Masters", "Prof-school", "Doctorate"],
    },
}
COUNTRIES = {
    "elsewhere": ["South"],
    "Asia": [
        *("Cambodia", "China", "Hong", "India", "Iran", "Japan", "Laos", "Philippines", "Taiwan", "Thailand"),
        "Vietnam",
    ],
    "Europe": [
        *("England", "France", "Germany", "Greece", "Holand-Netherlands", "Hungary", "Ireland", "Italy", "Poland"),
        *("Portugal", "Scotland", "Yugoslavia"),
    ],
    "Latin America": [
        *("Columbia", "Cuba", "Dominican-Republic", "Ecuador", "El-Salvador", "Guatemala", "Haiti", "Honduras"),
        *("Jamaica", "Mexico", "Nicaragua", "Peru", "Puerto-Rico", "Trinadad&Tobago"),
    ],
    "North America": ["Canada", "Outlying-US(Guam-USVI-etc)", "United-States"],
}
WORKCLASSES = ("Private", "Self-emp-not-inc", "Local-gov", "State-gov", "Self-emp-inc", "Federal-gov", "Without-pay")

SEVEN = ("age", "occupation", "marital-status", "race", "sex", "education", "native-country")
"""The quasi-identifiers of the thesis, in the order of its Table 5.1; what it calls Workclass is the occupation."""


def thesis_hierarchies() -> dict[str, Any]:
    """Give hierarchies with as many levels as Table 5.1 of the thesis says: 3, 2, 2, 2, 1, 3 and 2 steps."""
    trees: dict[str, Any] = {
        "occupation": OCCUPATIONS,
        "marital-status": MARITAL,
        "race": RACES,
        "education": EDUCATION,
        "native-country": COUNTRIES,
    }
    drawn = {name: tree({"*": groups}) for name, groups in trees.items()}
    every: dict[str, Any] = {"age": intervals(10, 20), "sex": flat(), **drawn}
    return {name: every[name] for name in SEVEN}


def p_sensitive_hierarchies() -> dict[str, Any]:
    """Give the hierarchies of Table 7 of the paper: 3, 2, 3 and 1 steps.

    Age goes to ten years, then to below 50 and the rest (the table leaves 50 itself out), marital status to single or
    married, race to white, black or other, then to white or other.
    """
    ages: dict[str, dict[str, list[int]]] = {"<50": {}, ">=50": {}}
    for age in AGES:
        low = age // 10 * 10
        ages["<50" if age < 50 else ">=50"].setdefault(f"[{low}, {low + 10})", []).append(age)
    single = [*MARITAL["no longer married"], *MARITAL["not yet married"]]
    races = {"White or other: white": {"white": RACES["white"]}}
    races["White or other: other"] = {"black": RACES["black"], "neither": RACES["neither"]}
    return {
        "age": tree({"*": ages}),
        "marital-status": tree({"*": {"single": single, "married": MARITAL["married"]}}),
        "race": tree({"*": races}),
        "sex": flat(),
    }


Column = npt.NDArray[Any]

FOLDER = "INCROWD_DATA"
"""The environment variable that names the folder with the data."""
PLACES = (
    *("adult/adult.parquet", "adult.parquet", "adult/uci_adult_raw.csv", "uci_adult_raw.csv"),
    *("adult/adult.csv", "adult.csv", "adult.data"),
)
"""Where the table may lie in that folder: first the files with all columns."""
UNKNOWN = "?"
NUMBERS = frozenset({"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"})
UCI = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "salary-class"),
)
NEEDED = (*SEVEN, "workclass", "salary-class")
ROWS, FEW = 30_162, 1_000
SEED = 1994
STAND_IN = "MADE-UP ROWS that stand in for Adult, which was not given (numbers about Adult mean nothing here)"


@dataclass(frozen=True, eq=False)
class Adult:
    """The columns of the table, or of its stand-in."""

    columns: Mapping[str, Column] = field(repr=False)
    stand_in: bool

    def __len__(self) -> int:
        return len(self.columns["age"])

    @property
    def words(self) -> str:
        """What the table is, for a reader."""
        return f"{len(self):,} {STAND_IN if self.stand_in else 'records of Adult'}"

    def known(self) -> Adult:
        """Leave out the records in which anything is unknown."""
        unknown = np.zeros(len(self), dtype=bool)
        for name, column in self.columns.items():
            if name not in NUMBERS:
                unknown |= column == UNKNOWN
        return self.rows(np.flatnonzero(~unknown))

    def rows(self, places: npt.NDArray[np.integer]) -> Adult:
        """Give some of the records."""
        return Adult({name: column[places] for name, column in self.columns.items()}, self.stand_in)

    def sample(self, size: int, number: int) -> Adult:
        """Draw records without replacement, the same ones for the same number; all of them if there are too few."""
        drawn = np.random.default_rng([SEED, number]).permutation(len(self))[:size]
        return self.rows(np.sort(drawn))

    def having(self, name: str, column: Column) -> Adult:
        """Add a column."""
        return Adult({**self.columns, name: column}, self.stand_in)

    def census(self, schema: Schema) -> Census:
        """Count the table for a schema."""
        names = (*schema.quasi_names, *schema.sensitive_names)
        return census(table_of_columns({name: self.columns[name] for name in names}), schema)


def find_adult(given: str | os.PathLike[str] | None, *, small: bool) -> Adult:
    """Read the file that was given or that lies in the folder of data, or make a stand-in."""
    place = Path(given) if given is not None else _file_in_folder()
    if place is None:
        return _made_up(FEW if small else ROWS)
    adult = _read_adult(place)
    return adult.sample(FEW, 0) if small else adult


def _file_in_folder() -> Path | None:
    named = os.environ.get(FOLDER)
    if not named:
        return None
    if not Path(named).is_dir():
        msg = f"There is no folder {named!r}, which {FOLDER} names."
        raise DataError(msg, hint=f"let {FOLDER} name the folder with the data, or unset it.")
    return next((path for place in PLACES if (path := Path(named) / place).is_file()), None)


def _read_adult(path: Path) -> Adult:
    """Read the file of UCI, with or without a line of names, the same as Parquet, or the one that ARX works with."""
    if path.suffix.lower() == ".parquet":
        columns = read_texts(path, UNKNOWN)
        names, rows = list(columns), list(map(list, zip(*columns.values(), strict=True)))
    else:
        names, rows = _read_text(path)
    return Adult(_columns_of_rows(path.name, names, rows), stand_in=False)


def _read_text(path: Path) -> tuple[list[str], list[list[str]]]:
    """Give the names of the columns and the values of every line."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            first = file.readline()
            file.seek(0)
            lines = csv.reader(file, delimiter=";" if ";" in first else ",", skipinitialspace=True)
            rows = [row for row in lines if row]
    except FileNotFoundError:
        msg = f"There is no file {str(path)!r}."
        raise DataError(msg, hint="check the path.") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        msg = f"The file {path.name!r} cannot be read ({type(error).__name__})."
        hint = "give the Adult table of UCI as CSV or Parquet, or none: made-up rows then stand in."
        raise DataError(msg, hint=hint) from None
    named = bool(rows) and not rows[0][0].isdigit()
    return [name.strip() for name in rows.pop(0)] if named else list(UCI), rows


def _columns_of_rows(file: str, names: Sequence[str], rows: list[list[str]]) -> dict[str, Column]:
    missing = [name for name in NEEDED if name not in names]
    if missing or not rows or any(len(row) != len(names) for row in rows):
        what = f"it lacks {', '.join(missing)}" if missing else "its lines are not all of one length, or there are none"
        msg = f"The file {file!r} is not the Adult table: {what}."
        raise DataError(msg, hint=f"its columns are called {', '.join(NEEDED)}.")
    result: dict[str, Column] = {}
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        texts = np.array([value.strip() for value in values], dtype=object)
        if name in NUMBERS and not all(text.isdigit() for text in texts.tolist()):
            msg = f"The file {file!r} is not the Adult table: {name} is not a whole number everywhere."
            raise DataError(msg)
        result[name] = texts.astype(np.int64) if name in NUMBERS else texts
    return result


def _made_up(rows: int) -> Adult:
    """Make up a table with the same columns: some values frequent, most rare, nothing depends on anything."""
    chance = np.random.default_rng(SEED)
    words = {
        "workclass": WORKCLASSES,
        "occupation": _leaves_of(OCCUPATIONS),
        "marital-status": _leaves_of(MARITAL)[1:] + _leaves_of(MARITAL)[:1],
        "race": _leaves_of(RACES),
        "sex": ("Male", "Female"),
        "education": _leaves_of(EDUCATION)[::-1],
        "native-country": _leaves_of(COUNTRIES)[::-1],
        "salary-class": ("<=50K", ">50K"),
    }
    columns: dict[str, Column] = {"age": np.clip(chance.normal(38, 13, rows), 17, 90).astype(np.int64)}
    for name, values in words.items():
        rare = 1 / np.arange(1, len(values) + 1) ** 1.5
        columns[name] = np.array(values, dtype=object)[chance.choice(len(values), rows, p=rare / rare.sum())]
    for name, share, most in (("capital-gain", 0.08, 20_000), ("capital-loss", 0.05, 3_000)):
        amount = chance.integers(1, most // 100, rows) * 100
        columns[name] = np.where(chance.random(rows) < share, amount, 0).astype(np.int64)
    columns["hours-per-week"] = np.clip(chance.normal(40, 8, rows), 1, 99).astype(np.int64)
    return Adult(columns, stand_in=True)


def _leaves_of(groups: Mapping[str, Any]) -> tuple[str, ...]:
    found: list[str] = []
    for inner in groups.values():
        found += _leaves_of(inner) if isinstance(inner, Mapping) else inner
    return tuple(found)
