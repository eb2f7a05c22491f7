"""A saved release on disk, ``public`` and ``owner``: written whole, found again by any of its files."""

from __future__ import annotations

import datetime as dt
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from incrowd.core import DataError, Hint, ParameterError, atomic_folder, json_in
from incrowd.engines import Codebook, Engine, Wording, ending_of, open_table
from incrowd.models import exact_text
from incrowd.release._about import check_about
from incrowd.release._certificate import canonical, certificate_of, escaping_of
from incrowd.release._output import LABELS, Format, Output, check_stars, check_wanted_dialect, write_labels
from incrowd.release._recoding_file import PART, StoredRecoding, json_at, readable, write_recoding
from incrowd.release._release_file import Measurement, Measuring, open_released
from incrowd.release._signature import signature_of

if TYPE_CHECKING:
    from incrowd.release._release import Release

PUBLIC, OWNER = "public", "owner"
CERTIFICATE, SCRIPT = "release.json", "verify.py"
HOLDS = (
    f"{PUBLIC}/{CERTIFICATE}",
    *(f"{PUBLIC}/{name}" for name in (SCRIPT, LABELS, "report.html")),
    *(f"{OWNER}/{name}" for name in ("recoding.json", "recoding.parquet", "recipe.json", "input.json", "plan.toml")),
    *(f"{OWNER}/{name}" for name in (PART.format("*"), "report.html", "report.json")),
)
"""What the folder of a release can hold besides its data: whatever is written is named here, so it can be replaced."""
TABLES = "tables"
DATA: dict[str, tuple[str, ...]] = {
    f"data.{name}": (f"{PUBLIC}/data.{name}", f"{PUBLIC}/data.{name}/part-*.parquet") for name in get_args(Format)
}
DATA[TABLES] = (f"{PUBLIC}/{TABLES}/*",)
"""Where the data of a release lie, by the name that its certificate gives."""


def save(release: Release, folder: str | os.PathLike[str], *, date: str | None = None, **how: Any) -> Path:
    """Write a release as ``Release.save`` does, of this day or of another, as ISO 8601 writes it."""
    output = Output(Path(folder), **how)
    if output.format not in get_args(Format):
        msg = f"format must be one of {', '.join(map(repr, get_args(Format)))}, got {output.format!r}."
        raise ParameterError(msg)
    if release.recipe.sample is not None:
        msg = "What came of a sample is not a result: it gets no certificate, and is not written."
        raise ParameterError(msg, hint="run it again on the whole table, without sample.")
    if output.about is not None:
        check_about(output.about)
    output = replace(output, dialect=check_wanted_dialect(output.dialect), stars=check_stars(output.stars))
    with Folders.new(folder, force=output.force) as folders:
        data, table = folders.public / f"data.{output.format}", release.table
        engine = open_released(table) if isinstance(table, Path) else open_table(table, missing_values=())
        codebook = output.codebook(engine)
        wanted = output.wording(engine, release.recipe.wording, release.schema, release.recoding.domains)
        keep = release.recipe.order == "keep"
        wording = output.write(engine, data, wanted, release.recoding, keep_order=keep)
        folders.write_around(release, output, data, wording, codebook=codebook, date=date)
    return output.folder


def format_like(source: str | os.PathLike[str] | None) -> Format:
    """Give the format of a release whose table came from a file; Parquet if it did not, or that cannot be written."""
    ending = "" if source is None else ending_of(source).removeprefix(".")
    known: dict[str, Format] = {name: name for name in get_args(Format)}
    texts: dict[str, Format] = {"tsv": "csv", "txt": "csv", "tsv.gz": "csv.gz", "txt.gz": "csv.gz"}
    more: dict[str, Format] = {"feather": "arrow", "ipc": "arrow", "zsav": "sav", "xls": "xlsx", "xlsm": "xlsx"}
    return {**known, **texts, **more}.get(ending, "parquet")


class Folders(NamedTuple):
    """Where the two halves of a release are being written."""

    public: Path
    owner: Path

    @property
    def tables(self) -> Path:
        """Where the files of several tables are being written."""
        place = self.public / TABLES
        place.mkdir(exist_ok=True)
        return place

    @classmethod
    @contextmanager
    def new(cls, folder: str | os.PathLike[str], *, force: bool = False) -> Iterator[Folders]:
        """Give the two folders of a release to write into; they appear when the block ends well."""
        with atomic_folder(folder, holds=(*HOLDS, *_data_in(Path(folder))), force=force) as part:
            folders = cls(part / PUBLIC, part / OWNER)
            folders.owner.mkdir(mode=0o700)
            folders.public.mkdir()
            yield folders
            for file in folders.owner.iterdir():  # wherever it is moved to, nobody else reads it
                file.chmod(0o600)

    def write_around(  # noqa: PLR0913 - all but the first four are optional
        self,
        release: Release,
        output: Output,
        data: Path,
        wording: Wording,
        *,
        codebook: Codebook | None = None,
        date: str | None = None,
        released: Engine | None = None,
        found: Measurement | None = None,
        tables: list[dict[str, Any]] | None = None,
    ) -> None:
        """Write all that belongs to a release around its table, which is written, and perhaps opened and measured."""
        date, plan = date or dt.datetime.now(dt.UTC).date().isoformat(), output.plan
        released = released or open_released(data, wording, **({} if release.basis is None else release.basis.budget))
        if codebook is not None:
            write_labels(self.public, codebook, released, release.schema, wording)
        if found is None:
            shares = len(release.recoding.files) if isinstance(release.recoding, StoredRecoding) else 1
            found = Measuring.of(release, released, shares).group().result()
        certificate = certificate_of(release, data, date, released, found, wording)
        if tables is not None:
            escaped = escaping_of(data / tables[0]["file"])
            certificate["data"] |= {"tables": tables, "escaped": escaped}
        if output.sign is not None:
            certificate["signature"] = signature_of(canonical(certificate), output.sign)
        (self.public / CERTIFICATE).write_text(readable(certificate), encoding="utf-8")
        (self.public / SCRIPT).write_bytes((files("incrowd.release") / "_verify_script.py").read_bytes())
        _write_owner(release, self.owner, date, plan, certificate["data"]["escaped"])
        if output.about is not None:
            written = replace(release, table=data) if isinstance(release.table, Path) else release
            known = {"plan": plan, "date": date, "file": certificate["data"]}
            report_room().write_reports(written, self.owner, self.public, output.about, **known)


def public_folder(table: Any) -> tuple[Path, bool]:
    """Give the folder ``public`` of a release whose table was written, and whether it has several tables."""
    if isinstance(table, Path):
        return table.parent, False
    return Path(table[table.people]).parent.parent, True


def _data_in(folder: Path) -> tuple[str, ...]:
    """Say where the data of an earlier release lie; a table beside them that no certificate names is somebody's own."""
    try:
        name = json_in(folder / PUBLIC / CERTIFICATE)["data"]["name"]
        return DATA.get(name, ())
    except FileNotFoundError:  # nothing is there, unless what had stepped aside is put back
        return tuple(path for paths in DATA.values() for path in paths)
    except (NotADirectoryError, IsADirectoryError, ValueError, KeyError, TypeError):
        return ()
    except OSError as error:
        reason = error.strerror
    msg = f"The release that {folder.name!r} perhaps holds cannot be looked at: {reason}."
    raise DataError(msg, hint="check your rights and the disk.")


def report_room() -> ModuleType:
    """Give the room above that draws releases: the one import that points up, made when something is drawn."""
    import incrowd.report  # noqa: PLC0415

    return incrowd.report


def _write_owner(release: Release, folder: Path, date: str, plan: str | None, escaped: str | None) -> None:
    write_recoding(release, folder)
    recipe = {
        **asdict(release.recipe),
        "date": date,
        "escaped": escaped,
        "masked": release.recipe.masked,
        "measures": dict(release.measures),
        "promises": [
            {
                "promise": finding.promise,
                "columns": list(finding.columns),
                "measured": [exact_text(number) for number in finding.measured],
                "reference": finding.reference,
                "supersets": finding.supersets,
            }
            for finding in release.verdict.findings  # against the original table where that was promised
        ],
    }
    known = recipe.pop("input")
    if not recipe["shifted"]:
        del recipe["shifted"]
    (folder / "recipe.json").write_text(readable(_json_text(recipe)), encoding="utf-8")
    distributions = {
        name: [list(pair) for pair in zip(domain.texts.tolist(), domain.counts.tolist(), strict=True)]
        for name, domain in release.distributions.items()
    }
    (folder / "input.json").write_text(readable({**known, "distributions": distributions}), encoding="utf-8")
    if plan is not None:
        (folder / "plan.toml").write_text(plan, encoding="utf-8")


def _json_text(value: Any) -> Any:
    """Write what JSON does not know as text, such as infinity, and tuples as lists."""
    if isinstance(value, Mapping):
        return {str(key): _json_text(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_text(inner) for inner in value]
    known = value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
    return value if known else str(value)


# Where a saved release lies: whatever of it is named, its certificate and the owner's folder are found.

HINT = "name the folder of a release, its folder public, or the file release.json in it."


def certificate_in(path: Path) -> Path | None:
    """Find the certificate in what was named, if it is one or holds one."""
    for place in (path / PUBLIC / CERTIFICATE, path / CERTIFICATE):
        if path.is_dir() and place.is_file():
            return place
    return path if path.name == CERTIFICATE else None


def certificate_beside(path: Path) -> Path | None:
    """Find the certificate of a data file: it lies beside it, and names it."""
    place = path.with_name(CERTIFICATE) if path.name else path
    try:
        return place if path.exists() and json_at(place)["data"]["name"] == path.name else None
    except (OSError, KeyError, TypeError):
        return None


def certificate_at(path: str | os.PathLike[str]) -> Path:
    """Find the certificate of a release, whatever of it was named; else say what would be right."""
    path = Path(path)
    found = certificate_in(path) or certificate_beside(path)
    if found is not None or path.suffix == ".json":
        return found or path
    if path.is_dir():
        msg = f"The folder {path.name!r} holds no release."
    elif path.exists():
        msg = f"No certificate that names the file {path.name!r} lies beside it."
    else:
        msg = f"There is no file or folder {path.name!r}."
    raise DataError(msg, hint=HINT)


def owner_beside(certificate: Path) -> Path:
    """Find the folder that the owner kept, beside the folder that was published."""
    owner = certificate.resolve().parent.parent / OWNER
    if not owner.is_dir():
        msg = "How the original became the release is known to its owner only: the folder owner is not beside public."
        raise DataError(msg, hint=Hint("name it: {owner}", owner=...))
    return owner
