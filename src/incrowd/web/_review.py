"""What stands between a run and its release: what is settled, what is open, and what is doubtful."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from incrowd.plan import Plan
from incrowd.web._changes import promised_about
from incrowd.web._decisions import differences
from incrowd.web._refusal import Plain, Refusal, refusal

State = Literal["done", "open", "doubt"]
OWN = 0.5  # from this share of values that occur once, a column tells people apart by itself
AS_IT_IS = ("sensitive", "insensitive")  # roles whose values are published as they are
GONE = ("identifier", "drop")  # roles that are not published


class Item(NamedTuple):
    """One line of the list before a release, with a name for programs and a title for people."""

    name: str
    title: str
    state: State  # open: nothing is released without a reason; doubt: nothing is called safe
    words: str


@dataclass(frozen=True, slots=True)
class Review:
    """A run before its release: its summary, its plan, the plan as it is now, and what is known besides."""

    run: Mapping[str, Any]
    made_by: Plan
    now: Plan
    columns: Sequence[Mapping[str, Any]]  # of the plan as it is now: what was suggested, and who looked at it
    profile: Mapping[str, Any]
    evidence: Mapping[str, Any] | None = None  # none if there were no attacks
    harbor: Mapping[str, Any] | None = None
    written: Sequence[Mapping[str, Any]] = ()  # summaries of other runs that were written before

    @property
    def items(self) -> list[Item]:
        lines = (self._roles, self._plan, self._promise, self._attack_item, self._names, self._values, self._order)
        return [
            *(line() for line in lines),
            self._earlier_releases_item(),
            *self._exposure_items(),
            *self._doubt_items(),
        ]

    @property
    def open(self) -> list[Item]:
        return [one for one in self.items if one.state == "open"]

    def show(self) -> Plain:
        """Give what a page shows: good if nothing is open or doubtful."""
        items = self.items
        states = {one.state for one in items}
        verdict = "open" if "open" in states else "doubt" if "doubt" in states else "good"
        return {"run": self.run["id"], "verdict": verdict, "items": [one._asdict() for one in items]}

    def _roles(self) -> Item:
        unsure = [one["name"] for one in self.columns if not one["confirmed"]]
        if not unsure:
            return Item("roles", "Columns confirmed", "done", _LOOKED)
        return Item(
            "roles", "Columns not confirmed", "open", f"Nobody has looked at {_names_text(unsure)} yet (step 2)."
        )

    def _plan(self) -> Item:
        if self.run["current"]:
            return Item(
                "plan", "Version is up to date", "done", f"Version {self.run['id']} was made by the plan as it is."
            )
        changed = _names_text(differences(self.made_by, self.now)) or _FILE
        words = f"The plan has changed since this version was made: {changed}. Make a new version in step 5."
        return Item("plan", "Version is out of date", "open", words)

    def _promise(self) -> Item:
        kept, asked = str(self.made_by.model()), str(self.now.model())
        words = f"{kept}, checked on the finished table."
        if kept == asked:
            return Item("promise", "Promise kept", "done", words)
        words = f"It keeps {words} The plan now asks for {asked}."
        return Item("promise", "Another promise is kept", "open", words)

    def _attack_item(self) -> Item:
        if self.evidence is None:
            return Item("attacked", "Not attacked", "open", "Nobody has attacked this version yet. Do that in step 6.")
        return Item("attacked", "Attacked", "done", str(self.evidence["verdict"]))

    def _names(self) -> Item:
        published = self._published_roles()
        likely = [one["name"] for one in self.columns if one["suggested"] == "identifier" and one["name"] in published]
        gone = [name for name, one in self.made_by.columns.items() if one.role in GONE and not one.keep]
        if likely:
            words = f"{_names_text(likely)} may name people, and {'are' if len(likely) > 1 else 'is'} published."
            return Item("names", "Names may be published", "open", words)
        words = f"Not published: {_names_text(gone)}." if gone else "No column looks as if it named a person."
        return Item("names", "Names are gone", "done", words)

    def _values(self) -> Item:
        as_it_is = {name for name, role in self._published_roles().items() if role in AS_IT_IS}
        known = [one for one in self.profile["columns"] if one["name"] in as_it_is and float(one["share_alone"]) > OWN]
        words = "No column that is published as it is has mostly unique values."
        if not known:
            return Item("values", "No free text", "done", words)
        text = any(one["kind"] == "text" for one in known)
        names = _names_text([one["name"] for one in known])
        words = f"In {names} most people have a value of their own, and it is published as it is. {_KNOWN}"
        if text:
            return Item("values", "Free text may be published", "open", words)
        return Item("values", "Mostly unique values", "doubt", words)

    def _order(self) -> Item:
        if self.made_by.output.order == "sorted":
            words = "The order of the rows tells nothing about the original order."
            return Item("order", "Rows are sorted", "done", words)
        words = "The order of your table is kept, which can give people away."
        return Item("order", "Rows are not sorted", "open", words)

    def _earlier_releases_item(self) -> Item:
        stated = self.now.report.earlier_releases
        if stated:
            return Item("earlier", "Earlier releases", "done", f"You wrote: {stated}")
        words = "Say below whether the same people were published before."
        return Item("earlier", "Earlier releases not stated", "open", words)

    def _exposure_items(self) -> Iterable[Item]:
        """Say what nobody should release without a reason, though every promise is kept."""
        for words in () if self.evidence is None else self.evidence.get("worst", ()):
            yield Item("found", "People are exposed", "open", words)

    def _doubt_items(self) -> Iterable[Item]:
        """Say what nobody should call safe, though every promise is kept."""
        for words in () if self.evidence is None else self.evidence.get("doubts", ()):
            yield Item("found", "Attacks and rules", "doubt", words)
        for words in () if self.evidence is None else self.evidence.get("left", ()):
            yield Item("left", "What is left", "doubt", words)
        if self.evidence is not None and self.harbor != self.evidence.get("harbor"):
            yield Item("found", "Attacks and rules", "doubt", _ANSWERS)
        for one in self.written:
            words = f"Version {one['id']} ({one['promise']}) was written into {one['exported']} before. {_BOTH}"
            yield Item("written", "Written before", "doubt", words)

    def _published_roles(self) -> dict[str, str]:
        return {name: one.role for name, one in self.made_by.columns.items() if one.role not in GONE}


_FILE = "the contents of a file that the plan names"
_LOOKED = "Somebody has looked at every column that we were not sure about."
_KNOWN = "Could it name somebody, or be known elsewhere?"
_ANSWERS = "What you said for HIPAA's list has changed since this version was checked. Check it again in step 6."
_BOTH = "Whoever has both can find out more than either tells alone."


def refusal_of(items: Sequence[Item]) -> Refusal:
    """Refuse to write what is open, as long as nobody says why it is released all the same."""
    told = refusal(
        409,
        "open",
        f"Nothing was written, because something is open: {'; '.join(one.title for one in items)}.",
        "settle it, or say why it is released anyway, with your name.",
    )
    told.plain["problems"] = [{"place": one.name, "message": one.words} for one in items]
    return told


def _names_text(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), *names[-1:]] if len(names) > 1 else names)


# What somebody who knows the table has to look at, the most dangerous first, and who a row is about.

BECOMES = {
    "identifier": "is left out, as something that names a person",
    "sensitive": "is published as it is, as something that nobody could know of anybody",
    "insensitive": "is published as it is, for everybody to know",
    "shifted": "is published with days that are not true",
    "quasi": "is published vaguer, as something that others could know",
    "drop": "is left out",
}
"""What becomes of a column, by its role; in the order of what a suggestion asks."""
NAMED = 3  # so many columns are named in one sentence; more are counted


def checks_of(plan: Plan, columns: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> list[Plain]:
    """List what to look at: each with the column it is about, if it is one, and the screen where it is settled."""
    return [
        *_person_checks(plan, {one["name"]: one for one in columns}, about),
        *(item for role in BECOMES for item in _role_checks(plan, role, columns, about)),
    ]


def _person_checks(plan: Plan, columns: Mapping[str, Any], about: Mapping[str, Any]) -> Iterator[Plain]:
    """Ask whether a column stands for a person: wrong either way, every group would be counted wrong."""
    found, entity = about.get("entity"), plan.data.entity
    if entity is None and about.get("perhaps") in columns:
        name, rows = about["perhaps"], f"{about['people']:,} values in {about['records']:,} rows"
        words = f"Does {_quote(name)} stand for a person ({rows})? If so, say it: groups hold fewer people than rows."
        yield _item(name, words, "open")
    if found is None or found not in columns:
        return
    rows = f"{about['people']:,} values in {about['records']:,} rows"
    if entity is None:
        words = f"You said that every row is another person. But {_quote(found)} repeats: {rows}."
        yield _item(found, f"{words} If it stands for people, groups hold fewer people than rows.", "open")
    elif entity == found and not columns[found]["confirmed"]:
        words = (
            f"Is {_quote(found)} a person? People are counted by it ({rows}). If every row is another person, say so."
        )
        yield _item(found, words, "open")


def _role_checks(
    plan: Plan, role: str, columns: Sequence[Mapping[str, Any]], about: Mapping[str, Any]
) -> Iterator[Plain]:
    asked = about.get("entity") if about.get("entity") == plan.data.entity else None
    asked = about.get("perhaps") if asked is None and plan.data.entity is None else asked
    for one in columns:
        if one["role"] == role and one["name"] != asked and _is_open(one):
            why = _special_meaning(one["name"], about) or (one["check"] if role == "insensitive" else one["reason"])
            yield _item(one["name"], f"{_quote(one['name'])} {BECOMES[role]}{f': {_as_clause(why)}' if why else ''}.")
    if role == "sensitive":
        yield from _unpromised_check(plan)


def _is_open(one: Mapping[str, Any]) -> bool:
    """Say whether nobody has looked at a column, or whether it singles people out though it is called harmless."""
    harmless = one["role"] == "insensitive" and one["suggested"] == "insensitive" and one["check"] != ""
    return not one["confirmed"] or harmless


def _special_meaning(name: str, about: Mapping[str, Any]) -> str:
    """Say what a column stands for, if it stands for a household or for many people of a survey."""
    if name == about.get("household"):
        rows = f"{about['households']:,} in {about['records']:,} rows"
        return f"it stands for a household ({rows}), and who knows one member may recognise the others"
    return "it looks like a survey weight, which can give people away" if name == about.get("weight") else ""


def _unpromised_check(plan: Plan) -> Iterator[Plain]:
    promised = promised_about(plan.model())
    names = [name for name, one in plan.columns.items() if one.role == "sensitive" and name not in promised]
    if names:
        more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
        listed = f"{', '.join(map(_quote, names[:NAMED]))}{more}"
        words = f"Nothing is promised about what is confidential in {listed}: a whole group may share it."
        yield _item(None, words, "promise")


def _item(column: str | None, words: str, screen: str = "columns") -> Plain:
    return {"column": column, "words": words, "screen": screen}


def _quote(name: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}"


def _as_clause(reason: str) -> str:
    """Let a reason go on in a sentence about a column."""
    words = reason.removesuffix(".")
    return f"its {words}" if words.startswith(("name ", "values ")) else words
