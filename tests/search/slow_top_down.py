"""Top-down local recoding once more, slowly: the steps of the paper, record by record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction

from search.slow import HEIGHTS, PATHS, QUASI, Levels, Row, labels, leaves

Deficit = Callable[[Sequence[Row]], tuple[Fraction | int, ...]]
Class = tuple[Levels, list[Row]]


class Slow:
    """The search, for a table and what a class of it misses: values, weight, records."""

    def __init__(self, table: Sequence[Row], deficit: Deficit, *, retry: bool = False, by_loss: bool = False) -> None:
        self.table, self.deficit, self.retry, self.by_loss = table, deficit, retry, by_loss
        self.stopped: list[Class] = []
        self.order: Callable[[Row], tuple[str, ...]] = order

    def ok(self, group: Sequence[Row]) -> bool:
        return not any(self.deficit(group))

    def search(self) -> list[Class]:
        assert self.ok(self.table)
        top = tuple(HEIGHTS[name] for name in QUASI)
        frontier: list[tuple[Levels, list[Row], set[str]]] = [(top, sorted(self.table, key=self.order), set())]
        out: list[Class] = []
        while frontier:
            after = []
            for levels, records, tried in frontier:
                options = [
                    (self.value(levels, name, *parts), place, name, parts)
                    for place, name in enumerate(QUASI)
                    if levels[place] > 0 and name not in tried
                    for parts in [self.specialize(levels, name, records)]
                ]
                useful = [one for one in options if one[0][1] > 0]
                if not useful:
                    out.append((levels, records))
                    if not tried:
                        self.stopped.append((levels, records))
                    continue
                _, place, name, (kept, back) = max(useful, key=lambda one: (one[0], -one[1]))
                lower = (*levels[:place], levels[place] - 1, *levels[place + 1 :])
                after += [(lower, child, set[str]()) for child in kept if child]
                if back and self.retry:
                    after.append((levels, back, {*tried, name}))
                elif back:
                    out.append((levels, back))
            frontier = after
        return out

    def value(
        self, levels: Levels, name: str, kept: list[list[Row]], back: list[Row]
    ) -> tuple[Fraction | float, int, int]:
        branches, number = len([child for child in kept if child]), sum(map(len, kept))
        if not self.by_loss:
            return number, number, -branches
        if not back and branches == 1:
            return float("inf"), number, -branches
        level = levels[QUASI.index(name)]
        paths = [PATHS[name][row[name]] for child in kept for row in child]
        gained = sum(leaves(name, path[level]) - leaves(name, path[level - 1]) for path in paths)
        return Fraction(gained, len(PATHS[name]) - 1), number, -branches

    def specialize(self, levels: Levels, name: str, records: list[Row]) -> tuple[list[list[Row]], list[Row]]:
        level = levels[QUASI.index(name)] - 1
        children = self.children(records, name, level)
        kept = [child for child in children if self.ok(child)]
        back = [row for child in children if not self.ok(child) for row in child]
        if kept and back and not self.ok(back):
            self.unspecialize(kept, back, name, level)
        return kept, back

    def children(self, records: Sequence[Row], name: str, level: int) -> list[list[Row]]:
        """Part records by a label; the labels in the order of their first value in the table."""
        found: defaultdict[str, list[Row]] = defaultdict(list)
        for row in records:
            found[PATHS[name][row[name]][level]].append(row)
        first = {
            label: min(row[name] for row in self.table if PATHS[name][row[name]][level] == label) for label in found
        }
        return [found[label] for label in sorted(found, key=lambda label: first[label])]

    def unspecialize(self, kept: list[list[Row]], back: list[Row], name: str, level: int) -> None:
        score = {id(row): self.score(row, child, name, level) for child in kept for row in child}
        while not self.ok(back):
            missing = self.deficit(back)
            stage = next(place for place, part in enumerate(missing) if part)
            candidates = [
                (score[id(row)], self.order(row), number, place)
                for number, child in enumerate(kept)
                for place, row in enumerate(child)
                if (len(child) == 1 or self.ok(child[:place] + child[place + 1 :]))
                and self.deficit([*back, row])[stage] < missing[stage]
            ]
            if candidates:
                _, _, number, place = min(candidates)
                back.append(kept[number].pop(place))
            else:
                filled = [child for child in kept if child]
                child = min(filled, key=lambda child: (len(child), sum(score[id(row)] for row in child)))
                back.extend(child)
                child.clear()

    def score(self, row: Row, child: list[Row], name: str, level: int) -> int:
        """Count the further levels of a record: into groups that keep the promise."""
        steps = 0
        while level > 0:
            level -= 1
            child = [other for other in child if PATHS[name][other[name]][level] == PATHS[name][row[name]][level]]
            if not self.ok(child):
                break
            steps += 1
        return steps


def order(row: Row) -> tuple[str, ...]:
    """Give what decides ties."""
    return (row["disease"], *(row[name] for name in QUASI))


def published(found: Sequence[Class]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Give for every record its values and what they are published as."""
    return sorted((order(row), labels(row, levels)) for levels, records in found for row in records)
