"""The paper on (n, t)-closeness: the check for many n and t, and releases of Adult through Mondrian."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from incrowd.core import NoSafeRelease, Schema
from incrowd.experiments._adult import Adult, thesis_hierarchies
from incrowd.experiments._result import Claim, Experiment, Row
from incrowd.models import KAnonymity, NTCloseness, TCloseness, nt_curve
from incrowd.release import census
from incrowd.search import Mondrian, Problem

# What the paper on (n, t)-closeness claims, beside our numbers.

Curves = Mapping[str, Mapping[int, Fraction | float]]
TENTH = Fraction(1, 10)
NINE_GROUPS = Claim(
    "9 groups are checked with N = 1000 and T = 0.5 by the distances between groups.",
    "Nothing to run: only four of the rows are shown.",
    None,
    "The definition compares a class with supersets of itself, not with other groups, and the distances shown are "
    "base-10 logarithms of 3/2 and 2, no earth mover's distances.",
)


def claims_of(curves: Curves, tables: Mapping[str, Sequence[Row]]) -> tuple[Claim, ...]:
    """Compare."""
    adult = tables["adult"]
    return (
        *_table_5(curves),
        _distance_claim(tables["distances"]),
        NINE_GROUPS,
        _utility_claim(adult),
        _flexibility_claim(adult),
        _claim_of_whole_table(adult),
    )


def _table_5(curves: Curves) -> tuple[Claim, ...]:
    printed, right = (curves[name][1000] for name in ("as printed", "from Table 4"))
    last = max(n for n, t in curves["from Table 4"].items() if t <= TENTH)
    return (
        Claim(
            "Table 5 satisfies (1000, 0.1)-closeness.",
            f"As printed the smallest t for n = 1000 is {printed}.",
            printed <= TENTH,
            "Its counts disagree with Table 4 and with the text: the first and the third class hold 800 records.",
        ),
        Claim(
            "The same with the counts that Table 4 gives.",
            f"The smallest t for n = 1000 is {right}; of the sizes tried {last:,} is the last that holds at t = 0.1, "
            f"and 1,001 fails with {curves['from Table 4'][1001]}.",
            right <= TENTH,
        ),
    )


def _distance_claim(rows: Sequence[Row]) -> Claim:
    value = {(row["distance"], row["class"]): Fraction(row["value"]) for row in rows}
    one, two = value["ordered", "P1"], value["ordered", "P2"]
    same = value["equal", "P1"], value["equal", "P2"]
    return Claim(
        "The earth mover's distance sees that incomes of 3k, 4k, 5k tell more than 6k, 8k, 11k; others do not.",
        f"Ordered {one} against {two}; variational {same[0]} for both.",
        one > two and same[0] == same[1],
    )


def _utility_claim(rows: Sequence[Row]) -> Claim:
    own = {(row["n"], row["t"]): row["loss"] for row in rows if row["model"] == "(n, t)-closeness"}
    ns, ts = (sorted({key[place] for key in own}) for place in (0, 1))
    pairs = [((ns[i], t), (ns[i + 1], t)) for i in range(len(ns) - 1) for t in ts]
    pairs += [((n, ts[i + 1]), (n, ts[i])) for i in range(len(ts) - 1) for n in ns]
    known = [(own[weak], own[strict]) for weak, strict in pairs if own[weak] is not None and own[strict] is not None]
    right = sum(weak <= strict for weak, strict in known)
    return Claim(
        "The larger n and the smaller t, the more privacy and the less utility.",
        f"The loss grows, or stays, in {right} of {len(known)} steps to a larger n or a smaller t.",
        right == len(known),
        "For the promise it is a law; for a greedy search it is only likely.",
        of_data=True,
    )


def _flexibility_claim(rows: Sequence[Row]) -> Claim:
    close = {row["t"]: row["loss"] for row in rows if row["model"] == "t-closeness"}
    size, t = min(row["n"] for row in rows if row["n"]), max(close)
    (near,) = (row["loss"] for row in rows if (row["model"], row["n"], row["t"]) == ("(n, t)-closeness", size, t))
    (plain,) = (row["loss"] for row in rows if row["model"] == "k-anonymity")
    found = f"At t = {t:g} the loss is {_loss_text(near)} with n = {size:,} and {_loss_text(close[t])} with t-closeness"
    return Claim(
        "(n, t)-closeness is more flexible than t-closeness.",
        f"{found}; {_loss_text(plain)} with k-anonymity alone.",
        None if near is None or close[t] is None else near <= close[t],
        of_data=True,
    )


def _claim_of_whole_table(rows: Sequence[Row]) -> Claim:
    whole = max(row["n"] for row in rows if row["n"])
    close, near = (
        {row["t"]: (row["classes"], row["loss"]) for row in rows if (row["model"], row["n"]) == (model, whole)}
        for model in ("t-closeness", "(n, t)-closeness")
    )
    return Claim(
        "By the definition, t-closeness is the special case in which n is the size of the table.",
        f"With n = {whole:,} both give the same classes and loss for {sum(close[t] == near[t] for t in close)} of "
        f"{len(close)} values of t.",
        close == near,
    )


def _loss_text(loss: float | None) -> str:
    return "unknown (no release)" if loss is None else f"{loss:.3f}"


PAPER = (
    "A. Sunitha, K. Venkata Subba Reddy, B. Vijayakumar. A privacy measure for data disclosure to publish micro data "
    "using (n, t)-closeness."
)
TABLE_4 = (
    *(("47673", 29, "Cancer", 100), ("47674", 21, "Flu", 100), ("47605", 25, "Cancer", 200)),
    *(("47602", 23, "Flu", 200), ("47905", 43, "Cancer", 100), ("47904", 48, "Flu", 900)),
    *(("47906", 47, "Cancer", 100), ("47907", 41, "Flu", 900), ("47603", 34, "Cancer", 100)),
    *(("47605", 30, "Flu", 100), ("47602", 36, "Cancer", 100), ("47607", 32, "Flu", 100)),
)
AS_PRINTED = {("476**", "2*"): (300, 300), ("479**", "4*"): (100, 900), ("476**", "3*"): (100, 100)}
"""Table 5: cases of cancer and of flu in every class."""
NS = (100, 200, 400, 600, 800, 1000, 1001, 1500, 2000, 3000)
TS = tuple(Fraction(step, 20) for step in range(11))
QUASI, SECRET = ("age", "education", "marital-status", "race", "sex"), "occupation"
K = 5
FEW_TS = (Fraction(1, 5), Fraction(3, 10))
ALL_TS = (Fraction(1, 10), Fraction(3, 20), Fraction(1, 5), Fraction(3, 10))


def closeness(adult: Adult, *, small: bool) -> Experiment:
    """Check the printed table and the one that Table 4 gives, then cut Adult."""
    known = adult.known()
    curves = {name: _nt_curve(rows) for name, rows in (("as printed", AS_PRINTED), ("from Table 4", _from_table_4()))}
    tables: dict[str, Sequence[Row]] = {
        "check": [row for name, curve in curves.items() for row in _grid_rows(name, curve)],
        "nearest": [
            {"table": name, "n": n, "smallest_t": float(t)} for name, curve in curves.items() for n, t in curve.items()
        ],
        "distances": _distance_rows(),
        "adult": list(_cut_rows(known, FEW_TS if small else ALL_TS)),
    }
    return Experiment(
        name="closeness",
        title="(n, t)-closeness: the check for many n and t, and releases by Mondrian",
        paper=PAPER,
        data=f"Tables 4 and 5 of the paper; {known.words}, none with unknown values, {SECRET} confidential, k >= {K}",
        stand_in=known.stand_in,
        claims=claims_of(curves, tables),
        tables=tables,
    )


def _from_table_4() -> dict[tuple[str, str], tuple[int, int]]:
    """Count Table 4 at the labels of Table 5: three digits of the zip code, ten years of age."""
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for code, age, disease, count in TABLE_4:
        cancer, flu = found.get((label := (f"{code[:3]}**", f"{age // 10}*")), (0, 0))
        found[label] = (cancer + count, flu) if disease == "Cancer" else (cancer, flu + count)
    return found


def _nt_curve(counts: dict[tuple[str, str], tuple[int, int]]) -> dict[int, Fraction | float]:
    """Give the smallest t for every n; supersets are regions on fewer columns (S4-SUPERSET)."""
    rows = [
        {"zip": code, "age": age, "disease": disease, "count": count}
        for (code, age), cases in counts.items()
        for disease, count in zip(("Cancer", "Flu"), cases, strict=True)
    ]
    schema = Schema(quasi=["zip", "age"], sensitive=["disease"], count="count")
    counted = census(rows, schema)
    classes = counted.classes()
    (judge,) = NTCloseness(1, 0, supersets="drop").bind(schema, counted.domains)
    sizes = [n for n in NS if n <= classes.size.sum()]
    return dict(zip(sizes, nt_curve(classes, judge, sizes), strict=True))  # type: ignore[arg-type]


def _grid_rows(name: str, curve: dict[int, Fraction | float]) -> Iterator[Row]:
    for n, smallest in curve.items():
        for t in TS:
            yield {"table": name, "n": n, "t": float(t), "holds": smallest <= t}


def _distance_rows() -> list[Row]:
    """Measure how far two classes of incomes are from the whole table, in two ways."""
    classes = {"P1": (3, 4, 5), "P2": (6, 8, 11), "others": (7, 9, 10)}
    rows = [{"class": name, "income": 1000 * income} for name, incomes in classes.items() for income in incomes]
    schema = Schema(quasi=["class"], sensitive=["income"])
    counted = census(rows, schema)
    found = counted.classes()
    result: list[Row] = []
    for distance in ("ordered", "equal"):
        (judge,) = TCloseness(1, distance=distance).bind(schema, counted.domains)
        (measured,) = judge.judge(found).measured
        exact = {str(name): measured.at(place) for place, name in enumerate(found.texts(0).tolist())}
        result += [{"distance": distance, "class": name, "value": str(exact[name])} for name in ("P1", "P2")]
    return result


def _cut_rows(adult: Adult, ts: Sequence[Fraction]) -> Iterator[Row]:
    """Cut the table for t-closeness and for (n, t)-closeness with growing n; n = N is t-closeness."""
    trees = thesis_hierarchies()
    schema = Schema(quasi={name: trees[name] for name in QUASI}, sensitive=[SECRET])
    table = adult.census(schema)
    whole = table.records
    sizes = [n for n in (200, 1000, 5000) if n < whole]
    for t in ts:
        for n in (*sizes, whole):
            model = KAnonymity(K) & NTCloseness(n, t, of=SECRET, supersets="path")
            yield {"model": "(n, t)-closeness", "n": n, "t": float(t), **_mondrian_row(Problem(table, schema, model))}
        close = KAnonymity(K) & TCloseness(t, of=SECRET)
        yield {"model": "t-closeness", "n": whole, "t": float(t), **_mondrian_row(Problem(table, schema, close))}
    yield {"model": "k-anonymity", "n": None, "t": None, **_mondrian_row(Problem(table, schema, KAnonymity(K)))}


def _mondrian_row(problem: Problem) -> Row:
    try:
        found = Mondrian().search(problem)
    except NoSafeRelease:
        return {"classes": 0, "loss": None}
    return {"classes": found.classes, "loss": round(found.costs["loss"], 6)}
