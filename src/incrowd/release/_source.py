"""The table to publish: opened, its columns chosen, dangers said, described for the recipe."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from incrowd.core import Domain, Hint, Recoding, Schema, SchemaError, Setting, name_list, warn
from incrowd.engines import Dialect, Engine, Stamp, Wording, check_published, sample_of
from incrowd.hierarchies import FEW_RECORDS, is_free_text, pattern_of
from incrowd.release._census import open_with_schema
from incrowd.release._output import Manner
from incrowd.release._recipe import described_input
from incrowd.release._shifted_dates import IntervalRisk, Window, windows_of

NO_ROLE = Hint(
    "give each a role (insensitive publishes it as it is), or leave them out: {}"
    'others = "drop" under [output] in a plan, --drop-others for apply.',
    Setting("others", "drop", "others='drop' in Python, "),
)
LOOKED_AT = 10_000
"""So many records are looked at: what is nearly unique among them points at few people among all."""
NEARLY = 0.9
PEOPLE, ROWS_OF_ONE = 20, 10
"""Fewer values than that name people only if each stands in few rows: else they are towns or wards."""
FEWER = 10 / 9
"""Rows per person from which on something is said: a number that is written twice by mistake is not meant."""


class Repetition(NamedTuple):
    """What a sample shows of an identifier: its rows, their different values, and the pairs of rows that share one."""

    rows: int
    values: int
    pairs: int


@dataclass(frozen=True, slots=True)
class Source:
    """The table that is published: as it was given, where it lives, and which columns are published how.

    ``repeated`` has the identifiers that repeat though every row counts as another person. The clock of ``started``
    never goes back. ``windows`` say from when to when the true dates of shifted columns are.
    """

    table: Any
    engine: Engine
    columns: list[str]
    manner: Manner
    stamp: Stamp | None
    sample: int | None = None
    repeated: Mapping[str, Repetition] = field(default_factory=dict)
    windows: Mapping[str, Window] = field(default_factory=dict)
    started: float = field(default_factory=time.monotonic)

    @classmethod
    def open(cls, table: Any, schema: Schema, manner: Manner, sample: int | None = None) -> Source:
        """Open a table that is to be published, and warn of what is dangerous about that."""
        manner.refuse_own_output(table)
        engine = open_with_schema(table, schema, **manner.reading)
        columns = _published_columns(engine, schema, manner)
        check_published(engine, columns)
        windows = windows_of(engine, schema)
        harmless = [name for name in columns if name in schema.insensitive]
        people = () if schema.entity is not None or schema.count is not None else schema.identifiers
        seen = _sampled_domains(engine, [*harmless, *(name for name in people if name in engine.columns())])
        for note in (*manner.notes, *_doubts(seen, harmless), *_dates_beside(engine, schema, seen)):
            warn(note)
        repeated = {name: _repetition(seen[name]) for name in people if name in seen and _repeats(seen[name])}
        rows = engine if sample is None else sample_of(engine, sample)
        return cls(table, rows, columns, manner, engine.stamp, sample, repeated, windows)

    @property
    def wording(self) -> Wording | None:
        """How the file writes its table; ``None`` if that is no text file."""
        dialect: Dialect | None = getattr(self.engine, "dialect", None)
        return None if dialect is None else Wording(dialect, tuple(getattr(self.engine, "rewritten", ())))

    def described(self, rows: int, beside: ThreadPoolExecutor) -> Future[dict[str, Any]]:
        """Find out what is known about the table while others work."""
        columns = list(self.engine.columns())
        return beside.submit(described_input, self.table, self.stamp, columns, rows, self.wording, self.manner.reading)

    def check_unchanged(self) -> None:
        """Refuse files that changed since they were opened: to be done last, when nothing is read of them any more."""
        if self.stamp is not None:
            self.stamp.check()

    def intervals(self, released: Engine, schema: Schema) -> IntervalRisk | None:
        """Measure what a shift of dates leaves true in the published table, with its persons."""
        return IntervalRisk.measure(released, self.engine, schema, self.windows)

    def recoded(self, recoding: Recoding, more: Sequence[str] = ()) -> Engine:
        """Give the table as it is published, with more columns where it is only looked at."""
        keep = self.manner.order == "keep"
        columns = [*self.columns, *more]
        return self.engine.recode(recoding, columns, replace=self.manner.replaced, keep_order=keep)

    def people(self, rows: int) -> dict[str, str]:
        """Say how many people identifiers name, where these are clearly fewer than the rows of the whole table.

        Of a sample that is a part of the table the number is estimated: of the other rows of a person, as many are in
        the sample as the sample is of the table.
        """
        found = {}
        for name, seen in self.repeated.items() if self.sample is None else ():
            whole = seen.rows >= rows
            each = seen.rows / seen.values if whole else 1 + 2 * seen.pairs * rows / seen.rows**2
            if each >= FEWER and (seen.values >= PEOPLE or each <= ROWS_OF_ONE):
                found[name] = f"{seen.values:,}" if whole else f"about {float(f'{rows / each:.2g}'):,.0f}"
        return found


def _published_columns(engine: Engine, schema: Schema, manner: Manner) -> list[str]:
    """Give the columns of the release; none that has no role gets there by accident."""
    roles = {name: schema.role(name) for name in engine.columns()}
    without = [name for name, role in roles.items() if role is None]
    if without and manner.others == "refuse":
        counted = "1 column has" if len(without) == 1 else f"{len(without):,} columns have"
        msg = f"{counted} no role: {name_list(without)}."  # the other names were found, so these are names too
        raise SchemaError(msg, hint=NO_ROLE)
    shown = {"quasi-identifier", "sensitive", "insensitive", "shifted", "count"}
    return [name for name, role in roles.items() if role in shown or name in manner.pseudonyms]


def doubts_about(engine: Engine, harmless: Sequence[str]) -> list[str]:
    """Warn of columns that are called insensitive and may name a person."""
    return _doubts(_sampled_domains(engine, harmless), harmless)


def _doubts(seen: Mapping[str, Domain], harmless: Sequence[str]) -> list[str]:
    reasons = {name: _reason_for_doubt(seen[name]) for name in harmless if name in seen}
    return [f"Column {name!r} is published as it is, and {why}." for name, why in reasons.items() if why is not None]


def _dates_beside(engine: Engine, schema: Schema, seen: Mapping[str, Domain]) -> Iterator[str]:
    """Warn of dates that are published as they are, or vaguer, beside shifted ones."""
    if schema.shifted is not None:
        known = engine.domains([*schema.quasi_names, *schema.sensitive_names])
        for name, domain in {**known, **{name: seen[name] for name in schema.insensitive if name in seen}}.items():
            if domain.kind in {"date", "datetime", "instant"}:
                yield f"Column {name!r} has dates that are not shifted: beside them the others can tell by how much."


def _sampled_domains(engine: Engine, columns: Sequence[str]) -> dict[str, Domain]:
    """Give the values of some columns in a sample of the table; those that cannot be grouped are left out."""
    if not columns:
        return {}
    sample = sample_of(engine, LOOKED_AT)
    kinds = sample.columns()
    return sample.domains([name for name in columns if kinds.get(name) is not None])


def _reason_for_doubt(domain: Domain) -> str | None:
    """Say why a column that is called insensitive may name a person."""
    if pattern := pattern_of(domain):
        return f"its values look like {pattern}"
    if is_free_text(domain):
        return "it holds free text, which can name anybody"
    counts = domain.counts[: len(domain.values)]
    records = int(counts.sum())
    if records >= FEW_RECORDS and np.count_nonzero(counts == 1) >= NEARLY * records:
        return f"nearly every value occurs once among {records:,} records"
    return None


def _repeats(domain: Domain) -> bool:
    """Whether values are numbers or codes with digits, and some stand in several rows: two people may have one name."""
    texts = domain.texts[: len(domain.values)].tolist()
    if domain.has_null or len(texts) < 2 or not all(any(map(str.isdigit, text)) for text in texts):
        return False
    return bool((domain.counts[: len(texts)] > 1).any())


def _repetition(domain: Domain) -> Repetition:
    counts = domain.counts[: len(domain.values)].astype("int64")
    return Repetition(int(counts.sum()), len(counts), int((counts * (counts - 1)).sum()) // 2)
