"""Publish a table whose census does not fit into memory: cut by counts, then finished part by part."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, CensusRequest, Classes, LocalRecoding, Schema, Verdict, joint_verdict, put_cells
from incrowd.engines import CellFile, Engine, can_spill, private_folder, shares_of, spill_census, write_arrays
from incrowd.hierarchies import Averaged
from incrowd.models import Model
from incrowd.release._census import fits_in_memory
from incrowd.release._certificate import describe_columns
from incrowd.release._explanation import Spreads
from incrowd.release._feasibility import refuse_infeasible
from incrowd.release._floor import NO_REPORTS, Room
from incrowd.release._folder import OWNER, Folders, new_folder, write_around
from incrowd.release._output import Output
from incrowd.release._part_files import PART, CannotBeCutError, Files, StoredRecoding
from incrowd.release._publish import Found, Source, describing, release_of
from incrowd.release._recheck import as_predicted, beside_of, expect
from incrowd.release._recipe import budget_of, predicted_by
from incrowd.release._release import Release
from incrowd.release._release_file import Measurement, Measuring, open_released
from incrowd.release._verdict import verdict_of
from incrowd.release._wording import labels_known, wording_read, wording_wanted
from incrowd.search import Algorithm, CountedCuts, EarlierParts, LocalOutcome, Mondrian, Problem, Progress

# A number that tells whether two tables have the same records, although neither is held as a whole.

Words = npt.NDArray[np.uint64]

_ODD, _MIX, _MORE = (
    np.array([number], dtype=np.uint64) for number in (2**64 - 59, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def fingerprint(classes: Classes) -> int:
    """Add up a hash of every record: of its labels and its sensitive values, whatever the order.

    The fingerprints of the parts of a table add up to that of the table, modulo 2**64. Codes of sensitive values must
    be those of the same domains.
    """
    known = np.zeros(len(classes), dtype=np.uint64)
    assert classes.labels is not None  # noqa: S101 - what is published knows what it is called
    for names, codes in zip(classes.labels, classes.codes, strict=True):
        known = _mixed(known, _hashes(names)[codes])
    records = known[classes.members]
    for name in sorted(classes.cells.sensitive):
        records = _mixed(records, classes.cells.sensitive[name].astype(np.uint64))
    return int((records * classes.cells.counts.astype(np.uint64)).sum(dtype=np.uint64))


def _hashes(names: npt.NDArray[np.object_]) -> Words:
    texts = (b"" if name is None else b"=" + name.encode() for name in names.tolist())
    digests = b"".join(hashlib.blake2b(text, digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _mixed(before: Words, more: Any) -> Words:
    """Mix two words so that every bit of either changes about half of the bits."""
    word = before * _ODD + more + np.uint64(1)
    word = (word ^ (word >> np.uint64(30))) * _MIX
    word = (word ^ (word >> np.uint64(27))) * _MORE
    return np.asarray(word ^ (word >> np.uint64(31)), dtype=np.uint64)


PARTED = (
    "The census of this table does not fit into memory ({cells:,} cells do), so the table was cut by counts into parts "
    "that do, which were finished one after the other. More memory would give the same release."
)


def may_part(source: Source, schema: Schema, model: Model, algorithm: Algorithm) -> bool:
    """Say whether a table can be published part by part: if the search cuts it, and a record stands for itself."""
    manner = source.manner
    return (
        isinstance(algorithm, Mondrian)
        and algorithm.strict
        and model.union_closed  # else two parts that are called alike may break the promise together
        and schema.entity is None
        and schema.count is None
        and not any(isinstance(hierarchy, Averaged) for _, hierarchy in schema.quasi)
        and manner.output is not None
        and manner.order == "sorted"
        and can_spill(source.engine)
    )


def publish_in_parts(
    source: Source,
    asked: Callable[[Census], Problem],
    request: CensusRequest,
    room: Room,
    algorithm: Algorithm,
    progress: Callable[[Progress], bool | None] | None,
) -> Release | None:
    """Publish a table part by part; ``None`` if its census fits, or if a part that does not fit cannot be cut."""
    assert isinstance(algorithm, Mondrian)  # noqa: S101 - the caller saw to it
    lowest, highest = replace(request, floor=room.lows), replace(request, floor=room.highs)
    if fits_in_memory(source.engine, lowest, room.cells) or not fits_in_memory(source.engine, highest, room.cells):
        return None
    problem = replace(asked(source.engine.census(highest)), part=True)
    watch = None if progress is None else Watching(progress, problem.census.records)
    parts = Parts(source, problem, lowest, algorithm, room.cells, watch)
    try:
        return parts.publish()
    except CannotBeCutError:
        return None


class Watching:
    """Tells whoever watches how far the whole table is, while its parts are finished."""

    def __init__(self, tell: Callable[[Progress], bool | None], records: int) -> None:
        self._tell, self._records, self._stopped = tell, records, False
        self.done = 0
        """How many records are in parts that are finished."""

    def __call__(self, part: Progress) -> bool:
        if not self._stopped:
            self._stopped = self._tell(Progress(self.done + part.checked, self._records, part.best)) is False
        return not self._stopped


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A table to be published part by part."""

    source: Source
    problem: Problem
    request: CensusRequest
    algorithm: Mondrian
    room: int
    watch: Watching | None

    def publish(self) -> Release:
        """Cut the table, and publish the parts one after the other."""
        refuse_infeasible(self.problem)
        by = CountedCuts(self.problem, self.algorithm.labels)
        with private_folder(self.source.reading.get("temp")) as folder, ThreadPoolExecutor(max_workers=1) as beside:
            described = describing(self.source, self.problem, beside)
            cells = spill_census(self.source.engine, self.request, folder / "cells.parquet")
            files = Files(self.request, self.problem.census.domains, self.room, folder).cut(cells, by)
            with new_folder(self._output.folder, force=self._output.force) as folders:
                spreads, expected = self._finish(files, by, folder / "released", folders.owner)
                found = self._found(self._stored(folders.owner, len(files)), spreads, described)
                release = self._write(found, folder / "released", folders, len(files), expected)
        return replace(release, recoding=self._stored(self._output.folder / OWNER, len(files)))

    def _finish(self, files: list[CellFile], by: CountedCuts, released: Path, owner: Path) -> tuple[Spreads, int]:
        """Finish every part: rows and recoding go to files. Give what that cost, and the fingerprint of the rows."""
        released.mkdir()
        spreads, expected = Spreads.of(self.problem), 0
        for number, file in enumerate(files, start=1):
            places = released / f"{number}.parquet", owner / PART.format(number)
            expected += self._publish(*self._part(file, by), places, spreads)
        return spreads, expected % 2**64

    def _publish(self, problem: Problem, begun: EarlierParts, places: tuple[Path, Path], spreads: Spreads) -> int:
        """Finish some parts, and forget all about them but what it cost, and their fingerprint."""
        outcome = self.algorithm.go_on(problem, begun, self.watch)
        spreads.add(outcome)
        predicted = predicted_by(problem, outcome.recoding)
        self.source.recoded(outcome.recoding).write(places[0])
        as_predicted(open_released(places[0], **self._budget), problem, outcome.recoding, predicted)
        write_arrays(put_cells(outcome.recoding), places[1])
        if self.watch is not None:
            self.watch.done += problem.census.records
        return fingerprint(predicted.classes)

    def _part(self, file: CellFile, by: CountedCuts) -> tuple[Problem, EarlierParts]:
        """Read the cells of some parts; they are not needed on the disk any more."""
        cells = file.all()
        file.remove()
        census = Census.assemble(
            self.request, self.problem.census.domains, file.packing.unpack(cells.words), cells.counts
        )
        assert by.whole is not None  # noqa: S101 - the table was cut
        return replace(self.problem, census=census), EarlierParts(cells.parts, by.whole)

    def _write(self, found: Found, released: Path, folders: Folders, shares: int, expected: int) -> Release:
        """Bring the rows of all parts into one order, and check the file that they make."""
        data = folders.public / f"data.{self._output.format}"
        engine = self.source.engine
        wanted = wording_wanted(
            self._output.dialect, wording_read(engine), engine, self.problem.schema, self.problem.census.domains
        )
        wording = open_released(released, **self._budget).write(data, wording=wanted)
        written = open_released(data, wording, **self._budget)
        verdict, measured = self._verdict(written, shares, expected)
        place = self._output.folder / folders.public.name / data.name
        notes = () if self._output.about is None else (NO_REPORTS,)
        release = release_of(self.source, found, place, verdict, notes)
        labels = labels_known(engine, wanted=self._output.labels)
        how: dict[str, Any] = {"sign": self._output.sign, "plan": self._output.plan}
        how |= {"released": written, "found": measured}
        write_around(release, folders, data, wording, labels=labels, **how)
        return release

    def _verdict(self, engine: Engine, shares: int, expected: int) -> tuple[Verdict, Measurement]:
        """Judge what is published, share by share, with nothing but its labels; compare it with what was predicted.

        What a certificate says of the file is measured along the way, on the same classes.
        """
        problem, quasi = self.problem, self.problem.schema.quasi_names
        domains = {name: problem.census.domains[name] for name in problem.census.sensitive}
        columns = describe_columns(engine, problem.schema, None, domains)
        measuring = Measuring(engine, columns, problem.model, quasi=quasi, shares=shares)
        verdicts, found = [], 0
        for share in shares_of(engine, quasi, shares):
            published = share.classes(quasi, domains)
            verdict = verdict_of(problem.judges(), published, quasi)
            verdicts.append(replace(verdict, beside=beside_of(engine, published, problem, share=True)))
            found += fingerprint(published)
            measuring.take(published)
        whole = joint_verdict(verdicts)
        same = whole.records == problem.census.records and found % 2**64 == expected
        expect(fine=same, problem="has other records than the search predicted")
        expect(fine=whole.holds, problem="does not keep the promise that the search found it to keep")
        return whole, measuring.result()

    def _found(self, recoding: StoredRecoding, spreads: Spreads, described: Future[dict[str, Any]]) -> Found:
        """Say what was found, without what lies in files."""
        none, notes = np.zeros(0, dtype=np.int64), (PARTED.format(cells=self.room),)
        outcome = LocalOutcome(recoding, labels=(), sizes=none, suppressed=0, costs=spreads.costs(), notes=notes)
        return Found(
            problem=self.problem,
            outcome=outcome,
            algorithm=repr(self.algorithm),
            recoding=recoding,
            predicted=None,
            suppressed=0,
            costs=outcome.costs,
            explanation=spreads.explanation(),
            input=described,
        )

    def _stored(self, folder: Path, parts: int) -> StoredRecoding:
        census, none = self.problem.census, np.zeros(0, dtype=np.int64)
        outline = LocalRecoding(
            quasi=census.quasi,
            domains=census.domains,
            codes=(none,) * len(census.domains),
            classes=none,
            counts=none,
            labels=(np.zeros(0, dtype=object),) * len(census.quasi),
            ladders=census.ladders,
            floor={name: level for name, level in self.request.floor.items() if level},
        )
        return StoredRecoding(outline, folder, parts)

    @property
    def _output(self) -> Output:
        output = self.source.manner.output
        assert output is not None  # noqa: S101 - the caller saw to it
        return output

    @property
    def _budget(self) -> Mapping[str, Any]:
        return budget_of(self.source.reading)
