"""A process whose files can hold so many bytes: ``python limited_files.py FOLDER file|table FORMAT…``.

Every write beyond them fails, whoever makes it: Python, Arrow, DuckDB, another library. Every format is published with
each of several limits; whatever is left then, or said by an error that is neither ours nor of the system, is printed.
"""

from __future__ import annotations

import contextlib
import resource
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import incrowd as ic


@contextlib.contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let every write beyond so many bytes of a file fail."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def main(folder: Path, source: str, *kinds: str) -> None:
    """Publish in every format, with every limit."""
    table = [{"age": 20 + n % 30, "sex": "fm"[n % 2], "disease": f"canary {n * 7919 % 997}"} for n in range(900)]
    path = folder / "people.csv"
    path.write_text("\n".join([",".join(table[0]), *(",".join(map(str, row.values())) for row in table)]))
    given: Any = path if source == "file" else table
    tried = 0
    for kind in kinds:
        release(given, folder, kind)
        sizes = {one.stat().st_size for one in (folder / "out").rglob("*") if one.is_file()}
        shutil.rmtree(folder / "out")
        for size in sorted(
            {0, *(size * share // 2 for size in sizes for share in (0, 1)), *(one - 1 for one in sizes)}
        ):
            tried += 1
            try:
                with files_of_at_most(size):
                    release(given, folder, kind)
                say(f"{kind}: published within {size} bytes")
                shutil.rmtree(folder / "out")
            except (ic.IncrowdError, OSError) as error:
                if "canary" in str(error):
                    say(f"{kind}: at {size} bytes a value is quoted")
            except BaseException as error:  # noqa: BLE001 - what is no error of ours is what is looked for
                say(f"{kind}: at {size} bytes {type(error).__name__}")
            left = sorted(one.name for one in folder.iterdir() if one != path)
            if left:
                say(f"{kind}: at {size} bytes {left} is left")
        release(given, folder, kind)
        if not ic.verify(folder / "out").holds:
            say(f"{kind}: cannot be published after all")
        shutil.rmtree(folder / "out")
    say(f"{tried} tried")


def say(line: str) -> None:
    """Tell the test."""
    sys.stdout.write(f"{line}\n")


def release(given: Any, folder: Path, kind: str) -> None:
    """Publish the table."""
    roles = ic.Schema(quasi={"age": ic.intervals(5, 10), "sex": ic.flat()}, sensitive=["disease"])
    how: dict[str, Any] = {"output": folder / "out", "format": kind}
    ic.anonymize(given, roles, model="k>=3", algorithm=ic.Optimal(), **how)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
