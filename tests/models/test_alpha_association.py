from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.core import Cells, Classes, Domain, Grouping
from incrowd.models import Association, _alpha_association as _association, promise
from models import slow
from models.tables import bags, classes_of, counted, judge

rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcde")), min_size=1, max_size=30)

# Table 2 of the (alpha, k) paper: three classes of four.
PAPER = counted(
    {"Malaria": 2, "Brain Cancer": 1, "Heart Disease": 1},
    {"Malaria": 2, "Heart Disease": 2},
    {"Brain Cancer": 2, "Malaria": 1, "Heart Disease": 1},
)


def association(rows: list[Any], *, entity: bool = False) -> Association:
    return Association.of(classes_of(rows, entity=entity)[0], "s")


def test_the_alpha_vector_and_the_cost_matrix_of_the_paper() -> None:
    view = association(PAPER)
    assert view.values == ("Brain Cancer", "Heart Disease", "Malaria")
    assert view.alphas == dict.fromkeys(view.values, Fraction(1, 2))
    assert view.matrix().tolist() == [[0.25, 0, 0.5], [0.25, 0.5, 0.25], [0.5, 0.5, 0.25]]
    assert (view.largest, view.spread) == (Fraction(1, 2), Fraction(0))


@given(rows=rows)
def test_alphas_are_the_largest_shares_and_columns_sum_to_one(rows: list[Any]) -> None:
    classes, whole = bags(rows)
    shares = [slow.shares(bag) for bag in classes]
    view = association(rows)
    assert view.alphas == {value: max(share.get(value, Fraction(0)) for share in shares) for value in sorted(whole)}
    assert view.matrix().sum(axis=0) == pytest.approx(np.ones(len(classes)))
    assert view.matrix().max(axis=1) == pytest.approx([float(alpha) for alpha in view.alphas.values()])
    for number, share in enumerate(shares):
        assert [view.share(value, number) for value in view.values] == [share.get(value, 0) for value in view.values]
    assert view.largest == max(view.alphas.values())
    assert view.spread == view.largest - min(view.alphas.values())


@given(rows=rows)
def test_edges_are_the_complete_bipartite_graph(rows: list[Any]) -> None:
    view = association(rows)
    matrix = view.matrix()
    expected = [
        (("value", value), ("class", number), {"weight": matrix[place, number]})
        for place, value in enumerate(view.values)
        for number in range(matrix.shape[1])
    ]
    assert list(view.edges()) == expected
    assert list(view.edges(zeros=False)) == [edge for edge in expected if edge[2]["weight"]]


def test_edges_have_the_form_that_networkx_reads() -> None:
    graph: defaultdict[Any, dict[Any, dict[str, float]]] = defaultdict(dict)
    for one, other, attributes in association(PAPER).edges():
        graph[one][other] = graph[other][one] = attributes
    assert graph["value", "Malaria"]["class", 1] == {"weight": 0.5}
    assert len(graph) == 6
    assert {len(neighbours) for neighbours in graph.values()} == {3}


def test_a_difference_beyond_what_a_float_tells_is_told() -> None:
    many = 3 * 10**15
    counts = np.array([many, many + 1, many + 1, many + 2])  # (n + 1) / (2n + 3) is larger than n / (2n + 1)
    cells = Cells({"s": np.array([0, 1, 0, 1])}, {"s": Domain.of("s", ["a", "b"])}, None, counts)
    grouping = Grouping(np.array([0, 0, 1, 1]), np.array([0, 2]))
    view = Association.of(Classes.of(grouping, (), cells), "s")
    assert view.alphas["a"] == Fraction(many + 1, 2 * many + 3)


def test_people_with_several_rows_count_once() -> None:
    view = association([(1, "a", "x"), (1, "a", "x"), (1, "b", "y"), (1, "a", "y")], entity=True)
    assert view.alphas == {"a": 1, "b": Fraction(1, 2)}


def test_a_missing_value_is_a_value() -> None:
    view = association([(1, None), (1, "a")])
    assert view.values == ("a", None)
    assert view.share(None, 0) == Fraction(1, 2)


def test_an_empty_table_has_no_alpha() -> None:
    cells = Cells({"s": np.zeros(0, np.uint8)}, {"s": Domain.of("s", [])}, None, np.zeros(0, np.int64))
    view = Association.of(Classes.of(Grouping(np.zeros(0, np.uint8), np.zeros(0, np.intp)), (), cells), "s")
    assert (view.values, view.matrix().shape, list(view.edges()), view.most_certain(3)) == ((), (0, 0), [], [])
    assert (view.largest, view.spread) == (Fraction(0), Fraction(0))


def test_the_most_certain_classes_come_first() -> None:
    assert association(counted({"a": 2, "b": 2}, {"a": 3, "b": 1}, {"a": 5})).most_certain(2) == [2, 1]


def test_a_share_of_what_there_is_not_is_refused_without_naming_it() -> None:
    view = association(PAPER)
    with pytest.raises(ic.ParameterError, match=r"^Column 's' has no such value\. "):
        view.share("Canary", 0)
    with pytest.raises(ic.ParameterError, match=r"There are 3 classes, counted from 0, got 3\."):
        view.share("Malaria", 3)


def test_a_matrix_that_nobody_can_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_association, "MAX_ENTRIES", 8)
    with pytest.raises(ic.ParameterError, match=r"3 values and 3 classes is too large.*edges\(zeros=False\)"):
        association(PAPER).matrix()


def test_no_value_stands_in_its_repr() -> None:
    assert repr(association(PAPER)) == "Association(column='s')"


@given(rows=rows)
def test_every_value_can_have_its_own_bound(rows: list[Any]) -> None:
    bounds = {"a": Fraction(1, 3), "b": Fraction(1, 2)}
    table = [*rows, (4, "a"), (4, "b"), (4, "c")]
    shares = [slow.shares(bag) for bag in bags(table)[0]]
    result = judge(ic.AlphaAssociation(bounds), table)
    assert result.ok.tolist() == [all(share.get(v, 0) <= bound for v, bound in bounds.items()) for share in shares]
    for number, value in enumerate(bounds):
        assert [result.measured[number].at(i) for i in range(len(shares))] == [share.get(value, 0) for share in shares]


def test_bounds_per_value_are_one_hashable_promise() -> None:
    model = ic.AlphaAssociation({"flu": 0.5, "HIV": 0.2}, of="disease")
    assert model.alpha == (("HIV", Fraction(1, 5)), ("flu", Fraction(1, 2)))
    assert model == ic.AlphaAssociation({"HIV": 0.2, "flu": 0.5}, of="disease")
    assert len({model, ic.AlphaAssociation(model.alpha, of="disease")}) == 1
    assert str(model) == "alpha(HIV=0.2, flu=0.5)[disease]"
    assert [(bound.name, bound.bound) for bound in model.requirements] == [
        ("alpha of HIV", Fraction(1, 5)),
        ("alpha of flu", Fraction(1, 2)),
    ]


texts = st.one_of(
    st.sampled_from(["HIV", "lung cancer", "weight_over", "ordered", "0.2", 'a"=b', "a=b", "(x)", "p", ""]),
    st.text(max_size=6).filter(lambda text: text.isprintable()),
)


@given(bounds=st.dictionaries(texts, st.fractions(Fraction(1, 90), 1, max_denominator=90), min_size=1, max_size=4))
def test_bounds_per_value_read_as_they_print(bounds: dict[str, Fraction]) -> None:
    model = ic.AlphaAssociation(bounds, of="disease")
    assert promise(str(model)) == model
    assert promise(f"k>=2, {model}").parts == (ic.KAnonymity(2), model)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"alpha": {}}, "alpha must be a number, or a dict"),
        ({"alpha": {1: 0.5}}, "alpha must be a number, or a dict"),
        ({"alpha": ("a", 0.5)}, "alpha must be a number, or a dict"),
        ({"alpha": (("a", 0.5), ("a", 0.6))}, "alpha bounds one value twice"),
        ({"alpha": {"a": 0}}, "alpha must be above 0 and at most 1"),
        ({"alpha": {"a": 0.5}, "values": ["a"]}, "values goes with one alpha"),
        ({"alpha": 0.5, "values": "HIV"}, "values must be a list of texts"),
        ({"alpha": 0.5, "values": [1]}, "values must be a list of texts"),
    ],
)
def test_wrong_bounds_are_refused(arguments: Any, says: str) -> None:
    with pytest.raises(ic.ParameterError, match=says):
        ic.AlphaAssociation(**arguments)


def test_a_value_that_is_bounded_twice_in_a_text_is_refused() -> None:
    with pytest.raises(ic.ParameterError, match="gives one parameter twice at character 15"):
        promise("alpha(HIV=0.2, HIV=0.9)")
    with pytest.raises(ic.ParameterError, match="alpha must be a number, or a dict"):
        promise("alpha")


def test_a_misspelt_value_is_warned_about_and_not_bounded() -> None:
    with pytest.warns(ic.PrivacyWarning, match="AlphaAssociation lists 1 of 2 values that column 's' does not have"):
        result = judge(ic.AlphaAssociation({"a": 0.5, "hvi": 0.1}), [(1, "a"), (1, "b")])
    assert result.ok.tolist() == [True]


@given(rows=rows, alpha=st.fractions(Fraction(1, 6), 1, max_denominator=12))
def test_what_keeps_every_share_small_has_many_values(rows: list[Any], alpha: Fraction) -> None:
    model = ic.AlphaAssociation(alpha)
    assert model.implied is not None
    assert not (judge(model, rows).ok & ~judge(model.implied, rows).ok).any()
    assert ic.AlphaAssociation(alpha, values=["a"]).implied is None


@given(first=rows, second=rows)
@pytest.mark.filterwarnings("ignore:AlphaAssociation lists")
def test_bounds_per_value_survive_merging(first: list[Any], second: list[Any]) -> None:
    model = ic.AlphaAssociation({"a": Fraction(1, 2), "b": Fraction(1, 3)})
    apart = [(1, value) for _, value in first] + [(2, value) for _, value in second]
    if judge(model, apart).ok.all():
        assert judge(model, [(1, value) for _, value in apart]).ok.all()


def test_a_listed_value_that_is_not_there_is_a_warning_and_no_obstacle() -> None:
    with pytest.warns(ic.PrivacyWarning, match="lists 1 of 1 values that column 's' does not have"):
        assert judge(ic.AlphaAssociation(0.5, values=["zz"]), [(1, "a")]).ok.tolist() == [True]


@pytest.mark.parametrize("listed", ["1", "1.0"])
def test_listed_values_are_found_as_categories_find_them(listed: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("q,s\n1,1.0\n1,1.0\n1,2.5\n")
    schema = ic.Schema(quasi=["q"], sensitive=["s"])
    assert ic.check(path, schema, f"alpha<=0.5[: {listed}]").findings[0].measured == (Fraction(2, 3),)
    assert ic.check(path, schema, f'alpha("{listed}"=0.5)').findings[0].measured == (Fraction(2, 3),)


def test_the_empty_text_lists_missing_values_and_booleans_have_a_text() -> None:
    missing = [(1, "a"), (1, None), (1, None)]
    assert judge(ic.AlphaAssociation(0.5, values=[""]), missing).measured[0].at(0) == Fraction(2, 3)
    assert judge(ic.AlphaAssociation({"": 0.5, "a": 0.5}), missing).ok.tolist() == [False]
    assert judge(ic.AlphaAssociation(0.5, values=["true"]), [(1, True), (1, True), (1, False)]).ok.tolist() == [False]
