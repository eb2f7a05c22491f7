"""What the paper on (n, t)-closeness claims, beside our numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from incrowd.api.experiments._result import Claim, Row

Curves = Mapping[str, Mapping[int, Fraction | float]]
TENTH = Fraction(1, 10)


def claims_of(curves: Curves, tables: Mapping[str, Sequence[Row]]) -> tuple[Claim, ...]:
    """Compare."""
    adult = tables["adult"]
    return (
        *_table_5(curves),
        _distance(tables["distances"]),
        _groups(),
        _utility(adult),
        _kinder(adult),
        _whole(adult),
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


def _distance(rows: Sequence[Row]) -> Claim:
    value = {(row["distance"], row["class"]): Fraction(row["value"]) for row in rows}
    one, two = value["ordered", "P1"], value["ordered", "P2"]
    same = value["equal", "P1"], value["equal", "P2"]
    return Claim(
        "The earth mover's distance sees that incomes of 3k, 4k, 5k tell more than 6k, 8k, 11k; others do not.",
        f"Ordered {one} against {two}; variational {same[0]} for both.",
        one > two and same[0] == same[1],
    )


def _groups() -> Claim:
    return Claim(
        "9 groups are checked with N = 1000 and T = 0.5 by the distances between groups.",
        "Nothing to run: only four of the rows are shown.",
        None,
        "The definition compares a class with supersets of itself, not with other groups, and the distances shown are "
        "base-10 logarithms of 3/2 and 2, no earth mover's distances.",
    )


def _utility(rows: Sequence[Row]) -> Claim:
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


def _kinder(rows: Sequence[Row]) -> Claim:
    close = {row["t"]: row["loss"] for row in rows if row["model"] == "t-closeness"}
    size, t = min(row["n"] for row in rows if row["n"]), max(close)
    (near,) = (row["loss"] for row in rows if (row["model"], row["n"], row["t"]) == ("(n, t)-closeness", size, t))
    (plain,) = (row["loss"] for row in rows if row["model"] == "k-anonymity")
    found = f"At t = {t:g} the loss is {_number(near)} with n = {size:,} and {_number(close[t])} with t-closeness"
    return Claim(
        "(n, t)-closeness is more flexible than t-closeness.",
        f"{found}; {_number(plain)} with k-anonymity alone.",
        None if near is None or close[t] is None else near <= close[t],
        of_data=True,
    )


def _whole(rows: Sequence[Row]) -> Claim:
    whole = max(row["n"] for row in rows if row["n"])
    close = {row["t"]: (row["classes"], row["loss"]) for row in rows if row["model"] == "t-closeness"}
    near = {
        row["t"]: (row["classes"], row["loss"])
        for row in rows
        if row["model"] == "(n, t)-closeness" and row["n"] == whole
    }
    return Claim(
        "By the definition, t-closeness is the special case in which n is the size of the table.",
        f"With n = {whole:,} both give the same classes and loss for {sum(close[t] == near[t] for t in close)} of "
        f"{len(close)} values of t.",
        close == near,
    )


def _number(loss: float | None) -> str:
    return "unknown (no release)" if loss is None else f"{loss:.3f}"
