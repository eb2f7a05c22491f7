"""``verify``: a released file held against its certificate, hash, signature and promises, with or without original."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, NoReturn, Unpack

from incrowd.core import (
    TOP,
    CensusRequest,
    DataError,
    EngineError,
    FullDomainRecoding,
    HierarchyError,
    Hint,
    IncrowdError,
    ParameterError,
    Recoding,
    ReleaseMismatch,
    SchemaError,
    text_in,
)
from incrowd.engines import Engine, Stamp, digest_of_files, files_of, is_written_by
from incrowd.models import Model, promise
from incrowd.release._census import Reading, reading_as_before, shares_needed
from incrowd.release._certificate import SCHEMA, bytes_of, canonical, escaping_of, shown_measures
from incrowd.release._folder import certificate_at, owner_beside
from incrowd.release._joined_schema import fills_of
from incrowd.release._output import LABELS, date_key
from incrowd.release._recipe import search_in
from incrowd.release._recoding_file import json_at, load_recoding
from incrowd.release._release_file import Measurement, Measuring, open_released, public_schema, wording_of
from incrowd.release._republication import Republication, compare_promises, republish
from incrowd.release._signature import KeyFile, is_signed
from incrowd.release._table_files import open_certified, table_remarks
from incrowd.release._verify_script import FIGURES, certificate_from, wrong_in

# The owner's folder beside a certificate: whether this release was made by this recipe.

Plain = dict[str, Any]
Remark = tuple[bool | None, str]
"""Whether something is as certified (``None``: it cannot be seen), and what."""


def compare_owner(certificate: Plain, public: Path, owner: Path) -> Iterator[Remark]:
    """Compare a certificate with the recipe."""
    recipe = _owner_json(owner / "recipe.json")
    columns = certificate["columns"]
    levels = {column["name"]: column["level"] for column in columns if column["role"] == "quasi-identifier"}
    for name in ("promise", "suppressed", "masked", "dropped", "date", "versions"):
        yield certificate[name] == recipe.get(name), f"recipe: {name}"
    if "search" in certificate or "search" in recipe:
        yield certificate.get("search") == search_in(recipe), "recipe: search"
    yield "levels" in recipe and levels == (recipe["levels"] or dict.fromkeys(levels)), "recipe: levels"
    saved = load_recoding(owner)
    roles = {column["name"]: column["role"] for column in columns}
    yield all(saved.schema.role(name) == role for name, role in roles.items()), "recipe: roles of the columns"
    if saved.recoding.node is not None:
        yield levels == dict(saved.recoding.node), "recoding: levels"
    if None not in (at := dict(saved.recoding.node or levels)).values():
        released = open_certified(certificate, public, fills=fills_of(saved.recoding))
        yield _are_labels_of_recoding(saved.recoding, at, released), "recoding: published labels"


def compare_original(
    certificate: Plain, public: Path, owner: Path, original: Any, reading: Plain, shift: bytes | None = None
) -> tuple[Republication | None, list[Remark]]:
    """Publish the original table again; give that, if it gives this release at all, and what is as certified.

    The very file that was published is read as it was then, whatever is not said now.
    """
    known = _owner_json(owner / "input.json")
    told: list[Remark] = []
    stamp = Stamp.of(files_of(original)) if isinstance(original, (str, os.PathLike)) else None
    if stamp is not None:
        same = stamp.digest() == known.get("sha256")
        told = [] if known.get("sha256") is None else [(same, "original: hash of the file")]
        if same:
            reading = reading_as_before(original, reading, known.get("reading", {}))
    again: Republication | None = None
    released = partial(open_certified, certificate, public, memory=reading.get("memory"))
    try:
        again = republish(load_recoding(owner), original, released, reading, shift)
        told += again.compare(certificate)
    except ReleaseMismatch:
        told.append((False, "original: it does not give the classes that the recoding predicts"))
    except EngineError:
        raise
    except (DataError, SchemaError, HierarchyError) as error:
        told.append((False, f"original: {error.message}"))
    if stamp is not None:
        stamp.check()
    return again, told


def _are_labels_of_recoding(recoding: Recoding, levels: Mapping[str, int], released: Engine) -> bool:
    """Say whether every label of the file is one that the recoding publishes at these levels, or a star in a cell."""
    if {*levels} != {*recoding.quasi} or any(level > recoding.ladders[name].height for name, level in levels.items()):
        return False
    domains = released.domains(recoding.quasi)
    stars = {TOP} if not isinstance(recoding, FullDomainRecoding) or recoding.has_masked else set()
    return all(
        set(domains[name].texts.tolist()) <= {*recoding.ladders[name].labels[level].tolist(), *stars}
        for name, level in levels.items()
        if level
    )


def _owner_json(path: Path) -> Plain:
    found = json_at(path)
    if not isinstance(found, dict):
        msg = f"The owner's file {path.name!r} is missing or cannot be read."
        raise DataError(msg, hint="name the folder owner of the release.")
    return found


VerifyOutcome = Literal["holds", "does not hold", "could not be checked"]
SHIFTED = "how dates were shifted: that shows with the original table and the key of the shift"
ON_TRUST = ("date", "versions", "limits", "what the columns are and mean", "how many records were left out")
"""What a certificate says and no file can show."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What became of a certificate. Ask ``verification.outcome``, or ``verification.holds``.

    Attributes
    ----------
    checked
        What is as certified.
    differences
        What differs from the certificate, or breaks a promise.
    not_checked
        The promises that neither the file nor what else was given can show, and why.
    on_trust
        What else the certificate says that nothing here can show: whoever signed it vouches for it.
    """

    checked: tuple[str, ...]
    differences: tuple[str, ...]
    not_checked: tuple[str, ...]
    on_trust: tuple[str, ...] = ()

    @property
    def outcome(self) -> VerifyOutcome:
        """What became of it, in one of three words.

        ``"holds"``: every promise was measured again and is kept, and nothing differs. ``"does not hold"``: a promise
        is broken, or something differs. ``"could not be checked"``: nothing differs, but a promise is about more than
        was given; ``not_checked`` says which, and why.
        """
        if self.differences:
            return "does not hold"
        return "could not be checked" if self.not_checked else "holds"

    @property
    def holds(self) -> bool:
        """Whether the outcome is ``"holds"``; not so where a promise could not be checked."""
        return self.outcome == "holds"

    def __bool__(self) -> NoReturn:
        msg = "A verification is neither true nor false; ask verification.outcome, or verification.holds."
        raise TypeError(msg)


def verify(
    path: str | os.PathLike[str],
    *,
    owner: str | os.PathLike[str] | None = None,
    original: Any = None,
    key: KeyFile | None = None,
    shift_key: KeyFile | None = None,
    **reading: Unpack[Reading],
) -> Verification:
    """Measure a released file again, and compare it with its certificate.

    Parameters
    ----------
    path
        The folder of a release, its folder ``public``, the certificate ``release.json``, or the data file beside it.
    owner
        The folder that was kept, to compare the recipe too. With an original it need not be named if it is still beside
        the folder ``public``.
    original
        The table that the release was made of: a file, or any table that ``anonymize`` takes. It is published again by
        the owner's recoding, so that promises about the original table, or about people who have several rows, are
        measured too.
    key
        A PEM file with the public Ed25519 key of whoever signed the certificate.
    shift_key
        The file with the key by which dates were shifted: with the original, every shifted date is then measured too.
    reading
        How to read the original, as in ``census``. ``memory`` is the most to use for anything here; the groups of a
        released file that has more than fit are measured in shares.

    Notes
    -----
    Everything that the file can disprove is caught: a changed cell, a missing row, an edited promise or count.
    Whether records were left out, how many, and what a promise that compares with the original table was, a file alone
    cannot show: such a promise could not be checked, unless the owner gives the original too. ``public/verify.py`` does
    the same without incrowd, for the file alone.

    Examples
    --------
    >>> import incrowd as ic, tempfile
    >>> table = [{"age": 31}, {"age": 34}, {"age": 52}, {"age": 55}]
    >>> release = ic.anonymize(table, ic.Schema(quasi={"age": ic.intervals(10, 20)}), model="k>=2")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = release.save(f"{folder}/out")
    ...     ic.verify(f"{folder}/out").outcome
    'holds'
    """
    place = certificate_at(path)
    certificate = _certificate_text(place)
    if original is None and shift_key is not None:
        msg = "The key of the shift says nothing without the original table."
        raise ParameterError(msg, hint=Hint("name it: {original}", original=...))
    if original is not None and owner is None:
        owner = owner_beside(place)
    if wrong := _wrong_parts(certificate):
        return Verification((), tuple(f"shape of the {where}" for where in wrong), ())
    again: Republication | None = None
    from_original: list[Remark] = []
    if original is not None and owner is not None:
        known = Path(owner), original, dict(reading), date_key(shift_key)
        again, from_original = compare_original(certificate, place.parent, *known)
    compare = _compare_tables if "tables" in certificate["data"] else _compare_file
    told = [*compare(certificate, place.parent, reading.get("memory"), again), *from_original]
    told += _compare_signature(certificate, key)
    if owner is not None:
        told += compare_owner(certificate, place.parent, Path(owner))
    named = {state: tuple(what for fine, what in told if fine is state) for state in (True, False, None)}
    return Verification(named[True], named[False], named[None], _unproven_claims(certificate, key, owner, again))


def _wrong_parts(certificate: Plain) -> list[str]:
    """Name what no certificate has like this; also a dialect that we do not write, or not by this name."""
    if wrong := wrong_in(certificate):
        return wrong
    try:
        wording_of(certificate["data"])
    except DataError:
        return ["certificate: data: dialect"]
    return []


def read_certificate(path: Path) -> Plain:
    """Read a certificate that has all that every certificate has, of the right kind, and nothing else."""
    certificate = _certificate_text(path)
    if wrong := _wrong_parts(certificate):
        more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        place = wrong[0].partition(": ")[2] or wrong[0]
        msg = f"The certificate {path.name!r} was edited or damaged: look at {place}{more}."
        raise DataError(msg, hint="take it as it was published; incrowd verify lists all that is wrong with it.")
    return certificate


def _certificate_text(path: Path) -> Plain:
    """Read a certificate of this version, whatever its parts are."""
    try:
        found = certificate_from(text_in(path))
        problem = (
            None if isinstance(found, dict) and found.get("schema") == SCHEMA else "is no certificate that we know"
        )
    except FileNotFoundError:
        problem = "does not exist"
    except KeyError:
        problem = "says something twice"
    except (OSError, ValueError, RecursionError):
        problem = "cannot be read"
    if problem is not None:
        msg = f"The certificate {path.name!r} {problem}."
        raise DataError(msg, hint="name the folder of a release, or the file release.json in its folder public.")
    return dict(found)


def _unproven_claims(
    certificate: Plain, key: KeyFile | None, owner: object, again: Republication | None
) -> tuple[str, ...]:
    """Name what the certificate says and nothing shows: the recipe of the owner shows most of it."""
    unsigned = ("the signature: nobody gave the public key",) if key is None and "signature" in certificate else ()
    searched = ("the search",) if owner is None and "search" in certificate else ()
    shown = again is not None and again.shifted is not None
    dates = (SHIFTED,) * (not shown and any(column["role"] == "shifted" for column in certificate["columns"]))
    return (*(ON_TRUST if owner is None else ("limits",)), *searched, *unsigned, *dates)


def _compare_file(
    certificate: Plain, folder: Path, memory: str | None, again: Republication | None
) -> Iterator[Remark]:
    """Compare the data file."""
    data = folder / Path(certificate["data"]["name"]).name
    if not data.exists():
        msg = f"The data file {data.name!r} is not beside the certificate."
        raise DataError(msg, hint="the folder public of a release has both.")
    stamp = Stamp.of(files_of(data))
    same = stamp.digest() == certificate["data"]["sha256"] and bytes_of(data) == certificate["data"]["bytes"]
    yield same, "hash of the data file"
    if (certificate["data"]["escaped"] is None) != (escaping_of(data) is None):
        yield False, "how texts are escaped"
    yield from _contradiction_remarks(certificate)
    if "labels" in certificate["data"]:
        beside = data.with_name(LABELS)
        yield beside.is_file() and digest_of_files(beside) == certificate["data"]["labels"], "hash of the labels"
    wording = wording_of(certificate["data"])
    written = wording.plain is None or is_written_by(data, wording)
    if not written:
        yield False, "how numbers, days and characters are written"
    if wording.stars and not _is_without_stars(certificate, open_released(data, replace(wording, stars=()))):
        yield False, "how stars are written"
    try:
        released = open_released(data, wording, memory=memory)
    except DataError:
        if written:
            raise
        return  # it is no file of this encoding, and that is said
    yield from _compare_table(certificate, released, again, untouched=same)
    stamp.check()


def _compare_tables(
    certificate: Plain, folder: Path, memory: str | None, again: Republication | None
) -> Iterator[Remark]:
    """Compare the files of several tables, and their joined rows."""
    yield from [*_contradiction_remarks(certificate), *table_remarks(certificate, folder, memory)]
    try:
        joined = open_certified(certificate, folder, memory=memory)
    except (DataError, SchemaError, ParameterError) as error:
        yield False, f"what can be measured: {error.message}"
    else:
        yield from _compare_table(certificate, joined, again, untouched=True)


def _is_without_stars(certificate: Plain, file: Engine) -> bool:
    """Say whether the columns that are said to have nothing for a star have that, and no star."""
    named = certificate["data"]["stars"]
    quasi = {column["name"] for column in certificate["columns"] if column["role"] == "quasi-identifier"}
    if len({*named}) < len(named) or not {*named} <= quasi & {*file.columns()}:
        return False
    return all(found.has_null and TOP not in found.texts for found in file.domains(named).values())


def _contradiction_remarks(certificate: Plain) -> Iterator[Remark]:
    """Name what contradicts itself."""
    columns, persons = certificate["columns"], certificate["persons"]
    levels = [column["level"] for column in columns if column["role"] == "quasi-identifier"]
    others = [column["level"] for column in columns if column["role"] != "quasi-identifier"]
    roles = [column["role"] for column in columns]
    hidden = [column["name"] for column in columns if column["role"] in {"identifier", "entity"}]
    several = certificate["counted"] == "persons"
    sound = {
        "roles of the columns": bool(levels) and roles.count("count") <= 1 and roles.count("entity") <= several,
        "levels of the columns": len({level is None for level in levels}) <= 1 and {*others} <= {None},
        "items of the columns": all(one["role"] == "quasi-identifier" for one in columns if "items" in one),
        "height": ("height" in certificate["measures"]) == (levels[:1] not in ([], [None])),
        "pseudonymised": certificate["pseudonymised"] == hidden,
        "persons": (persons is not None) == several and (persons or 0) <= certificate["records"],
        "masked": certificate["masked"] in {0, certificate["suppressed"]},
        "who has no row": "tables" in certificate["data"] or not any("without" in column for column in columns),
    }
    yield from ((False, name) for name, fine in sound.items() if not fine)


def _compare_table(
    certificate: Plain, engine: Engine, again: Republication | None, *, untouched: bool
) -> Iterator[Remark]:
    try:
        names = list(engine.columns())
        yield names == [column["name"] for column in certificate["columns"]], "names of the columns"
        model = promise(certificate["promise"])
        if str(model) != certificate["promise"]:
            yield False, "promise: it is not written as promises are"
        shares = _shares_needed(engine, certificate["columns"], model)
        found = Measuring(engine, certificate["columns"], model, shares=shares).group().result()
    except EngineError:
        if untouched:
            raise
        trouble = "the data file cannot be read"
    except IncrowdError as error:
        trouble = error.message
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        trouble = f"what is said of the columns does not fit ({type(error).__name__})"
    else:
        yield from _compare_counts(certificate, found)
        yield from compare_promises(certificate, found, None if again is None else again.verdict.findings)
        return
    yield False, f"what can be measured: {trouble}"


def _shares_needed(engine: Engine, columns: list[Plain], model: Model) -> int:
    """Say in how many shares a file is measured: one, unless its classes do not fit, and are judged by themselves."""
    schema = public_schema(columns, people=True)
    if {schema.count, schema.entity} != {None} or not model.judged_apart:
        return 1
    return shares_needed(engine, CensusRequest(schema.quasi_names, schema.sensitive_names))


def _compare_counts(certificate: Plain, measured: Measurement) -> Iterator[Remark]:
    columns, sizes = certificate["columns"], measured.sizes
    found: dict[str, float] = {
        "rows": measured.rows,
        "records": int(sizes.sum()),
        "classes": len(sizes),
        **shown_measures(columns, sizes, certificate["suppressed"], certificate["masked"]),
        **{f"starred cells of {name}": stars for name, stars in measured.starred.items()},
    }
    if measured.whose is not None:
        found["persons"] = measured.verdict.persons or 0
    certified = {**certificate["data"], **certificate, **certificate["measures"]}
    certified |= {f"starred cells of {one['name']}": one["starred"] for one in columns if "starred" in one}
    for name, number in found.items():
        if name in certified:
            off = 1e-9 * abs(number) if name == "aecs" else 0
            same = abs(certified[name] - number) <= off
            what = FIGURES.get(name, name)
            yield same, f"{what}: {number:,}" if same else f"{what}: certified {certified[name]}, found {number}"


def _compare_signature(certificate: Plain, key: KeyFile | None) -> Iterator[Remark]:
    if key is None:
        return
    signature = certificate.get("signature", "")
    try:
        signed = is_signed(canonical(certificate), signature, key)
    except UnicodeEncodeError:  # half a character, which nobody can have signed
        signed = False
    yield signed, "signature" if signature else "signature: the certificate has none"
