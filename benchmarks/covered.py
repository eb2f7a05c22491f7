"""What the tests run through, room by room, lines and branches: a table, and the lines that nothing ran.

``python benchmarks/covered.py coverage.json``: of what ``coverage json`` wrote. ``--lines`` names the lines.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

COUNTED = ("num_statements", "missing_lines", "num_branches", "missing_branches")


def rooms_of(files: dict[str, Any]) -> dict[str, Counter[str]]:
    """Add up the modules of every room."""
    rooms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, found in files.items():
        parts = Path(name).parts
        room = parts[parts.index("incrowd") + 1]
        rooms[room if "." not in room else "(front)"].update({key: found["summary"][key] for key in COUNTED})
    return dict(rooms)


def share(found: Counter[str]) -> float:
    """Give the share of lines and branches together that were run, as coverage counts it."""
    there = found["num_statements"] + found["num_branches"]
    return 1 - (found["missing_lines"] + found["missing_branches"]) / max(there, 1)


def main() -> None:
    """Print the table."""
    files = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["files"]
    rooms = rooms_of(files)
    print("| room | lines | not run | branches | not taken | covered |\n|---|---|---|---|---|---|")
    rows = [*sorted(rooms.items()), ("all", sum(rooms.values(), Counter()))]
    for room, found in rows:
        numbers = " | ".join(f"{found[key]:,}" for key in COUNTED)
        print(f"| {room} | {numbers} | {share(found):.1%} |")
    if "--lines" in sys.argv:
        for name, found in sorted(files.items()):
            lines = [*map(str, found["missing_lines"]), *(f"{a}->{b}" for a, b in found.get("missing_branches", []))]
            if lines:
                print(f"{name}: {', '.join(lines)}")


if __name__ == "__main__":
    main()
