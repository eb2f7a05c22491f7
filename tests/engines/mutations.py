"""Damage of files, always the same by seed: bits flipped, sizes set to what programs fear, pieces cut out or put in."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Iterator

_FEARED = (b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", b"\0\0\0\0", b"\0\0\0\x80")


def mutations(content: bytes, count: int, seed: int = 1) -> Iterator[bytes]:
    """Give a file so many times, damaged in another way each time."""
    rolls = random.Random(seed)
    for _ in range(count):
        yield _damaged(bytearray(content), rolls)


def mutations_inside(archive: bytes, count: int, seed: int = 1) -> Iterator[bytes]:
    """Give an archive so many times, one of its parts damaged each time, and packed as if that were right."""
    rolls = random.Random(seed)
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        parts = {name: file.read(name) for name in file.namelist() if file.getinfo(name).file_size}
    for _ in range(count):
        chosen = rolls.choice(list(parts))
        yield packed({**parts, chosen: _damaged(bytearray(parts[chosen]), rolls)})


def packed(parts: dict[str, bytes]) -> bytes:
    """Pack the parts of an archive."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return written.getvalue()


def _damaged(content: bytearray, rolls: random.Random) -> bytes:
    place = rolls.randrange(len(content))
    kind = rolls.choices(["flip", "flips", "cut", "feared", "without", "with"], [4, 2, 1, 1, 1, 1])[0]
    if kind == "cut":
        del content[place:]
    elif kind == "feared":
        content[place : place + 4] = rolls.choice(_FEARED)
    elif kind == "without":
        del content[place : place + rolls.randrange(1, 9)]
    elif kind == "with":
        content[place:place] = rolls.randbytes(4)
    for _ in range({"flip": 1, "flips": 8}.get(kind, 0)):
        content[rolls.randrange(len(content))] ^= 1 << rolls.randrange(8)
    return bytes(content)
