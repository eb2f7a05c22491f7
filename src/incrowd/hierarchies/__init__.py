"""How a value becomes vaguer: build, read, check, draw; and what a label covers."""

from incrowd.hierarchies._auto import (
    FEW_RECORDS,
    MOST,
    SAMPLE,
    Auto,
    are_numbers,
    are_whole_numbers,
    auto,
    is_free_text,
    is_from_data,
    pattern_of,
    sample_of_texts,
)
from incrowd.hierarchies._categories import BoundCategories, Categories, categories
from incrowd.hierarchies._classification import Classification, ClassificationName, classification, codes_of
from incrowd.hierarchies._codec import (
    hierarchies_from_plain,
    hierarchy_of,
    plain_roles,
    plain_schema,
    schema_from_plain,
    table_of,
    with_hierarchies,
)
from incrowd.hierarchies._coding import Coded, Frequent, bottom_coded, frequent, frequent_for, top_coded
from incrowd.hierarchies._coverage import (
    bind_known_values,
    coverage,
    coverage_as_values,
    coverage_by_hierarchy,
    covered,
    covers,
    part_of_domain,
    unreadable,
)
from incrowd.hierarchies._dates import Dates, dates, dates_for, days_in, forms_of, moments_of, newest_for
from incrowd.hierarchies._day_forms import ISO, likely_forms
from incrowd.hierarchies._drawing import check, draw, write_csv
from incrowd.hierarchies._intervals import Intervals, Quantiles, intervals, intervals_for, quantiles
from incrowd.hierarchies._items import Items, items
from incrowd.hierarchies._labels import LabelKind, Span, disjoint, kind_of_label, members_of, span_of
from incrowd.hierarchies._mask import Flat, Mask, flat, mask
from incrowd.hierarchies._microaggregation import Averaged, averaged, averages
from incrowd.hierarchies._numbers import decimal_text, places_in, read_decimal
from incrowd.hierarchies._ordered import Ordered, ordered
from incrowd.hierarchies._postcodes import COUNTRIES, Postcodes, postcodes
from incrowd.hierarchies._similarity import similarity_tree
from incrowd.hierarchies._tree import Problem, Tree, tree

__all__ = [
    "COUNTRIES", "FEW_RECORDS", "ISO", "MOST", "SAMPLE", "Auto", "Averaged", "BoundCategories", "Categories",
    "Classification", "ClassificationName", "Coded", "Dates", "Flat", "Frequent", "Intervals", "Items", "LabelKind",
    "Mask", "Ordered", "Postcodes", "Problem", "Quantiles", "Span", "Tree", "are_numbers", "are_whole_numbers", "auto",
    "averaged", "averages", "bind_known_values", "bottom_coded", "categories", "check", "classification", "codes_of",
    "coverage", "coverage_as_values", "coverage_by_hierarchy", "covered", "covers", "dates", "dates_for", "days_in",
    "decimal_text", "disjoint", "draw", "flat", "forms_of", "frequent", "frequent_for", "hierarchies_from_plain",
    "hierarchy_of", "intervals", "intervals_for", "is_free_text", "is_from_data", "items", "kind_of_label",
    "likely_forms", "mask", "members_of", "moments_of", "newest_for", "ordered", "part_of_domain", "pattern_of",
    "places_in", "plain_roles", "plain_schema", "postcodes", "quantiles", "read_decimal", "sample_of_texts",
    "schema_from_plain", "similarity_tree", "span_of", "table_of", "top_coded", "tree", "unreadable",
    "with_hierarchies", "write_csv",
]  # fmt: skip
