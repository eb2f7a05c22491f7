"""Whether a released file keeps what its certificate says."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from incrowd.api._certificate import SCHEMA, bytes_of, canonical, digest_of, escaping_of, shown_measures
from incrowd.api._compare_promises import compare_promises
from incrowd.api._fits import shares_needed
from incrowd.api._owner import compare_owner
from incrowd.api._released import measure, open_released, public_schema
from incrowd.api._sign import KeyFile, is_signed
from incrowd.core import CensusRequest, DataError, EngineError, IncrowdError
from incrowd.engines import Engine
from incrowd.models import Model, NTCloseness, promise

Plain = dict[str, Any]
Told = tuple[bool | None, str]
"""Whether something is as certified (``None``: it cannot be seen), and what."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What became of a certificate. Ask ``verification.holds``.

    Attributes
    ----------
    checked
        What is as certified.
    differences
        What differs.
    not_checked
        What neither the file nor what else was given can show.
    """

    checked: tuple[str, ...]
    differences: tuple[str, ...]
    not_checked: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def __bool__(self) -> NoReturn:
        msg = "A verification is neither true nor false; ask verification.holds."
        raise TypeError(msg)


def verify(
    path: str | os.PathLike[str],
    *,
    owner: str | os.PathLike[str] | None = None,
    original: str | os.PathLike[str] | None = None,
    key: KeyFile | None = None,
    memory: str | None = None,
) -> Verification:
    """Measure a released file again, and compare it with its certificate.

    Parameters
    ----------
    path
        The certificate, ``release.json``. The data file lies beside it.
    owner
        The folder that was kept, to compare the recipe too.
    original
        The file that the release was made of, to compare its hash with the recipe's.
    key
        A PEM file with the public Ed25519 key of whoever signed the certificate.
    memory
        The most to use, such as ``"4GB"``; the groups of a file that has more than fit are measured in shares.

    Notes
    -----
    Everything that the file can disprove is caught: a changed cell, a missing row, an edited promise or count.
    Whether records were left out, how many, and what a promise that compares with the original table was, a file alone
    cannot show: that is what a signature is for. ``public/verify.py`` does the same without incrowd.

    Examples
    --------
    >>> import incrowd as ic, tempfile
    >>> table = [{"age": 31}, {"age": 34}, {"age": 52}, {"age": 55}]
    >>> release = ic.anonymize(table, ic.Schema(quasi={"age": ic.intervals(10, 20)}), model="k>=2")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = release.save(f"{folder}/out")
    ...     ic.verify(f"{folder}/out/public/release.json").holds
    True
    """
    certificate = read_certificate(Path(path))
    told = list(_file(certificate, Path(path).parent, memory))
    told += _signature(certificate, key)
    if owner is not None:
        told += compare_owner(certificate, Path(path).parent, Path(owner), None if original is None else Path(original))
    elif original is not None:
        msg = "The hash of the original file is known to the owner only."
        raise DataError(msg, hint="give the owner's folder too.")
    named = {state: tuple(what for fine, what in told if fine is state) for state in (True, False, None)}
    return Verification(named[True], named[False], named[None])


def read_certificate(path: Path) -> Plain:
    """Read a certificate of this version."""
    if path.is_dir():
        path = path / "release.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        problem = (
            None if isinstance(found, dict) and found.get("schema") == SCHEMA else "is no certificate that we know"
        )
    except FileNotFoundError:
        problem = "does not exist"
    except (OSError, ValueError):
        problem = "cannot be read"
    if problem is not None:
        msg = f"The certificate {path.name!r} {problem}."
        raise DataError(msg, hint="name the file release.json in the folder public of a release.")
    return dict(found)


def _file(certificate: Plain, folder: Path, memory: str | None) -> Iterator[Told]:
    """Compare the data file; a certificate that was edited may lack anything."""
    try:
        data = folder / Path(certificate["data"]["name"]).name
        if not data.exists():
            msg = f"The data file {data.name!r} is not beside the certificate."
            raise DataError(msg)
        same = digest_of(data) == certificate["data"]["sha256"] and bytes_of(data) == certificate["data"]["bytes"]
        yield same, "hash of the data file"
        if certificate["data"].get("escaped") != escaping_of(data):
            yield False, "how texts are escaped"
        yield from _table(certificate, open_released(data, memory=memory), memory, untouched=same)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        trouble = type(error).__name__
    else:
        return
    yield False, f"shape of the certificate ({trouble})"


def _table(certificate: Plain, engine: Engine, memory: str | None, *, untouched: bool) -> Iterator[Told]:
    try:
        names = list(engine.columns())
        yield names == [column["name"] for column in certificate["columns"]], "names of the columns"
        model = promise(certificate["promise"])
        shares = _shares(engine, certificate["columns"], model, memory)
        found = measure(engine, certificate["columns"], model, shares)
    except EngineError:
        if untouched:
            raise
        trouble = "the data file cannot be read"
    except IncrowdError as error:
        trouble = error.message
    else:
        yield from _counts(certificate, found.sizes, found.rows)
        yield from compare_promises(certificate, found)
        return
    yield False, f"what can be measured: {trouble}"


def _shares(engine: Engine, columns: list[Plain], model: Model, memory: str | None) -> int:
    """Say in how many shares a file is measured: in one, unless its classes do not fit, and can be judged apart."""
    schema = public_schema(columns)
    if schema.count is not None or any(isinstance(part, NTCloseness) for part in model.parts):
        return 1
    return shares_needed(engine, CensusRequest(schema.quasi_names, schema.sensitive_names), memory)


def _counts(certificate: Plain, sizes: Any, rows: int) -> Iterator[Told]:
    found: Mapping[str, float] = {
        "rows": rows,
        "records": int(sizes.sum()),
        "classes": len(sizes),
        **shown_measures(certificate["columns"], sizes, certificate["suppressed"], certificate.get("masked", 0)),
    }
    measures = certificate["measures"]
    certified = {**certificate["data"], **certificate, **measures}
    for name, number in found.items():
        if name in certified:
            same = isinstance(certified[name], int | float) and abs(certified[name] - number) <= 1e-9 * abs(number)
            yield same, f"{name}: {number:,}" if same else f"{name}: certified {certified[name]}, found {number}"


def _signature(certificate: Plain, key: KeyFile | None) -> Iterator[Told]:
    signature = certificate.get("signature")
    if key is None:
        if signature is not None:
            yield None, "signature: nobody gave the public key"
        return
    signed = is_signed(canonical(certificate), signature if isinstance(signature, str) else "", key)
    yield signed, "signature" if signature is not None else "signature: the certificate has none"
