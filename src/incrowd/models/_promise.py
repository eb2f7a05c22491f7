"""``promise``: the one text for promises in plans, commands and verdicts, read into models and written back."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from typing import Any, NoReturn

from incrowd.core import ParameterError
from incrowd.models._form import BRACKETS, Clause, Form, forms
from incrowd.models._k_anonymity import KAnonymity
from incrowd.models._model import All, Model
from incrowd.models._thresholds import number_from_text

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(>=|<=|[<>=()\[\],:+])|([^\s"<>=()\[\],:+][^"<>=()\[\],:+]*))')
LONGEST, SHOWN = 10_000, 300  # characters of a promise, and of one in a message
EXAMPLES = "k>=5, l>=3[disease], t<=0.2[cost, ordered], enhanced(p=2, alpha=2)"


def promise(text: str | Model) -> Model:
    """Read a promise, or several separated by commas.

    Parameters
    ----------
    text
        Such as ``k>=5, l>=3[disease]``. A column whose name has a comma or a bracket is in double quotes. A model is
        a promise already.

    Examples
    --------
    >>> from incrowd.models import promise
    >>> promise("k>=5, l>=3[disease]").parts
    (KAnonymity(k=5, candidates=False), LDiversity(l=3, of=('disease',), kind='distinct', joint=False, missing=False))
    """
    if isinstance(text, Model):
        return text
    if not isinstance(text, str):
        msg = f"A promise is a model or its text, got {type(text).__name__}."
        raise ParameterError(msg, hint='write "k>=5, l>=3[disease]", or KAnonymity(5) & LDiversity(3, of="disease").')
    if len(text) > LONGEST:
        msg = f"A promise has {LONGEST:,} characters at most, got {len(text):,}."
        raise ParameterError(msg, hint="one promise can be about many columns: l>=3[disease, income].")
    reader = _Reader(text)
    models = [_model_of(reader.clause(), reader.shown)]
    while reader.take(","):
        models.append(_model_of(reader.clause(), reader.shown))
    reader.finish()
    return models[0] if len(models) == 1 else All(tuple(models))


class _Reader:
    """Reads tokens one after the other; every complaint names the text and the place in it."""

    def __init__(self, text: str) -> None:
        self._end = len(text)
        self.shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
        self._tokens: list[tuple[str, str, int]] = []
        place = 0
        while text[place:].strip():
            found = _TOKEN.match(text, place)
            if found is None:
                self._refuse("cannot be read", place)
            kind = "text" if found[1] else "sign" if found[2] else "word"
            self._tokens.append((kind, (found[1] or found[2] or found[3]).strip(), place))
            place = found.end()
        self._next = 0

    def take(self, sign: str) -> bool:
        """Step over a sign if it is the next one."""
        if self._next < len(self._tokens) and self._tokens[self._next][:2] == ("sign", sign):
            self._next += 1
            return True
        return False

    def finish(self) -> None:
        """Refuse what is left over."""
        if self._next < len(self._tokens):
            self._refuse("goes on unexpectedly", self._tokens[self._next][2])

    def clause(self) -> Clause:
        """Read one promise."""
        name = self._name()
        sense = next((sign for sign in (">=", "<=", "<", ">", "=") if self.take(sign)), None)
        number = self._number() if sense else None
        arguments = self._arguments() if sense is None and self.take("(") else {}
        columns, joint, words, values = self._brackets(name) if self.take("[") else ((), False, (), ())
        return Clause(name, sense, number, arguments, columns, joint, words, values)

    def _arguments(self) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        while True:
            place, bare = self._place(), self._kind() == "word"
            name = self._name()
            if name in arguments:
                self._refuse("gives one parameter twice", place)
            self._require("=")
            arguments[name] = self._name() if bare and name == "weight_over" else self._number()
            if not self.take(","):
                self._require(")")
                return arguments

    def _brackets(self, name: str) -> tuple[tuple[str, ...], bool, tuple[str, ...], tuple[str, ...]]:
        """Read columns and words, then values after a colon; ``+`` between columns means their combination."""
        columns: list[str] = []
        words: list[str] = []
        values: list[str] = []
        signs: set[str] = set()
        same_name = _forms_by_name(name)
        only_values, sign, place = self.take(":"), None, 0
        while not only_values:
            bare = self._kind() == "word"
            word = self._name()
            if bare and sign != "+" and any(form.has_word(word) for form in same_name):
                words.append(word)
            else:
                columns.append(word)
                signs |= {sign} if sign else set()
            if len(signs) > 1:
                self._refuse("mixes + and a comma", place)
            place, sign = self._place(), next((sign for sign in "+," if self.take(sign)), None)
            if sign is None:
                break
        if only_values or self.take(":"):
            values.append(self._name())
            while self.take(","):
                values.append(self._name())
        if not self.take("]"):
            self._refuse("needs a comma or ']'", self._place())
        return tuple(columns), "+" in signs, tuple(words), tuple(values)

    def _kind(self) -> str | None:
        return self._tokens[self._next][0] if self._next < len(self._tokens) else None

    def _place(self) -> int:
        return self._tokens[self._next][2] if self._next < len(self._tokens) else self._end

    def _name(self) -> str:
        if self._kind() not in {"word", "text"}:
            self._refuse("needs a name", self._place())
        kind, token, _ = self._tokens[self._next]
        self._next += 1
        return str(json.loads(token)) if kind == "text" else token

    def _number(self) -> int | Fraction:
        place = self._place()
        exact = number_from_text(self._name()) if self._kind() == "word" else None
        if exact is None:
            self._refuse("needs a number", place)
        return int(exact) if exact.denominator == 1 else exact

    def _require(self, sign: str) -> None:
        if not self.take(sign):
            self._refuse(f"needs {sign!r}", self._place())

    def _refuse(self, problem: str, place: int) -> NoReturn:
        msg = f"The promise {self.shown!r} {problem} at character {place + 1}."
        raise ParameterError(msg, hint=f"for example {EXAMPLES}.")


def _model_of(clause: Clause, text: str) -> Model:
    """Make the model that a clause asks for, or say what is wrong with it."""
    same_name = _forms_by_name(clause.name)
    meant = [form for form in same_name if form.sense == clause.sense and form.is_told_by(clause.words)]
    if not same_name:
        msg = f"The promise {text!r} asks for {clause.name!r}, which does not exist."
        known = dict.fromkeys(form.example for form in forms())
        raise ParameterError(msg, hint=f"these exist: {', '.join(known)}.")
    example = " or ".join(dict.fromkeys(form.example for form in same_name))
    if clause.name == "k" and isinstance(clause.number, int) and clause.number > 0 and not clause.brackets:
        example = str(KAnonymity(clause.number))  # with the number that was given
    hint = f"write it like {example}."
    if not meant:
        wrong = f"with {clause.sense!r}" if clause.sense else "like this"
        msg = f"The promise {text!r} cannot be read: {clause.name} is not written {wrong}."
        raise ParameterError(msg, hint=hint)
    form = next((form for form in meant if form.told_by is not None), meant[0])
    if unused := form.unused(clause):
        said = " and ".join(sorted(BRACKETS[part] for part in unused))
        msg = f"The promise {text!r} says something in brackets that {clause.name} does not take: {said}."
        raise ParameterError(msg, hint=hint)
    try:
        return form.read(clause)
    except TypeError:
        pass
    msg = f"The promise {text!r} has parameters that {clause.name} does not take, or lacks some."
    raise ParameterError(msg, hint=hint)


def _forms_by_name(name: str) -> list[Form]:
    return [form for form in forms() if form.name == name]


def exact_text(number: Fraction | float) -> str:
    """Write a number so that nothing is lost: a fraction, or all digits of a float."""
    if isinstance(number, float):
        return "inf" if math.isinf(number) else repr(number)
    return str(number)
