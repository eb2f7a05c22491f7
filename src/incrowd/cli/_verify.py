"""``incrowd verify``: whether a released file keeps what its certificate says; ``incrowd compare`` of two of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from incrowd.cli._explain import FOUND, NOT_CHECKED
from incrowd.cli._options import Json, with_reading
from incrowd.cli._terminal import amount, write, write_json
from incrowd.cli._text import short

if TYPE_CHECKING:
    from incrowd.release import Verification


Release = Annotated[
    Path, Argument(metavar="RELEASE", help="The folder of a release, its release.json, or its data file.")
]
Owner = Annotated[Path | None, Option(metavar="FOLDER", help="The folder owner, to compare the recipe too.")]
Original = Annotated[
    Path | None,
    Option(
        metavar="DATA",
        help="The original table, or the plan that names it or several, to measure what files alone cannot show.",
    ),
]
Key = Annotated[Path | None, Option(metavar="FILE", help="The public Ed25519 key (PEM) of whoever signed it.")]
ShiftKey = Annotated[
    Path | None, Option("--shift-key", metavar="FILE", help="The key by which dates were shifted, beside --original.")
]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Write only what differs or could not be checked.")]

EXITS = {"holds": 0, "does not hold": FOUND, "could not be checked": NOT_CHECKED}
"""With which exit code the command leaves."""


@with_reading()
def verify(
    release: Release,
    owner: Owner = None,
    original: Original = None,
    key: Key = None,
    shift_key: ShiftKey = None,
    *,
    reading: dict[str, Any],
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Measure a released file again; leave with 1 if it does not hold, with 4 if it could not be checked.

    For example: incrowd verify out --original patients.csv
    """
    from incrowd.release import verify as measure_again

    if original is not None and original.suffix == ".toml":  # the plan names it, or several tables
        from incrowd.plan import Plan

        plan = Plan.read(original)
        original, reading = plan.source(), {**plan.reading(), **reading}  # type: ignore[assignment]
    found = measure_again(release, owner=owner, original=original, key=key, shift_key=shift_key, **reading)
    if as_json:
        names = ("outcome", "holds", "checked", "differences", "not_checked", "on_trust")
        write_json({"schema": 1, **{name: getattr(found, name) for name in names}})
    else:
        write(*_verification_lines(found, quiet=quiet))
    return EXITS[found.outcome]


def _verification_lines(found: Verification, *, quiet: bool) -> list[str]:
    lines = [f"DIFFERS       {what}" for what in found.differences]
    lines += [f"not checked   {what}" for what in found.not_checked]
    if quiet:
        return lines
    trusted = [f"on trust      {', '.join(found.on_trust)}"] if found.on_trust else []
    return [
        *(f"as certified  {what}" for what in found.checked),
        *lines,
        *trusted,
        _outcome_text(found),
        *_reason_lines(found),
    ]


def _outcome_text(found: Verification) -> str:
    word, differ, unseen = found.outcome.upper(), len(found.differences), len(found.not_checked)
    if differ:
        return f"{word}: {amount(differ, 'thing')} {'differs' if differ == 1 else 'differ'} from the certificate."
    if unseen:
        return f"{word}: {amount(unseen, 'promise')}; all else is as certified. The owner can, with --original."
    return f"{word}: every promise was measured again, and nothing differs."


def _reason_lines(found: Verification) -> list[str]:
    """Say what is missing where people are counted and the file has no column of persons."""
    from incrowd.release import WHOSE

    if found.differences or not any(WHOSE in what for what in found.not_checked):
        return []
    return [
        "Nothing is wrong: people were counted, and no column says whose row is whose, so that nobody can tie rows",
        "together. Whoever has the original table can count them: incrowd verify RELEASE --original TABLE.",
        "Others could only if every person had a pseudonym in the file, which would tie the rows together.",
    ]


# ``incrowd compare``: two certificates side by side.

HELP = "The folder of a release, its release.json, or the data file beside it."
A = Annotated[Path, Argument(metavar="A", help=HELP)]
B = Annotated[Path, Argument(metavar="B", help=HELP)]
NAME, NUMBER = 36, 18
"""Three columns that fit into a terminal."""

TITLES = {"records": "records published", "suppressed": "records left out", "classes": "groups"}


def compare(a: A, b: B, as_json: Json = False) -> None:
    """Put the certificates of two releases side by side; * marks what differs.

    For example: incrowd compare out other
    """
    one, two = (_certified_facts(_certificate_of_folder(path)) for path in (a, b))
    names = [*one, *(name for name in two if name not in one)]
    if as_json:
        rows = [{"what": name, "a": one.get(name), "b": two.get(name)} for name in names]
        write_json({"schema": 1, "rows": rows})
        return
    write(f"  {'':{NAME}}  {'A':>{NUMBER}}  {'B':>{NUMBER}}")
    for name in names:
        left, right = (_comparison_text(facts.get(name)) for facts in (one, two))
        mark = " " if left == right else "*"
        write(f"{mark} {short(name, NAME - 1, ' '):<{NAME}}  {left:>{NUMBER}}  {right:>{NUMBER}}")


def _certificate_of_folder(path: Path) -> dict[str, Any]:
    from incrowd.release import certificate_at, read_certificate

    return read_certificate(certificate_at(path))


def _certified_facts(certificate: dict[str, Any]) -> dict[str, Any]:
    return {
        **{said: certificate[name] for name, said in TITLES.items()},
        **{f"level of {one['name']}": one["level"] for one in certificate["columns"] if one["level"] is not None},
        **dict(fact for promise in certificate["promises"] for fact in _measured_facts(promise)),
        **certificate["measures"],
    }


def _measured_facts(promise: dict[str, Any]) -> list[tuple[str, Any]]:
    """Give what was measured for a promise, by its name and its columns."""
    columns = f" of {', '.join(promise['columns'])}" if promise["columns"] else ""
    pairs = zip(promise["required"], promise["measured"] or [], strict=False)
    return [(f"{required['name']}{columns}", measured) for required, measured in pairs]


def _comparison_text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
