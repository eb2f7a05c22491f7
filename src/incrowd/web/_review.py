"""What stands between a run and its release: what is settled, what is open, and what is doubtful."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from incrowd.api import Plan
from incrowd.web._decides import differences
from incrowd.web._refusal import Plain, Refusal, refusal

State = Literal["done", "open", "doubt"]
OWN = 0.5
"""From this share of values that occur once, a column tells people apart by itself."""
AS_IT_IS = ("sensitive", "insensitive")
"""Roles whose values are published as they are."""
GONE = ("identifier", "drop")
"""Roles that are not published."""


class Item(NamedTuple):
    """One line of the list before a release.

    Attributes
    ----------
    name, title
        What it is about, for programs and for people.
    state
        Settled; open, so that nothing is released without a reason; or doubtful, so that nothing is called safe.
    words
        What was found.
    """

    name: str
    title: str
    state: State
    words: str


@dataclass(frozen=True, slots=True)
class Review:
    """A run before its release.

    Attributes
    ----------
    run, made_by
        Its summary, and the plan that it was made by.
    now
        The plan as it is now.
    columns
        The columns of the plan as it is now: what was suggested, and who looked at it.
    profile
        The columns of the table in numbers.
    evidence
        What attacks found; nothing if there were none.
    harbor
        What was said about HIPAA's list.
    written
        Summaries of other runs that were written before.
    """

    run: Mapping[str, Any]
    made_by: Plan
    now: Plan
    columns: Sequence[Mapping[str, Any]]
    profile: Mapping[str, Any]
    evidence: Mapping[str, Any] | None = None
    harbor: Mapping[str, Any] | None = None
    written: Sequence[Mapping[str, Any]] = field(default=())

    @property
    def items(self) -> list[Item]:
        """All lines, in the order in which they are read."""
        lines = (self._roles, self._plan, self._promise, self._attacked, self._names, self._values, self._order)
        return [*(line() for line in lines), self._stated(), *self._worst(), *self._doubts()]

    @property
    def open(self) -> list[Item]:
        """What is open."""
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
        return Item("roles", "Columns not confirmed", "open", f"Nobody has looked at {_listed(unsure)} yet (step 2).")

    def _plan(self) -> Item:
        if self.run["current"]:
            return Item(
                "plan", "Version is up to date", "done", f"Version {self.run['id']} was made by the plan as it is."
            )
        changed = _listed(differences(self.made_by, self.now)) or _FILE
        words = f"The plan has changed since this version was made: {changed}. Make a new version in step 5."
        return Item("plan", "Version is out of date", "open", words)

    def _promise(self) -> Item:
        kept, asked = str(self.made_by.model()), str(self.now.model())
        words = f"{kept}, checked on the finished table."
        if kept == asked:
            return Item("promise", "Promise kept", "done", words)
        words = f"It keeps {words} The plan now asks for {asked}."
        return Item("promise", "Another promise is kept", "open", words)

    def _attacked(self) -> Item:
        if self.evidence is None:
            return Item("attacked", "Not attacked", "open", "Nobody has attacked this version yet. Do that in step 6.")
        return Item("attacked", "Attacked", "done", str(self.evidence["verdict"]))

    def _names(self) -> Item:
        published = self._published()
        likely = [one["name"] for one in self.columns if one["suggested"] == "identifier" and one["name"] in published]
        gone = [name for name, one in self.made_by.columns.items() if one.role in GONE and not one.keep]
        if likely:
            words = f"{_listed(likely)} may name people, and {'are' if len(likely) > 1 else 'is'} published."
            return Item("names", "Names may be published", "open", words)
        words = f"Not published: {_listed(gone)}." if gone else "No column looks as if it named a person."
        return Item("names", "Names are gone", "done", words)

    def _values(self) -> Item:
        as_it_is = {name for name, role in self._published().items() if role in AS_IT_IS}
        known = [one for one in self.profile["columns"] if one["name"] in as_it_is and float(one["share_alone"]) > OWN]
        words = "No column that is published as it is has mostly unique values."
        if not known:
            return Item("values", "No free text", "done", words)
        text = any(one["kind"] == "text" for one in known)
        names = _listed([one["name"] for one in known])
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

    def _stated(self) -> Item:
        stated = self.now.report.earlier_releases
        if stated:
            return Item("earlier", "Earlier releases", "done", f"You wrote: {stated}")
        words = "Say below whether the same people were published before."
        return Item("earlier", "Earlier releases not stated", "open", words)

    def _worst(self) -> Iterable[Item]:
        """Say what nobody should release without a reason, though every promise is kept."""
        for words in () if self.evidence is None else self.evidence.get("worst", ()):
            yield Item("found", "People are exposed", "open", words)

    def _doubts(self) -> Iterable[Item]:
        """Say what nobody should call safe, though every promise is kept."""
        for words in () if self.evidence is None else self.evidence.get("doubts", ()):
            yield Item("found", "Attacks and rules", "doubt", words)
        if self.evidence is not None and self.harbor != self.evidence.get("harbor"):
            yield Item("found", "Attacks and rules", "doubt", _ANSWERS)
        for one in self.written:
            words = f"Version {one['id']} ({one['promise']}) was written into {one['exported']} before. {_BOTH}"
            yield Item("written", "Written before", "doubt", words)

    def _published(self) -> dict[str, str]:
        """Give the roles of the columns that this run publishes."""
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
    told.said["problems"] = [{"place": one.name, "message": one.words} for one in items]
    return told


def _listed(names: Sequence[str]) -> str:
    """Write names in a row."""
    return " and ".join([", ".join(names[:-1]), *names[-1:]] if len(names) > 1 else names)
