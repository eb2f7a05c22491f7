"""Searches on Adult, against ARX's warm calls or DuckDB's group-by of the same columns."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tall
from _searches import ADULT, Rows, Search, Targets, Times, clock, load_compiled, schema
from _timing import DATA
from arx_peer import Case, run_arx

import incrowd as ic
from incrowd.search import Incognito, LevelsAndCells, Optimal

EIGHT = tuple(name for name in ADULT if name != "occupation")
MODELS = {
    "distinct:3": "l>=3[occupation]",
    "closeness:0.2": "t<=0.2[occupation]",
    "entropy:3": "entropy-l>=3[occupation]",
}
METRICS = {"aecs": "average-class-size"}
"""What ARX calls measures, where that differs."""
USUAL = "9 columns, k=5, 5 %"


@dataclass(frozen=True)
class Contest:
    """A search that both can do.

    ``model`` is spelled as for ARX and belongs to the occupation, which is no quasi-identifier then. ``calls`` is how
    often ARX is called warm in one process.
    """

    name: str
    share: float = 0.05
    k: int = 5
    model: str | None = None
    measure: str = "loss"
    calls: int = 3
    wanted: float | None = None
    tall: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return EIGHT if self.model else ADULT

    @property
    def search(self) -> Search:
        text = f"k>={self.k}" + (f", {MODELS[self.model]}" if self.model else "")
        return Search(text, self.share, Optimal(self.measure))

    def rows(self, adult: Path) -> Rows:
        """Read and encode the table."""
        roles = schema(self.columns, self._prefix(adult), ["occupation"] if self.model else [])
        return Rows.of(ic.census(adult / "adult.csv", roles), roles)

    def case(self, adult: Path) -> Case:
        """Say the same to ARX."""
        return Case(
            adult / "adult.csv",
            {name: Path(f"{self._prefix(adult)}{name}.csv") for name in self.columns},
            k=self.k,
            limit=self.share,
            sensitive="occupation" if self.model else None,
            model=self.model,
            metric=METRICS.get(self.measure, self.measure),
        )

    def _prefix(self, adult: Path) -> str:
        if self.tall:
            tall.files(adult, DATA / "tall")
            return f"{DATA / 'tall'}/hierarchy_"
        return f"{adult}/hierarchy_"


CONTESTS = (
    Contest("9 columns, k=5, nobody left out", 0, calls=20, wanted=20),
    Contest(USUAL, calls=5, wanted=20),
    Contest("9 columns, k=5, 100 %", 1, wanted=75),
    Contest("9 columns, k=10, 5 %", k=10),
    Contest("9 columns, k=5, 5 %, discernibility", measure="discernibility", wanted=15),
    Contest("9 columns, k=5, 5 %, average class", measure="aecs", wanted=15),
    Contest("8 columns, k=5, distinct l=3, 5 %", model="distinct:3", calls=5, wanted=10),
    Contest("8 columns, k=5, t=0.2, 5 %", model="closeness:0.2", wanted=5),
    Contest("8 columns, k=5, entropy l=3, 5 %", model="entropy:3", calls=5, wanted=3),
    Contest("9 columns, 200,000 nodes, k=5, 5 %", calls=2, tall=True),
)


def optimal(adult: Path, classpath: str | None, rounds: int, targets: Targets) -> None:
    """Print how long the best node takes, the census from encoded rows included."""
    other = "ARX" if classpath else "group-by"
    print("best node on Adult: ms as median (minimum) of warm calls, the census from encoded rows included")
    print(
        "  ratio: " + ("how many times as fast as ARX" if classpath else "how many times as long as DuckDB's group-by")
    )
    print(f"  {'':<38}{'incrowd':>18}{other:>20}{'ratio':>9}{'by CPU':>9}{'wanted':>8}  nodes tested, optimum")
    load_compiled()
    usual = Times([])
    for contest in CONTESTS:
        rows, search = contest.rows(adult), contest.search
        best = search.of_rows(rows)  # loads what is loaded only when it is used
        task = functools.partial(search.of_rows, rows)
        ours, theirs, facts = _alternate(task, contest, adult, classpath, (rounds, 7))
        usual = theirs if contest.name == USUAL else usual
        ratio = theirs.median / ours.median if classpath else ours.median / theirs.median
        wanted = f"{contest.wanted:g}" if contest.wanted and classpath else ""
        told = _compared(best, facts, entropy=contest.model == "entropy:3")
        by_cpu = f"{facts['by_cpu']:.1f} x" if facts else ""
        print(
            f"  {contest.name:<38}{ours!s:>18}{theirs!s:>20}{ratio:>7.1f} x{by_cpu:>9}{wanted:>8}  {told}", flush=True
        )
        if classpath and contest.wanted:
            targets.at_least(contest.name, ratio, contest.wanted)
        if classpath and contest.tall:
            targets.at_most(f"{contest.name}, against ARX's {USUAL}", ours.median / usual.median, 1 / 1.6)
        if facts and best.best and contest.model != "entropy:3":
            targets.same(f"{contest.name}, levels", list(best.best.levels.values()), facts["levels"])


def _alternate(
    task: Callable[[], Any], contest: Contest, adult: Path, classpath: str | None, often: tuple[int, int]
) -> tuple[Times, Times, dict[str, Any]]:
    """Time us and the peer in turns, so many rounds and calls of ours each; also give what the peer found."""
    rounds, calls = often
    ours: list[float] = []
    theirs: list[float] = []
    processor: tuple[list[float], list[float]] = [], []
    facts: dict[str, Any] = {}
    group_by = None if classpath else _group_by(adult, contest.columns)
    for _ in range(rounds):
        ours += clock(task, calls, processor[0])
        if classpath:
            facts = run_arx(classpath, contest.case(adult), repetitions=contest.calls, heap="8g")
            theirs += [milliseconds / 1e3 for milliseconds in facts["warm_ms"]]
            processor[1].extend(milliseconds / 1e3 for milliseconds in facts["warm_cpu_ms"])
        elif group_by:
            theirs += clock(group_by, 7)
    ours += clock(task, calls, processor[0])
    if facts:
        facts["by_cpu"] = Times(processor[1]).median / Times(processor[0]).median
    return Times(ours), Times(theirs), facts


def _group_by(adult: Path, columns: tuple[str, ...]) -> Callable[[], Any]:
    """Let DuckDB count the same columns, which it has in memory."""
    import duckdb

    connection = duckdb.connect()
    source = f"read_csv('{adult / 'adult.csv'}', delim = ';', all_varchar = true)"
    connection.execute(f"CREATE TABLE adult AS SELECT * FROM {source}")
    names = ", ".join(f'"{name}"' for name in columns)
    query = f"SELECT {names}, count(*) FROM adult GROUP BY ALL"
    return lambda: connection.sql(query).to_arrow_table()


def _compared(outcome: Any, facts: dict[str, Any], *, entropy: bool) -> str:
    if not facts:
        return f"{outcome.checked:,} of {outcome.nodes:,}"
    same = list(outcome.best.levels.values()) == facts["levels"]
    near = abs(outcome.best.score - facts["score"]) <= 1e-9 * max(1, abs(facts["score"]))
    told = "the same" if same and near else f"{outcome.best.score:.6f}, ARX {facts['score']:.6f}"
    return f"{outcome.checked:,} and {facts['nodes_checked']:,}; {told}{' (it has no tolerance)' if entropy else ''}"


def times_hundred(adult: Path, calls: int, targets: Targets) -> None:
    """Print what a hundred times the rows cost: the census grows with them, the search must not."""
    print("Adult and a hundred times Adult, 9 columns, 5 %: ms as median (minimum)")
    roles = schema(ADULT, f"{adult}/hierarchy_")
    known = ic.census(adult / "adult.csv", roles)
    load_compiled()
    pairs = []
    for times, search in ((1, Search("k>=5")), (100, Search("k>=500"))):
        rows = Rows.of(known, roles, times)
        census = rows.count()
        pairs.append((search, census, Times(clock(rows.count, 3))))
        search.of_census(census, roles)
    seconds: list[list[float]] = [[], []]
    for _ in range(calls):
        for place, (search, census, _) in enumerate(pairs):
            seconds[place] += clock(functools.partial(search.of_census, census, roles), 2)
    for (search, census, counting), taken in zip(pairs, map(Times, seconds), strict=True):
        print(f"  {census.records:>9,} rows, {search.promise:<8} census {counting}, search {taken}", flush=True)
    targets.at_most("Adult x 100, search", Times(seconds[1]).median / Times(seconds[0]).median, 1.2)


def incognito(adult: Path, classpath: str | None, rounds: int, targets: Targets) -> None:
    """Print how long all minimal nodes take."""
    other = "ARX's best node" if classpath else "group-by"
    print("all minimal nodes on Adult with Incognito, 9 columns, k=5, 5 %: ms as median (minimum), census included")
    usual = next(contest for contest in CONTESTS if contest.name == USUAL)
    rows, search = usual.rows(adult), Search(algorithm=Incognito())
    load_compiled()
    found = search.of_rows(rows)
    ours, theirs, facts = _alternate(functools.partial(search.of_rows, rows), usual, adult, classpath, (rounds, 1))
    minimal = 0 if found.minimal is None else len(found.minimal)
    ratio = ours.median / theirs.median
    told = f"{minimal:,} minimal nodes, {found.checked:,} tested in all subsets"
    by_cpu = f" (by CPU {1 / facts['by_cpu']:.2f})" if facts else ""
    print(f"  {ours}, {other} {theirs}, {ratio:.2f} times as long{by_cpu}; {told}", flush=True)
    if classpath:
        targets.at_most("Incognito against ARX's best node", ratio, 1)


def public_call(adult: Path, calls: int, targets: Targets) -> None:
    """Print what it takes from a Polars frame to a checked release, beside the search alone."""
    import polars as pl

    print("from a Polars frame of Adult to a checked release, 9 columns, k=5, 5 %: ms as median (minimum), and by CPU")
    frame, roles = pl.read_csv(adult / "adult.csv", separator=";"), schema(ADULT, f"{adult}/hierarchy_")
    known = ic.census(frame, roles)
    load_compiled()
    for name, algorithm in (("best node", Optimal()), ("levels and cells", LevelsAndCells())):
        search = functools.partial(Search(algorithm=algorithm).of_census, known, roles)
        call = functools.partial(ic.anonymize, frame, roles, model="k>=5", algorithm=algorithm, max_suppressed=0.05)
        seconds, processor = ([], []), ([], [])  # type: tuple[list[float], list[float]], tuple[list[float], list[float]]
        for task in (search, call):
            task()
        for _ in range(calls):
            for place, task in enumerate((search, call)):
                seconds[place].extend(clock(task, 3, processor[place]))
        alone, whole = map(Times, seconds)
        by_cpu = Times(processor[1]).median / Times(processor[0]).median
        told = f"{whole.median / alone.median:.2f} times as long (by CPU {by_cpu:.2f})"
        print(f"  {name:<18}search {alone}, call {whole}, {told}", flush=True)
        if isinstance(algorithm, LevelsAndCells):
            targets.at_most("public call with the default search", whole.median, 1, "seconds")
        else:
            targets.at_most("public call against its search", whole.median / alone.median, 1.5)
