"""What the library says to somebody who writes Python, in the words of the command line and of a plan."""

from __future__ import annotations

import re

_SEARCH = re.compile(
    r"\b(Optimal|Incognito|Samarati|TopDown|Mondrian|Datafly|MuArgus|SwapDiversity|CheapestFirst)\(([^()]*)\)"
)
_PHRASES = (
    (r"\bencoding='([^']*)'", r'--encoding \1, or encoding = "\1" in a plan'),
    (r"\bseparator='([^']*)'", r'--separator "\1", or separator = "\1" in a plan'),
    (r"\b(decimal|thousands|dates)='([^']*)'", r'--\1 "\2", or \1 = "\2" in a plan'),
    (r"\bheader=False", "--no-header, or header = false in a plan"),
    (r"\bsheet=(\d+)", r"--sheet \1, or sheet = \1 in a plan"),
    (r"\bowner=\.\.\.", "--owner FOLDER"),
    (r"\bmemory='([^']*)'", r"--memory \1"),
    (r"force=True, --force on the command line|force=True", "--force"),
    (r"others='drop' in Python, ", ""),
    (r"\bon=\{'(\w+)': '(\w+)'\}", r"--on \1=\2"),
    (r"the error carries (them|the values) in \.values", r"--show-values prints \1"),
    (r"; the command line prints them with --show-values", ""),
    (r"\bmax_suppressed_records=(\d+)", r"max_suppressed_records = \1 in place of max_suppressed"),
    (r"write sensitive=\{'([^']*)': categories\(\.\.\.\)\}", r'write categories = "FILE" under [columns."\1"]'),
    (r"write sensitive=\{'([^']*)': tree\(\.\.\.\)\}", r'write hierarchy = { tree = "FILE" } under [columns."\1"]'),
    (
        r"write sensitive=\{'([^']*)': ordered\(\[\.\.\.\]\)\}",
        r'write hierarchy = { ordered = ["LEAST", "MOST"] } under [columns."\1"]',
    ),
    (
        r"quasi=\{'([^']*)': intervals\(([\d, ]+)\)\}",
        r'hierarchy = { intervals = [\2] } under [columns."\1"]',
    ),
    (r"write of='([^']*)'", r"name it in brackets: [\1]"),
    (r'write NTCloseness\(\.\.\., supersets="(\w+)"\)', r"write nt(...)[\1]"),
    (r"\b(suppression|order)='(\w+)'", r'\1 = "\2"'),
)
"""Patterns, and what is written here instead."""


def terminal_words(text: str) -> str:
    """Say in the words of a plan and of the options what the library says in Python's."""
    for pattern, instead in _PHRASES:
        text = re.sub(pattern, instead, text)
    return _SEARCH.sub(_as_in_a_plan, text)


def _as_in_a_plan(call: re.Match[str]) -> str:
    """Write a search as a plan names it: ``Mondrian(strict=True)`` is a table there."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", call[1]).lower()
    if not call[2]:
        return f'"{name}"'
    given = call[2] if "=" in call[2] else f"best={call[2]}"  # the only one that is given without its name
    values = re.sub(r"\s*=\s*", " = ", given).replace("True", "true").replace("False", "false")
    return f'{{ name = "{name}", {values} }}'
