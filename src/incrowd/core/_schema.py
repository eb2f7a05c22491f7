"""``Schema``: the role of every column (quasi-identifier, sensitive, identifier, person, ...), and its hierarchy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, Protocol, runtime_checkable

from incrowd.core._domain import Domain
from incrowd.core._errors import Hint, ParameterError, SchemaError, Setting, UnknownColumnError
from incrowd.core._ladder import Hierarchy, Ladder

Role = Literal["quasi-identifier", "sensitive", "identifier", "insensitive", "shifted", "entity", "count"]
MissingPolicy = Literal["value", "drop"]


@runtime_checkable
class Meaning(Protocol):
    """What is known about a sensitive column: categories, an order or a taxonomy."""

    def bind(self, domain: Domain) -> Any:
        """Fit this meaning to the values of one column."""


@dataclass(frozen=True, slots=True)
class Binding:
    """A schema that has met a table."""

    ladders: dict[str, Ladder]
    meanings: dict[str, Any]  # per sensitive column with a meaning, its bound form
    notes: tuple[str, ...]  # what a careful reader should know: names and numbers only


WEEK = 7


@dataclass(frozen=True, slots=True)
class ShiftedDates:
    """Dates that are published shifted: all dates of a person by the same days, in every table and every year.

    Parameters
    ----------
    columns
        The columns with the dates, or moments; each has this role and no other.
    within
        By so many days at most, to either side; never by none.
    weekdays
        Whether a Monday stays a Monday: then dates are shifted by whole weeks, and ``within`` must be 7 or more.

    Notes
    -----
    The columns are **not true** any more. What stays true are the intervals between the dates of a person, which can
    tell who it is: how many people are alone by them is measured. By how many days a person's dates are shifted follows
    from the person and a secret key, which is given where the table is published (``shift_key``). The column of
    persons, the entity of the schema, is needed. No promise can be about a shifted column: a shift is no
    generalization.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.ShiftedDates(["admission", "discharge"], within=180, weekdays=True).furthest
    175
    """

    columns: Sequence[str]
    within: int
    weekdays: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", _checked_names("the columns of ShiftedDates", self.columns))
        if not self.columns:
            msg = "ShiftedDates names no column."
            raise SchemaError(msg, hint='write ShiftedDates(["admission", "discharge"], within=180) with your columns.')
        if len(set(self.columns)) < len(self.columns):
            msg = "ShiftedDates names a column twice."
            raise SchemaError(msg, hint="name each once.")
        check_shift(self.within, self.weekdays)

    @property
    def step(self) -> int:
        """Every shift is a multiple of so many days."""
        return WEEK if self.weekdays else 1

    @property
    def furthest(self) -> int:
        """The largest shift that there is, in days."""
        return self.within // self.step * self.step

    @property
    def words(self) -> str:
        """Say by how much dates are shifted."""
        return f"by up to {self.within:,} days{', in whole weeks' if self.weekdays else ''}"


FARTHEST = 36_525
"""No shift is longer than a century."""


def check_shift(within: object, weekdays: object) -> None:
    """Refuse a bound by which no date, or every date, would leave its place."""
    if not isinstance(weekdays, bool):
        msg = f"weekdays must be true or false, got {type(weekdays).__name__}."
        raise ParameterError(msg)
    least = WEEK if weekdays else 1
    if not isinstance(within, int) or isinstance(within, bool) or not least <= within <= FARTHEST:
        shown = within if isinstance(within, int | float) else type(within).__name__
        kept = ", so that whole weeks fit" if weekdays else ""
        msg = f"within must be a whole number of days from {least} to {FARTHEST:,}{kept}, got {shown}."
        raise ParameterError(msg, hint="for example 180: half a year to either side.")


@dataclass(frozen=True, init=False)
class Schema:
    """The role of every column, and what is known about its values.

    Parameters
    ----------
    quasi
        Columns that help to recognise a person (quasi-identifiers), with the hierarchy of each. A plain list leaves
        the choice of hierarchies to us.
    sensitive
        Columns that nobody should learn about a person. A plain list, or for each column ``None``, ordered
        ``categories(...)`` (most secret first), a taxonomy ``tree(...)`` or an order ``ordered(...)``.
    identifiers
        Columns that name a person. Never published.
    insensitive
        Columns that are published as they are.
    shifted
        Columns with dates that are published shifted, as ``ShiftedDates``: they are not true any more, and no promise
        counts them.
    entity
        The column that says whose row it is, where a person can have several. Never published.
    size
        The name of a column that is made: how many rows the entity of a row has, such as the members of a household.
        Whoever knows a household knows how large it is, so it is a quasi-identifier: name it in ``quasi`` too.
    count
        The column that says how many records a row stands for.
    missing
        ``"value"``: a missing quasi-identifier is a value of its own. ``"drop"``: such records are removed first and
        counted apart.
    missing_values
        Texts that count as missing, besides null and NaN. By default the empty text; ``"NA"`` only if you say so.
    presence
        Per sensitive column the quasi-identifier that says ``"no"`` where somebody has no row of its table: groups of
        such people have no such value, and no promise about that column is asked of them. Joined rows of several tables
        have these columns; nothing else needs them.

    Notes
    -----
    A wrong role is the most common way to harm somebody: every column that an outsider could know about a person
    is a quasi-identifier, whether or not it looks harmless.

    Examples
    --------
    >>> import incrowd as ic
    >>> schema = ic.Schema(quasi={"age": ic.intervals(5, 10)}, sensitive=["disease"], identifiers=["name"])
    >>> schema.role("age")
    'quasi-identifier'
    """

    quasi: tuple[tuple[str, Hierarchy | None], ...]
    sensitive: tuple[tuple[str, Meaning | None], ...]
    identifiers: tuple[str, ...]
    insensitive: tuple[str, ...]
    shifted: ShiftedDates | None
    entity: str | None
    size: str | None
    count: str | None
    missing: MissingPolicy
    missing_values: tuple[str, ...]
    presence: tuple[tuple[str, str], ...]

    def __init__(  # noqa: PLR0913 - a schema has that many parts, all but the first optional
        self,
        quasi: Mapping[str, Hierarchy | None] | Sequence[str],
        sensitive: Mapping[str, Meaning | None] | Sequence[str] = (),
        *,
        identifiers: Sequence[str] = (),
        insensitive: Sequence[str] = (),
        shifted: ShiftedDates | None = None,
        entity: str | None = None,
        size: str | None = None,
        count: str | None = None,
        missing: MissingPolicy = "value",
        missing_values: Sequence[str] = ("",),
        presence: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    ) -> None:
        values: dict[str, Any] = {
            "quasi": _checked_pairs("quasi", quasi),
            "sensitive": _checked_pairs("sensitive", sensitive),
            "identifiers": _checked_names("identifiers", identifiers),
            "insensitive": _checked_names("insensitive", insensitive),
            "shifted": shifted,
            "entity": _checked_name("entity", entity) if entity is not None else None,
            "size": _checked_name("size", size) if size is not None else None,
            "count": _checked_name("count", count) if count is not None else None,
            "missing": missing,
            "missing_values": _checked_texts("missing_values", missing_values),
            "presence": tuple((one, other) for one, other in dict(presence).items()),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check_roles()

    @property
    def quasi_names(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order in which they were given."""
        return tuple(name for name, _ in self.quasi)

    @property
    def sensitive_names(self) -> tuple[str, ...]:
        """The sensitive columns, in the order in which they were given."""
        return tuple(name for name, _ in self.sensitive)

    @property
    def shifted_names(self) -> tuple[str, ...]:
        """The columns whose dates are shifted, in the order in which they were given."""
        return () if self.shifted is None else tuple(self.shifted.columns)

    def role(self, column: str) -> Role | None:
        """Say which role a column has, or ``None``."""
        return next((role for role, name in self._roles() if name == column), None)

    def check_columns(self, available: Sequence[str], *, show: bool = True) -> tuple[str, ...]:
        """Refuse names that the table does not have; give the table's columns that have no role.

        Parameters
        ----------
        available
            The table's columns.
        show
            Whether messages may list them. Not if they were read from a file that may lack its header: the names are
            then the first record. If one of them is named here, the file has its header.
        """
        show = show or any(name in available for _, name in self._roles())
        for role, name in self._roles():
            if name not in available:
                raise UnknownColumnError.of(name, available, given_as=role, show=show)
        roles = {name for _, name in self._roles()}
        return tuple(name for name in available if name not in roles)

    def bind(self, domains: Mapping[str, Domain], *, default: Hierarchy, strict: bool = True) -> Binding:
        """Fit every hierarchy and meaning to the table's values.

        Parameters
        ----------
        domains
            The domain of every quasi-identifier and sensitive column.
        default
            The hierarchy of quasi-identifiers that were given without one.
        strict
            Whether something is to be published: what then would be wrong is an error, else a note.
        """
        notes: list[str] = []
        ladders: dict[str, Ladder] = {}
        for name, hierarchy in self.quasi:
            if hierarchy is None and _has_fractions(domains[name]):
                problem = f"Column {name!r} is a quasi-identifier of decimal numbers without a hierarchy."
                words = f"say how it becomes vaguer, for example quasi={{{name!r}: intervals(5, 10)}}"
                hint = Hint("{}.", Setting("quasi", {name: "intervals"}, words))
                if strict:
                    raise SchemaError(problem, hint=hint)
                notes.append(f"{problem} Nearly every value stands alone; " + hint)
            if strict:
                ladders[name] = _bound_ladder(name, default if hierarchy is None else hierarchy, domains[name])
        for name in (*self.quasi_names, *self.sensitive_names):
            if alike := domains[name].look_alikes():
                count = sum(map(len, alike))
                notes.append(f"Column {name!r} has {count} values that look alike in print; they count as different.")
        meanings = {name: meaning.bind(domains[name]) for name, meaning in self.sensitive if meaning is not None}
        return Binding(ladders, meanings, tuple(notes))

    def _roles(self) -> Iterable[tuple[Role, str]]:
        yield from (("quasi-identifier", name) for name in self.quasi_names)
        yield from (("sensitive", name) for name in self.sensitive_names)
        yield from (("identifier", name) for name in self.identifiers if name != self.entity)
        yield from (("insensitive", name) for name in self.insensitive)
        yield from (("shifted", name) for name in self.shifted_names)
        if self.entity is not None:
            yield "entity", self.entity
        if self.count is not None:
            yield "count", self.count

    def _check_roles(self) -> None:
        if not self.quasi:
            msg = "The schema has no quasi-identifier."
            raise SchemaError(msg, hint="name the columns by which an outsider could recognise a person: quasi=[...].")
        if self.shifted is not None and not isinstance(self.shifted, ShiftedDates):
            msg = f"shifted must say which dates are shifted and how far, got {type(self.shifted).__name__}."
            raise SchemaError(msg, hint='write shifted=ShiftedDates(["admission", "discharge"], within=180).')
        self._check_size()
        self._check_presence()
        seen: dict[str, Role] = {}
        for role, name in self._roles():
            if name in seen:
                twice = f"is given twice as {role}" if seen[name] == role else f"has two roles: {seen[name]} and {role}"
                msg = f"Column {name!r} {twice}."
                hint = UNTRUE if role == "shifted" and role != seen[name] else "give every column one role."
                raise SchemaError(msg, hint=hint)
            seen[name] = role
        if self.missing not in ("value", "drop"):
            msg = f"missing must be 'value' or 'drop', got {self.missing!r}."
            raise ParameterError(msg)
        for name, hierarchy in self.quasi:
            if not _may_be_bound(hierarchy):
                raise _no_hierarchy(name, hierarchy)
        for name, meaning in self.sensitive:
            if not _may_be_bound(meaning):
                msg = f"Column {name!r} was given {_what_is(meaning)} where categories or a hierarchy are expected."
                raise SchemaError(msg, hint="use categories(...), tree(...), ordered(...) or None.")

    def _check_presence(self) -> None:
        for column, there in self.presence:
            if column not in self.sensitive_names or there not in self.quasi_names:
                msg = f"presence says of {column!r} that {there!r} tells whether it can be there."
                raise SchemaError(msg, hint="name a sensitive column, and a quasi-identifier.")

    def _check_size(self) -> None:
        """Refuse a size of nothing, and one that nobody is supposed to know."""
        if self.size is None:
            return
        if self.entity is None:
            msg = f"{self.size!r} is to be the number of rows of an entity, and there is no entity."
            raise SchemaError(msg, hint="name the column that says whose row it is, such as a household: entity=...")
        if self.count is not None:
            msg = f"{self.size!r} counts rows, and rows stand for as many records as {self.count!r} says."
            raise SchemaError(msg, hint="make such a column before: how many records an entity has in all.")
        if self.size not in self.quasi_names:
            msg = f"{self.size!r} is the number of rows of an entity, which people know of each other."
            raise SchemaError(msg, hint=f"name it among the quasi-identifiers too: quasi=[..., {self.size!r}].")


UNTRUE = (
    "a shifted date is not true, and no promise counts it: shift it, or publish it vaguer as a quasi-identifier, by "
    "the hierarchy dates(...)."
)
"""What is said to whoever wants both."""


def _may_be_bound(part: object) -> bool:
    """Whether a column's part is nothing, or can be bound; a schema can be bound too, but not to a column."""
    return part is None or (isinstance(part, Meaning) and not isinstance(part, (type, Schema)))


def _bound_ladder(name: str, hierarchy: Hierarchy, domain: Domain) -> Ladder:
    ladder: object = hierarchy.bind(domain)
    if not isinstance(ladder, Ladder):  # categories can be bound too, but say nothing about how to become vaguer
        raise _no_hierarchy(name, hierarchy)
    return ladder


def _no_hierarchy(name: str, part: object) -> SchemaError:
    msg = f"Column {name!r} was given {_what_is(part)} where a hierarchy is expected."
    return SchemaError(msg, hint="use intervals(...), mask(), dates(...), tree(...), ordered(...) or None.")


def _what_is(part: object) -> str:
    return f"the class {part.__name__}" if isinstance(part, type) else type(part).__name__


def _has_fractions(domain: Domain) -> bool:
    values = domain.values
    return values.dtype.kind == "f" or (values.dtype == object and any(isinstance(value, Decimal) for value in values))


def _checked_pairs(what: str, given: Mapping[str, Any] | Sequence[str]) -> tuple[tuple[str, Any], ...]:
    if isinstance(given, Mapping):
        return tuple((_checked_name(what, name), part) for name, part in given.items())
    return tuple((name, None) for name in _checked_names(what, given))


def _checked_names(what: str, given: Sequence[str]) -> tuple[str, ...]:
    return tuple(_checked_name(what, name) for name in _checked_list(what, given))


def _checked_texts(what: str, given: Sequence[str]) -> tuple[str, ...]:
    texts = tuple(_checked_list(what, given))
    if not all(isinstance(text, str) for text in texts):
        msg = f"{what} must be a list of texts."
        raise ParameterError(msg)
    return texts


def _checked_list(what: str, given: Sequence[str]) -> Iterable[str]:
    if isinstance(given, str):
        msg = f"{what} must be a list, got the text {given!r}."
        raise SchemaError(msg, hint=f"write {what}=[{given!r}].")
    if not isinstance(given, Iterable) or isinstance(given, (set, frozenset)):  # a set has another order every time
        msg = f"{what} must be a list, got {type(given).__name__}."
        raise SchemaError(msg, hint=f"write {what}=[...].")
    return given


def _checked_name(what: str, name: object) -> str:
    if not isinstance(name, str) or not name:
        msg = f"{what} must name columns, got {type(name).__name__}{' of no letters' if name == '' else ''}."
        raise SchemaError(msg)
    return name
