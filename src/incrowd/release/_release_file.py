"""A released file by itself: opened as it was written, its promises measured, its columns as certified."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    TOP,
    Classes,
    Domain,
    Hierarchy,
    Kind,
    Ladder,
    PrivacyWarning,
    Schema,
    ShiftedDates,
    Verdict,
    joint_verdict,
    json_in,
)
from incrowd.engines import Engine, Wording, ending_of, is_escaped, open_table, shares_of
from incrowd.hierarchies import Averaged, Categories, Ordered, Tree, auto, items, ordered
from incrowd.models import Model, separators_of
from incrowd.release._verdict import judged_by_itself, verdict_of

if TYPE_CHECKING:
    from incrowd.release._release import Release

Plain = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """What was measured on a released file, with nothing but this file to compare with.

    ``promises`` has the one behind each finding of the verdict, ``sizes`` the records of every class, ``values`` the
    number of different ones per sensitive column, ``starred`` how many records have ``*`` in a quasi-identifier,
    ``columns`` what a certificate says of them, and ``whose`` the column of pseudonyms that says whose row is whose.
    """

    verdict: Verdict
    promises: tuple[Model, ...]
    sizes: npt.NDArray[np.int64]
    rows: int
    values: Mapping[str, int]
    starred: Mapping[str, int]
    columns: Sequence[Plain]
    whose: str | None = None


def open_released(path: Path, wording: Wording | None = None, **budget: Any) -> Engine:
    """Open a released file as it was written: texts as before escaping; missing is what is empty without quotes.

    Where its certificate says that nothing stands for a star, it is a star.
    """
    known = wording_beside(path) if wording is None else wording
    return open_table(path, missing_values=(), **reading_of_released(path, known), **budget)


def reading_of_released(path: Path, wording: Wording) -> dict[str, Any]:
    """Say how a released file is read."""
    how: dict[str, Any] = {"escaped": is_escaped(path), "wording": wording}
    if ending_of(path) in {".csv", ".csv.gz"}:
        how |= {"separator": wording.dialect.separator, "encoding": wording.encoding}
    return how


def wording_beside(path: Path) -> Wording:
    """Say how a released file is written, by the certificate that lies beside it and names it; else as usual."""
    try:
        said: Any = json_in(path.with_name("release.json"))["data"]
        return wording_of(said) if said["name"] == path.name else Wording()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Wording()


def wording_of(data: Plain) -> Wording:
    """Say how a released file is written, by what a certificate says about it."""
    return replace(Wording.of(data.get("dialect")), stars=tuple(data.get("stars", ())))


class Measuring:
    """A released file that is being measured: whoever groups its records hands over the classes, all or share by share.

    ``columns`` is what its certificate says about its columns, and ``quasi`` the order in which classes have them.
    """

    def __init__(
        self, engine: Engine, columns: Sequence[Plain], model: Model, *, quasi: Sequence[str] = (), shares: int = 1
    ) -> None:
        self._schema, self._shares = public_schema(columns, quasi=quasi, people=True), shares
        self._quasi = self._schema.quasi_names
        self._columns = columns
        self._engine, self._domains = engine, known_domains(engine, columns)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)  # a value that is bounded may be left out entirely
            linked = self._schema.entity is not None
            shown = [
                (part, part if linked and part.by_person else part.in_file(len(self._quasi))) for part in model.parts
            ]
            whole = None if shares == 1 else {name: domain.counts for name, domain in self._domains.items()}
            self._pairs = [
                (part, judge) for part, one in shown for judge in one.bind(self._schema, self._domains, whole)
            ]
        self._verdicts: list[Verdict] = []
        self._sizes: list[npt.NDArray[np.int64]] = []
        self._starred = dict.fromkeys(self._quasi, 0)

    @classmethod
    def of(cls, release: Release, engine: Engine, shares: int = 1) -> Self:
        """Measure the promises of a release on its file."""
        schema = release.schema
        columns = certified_columns(engine, schema, release.recipe.levels, release.distributions)
        return cls(engine, columns, release.model, quasi=schema.quasi_names, shares=shares)

    def group(self) -> Self:
        """Group the records of the file."""
        for share in shares_of(self._engine, self._quasi, self._shares):
            self._judge(share.classes(self._quasi, self._domains, self._schema.entity, self._schema.count))
        return self

    def take(self, classes: Classes) -> Self:
        """Take in classes of the file, or of a share of it, that were grouped with other codes of the same values."""
        own = {name: self._domains[name] for name in classes.cells.sensitive}
        self._judge(classes.with_domains(own))
        return self

    def _judge(self, classes: Classes) -> None:
        self._verdicts.append(verdict_of([judge for _, judge in self._pairs], classes, self._quasi))
        self._sizes.append(classes.records)
        for column, name in enumerate(self._quasi):
            stars = np.flatnonzero(classes.names(column) == TOP)
            self._starred[name] += int(classes.records[np.isin(classes.codes[column], stars)].sum())

    def result(self) -> Measurement:
        """Give what was measured."""
        first = self._engine.domains(self._quasi[:1])[self._quasi[0]]
        return Measurement(
            verdict=self._verdicts[0] if self._shares == 1 else judged_by_itself(joint_verdict(self._verdicts)),
            promises=tuple(part for part, _ in self._pairs),
            sizes=np.concatenate(self._sizes),
            rows=int(first.counts.sum()),
            values={name: len(domain) for name, domain in self._domains.items()},
            starred=self._starred,
            columns=self._columns,
            whose=self._schema.entity,
        )


def known_domains(engine: Engine, columns: Sequence[Plain]) -> dict[str, Domain]:
    """Give the values of the sensitive columns of a file, read as what its certificate says they are.

    A text file does not say whether ``2024-07-01 10:00:00+00:00`` or a number of thirty digits is more than a text.
    """
    orders = {column["name"]: column.get("order") for column in columns if column["role"] == "sensitive"}
    kinds = {name: _KINDS.get(order, "text") if isinstance(order, str) else "text" for name, order in orders.items()}
    return {name: domain.read_as(kinds[name]) for name, domain in engine.domains(list(orders)).items()}


_KINDS: dict[str, Kind] = {"numbers": "number", "dates": "datetime"}


def public_schema(
    columns: Sequence[Plain], missing_values: Sequence[str] = (), *, quasi: Sequence[str] = (), people: bool = False
) -> Schema:
    """Read the roles of published columns, and what is known about their values.

    ``quasi`` is the order of the quasi-identifiers, where it is another; with ``people`` it says whose row is whose, if
    pseudonyms do.
    """
    named: dict[str, list[str]] = {}
    special: dict[str, Hierarchy] = {}
    for column in columns:
        named.setdefault(column["role"], []).append(column["name"])
        if column.get("averaged"):
            special[column["name"]] = Averaged(auto(), column["averaged"])
        if column.get("items"):
            special[column["name"]] = items(separator=column["items"])
    count, entity = (named.get(role, [None])[0] for role in ("count", "entity"))
    return Schema(
        {name: special.get(name) for name in quasi or named.get("quasi-identifier", [])},
        {column["name"]: _read_meaning(column) for column in columns if column["role"] == "sensitive"},
        insensitive=named.get("insensitive", []),
        shifted=_read_shift(columns),
        entity=entity if people else None,
        count=count,
        missing_values=missing_values,
        presence={name: column["name"] for column in columns for name in column.get("without", ())},
    )


def certified_columns(
    engine: Engine, schema: Schema, levels: Mapping[str, int] | None, distributions: Mapping[str, Domain]
) -> list[Plain]:
    """Describe published columns; of a sensitive one only values that are in the file are named."""
    names = list(engine.columns())
    meanings, hierarchies = dict(schema.sensitive), dict(schema.quasi)
    domains = engine.domains([name for name in names if name in meanings])
    domains |= {name: domains[name].read_as(known.kind) for name, known in distributions.items()}
    columns = []
    for name in names:
        column: Plain = {"name": name, "role": schema.role(name) or "insensitive", "level": None}
        if column["role"] == "quasi-identifier" and levels is not None:
            column["level"] = levels[name]
        if schema.shifted is not None and column["role"] == "shifted":
            column["shifted"] = {"within": schema.shifted.within, "weekdays": schema.shifted.weekdays, "true": False}
        if without := [column for column, there in schema.presence if there == name]:
            column["without"] = without
        if isinstance(hierarchy := hierarchies.get(name), Averaged):
            column["averaged"] = hierarchy.by
        if (separator := separators_of(schema).get(name)) is not None:
            column["items"] = separator
        if column["role"] == "sensitive":
            column |= _public_meaning(meanings[name], domains[name])
        columns.append(column)
    return columns


def _read_shift(columns: Sequence[Plain]) -> ShiftedDates | None:
    """Read how far dates are shifted: all of a release in one way."""
    found = {column["name"]: column["shifted"] for column in columns if column["role"] == "shifted"}
    if not found:
        return None
    said = next(iter(found.values()))
    return ShiftedDates(tuple(found), said["within"], said["weekdays"])


def _public_meaning(meaning: Any, domain: Domain) -> Plain:
    """Write what is known about the values of a sensitive column, for those that are published and no others."""
    texts = domain.texts.tolist()
    if isinstance(meaning, Categories):
        category = meaning.bind(domain).category.tolist()
        groups = [
            [text for text, rank in zip(texts, category, strict=True) if rank == n] for n in range(len(meaning.groups))
        ]
        return {"categories": groups}
    if isinstance(meaning, Tree):
        return {"taxonomy": _taxonomy_paths(meaning.bind(domain), len(domain))}
    if isinstance(meaning, Ordered) and meaning.values is not None:
        order = np.argsort(meaning.ranks(domain)).tolist()
        return {"order": [texts[code] for code in order]}
    if domain.kind in {"text", "boolean"}:
        return {}
    return {"order": "numbers" if domain.kind == "number" else "dates"}


def _taxonomy_paths(ladder: Ladder, codes: int) -> list[list[str | None]]:
    levels = list(zip(ladder.labels, ladder.groups, strict=True))
    return [[labels[groups[code]] for labels, groups in levels] for code in range(codes)]


def _read_meaning(column: Mapping[str, Any]) -> Any:
    if "categories" in column:
        groups = [tuple("" if text is None else text for text in texts) for texts in column["categories"]]
        return Categories(tuple((str(rank), texts) for rank, texts in enumerate(groups, start=1)))
    if "taxonomy" in column:
        return Tree(tuple(sorted(tuple(path) for path in column["taxonomy"] if path[0] is not None)))
    return ordered(column["order"]) if isinstance(column.get("order"), list) else None
