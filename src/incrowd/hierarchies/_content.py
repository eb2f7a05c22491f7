"""What the values of a column look like, whatever it is called."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from incrowd.core import Domain

FEW_RECORDS = 20  # in so small a table nearly every value occurs once, whatever it is
SAMPLE = 2_000  # so many values are looked at, evenly spaced: the same ones for the same table
MOST = 0.8  # a column is of a pattern if so large a share of its values is

_PATTERNS = {
    "e-mail addresses": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
    "web addresses": r"(?:https?://|www\.)\S+",
    "network addresses": r"(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}",
    "unique identifiers": r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
    "bank accounts": r"[A-Z]{2}\d{2} ?(?:[A-Z0-9]{4} ?){2,7}[A-Z0-9]{1,4}",
    "official numbers of persons": r"\d{3}-\d{2}-\d{4}|\d{8}-?[A-Z]|[XYZ]-?\d{7}-?[A-Z]|[A-Z]\d{9}"
    r"|\d{2} ?\d{6} ?[A-Z] ?\d{3}"
    r"|[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?\d[\dAB] ?\d{3} ?\d{3}(?: ?\d{2})?|[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]"
    r"|[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z\d]\d|\d{17}[\dXx]|\d{3}\.\d{3}\.\d{3}-\d{2}|756\.\d{4}\.\d{4}\.\d{2}"
    r"|(?:\d{2})?\d{4}[0-3]\d[-+]\d{4}|[0-3]\d[01]\d{3}[-+A-F]\d{3}[\dA-Y]|\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}"
    r"|[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]|\d{4} \d{4} \d{4}(?: \d{4})?",
    "telephone numbers": r"(?:\+|00)\d[\d\s()/.-]{6,}|0\d[\d]*[\s()/.-][\d\s()/.-]{4,}|\(\d{3}\) ?\d{3}-\d{4}"
    r"|\d{3}[-.]\d{3}[-.]\d{4}",
}


def pattern_of(domain: Domain) -> str | None:
    """Say what most values of a column of text look like, if they point at persons."""
    texts = sample_of_texts(domain)
    for what, pattern in _PATTERNS.items():
        if texts and sum(bool(re.fullmatch(pattern, text.strip())) for text in texts) >= MOST * len(texts):
            return what
    return None


def is_free_text(domain: Domain) -> bool:
    """Whether a column of text holds sentences: several words each, and hardly ever the same."""
    texts = sample_of_texts(domain)
    if len(texts) < 2 or len(domain.values) < 0.3 * domain.counts[: len(domain.values)].sum():
        return False
    return float(np.mean([len(text.split()) for text in texts])) >= 5


def are_numbers(domain: Domain) -> bool:
    """Whether values are numbers, or texts that are numbers but for a mark of what is missing."""
    texts = sample_of_texts(domain)
    return domain.kind == "number" or (len(texts) > 1 and sum(map(_is_number, texts)) >= len(texts) - 1)


def are_whole_numbers(domain: Domain) -> bool:
    """Whether values are whole numbers, and there are some."""
    return domain.kind == "number" and domain.values.dtype.kind == "i" and len(domain.values) > 0


def _is_number(text: str) -> bool:
    return text.strip().lstrip("-").replace(".", "", 1).replace(",", "", 1).isdecimal()


def sample_of_texts(domain: Domain, most: int = SAMPLE) -> Sequence[str]:
    """Give some values of a column of text, evenly spaced; none of other kinds."""
    if domain.kind != "text":
        return []
    values = domain.values
    step = max(len(values) // most, 1)
    return [str(value) for value in values[::step].tolist()]
