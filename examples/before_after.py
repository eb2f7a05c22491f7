"""Six patients of the made-up hospital before and after their values become vaguer: the table of the README."""
# ruff: noqa: INP001, T201 - a script that prints

import incrowd as ic

QUASI = {"birth_date": ic.dates("year", "decade"), "sex": ic.flat(), "zip": ic.mask()}
LEVELS = {"birth_date": 2, "zip": 4}


def main() -> None:
    """Print the first six patients as a Markdown table: as they are, as they become, and the size of their crowd."""
    table = ic.hospital().select(["name", *QUASI, "diagnosis"])
    census = ic.census(table, ic.Schema(QUASI, ["diagnosis"], identifiers=["name"])).rollup(LEVELS)
    classes = census.classes()
    crowd = {labels(census, codes): size for *codes, size in zip(*classes.codes, classes.size, strict=True)}
    print("| name | birth date | sex | zip | diagnosis | → | birth date | sex | zip | diagnosis | crowd |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for row in table.slice(0, 6).to_pylist():
        vague = tuple(vaguer(census, column, str(row[column])) for column in QUASI)
        shown = [f"`{label}`" if "*" in label else label for label in vague]
        cells = [*map(str, row.values()), "→", *shown, row["diagnosis"], f"1 of {crowd[vague]}"]
        print(f"| {' | '.join(cells)} |")


def labels(census: ic.Census, codes: list[int]) -> tuple[str, ...]:
    """Give the texts of a class."""
    return tuple(str(census.labels(column)[code]) for column, code in zip(QUASI, codes, strict=True))


def vaguer(census: ic.Census, column: str, text: str) -> str:
    """Give the label of a value at the level of its column."""
    code = census.domains[column].texts.tolist().index(text)
    level = census.floor[census.quasi.index(column)]
    return str(census.labels(column)[census.ladders[column].groups[level][code]])


if __name__ == "__main__":
    main()
