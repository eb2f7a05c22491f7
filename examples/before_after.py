"""Six patients of the made-up hospital before and after they are published: the table of the README."""
# ruff: noqa: INP001, T201 - a script that prints

import warnings
from collections import Counter

import pyarrow as pa

import incrowd as ic

QUASI = {"birth_date": ic.dates("year", "decade"), "sex": ic.flat(), "zip": ic.mask()}
SCHEMA = ic.Schema(QUASI, ["diagnosis"], identifiers=["name"], insensitive=["number"])


def main() -> None:
    """Print the first six patients as a Markdown table: as they are, as they become, and the size of their crowd."""
    table = ic.hospital().select(["name", *QUASI, "diagnosis"])
    numbered = table.append_column("number", pa.array(range(len(table))))  # tells here who is who afterwards
    warnings.simplefilter("ignore", ic.PrivacyWarning)  # the numbers name everybody, and are for this page alone
    release = ic.anonymize(numbered, SCHEMA, model="k>=5, l>=3[diagnosis]", max_suppressed=0.05)
    published = {row.pop("number"): row for row in release.table.to_pylist()}
    crowds = Counter(tuple(row[name] for name in QUASI) for row in published.values())
    print("| name | birth date | sex | zip | diagnosis | → | birth date | sex | zip | diagnosis | crowd |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for number, row in enumerate(table.slice(0, 6).to_pylist()):
        after = ["*left out*", *[""] * 4]
        if number in published:
            vague = [published[number][name] for name in QUASI]
            shown = [f"`{label}`" if "*" in label else label for label in vague]
            after = [*shown, row["diagnosis"], f"1 of {crowds[tuple(vague)]}"]
        print(f"| {' | '.join([*map(str, row.values()), '→', *after])} |")


if __name__ == "__main__":
    main()
