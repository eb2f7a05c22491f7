"""Many people at once: tree, labels and people are laid out as the compiled walk needs them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from incrowd.attacks._linkage import Links
from incrowd.attacks._linkage_compiled import DIGIT, Answers, Covers, Crowd, Says, Tree, in_order, put_in, walk
from incrowd.core import Packing

Ints = npt.NDArray[np.integer]
Words = npt.NDArray[np.int64]


def add_up_many(links: Links, sizes: Ints, certain: Sequence[Ints], ranks: Ints | None) -> Answers:
    """Say of every person what the classes say that can be the person's, in one compiled walk.

    Parameters
    ----------
    links
        Which classes these are.
    sizes, certain
        How many are in each class, and per sensitive column the code of the value that everybody there has, or -1.
    ranks
        How narrow each class is, the narrowest first; nothing where nobody asks.
    """
    people, ends, none = links.people, links.classes, np.zeros(0, dtype=np.int64)
    rows = [codes[ends].astype(np.int64) for codes in certain]
    says = Says(
        ends,
        sizes[ends].astype(np.int64),
        none if ranks is None else ranks[ends].astype(np.int64),
        np.stack(rows) if rows else none.reshape(0, 0),
    )
    answers = Answers(
        kind=np.empty(people, dtype=np.int32),
        only=np.empty(people, dtype=np.int64),
        candidates=np.empty(people, dtype=np.int64),
        narrowest=np.empty(0 if ranks is None else people, dtype=np.int64),
        certain=np.empty((len(rows), people), dtype=np.int64),
        telling=np.zeros((len(rows), len(sizes)), dtype=bool),
    )
    kinds = links.alike()
    crowd, order = _crowd(links, kinds)
    number = walk(crowd, _tree(links), _covers(links, kinds), says, answers)
    kind = np.empty_like(answers.kind)
    kind[order] = answers.kind
    return answers._replace(
        kind=kind,
        only=answers.only[:number],
        candidates=answers.candidates[:number],
        narrowest=answers.narrowest[:number],
        certain=answers.certain[:, :number],
    )


def _crowd(links: Links, kinds: Sequence[Words]) -> tuple[Crowd, Ints]:
    """Pack people, those values alike that the same labels cover, and sort them; also give where each was."""
    packing = Packing.of([_number(kind) for kind in kinds])
    words = np.zeros((packing.words, links.people), dtype=np.int64)
    for field, kind, codes in zip(packing.fields, kinds, links.codes, strict=True):
        put_in(words[field.word], codes, kind << field.shift)
    parts = ([getattr(field, part) for field in packing.fields] for part in ("word", "shift", "bits"))
    word, shift, bits = (np.array(part, dtype=np.int64) for part in parts)
    order = _sort(words, int(bits.sum()))
    return Crowd(words, word, shift, (1 << bits) - 1), order


def _sort(words: Words, bits: int) -> Ints:
    """Sort people where they are, by so many bits; give where each was."""
    if len(words) > 1:
        several = np.lexsort(words[::-1])
        words[:] = words[:, several]
        return several
    order, kept, spare = np.arange(words.shape[1], dtype=np.int32), words[0], np.empty_like(words[0])
    other = np.empty_like(order)
    for done in range(0, bits, DIGIT):
        in_order(kept, spare, order, other, done)
        kept, spare, order, other = spare, kept, other, order
    words[0] = kept
    return order


def _tree(links: Links) -> Tree:
    """Lay the levels out after each other."""
    starts, labels = ([getattr(level, part) for level in links.levels] for part in ("starts", "labels"))
    return Tree(
        np.concatenate(starts).astype(np.int64),
        np.concatenate(labels).astype(np.int32),
        np.cumsum([0, *map(len, starts)])[:-1],
        np.cumsum([0, *map(len, labels)]),
    )


def _covers(links: Links, kinds: Sequence[Words]) -> Covers:
    """Say of every kind of value which labels cover it."""
    bits = []
    for matching, kind in zip(links.matchings, kinds, strict=True):
        some = np.zeros(_number(kind), dtype=np.int64)  # a value of each kind; numbers that no value has are not asked
        some[kind] = np.arange(len(kind))
        bits.append(matching.bits()[some])
    starts = np.cumsum([0, *(part.size for part in bits)])[:-1]
    return Covers(np.concatenate([part.ravel() for part in bits]), starts, np.array([part.shape[1] for part in bits]))


def _number(kind: Words) -> int:
    return int(kind.max(initial=0)) + 1
