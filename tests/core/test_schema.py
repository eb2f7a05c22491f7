"""Roles are checked when they are written down, and again when they meet a table."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from incrowd.core import (
    Binding,
    Domain,
    Hierarchy,
    HierarchyError,
    Ladder,
    Meaning,
    ParameterError,
    Schema,
    SchemaError,
    Step,
    UncoveredValuesError,
    UnknownColumnError,
)
from incrowd.hierarchies import categories, ordered, tree


@dataclass(frozen=True)
class Starred:
    """The shortest hierarchy: the value, then ``*``."""

    def bind(self, domain: Domain) -> Ladder:
        return Ladder.climb(domain, [Step.top(domain)])


@dataclass(frozen=True)
class Fixed:
    """A taxonomy that knows some values only."""

    known: tuple[str, ...]

    def bind(self, domain: Domain) -> Any:
        missing = [text for text in domain.texts if text not in self.known]
        if missing:
            msg = f"Column {domain.column!r} has {len(missing)} values too many."
            raise UncoveredValuesError(msg, column=domain.column, values=missing)
        return Ladder.climb(domain, [])


class Falsy(Starred):
    """A hierarchy that counts as false, as anything of length 0 does."""

    def __len__(self) -> int:
        return 0

    def bind(self, domain: Domain) -> Ladder:
        return Ladder.climb(domain, [Step.top(domain, 99)])


def domains(**columns: list[Any]) -> dict[str, Domain]:
    return {name: Domain.of(name, values) for name, values in columns.items()}


def bind(schema: Schema, *, strict: bool = True, **columns: list[Any]) -> Binding:
    return schema.bind(domains(**columns), default=Starred(), strict=strict)


def test_every_column_knows_its_role() -> None:
    schema = Schema(["age"], ["disease"], identifiers=["name"], insensitive=["ward"], entity="id", count="n")
    assert [schema.role(name) for name in ("age", "disease", "name", "ward", "id", "n", "other")] == [
        "quasi-identifier",
        "sensitive",
        "identifier",
        "insensitive",
        "entity",
        "count",
        None,
    ]


def test_names_stay_in_the_order_in_which_they_were_given() -> None:
    schema = Schema(["zip", "age"], {"disease": None, "cost": None})
    assert (schema.quasi_names, schema.sensitive_names) == (("zip", "age"), ("disease", "cost"))


def test_the_empty_text_is_missing_and_a_missing_value_is_a_value_unless_one_says_so() -> None:
    schema = Schema(["age"])
    assert (schema.missing, schema.missing_values) == ("value", ("",))
    schema = Schema(["age"], missing="drop", missing_values=["", "NA"])
    assert (schema.missing, schema.missing_values) == ("drop", ("", "NA"))


@pytest.mark.parametrize("quasi", [[], {}, ()])
def test_a_schema_without_quasi_identifiers_is_refused(quasi: Any) -> None:
    with pytest.raises(SchemaError, match=r"has no quasi-identifier\. Hint: name the columns by which an outsider"):
        Schema(quasi)


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"sensitive": ["age"]}, "quasi-identifier and sensitive"),
        ({"identifiers": ["age"]}, "quasi-identifier and identifier"),
        ({"insensitive": ["age"]}, "quasi-identifier and insensitive"),
        ({"entity": "age"}, "quasi-identifier and entity"),
        ({"count": "age"}, "quasi-identifier and count"),
        ({"identifiers": ["x"], "count": "x"}, "identifier and count"),
        ({"entity": "x", "count": "x"}, "entity and count"),
    ],
)
def test_a_column_with_two_roles_is_refused(roles: dict[str, Any], said: str) -> None:
    with pytest.raises(SchemaError, match=rf"has two roles: {said}\. Hint: give every column one role"):
        Schema(["age"], **roles)


def test_a_column_that_is_named_twice_is_refused() -> None:
    with pytest.raises(SchemaError, match=r"^Column 'age' is given twice as quasi-identifier\."):
        Schema(["age", "zip", "age"])


def test_the_entity_may_be_an_identifier_as_well() -> None:
    schema = Schema(["age"], identifiers=["name"], entity="name")
    assert (schema.entity, schema.role("name")) == ("name", "entity")


@pytest.mark.parametrize("part", ["sensitive", "identifiers", "insensitive", "missing_values"])
def test_a_text_is_not_taken_for_a_list(part: str) -> None:
    with pytest.raises(
        SchemaError, match=rf"^{part} must be a list, got the text 'abc'\. Hint: write {part}=\['abc'\]"
    ):
        Schema(["age"], **{part: "abc"})  # type: ignore[arg-type]


def test_a_text_is_not_taken_for_a_list_of_quasi_identifiers() -> None:
    with pytest.raises(SchemaError, match=r"^quasi must be a list, got the text 'age'\. Hint: write quasi=\['age'\]"):
        Schema("age")


@pytest.mark.parametrize("unordered", [{"age", "zip"}, frozenset({"age"}), None, 5])
def test_what_has_no_order_is_not_taken_for_a_list(unordered: Any) -> None:
    with pytest.raises(SchemaError, match=r"^quasi must be a list, got \w+\. Hint: write quasi=\[\.\.\.\]"):
        Schema(unordered)


@pytest.mark.parametrize("name", [5, None, "", ("a", "b")])
def test_a_column_is_named_by_a_text(name: Any) -> None:
    with pytest.raises(SchemaError, match=r"^quasi must name columns, got"):
        Schema([name])
    with pytest.raises(SchemaError, match=r"^quasi must name columns, got"):
        Schema({name: None})


@pytest.mark.parametrize("role", ["entity", "count"])
def test_entity_and_count_are_named_by_a_text(role: str) -> None:
    with pytest.raises(SchemaError, match=f"^{role} must name columns, got list"):
        Schema(["age"], **{role: ["x"]})  # type: ignore[arg-type]


def test_a_missing_policy_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"^missing must be 'value' or 'drop', got 'wildcard'\."):
        Schema(["age"], missing="wildcard")  # type: ignore[arg-type]


def test_missing_values_are_texts() -> None:
    with pytest.raises(ParameterError, match=r"^missing_values must be a list of texts"):
        Schema(["age"], missing_values=["", -9])  # type: ignore[list-item]


@pytest.mark.parametrize("part", [5, "mask", [5, 10], len])
def test_what_is_no_hierarchy_is_refused(part: Any) -> None:
    with pytest.raises(SchemaError, match=r"^Column 'age' was given \w+ where a hierarchy is expected\. Hint: use"):
        Schema({"age": part})
    with pytest.raises(SchemaError, match=r"^Column 'cost' was given \w+ where categories or a hierarchy are"):
        Schema(["age"], {"cost": part})


def test_a_column_that_the_table_does_not_have_is_answered_with_the_nearest() -> None:
    schema = Schema(["age", "zpi"])
    with pytest.raises(UnknownColumnError, match=r"'zpi' \(given as quasi-identifier\)\. Hint: did you mean 'zip'\?"):
        schema.check_columns(["age", "zip", "disease"])


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"sensitive": ["x"]}, "sensitive"),
        ({"identifiers": ["x"], "entity": "x"}, "entity"),
        ({"insensitive": ["x"]}, "insensitive"),
        ({"entity": "x"}, "entity"),
        ({"count": "x"}, "count"),
    ],
)
def test_every_role_is_looked_up_in_the_table(roles: dict[str, Any], said: str) -> None:
    with pytest.raises(UnknownColumnError, match=rf"no column 'x' \(given as {said}\)"):
        Schema(["age"], **roles).check_columns(["age"])


def test_columns_that_may_be_a_record_are_not_listed() -> None:
    with pytest.raises(UnknownColumnError, match=r"no column 'age'.*the table has 2 columns\.$") as caught:
        Schema(quasi=["age"]).check_columns(["canary", "31"], show=False)
    assert "canary" not in str(caught.value)


def test_columns_without_a_role_are_named() -> None:
    schema = Schema(["age"], ["disease"], entity="id")
    assert schema.check_columns(["id", "ward", "age", "disease", "doctor"]) == ("ward", "doctor")


def test_hierarchies_are_bound_and_the_default_fills_the_gaps() -> None:
    binding = bind(Schema({"zip": Fixed(("a", "b")), "sex": None}), zip=["a", "b"], sex=["f", "m"])
    assert {name: ladder.height for name, ladder in binding.ladders.items()} == {"zip": 1, "sex": 1}
    assert (binding.meanings, binding.notes) == ({}, ())


def test_a_hierarchy_is_used_even_if_it_counts_as_false() -> None:
    binding = bind(Schema({"zip": Falsy()}), zip=["a", "b"])
    assert binding.ladders["zip"].leaves[1].tolist() == [99]


@pytest.mark.parametrize("strict", [True, False])
def test_meanings_of_sensitive_columns_are_bound(strict: bool) -> None:
    binding = bind(Schema(["a"], {"s": Fixed(("x",)), "t": None}), strict=strict, a=[1], s=["x"], t=["y"])
    assert list(binding.meanings) == ["s"]


def test_a_taxonomy_that_misses_values_is_refused_without_naming_them() -> None:
    with pytest.raises(UncoveredValuesError, match=r"^Column 's' has 1 values too many") as error:
        bind(Schema(["a"], {"s": Fixed(("flu",))}), a=[1], s=["flu", "HIV"])
    assert error.value.values == ("HIV",)
    assert "HIV" not in str(error.value)


@pytest.mark.parametrize("values", [[1.5, 2.0], [Decimal("1.5"), Decimal(2)], [0.5, None]])
def test_decimal_numbers_without_a_hierarchy_are_refused(values: list[Any]) -> None:
    with pytest.raises(SchemaError, match=r"'bmi' is a quasi-identifier of decimal numbers without a .* Hint: say how"):
        bind(Schema(["bmi"]), bmi=values)


def test_decimal_numbers_without_a_hierarchy_are_noted_where_nothing_is_published() -> None:
    binding = bind(Schema(["bmi"]), strict=False, bmi=[1.5, 2.0])
    assert binding.ladders == {}
    (note,) = binding.notes
    assert note.startswith("Column 'bmi' is a quasi-identifier of decimal numbers without a hierarchy. Nearly every ")
    assert note.endswith("say how it becomes vaguer, for example quasi={'bmi': intervals(5, 10)}.")


@pytest.mark.parametrize("values", [[1.0, 2.0], [None, None], [2**70], [Decimal("3.0")], [float("nan")]])
def test_whole_and_missing_numbers_need_no_hierarchy(values: list[Any]) -> None:
    assert bind(Schema(["age"]), age=values).notes == ()


def test_decimal_numbers_with_a_hierarchy_are_welcome() -> None:
    assert bind(Schema({"bmi": Starred()}), bmi=[1.5, 2.0]).notes == ()


@pytest.mark.parametrize("strict", [True, False])
def test_values_that_look_alike_are_noted_by_number(strict: bool) -> None:
    binding = bind(Schema(["sex"], ["s"]), strict=strict, sex=["M", "М", "F"], s=["flu", "flu "])  # noqa: RUF001
    assert binding.notes == (
        "Column 'sex' has 2 values that look alike in print; they count as different.",
        "Column 's' has 2 values that look alike in print; they count as different.",
    )


def test_a_hierarchy_that_clashes_with_the_values_is_refused() -> None:
    with pytest.raises(HierarchyError, match="'zip' uses one label for different groups"):
        bind(Schema(["zip"]), zip=["*", "a"])


def test_a_schema_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="cannot assign to field 'quasi'"):
        Schema(["age"]).quasi = ()  # type: ignore[misc]


def test_equal_schemas_are_equal_and_hash_alike() -> None:
    one, two = (Schema({"age": Starred()}, ["disease"], entity="id") for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert one != Schema({"age": Starred()}, ["disease"])


def test_a_list_and_a_mapping_without_hierarchies_are_the_same_schema() -> None:
    assert Schema(["age"], ["disease"]) == Schema({"age": None}, {"disease": None})


def test_a_schema_survives_the_way_to_another_process() -> None:
    schema = Schema({"age": Starred()}, ["disease"], identifiers=["name"], entity="name", count="n", missing="drop")
    assert pickle.loads(pickle.dumps(schema)) == schema  # noqa: S301 - our own bytes


def test_hierarchies_and_meanings_are_known_by_what_they_can_do() -> None:
    assert isinstance(Starred(), Hierarchy)
    assert isinstance(Starred(), Meaning)
    assert not isinstance("mask", Hierarchy)


@pytest.mark.parametrize("part", [Schema(quasi=["age"]), Starred])
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_what_can_be_bound_but_not_to_a_column_is_refused(part: Any, role: str) -> None:
    with pytest.raises(SchemaError, match=r"Column 'd' was given (Schema|the class Starred) where .* expected"):
        Schema(**{"quasi": {"age": None}, role: {"d": part}})  # type: ignore[arg-type]


def test_categories_are_no_hierarchy_of_a_quasi_identifier() -> None:
    schema = Schema(quasi={"d": categories({"bad": ["HIV"], "mild": ["flu"]})})  # type: ignore[dict-item]
    with pytest.raises(SchemaError, match="Column 'd' was given Categories where a hierarchy is expected") as caught:
        schema.bind(domains(d=["flu", "HIV"]), default=Starred())
    assert "categories(...)" not in caught.value.hint


@pytest.mark.parametrize(
    "meaning", [categories({"bad": ["HIV"], "mild": ["flu"]}), tree({"virus": ["HIV", "flu"]}), ordered(["flu", "HIV"])]
)
def test_a_sensitive_column_may_have_categories_a_taxonomy_or_an_order(meaning: Meaning) -> None:
    schema = Schema(quasi=["age"], sensitive={"d": meaning})
    assert list(schema.bind(domains(age=[1, 2], d=["flu", "HIV"]), default=Starred()).meanings) == ["d"]


def test_the_hint_fits_the_role() -> None:
    with pytest.raises(SchemaError, match=r"use categories\(\.\.\.\)"):
        Schema(quasi=["age"], sensitive={"d": 5})  # type: ignore[dict-item]
