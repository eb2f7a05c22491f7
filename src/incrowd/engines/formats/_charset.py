"""Which encoding a text file has, by its bytes: UTF-8, UTF-16, or the one whose letters are those of a language.

UTF-8 proves itself. Any other file is readable in many encodings, so letters decide: German has ``ä`` and no ``ù``,
Czech has ``ř`` beside ``ě``, and the common characters of Japanese, Chinese and Korean stand in blocks of their own.
"""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from incrowd.core import DataError, Hint

# The bytes of a text file, and whether an encoding reads all of them.

_BLOCK = 1 << 20
_BLOCK_BYTES = 256  # so many blocks of a file are looked at: a hint need not wait for all of a large one
MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def begins_with_mark(path: Path) -> bool:
    first = next(blocks_of(path), b"")
    return any(first.startswith(mark) for mark, _ in MARKS)


def unmarked_utf_16(first: bytes) -> list[str]:
    """Name the kind of UTF-16 in which most second bytes are zero, as in texts of Latin letters."""
    half = len(first) // 2 * 0.4
    by_order = {"utf-16-le": first[1::2].count(0), "utf-16-be": first[::2].count(0)}
    return [name for name, zeros in by_order.items() if zeros > half]


def can_decode(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in blocks_of(path):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    return True


def blocks_of(path: Path) -> Iterator[bytes]:
    """Give the bytes of a file, plain or ``.gz``, piece by piece; what cannot be unpacked ends them."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            for _ in range(_BLOCK_BYTES):
                if not (block := file.read(_BLOCK)):
                    return
                yield block
    except (OSError, EOFError, zlib.error):
        return


SAMPLE = 1 << 18  # so many bytes of lines with letters beyond ASCII are looked at
_COMMON = 0.9  # at least this share of the characters must be common ones of the language
_FREQUENT = 0.4
"""At least this share of the letters must be the most frequent ones of the language; there they are about 0.6."""

_WESTERN = (
    "üäöß", "éèàêçôùîâëûïœæÿü", "óíáéñúü", "èàùòéìóíúî", "ãçáéíóêõâàôúü", "éëïöèóüáêà", "øæåéóòâêôü", "äöåéüàšž",
    "íáðúóéöýþæ", "äõüöšž", "àóéèíçòúüï",
)  # fmt: skip
_CENTRAL = ("ąęłóśżćńź", "íáéěřýčžšůúňóťďľôäĺŕ", "áéöóőüíúű", "ăîşţâ", "čšžćđ")
_TURKISH = ("ıi̇şğüçöâîû",)  # noqa: RUF001 - the letters themselves
_GUESTS = "äöüßéá"  # letters of foreign names, which may stand in any table
_SIGNS = "€‚„…‘’“”•–—™§°´`·«»±×®©\u00a0µ²³½¼¾ºª¿¡£¹"  # noqa: RUF001 - the signs themselves
_ALPHABETS = {
    "cp1252": _WESTERN,
    "cp1250": _CENTRAL,
    "iso8859-2": _CENTRAL,
    "cp1254": _TURKISH,
    "cp850": _WESTERN,
    "mac_roman": _WESTERN,
}
"""Languages by the encodings of their letters, those that they write most first; the more usual encodings first."""
_OLD = {"cp850", "mac_roman"}  # encodings of machines that few still have: taken only where no other fits
_GUEST = 20  # a letter of a foreign name counts as one that the language writes this seldom
_LETTERS = {
    "cp1251": "оеаинтсрвл",
    "koi8-r": "оеаинтсрвл",
    "iso8859-5": "оеаинтсрвл",
    "cp866": "оеаинтсрвл",
    "cp1253": "αοιετσνηυρς",
}
_WITHIN = re.compile(r"[^\W\d_][^\w\s'’´`.\-–·&/()+,;\"][^\W\d_]|[©®™¹²³¼½¾ªº±][^\W\d_]")  # noqa: RUF001
"""A sign in the middle of a word, or one before a word that never stands there: it is a letter of another encoding."""
_FEW = 10  # so many letters tell the most frequent ones
_BLOCKS = {
    "euc_kr": ((0xA1, 0xA3), (0xB0, 0xC8)),
    "euc_jp": ((0xA1, 0xA5), (0xB0, 0xCF)),
    "gb18030": ((0xA1, 0xA3), (0xB0, 0xD7)),
    "big5": ((0xA1, 0xC6),),
    "cp932": ((0x81, 0x83), (0x88, 0x98)),
}
"""The first bytes of common characters: signs, syllables, and the characters that are taught first."""
_PAIRS = {*_BLOCKS, "cp866"}  # encodings in which a short line may be valid UTF-8 too
_SEQUENCE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
_KINDS = {True: "of UTF-8", False: "not"}


@dataclass(frozen=True, slots=True)
class Charset:
    """An encoding, whether nothing else fits, and what else fits if so."""

    encoding: str
    sure: bool
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: Path) -> Charset | None:
        """Find out the encoding of a text file; ``None`` if no usual one reads all of it, refused if it has two."""
        first = next(blocks_of(path), b"")
        marked = next((name for mark, name in MARKS if first.startswith(mark)), None)
        if marked is not None or 0 in first:
            likely = [marked] if marked else unmarked_utf_16(first)
            return next((cls(name, sure=True) for name in likely if can_decode(path, name)), None)
        if can_decode(path, "utf-8"):
            return cls("utf-8", sure=True)
        sample = _first_bytes(path)
        foreign = b"\n".join(line for line in sample.split(b"\n") if not _is_utf8(line)) or sample
        known = _charset_by_letters(foreign) or _charset_by_blocks(sample) or _charset_by_frequency(foreign)
        check_one_encoding(path, sample, None if known is None else known.encoding)
        others = tuple(name for name in _ALPHABETS if name != "cp1252" and _decode(sample, name) is not None)
        fitting = [*([known] if known else []), cls("cp1252", sure=False, others=others)]
        return next((one for one in fitting if can_decode(path, one.encoding)), None)


def wrong_encoding(path: Path | None, problem: str) -> DataError:
    if path is None:
        return DataError(problem, hint=Hint("say how it was saved, such as {encoding}.", encoding="cp1252"))
    try:
        found = Charset.of(path)
    except DataError as error:
        return DataError(error.message, hint=error.hint)
    if found is not None:
        return DataError(problem, hint=Hint("it can be read with {encoding}.", encoding=found.encoding))
    if any(0 in block for block in blocks_of(path)):
        return DataError(problem, hint="it does not look like a text file: is the ending of its name the right one?")
    hint = Hint("say how it was saved, such as {encoding}. No usual encoding fits.", encoding="cp437")
    return DataError(problem, hint=hint)


def check_one_encoding(path: Path, sample: bytes, likely: str | None) -> None:
    """Refuse a file of which some lines are UTF-8 and others are not."""
    if likely in _PAIRS:  # a few lines of these look like UTF-8 by chance, and of no other
        seen = [_is_utf8(line) for line in sample.split(b"\n") if line]
        if sum(seen) * 3 < len(seen):
            return
    elif not any(_SEQUENCE.search(block) for block in blocks_of(path)):
        return
    counts, first = Counter[bool](), dict[bool, int]()
    for number, line in enumerate(_lines_of_file(path), start=1):
        if not line.isascii():
            kind = _is_utf8(line)
            counts[kind] += 1
            first.setdefault(kind, number)
    if len(first) < 2:
        return
    told = (f"{counts[kind]:,} are {words}, the first of them line {first[kind]:,}" for kind, words in _KINDS.items())
    msg = f"The file {path.name!r} has two encodings: of its lines with special characters {', and '.join(told)}."
    raise DataError(msg, hint="mend these lines, or save the table again where it came from.")


def _first_bytes(path: Path) -> bytes:
    found, size = [], 0
    for line in _lines_of_file(path):
        if not line.isascii():
            found.append(line)
            size += len(line)
        if size > SAMPLE:
            break
    return b"\n".join(found)


def _lines_of_file(path: Path) -> Iterator[bytes]:
    rest = b""
    for block in blocks_of(path):
        *lines, rest = (rest + block).split(b"\n")
        yield from lines
    yield rest


def _is_utf8(line: bytes) -> bool:
    return _decode(line, "utf-8") is not None


def _decode(sample: bytes, encoding: str) -> str | None:
    try:
        return sample.decode(encoding)
    except UnicodeDecodeError:
        return None


def _charset_by_letters(sample: bytes) -> Charset | None:
    """Find the encoding whose letters are the usual ones of a language; sure if all that fit read the same."""
    texts = {encoding: text for encoding in _ALPHABETS if (text := _decode(sample, encoding)) is not None}
    usual = {encoding: _letter_score(text, _ALPHABETS[encoding]) for encoding, text in texts.items()}
    fitting = [encoding for encoding in texts if usual[encoding]]
    if not fitting:
        return None
    best = max(fitting, key=lambda encoding: (encoding not in _OLD, usual[encoding]))
    others = tuple(
        encoding
        for encoding in fitting
        if texts[encoding] != texts[best] and (encoding not in _OLD or 2 * usual[encoding] >= usual[best])
    )
    return Charset(best, sure=not others, others=others)


def _letter_score(text: str, alphabets: Iterable[str]) -> float:
    """Say how usual the letters of a text are in the language that fits best; 0 if none has them all."""
    found = Counter(sign for sign in text if not sign.isascii())
    letters = Counter[str]()
    for sign, count in found.items():
        if sign.isalpha() and sign not in "ªºµ":
            letters.update(dict.fromkeys(sign.lower(), count))
    signs = {sign for sign in found if not sign.isalpha() or sign in "ªºµ"}
    if not signs <= set(_SIGNS) or any(signs & set(match[0]) for match in _WITHIN.finditer(text)):
        return 0.0
    fitting = [alphabet for alphabet in alphabets if letters.keys() <= {*alphabet, *_GUESTS}]
    if not letters:
        return 1.0 if fitting else 0.0
    ranks = ({sign: place for place, sign in enumerate(alphabet, start=1)} for alphabet in fitting)
    shares = (sum(count / rank.get(sign, _GUEST) for sign, count in letters.items()) for rank in ranks)
    return max(shares, default=0.0) / letters.total()


def _charset_by_blocks(sample: bytes) -> Charset | None:
    """Find the encoding of Asia in which nearly all characters are common ones."""
    for encoding, blocks in _BLOCKS.items():
        text = _decode(sample, encoding)
        wide = [sign.encode(encoding) for sign in text or "" if not sign.isascii()]
        common = sum(len(sign) == 2 and any(low <= sign[0] <= high for low, high in blocks) for sign in wide)
        kana = sum("\u3040" <= sign <= "\u30ff" for sign in text or "")
        if wide and common >= _COMMON * len(wide) and (encoding != "euc_jp" or 10 * kana >= len(wide)):
            return Charset(encoding, sure=True)
    return None


def _charset_by_frequency(sample: bytes) -> Charset | None:
    """Find the encoding in which the letters are the most frequent ones of Russian, Ukrainian, Bulgarian or Greek."""
    shares = {}
    for encoding, frequent in _LETTERS.items():
        text = (_decode(sample, encoding) or "").lower()
        letters = [sign for sign in text if not sign.isascii() and sign.isalpha()]
        shares[encoding] = sum(sign in frequent for sign in letters) / max(len(letters), _FEW)
    best = max(shares, key=lambda encoding: shares[encoding])
    return Charset(best, sure=True) if shares[best] >= _FREQUENT else None
