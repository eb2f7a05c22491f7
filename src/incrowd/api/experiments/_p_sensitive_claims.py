"""What the paper on p-sensitive k-anonymity claims, beside our numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from incrowd.api.experiments._result import Claim, Row

LETTERS = "AMRS"
PRINTED = {
    (400, 2): ((1, 1, 1, 1), 6),
    (400, 3): ((1, 1, 2, 1), 2),
    (4000, 2): ((2, 1, 1, 1), 4),
    (4000, 3): ((2, 1, 2, 1), 0),
}
"""Table 8: the node and its attribute disclosures, by sample size and k."""
NODES = 96
"""So many nodes has the lattice of Table 7."""
MANY = 0.1
"""From this share on nodes are many, or a test is better."""
RULE = f"Below {MANY:.0%} it barely holds, at 0 it does not."


def name_of(node: Sequence[int]) -> str:
    """Call a node as the paper does: age, marital status, race and sex with their levels."""
    return " ".join(f"{letter}{level}" for letter, level in zip(LETTERS, node, strict=True))


def summary_of(rows: Sequence[Row]) -> list[Row]:
    """Put the samples of a setting together."""
    settings = dict.fromkeys((row["size"], row["k"], row["max_suppressed"]) for row in rows)
    return [
        _summary([row for row in rows if (row["size"], row["k"], row["max_suppressed"]) == setting])
        for setting in settings
    ]


def _summary(rows: Sequence[Row]) -> Row:
    size, k = rows[0]["size"], rows[0]["k"]
    node, disclosures = PRINTED[size, k]
    counts, there = ([row[name] for row in rows] for name in ("disclosures", "disclosures_at_printed_node"))
    return {
        "size": size,
        "k": k,
        "max_suppressed": rows[0]["max_suppressed"],
        "printed_node": name_of(node),
        "printed_disclosures": disclosures,
        "samples": len(rows),
        "records": rows[0]["records"],
        "most_frequent_node": Counter(row["node"] for row in rows).most_common(1)[0][0],
        "fewest_disclosures": min(counts),
        "median_disclosures": median(counts),
        "most_disclosures": max(counts),
        "printed_node_is_enough": sum(row["printed_node_is_enough"] for row in rows),
        "printed_node_is_lowest": sum(row["printed_node_is_lowest"] for row in rows),
        "fewest_at_printed_node": min(there),
        "most_at_printed_node": max(there),
    }


def claims_of(rows: Sequence[Row], summary: Sequence[Row]) -> tuple[Claim, ...]:
    """Compare."""
    settings = {(row["size"], row["k"]) for row in rows if row["disclosures"]}
    safe = [row["disclosures_2_sensitive"] for row in rows]
    fell, rose, pairs = _when_k_grows(rows)
    return (
        *(_printed([row for row in summary if (row["size"], row["k"]) == setting]) for setting in PRINTED),
        Claim(
            "In three of four settings the k-anonymous table discloses attributes.",
            f"In {len(settings)} of 4 settings, in {sum(row['disclosures'] > 0 for row in rows)} of {len(rows)} runs.",
            len(settings) >= 3,
            of_data=True,
        ),
        Claim(
            "When k increases, the number of attribute disclosures decreases, in many tables.",
            f"From k = 2 to 3 it falls in {fell} of {pairs} pairs of runs, rises in {rose} and stays in the others.",
            2 * fell > pairs,
            "Nothing makes it fall: another node of the same height may be taken.",
            of_data=True,
        ),
        Claim(
            "p-sensitive k-anonymity guards against attribute disclosure.",
            f"{sum(safe)} disclosures in {len(safe)} 2-sensitive tables.",
            not any(safe),
        ),
        *_conditions(rows),
    )


def _printed(rows: Sequence[Row]) -> Claim:
    first = rows[0]
    found = "; ".join(
        f"{100 * row['max_suppressed']:g} % left out: {row['fewest_disclosures']} to {row['most_disclosures']}, mostly "
        f"{row['most_frequent_node']}, the printed node would do in {row['printed_node_is_enough']} and is of least "
        f"height in {row['printed_node_is_lowest']}"
        for row in rows
    )
    low, high, printed = first["fewest_at_printed_node"], first["most_at_printed_node"], first["printed_disclosures"]
    fits = "which fits" if low <= printed <= high else "which does not fit"
    return Claim(
        f"{first['size']:,} records, k = {first['k']}: node {first['printed_node']}, {printed} attribute disclosures.",
        f"In {first['samples']} samples of {first['records']:,}, with at most {found}. At the printed node itself "
        f"{low} to {high}, {fits}.",
        None,
        "The samples, how many records were left out, and the fourth confidential column are not known.",
    )


def _conditions(rows: Sequence[Row]) -> tuple[Claim, ...]:
    """Compare what the two necessary conditions exclude, and what that spares after the test for k."""
    names = ("excluded_by_condition_2", "spared_by_condition_2", "nodes_judged")
    excluded, spared, judged = (sum(row[name] for row in rows) for name in names)
    early, less = excluded / (NODES * len(rows)), spared / max(spared + judged, 1)
    return (
        Claim(
            "The two necessary conditions eliminate many tables early that are not p-sensitive.",
            f"By its number of classes alone the second one excludes {excluded / len(rows):.0f} of {NODES} nodes per "
            f"run, {early:.1%}.",
            early > 0,
            f"{RULE} The first one only tells before a search that there is nothing to find, which was never so here.",
            of_data=True,
            barely=early < MANY,
        ),
        Claim(
            "They improve the basic test, which asks for k and then looks at every class.",
            f"After the test for k the second one spares this look for {spared:,} of {spared + judged:,} nodes in all "
            f"runs, {less:.2%}.",
            spared > 0,
            f"{RULE} Nodes with so many classes mostly have small ones too, which the test for k sees as quickly.",
            of_data=True,
            barely=less < MANY,
        ),
    )


def _when_k_grows(rows: Sequence[Row]) -> tuple[int, int, int]:
    """Count where the disclosures fall and rise from k = 2 to 3, of how many."""
    by_run: dict[Any, dict[int, int]] = {}
    for row in rows:
        by_run.setdefault((row["size"], row["sample"], row["max_suppressed"]), {})[row["k"]] = row["disclosures"]
    both = by_run.values()
    return sum(one[3] < one[2] for one in both), sum(one[3] > one[2] for one in both), len(both)
