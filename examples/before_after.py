"""Six patients of the made-up hospital before and after they are published: the table of the README."""
# ruff: noqa: INP001, T201 - a script that prints

from collections import Counter

import incrowd as ic
from incrowd.core import Census

QUASI = {"birth_date": ic.dates("year", "decade"), "sex": ic.flat(), "zip": ic.mask()}
SCHEMA = ic.Schema(QUASI, ["diagnosis"], identifiers=["name"])


def main() -> None:
    """Print the first six patients as a Markdown table: as they are, as they become, and the size of their crowd."""
    table = ic.hospital().select(["name", *QUASI, "diagnosis"])
    release = ic.anonymize(table, SCHEMA, model="k>=5, l>=3[diagnosis]", max_suppressed=0.1)
    crowds = Counter(tuple(row.values()) for row in release.table.select(list(QUASI)).to_pylist())
    census = ic.census(table, SCHEMA).rollup(release.recoding.levels or {})
    print("| name | birth date | sex | zip | diagnosis | → | birth date | sex | zip | diagnosis | crowd |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for row in table.slice(0, 6).to_pylist():
        vague = tuple(vaguer(census, column, str(row[column])) for column in QUASI)
        shown = [f"`{label}`" if "*" in label else label for label in vague]
        after = [*shown, row["diagnosis"], f"1 of {crowds[vague]}"] if vague in crowds else ["*left out*", *[""] * 4]
        print(f"| {' | '.join([*map(str, row.values()), '→', *after])} |")


def vaguer(census: Census, column: str, text: str) -> str:
    """Give the label of a value at the level of its column."""
    code = census.domains[column].texts.tolist().index(text)
    level = census.floor[census.quasi.index(column)]
    return str(census.labels(column)[census.ladders[column].groups[level][code]])


if __name__ == "__main__":
    main()
