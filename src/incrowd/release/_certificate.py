"""The certificate of a release: what was promised and measured, with nothing that gives anybody away."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    DataError,
    Finding,
    LocalRecoding,
    ParameterError,
    ReleaseMismatch,
)
from incrowd.engines import Engine, Wording, digest_of_files, ending_of, files_of, is_escaped
from incrowd.models import KmAnonymity, Model, NTCloseness, exact_text
from incrowd.release._input_distance import input_distance_bound
from incrowd.release._output import LABELS
from incrowd.release._recipe import public_search
from incrowd.release._release_file import Measurement
from incrowd.release._shifted_dates import untrue_text

if TYPE_CHECKING:
    from incrowd.release._release import Release


GENERAL = (
    "The promises cover intruders who know the quasi-identifiers; those who know other columns may learn more.",
    "They hold for this table alone, not together with other tables about the same people.",
    "They limit what the table tells about one person, not what it tells about a group of people.",
)
LEFT_OUT = "Records are left out by a rule: that somebody is missing can itself reveal something."
PSEUDONYMS = "Pseudonyms stand for names: whoever has their key knows who is who, and the data stay personal data."
SEVERAL_ROWS = (
    "The promises count people group by group. Whoever knows several rows of a person may find that person, or learn "
    "about them, more easily than the promises say of one row."
)
ROWS_COUNTED = (
    "Rows were counted, and several may belong to one person: groups may hold fewer people than rows, and the promises "
    "speak of rows."
)
LOCAL = (
    "A local recoding labels each group as precisely as it can. Whoever knows the method can sometimes tell more than "
    "the labels say: which finer groups were too small (downcoding, minimality)."
)
STARS = (
    "Every column has one level, and single cells have a star. Whoever knows the method can often tell from a star "
    "that the record, or one that it is grouped with, would stand out by what is under it (downcoding, minimality)."
)
HARMLESS = "Columns that were called insensitive are published as they are; the promises say nothing about them."

INTERVALS = (
    "No promise counts them. Whoever knows such an interval may find a person by it; and near the first and the last "
    "day of the table fewer shifts are possible, so that a date there tells more."
)


def limits_of(release: Release) -> list[str]:
    """Say what the promises of a release do not cover, whatever they are; nothing that the release does not show."""
    schema, recipe = release.schema, release.recipe
    perhaps: list[tuple[object, str]] = [
        (recipe.suppressed or recipe.dropped, LEFT_OUT),
        (recipe.pseudonymised, PSEUDONYMS),
        (recipe.repeated, ROWS_COUNTED),
        (schema.entity is not None and not any(map(_covers_several_rows, release.model.parts)), SEVERAL_ROWS),
        (schema.insensitive, HARMLESS),
        (schema.shifted, "" if schema.shifted is None else f"{untrue_text(schema.shifted.columns)} {INTERVALS}"),
        (recipe.levels is None, LOCAL),
        (recipe.has_stars, STARS),
    ]
    return [*GENERAL, *(sentence for applies, sentence in perhaps if applies)]


def _covers_several_rows(part: Model) -> bool:
    """Say whether a promise is about whoever knows several rows, and all that can be known of them."""
    return isinstance(part, KmAnonymity) and part.known is None and part.m > 1 and not part.promises_nothing


ESCAPED = "Texts that a spreadsheet would run, and those that begin with an apostrophe, have one more in front."
"""What is said of files in which texts are escaped."""
AS_PARQUET = "write it as Parquet, which keeps values as they are; nothing was published."
SCHEMA = 1
"""The version of the certificate's shape."""
Plain = dict[str, Any]


def certificate_of(
    release: Release, data: Path, date: str, engine: Engine, found: Measurement, wording: Wording
) -> Plain:
    """Write the certificate of a release; ``engine`` has opened the file with its table, on which all was measured."""
    columns = found.columns
    _expect_the_same(release, found)
    _expect_empty_texts(release, engine, data, wording)
    pseudonyms = [column["name"] for column in columns if column["role"] in {"identifier", "entity"}]
    return {
        "schema": SCHEMA,
        "date": date,
        "versions": dict(release.recipe.versions),
        "data": {
            "name": data.name,
            "sha256": digest_of_files(data),
            "bytes": bytes_of(data),
            "rows": found.rows,
            "escaped": escaping_of(data),
            **({} if wording.plain is None else {"dialect": wording.plain}),
            **({"stars": list(wording.stars)} if wording.stars else {}),
            **({"labels": digest_of_files(data.with_name(LABELS))} if data.with_name(LABELS).exists() else {}),
        },
        "columns": _columns_with_stars(release, found),
        "search": public_search(release.recipe.search),
        "promise": release.recipe.promise,
        "promises": _promise_entries(release, found),
        "counted": "records" if release.schema.entity is None else "persons",
        "records": int(found.sizes.sum()),
        "persons": release.verdict.persons,
        "classes": len(found.sizes),
        "suppressed": release.recipe.suppressed,
        "masked": release.recipe.masked,
        "dropped": release.recipe.dropped,
        "measures": shown_measures(columns, found.sizes, release.recipe.suppressed, release.recipe.masked),
        "pseudonymised": pseudonyms,
        "limits": limits_of(release),
    }


def _columns_with_stars(release: Release, found: Measurement) -> list[Plain]:
    """Say of every quasi-identifier how many records have a star there, where the search puts stars into cells."""
    if not release.recipe.has_stars:
        return list(found.columns)
    stars = found.starred
    return [{**one, "starred": stars[one["name"]]} if one["name"] in stars else one for one in found.columns]


def escaping_of(data: Path) -> str | None:
    """Say how texts of a released file are escaped; ``None`` if they are not."""
    return ESCAPED if is_escaped(data) else None


def canonical(certificate: Mapping[str, Any]) -> bytes:
    """Write a certificate in the one form that is signed: keys sorted, no spaces, without the signature."""
    plain = {name: value for name, value in certificate.items() if name != "signature"}
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def bytes_of(path: Path) -> int:
    """Give the bytes of a file, or of all files of a folder."""
    return sum(file.stat().st_size for file in files_of(path).files)


def shown_measures(
    columns: Sequence[Plain], sizes: npt.NDArray[np.int64], suppressed: int, masked: int = 0
) -> dict[str, float]:
    """Give the measures that follow from what is published; masked records are a class there, and suppressed too.

    The others count values of the original table, or know how high its ladders are: with all their digits they would
    confirm a guess about who was left out, so they stay with the owner.
    """
    left_out = suppressed - masked
    records = int(sizes.sum()) + left_out
    squares = sum(size * size for size in sizes.tolist()) - masked * masked
    levels = [column["level"] for column in columns if column["level"] is not None]
    return {
        **({"height": sum(levels)} if levels else {}),
        "discernibility": squares + suppressed * records,
        "aecs": records / max(len(sizes) + (left_out > 0), 1),
    }


def _expect_the_same(release: Release, found: Measurement) -> None:
    """Refuse a file that is not the table that was checked."""
    shown, certified = found.verdict, release.verdict
    same = (shown.classes, shown.records) == (certified.classes, certified.records)
    if release.schema.entity is None:
        pairs = zip(shown.findings, certified.findings, strict=True)
        measured = [zip(one.measured, other.measured, strict=True) for one, other in pairs if other.reference is None]
        same &= all(math.isclose(float(one), float(other)) for both in measured for one, other in both)
    if not same:
        msg = "The file that was written does not show what was measured on the table."
        raise ReleaseMismatch(msg, hint=AS_PARQUET)


def _expect_empty_texts(release: Release, engine: Engine, data: Path, wording: Wording) -> None:
    """Refuse a file whose readers would take an empty text for nothing, where that makes a difference.

    Files of SPSS and Stata hold no other nothing for texts. A CSV file has an empty text in quotes, which we read as it
    is and others do not: that does no harm as long as the column has no missing value beside it.
    """
    measured = (*release.schema.quasi_names, *release.schema.sensitive_names)
    possible = [name for name in measured if _may_be_empty(release, name)]  # seldom any, and asking reads the file
    lost: list[str] = []
    if ending_of(data) in {".sav", ".dta"}:
        lost = [name for name in possible if "" in _publishable_texts(release, name)]
    elif possible and ending_of(data) in {".csv", ".csv.gz"}:
        found = engine.domains(possible)
        holes = {name for name in possible if found[name].has_null or name in wording.stars}
        lost = [name for name in possible if name in holes and "" in found[name].texts.tolist()]
    if lost:
        msg = f"A file ending in {ending_of(data)!r} cannot tell the empty texts of column {lost[0]!r} from nothing."
        raise DataError(msg, hint=AS_PARQUET)


def _may_be_empty(release: Release, name: str) -> bool:
    """Say whether a column has an empty text, or a label that is one."""
    known = release.recoding.domains.get(name) or release.distributions.get(name)
    ladder = release.recoding.ladders.get(name)
    texts = (*([] if known is None else [known.texts]), *([] if ladder is None else ladder.labels))
    return any("" in set(one) for one in texts)


def _publishable_texts(release: Release, name: str) -> list[str | None]:
    """Give what can be published of a column that promises speak about."""
    recoding = release.recoding
    if name not in recoding.quasi:
        known = release.distributions.get(name)
        return [] if known is None else list(known.texts.tolist())
    if isinstance(recoding, LocalRecoding):
        return list(recoding.labels[recoding.quasi.index(name)].tolist())
    return list(recoding.ladders[name].labels[recoding.levels[name]].tolist())


def _promise_entries(release: Release, found: Measurement) -> list[Plain]:
    """Put what was found before publishing beside what the file shows."""
    left_out = release.recipe.suppressed - release.recipe.masked
    entries = []
    for model, certified, shown in zip(found.promises, release.verdict.findings, found.verdict.findings, strict=True):
        entry = _promise_entry(release, model, certified, shown)
        most = None if entry["measured"] is None else input_distance_bound(model, shown, found, left_out)
        if most is not None:
            bound = certified.required[0][2]
            entry["input_at_most"] = exact_text(min(most, bound))
            entry["owner_only"] = entry["owner_only"] if most > bound else None
        entries.append(entry)
    return entries


def _promise_entry(release: Release, model: Model, certified: Finding, shown: Finding) -> Plain:
    plain = model.certificate_form
    if plain is None:
        msg = f"A certificate cannot say what {type(model).__name__} promises."
        raise ParameterError(msg, hint="use the models that incrowd brings.")
    # What was measured against the original table is not written: a distance with all its digits would tell whoever
    # knows the release what the records left out have added to it. A bound is, that is the same whoever they are.
    people = release.schema.entity is not None  # they are counted where it was known whose row is whose
    here = certified if people else shown
    measured = None if people and certified.reference else [exact_text(number) for number in here.measured]
    supersets = {} if shown.supersets is None else {"supersets": shown.supersets}
    return {
        **plain,
        **supersets,
        "promise": certified.promise,
        "columns": list(certified.columns),
        "required": [
            {"name": name, "sense": sense, "bound": exact_text(bound)} for name, sense, bound in certified.required
        ],
        "measured": measured,
        "holds": certified.holds,
        "holds_here": None if measured is None else here.holds,
        "owner_only": _owner_only(release, model, certified, shown),
        "limits": model.limit,
    }


def _owner_only(release: Release, model: Model, certified: Finding, shown: Finding) -> str | None:
    """Say why a promise can hold although the file alone does not show it."""
    if certified.reference is None:
        return None
    bounds = " and ".join(f"{name} {sense} {bound}" for name, sense, bound in certified.required)
    left_out = release.recipe.suppressed - release.recipe.masked
    if left_out and (certified.reference == "input" or isinstance(model, NTCloseness)):
        return f"{bounds} was measured against the original table, which only its owner has"
    if isinstance(model, NTCloseness) and model.supersets != shown.supersets and not shown.holds:
        return f"{bounds} was measured with supersets of the kind {model.supersets}, which only the owner knows"
    return None
