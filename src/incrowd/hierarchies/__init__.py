"""How a value becomes vaguer: build, read, check, draw; and what a label covers."""

from incrowd.hierarchies._auto import Auto, auto
from incrowd.hierarchies._averaged import Averaged, averaged, averages
from incrowd.hierarchies._categories import BoundCategories, Categories, categories
from incrowd.hierarchies._check import check
from incrowd.hierarchies._classification import Classification, ClassificationName, classification, codes_of
from incrowd.hierarchies._coded import Coded, bottom_coded, top_coded
from incrowd.hierarchies._covers import coverage, covered, covers, unread
from incrowd.hierarchies._dates import Dates, dates, dates_for
from incrowd.hierarchies._day_forms import ISO, likely_forms
from incrowd.hierarchies._disjoint import disjoint
from incrowd.hierarchies._draw import draw
from incrowd.hierarchies._flat import Flat, flat
from incrowd.hierarchies._frequent import Frequent, frequent, frequent_for
from incrowd.hierarchies._from_data import is_from_data
from incrowd.hierarchies._intervals import Intervals, intervals
from incrowd.hierarchies._labels import LabelKind, members_of
from incrowd.hierarchies._mask import Mask, mask
from incrowd.hierarchies._match import places_in
from incrowd.hierarchies._notations import kind_of_label
from incrowd.hierarchies._numbers import read_decimal
from incrowd.hierarchies._ordered import Ordered, ordered
from incrowd.hierarchies._paths import Problem
from incrowd.hierarchies._periods import days_in, forms_of, moments_of
from incrowd.hierarchies._postcodes import COUNTRIES, Postcodes, postcodes
from incrowd.hierarchies._quantiles import Quantiles, quantiles
from incrowd.hierarchies._similarity import similarity_tree
from incrowd.hierarchies._spans import Span, span_of
from incrowd.hierarchies._tree import Tree, tree
from incrowd.hierarchies._widths import intervals_for
from incrowd.hierarchies._write import write_csv

__all__ = [
    "COUNTRIES",
    "ISO",
    "Auto",
    "Averaged",
    "BoundCategories",
    "Categories",
    "Classification",
    "ClassificationName",
    "Coded",
    "Dates",
    "Flat",
    "Frequent",
    "Intervals",
    "LabelKind",
    "Mask",
    "Ordered",
    "Postcodes",
    "Problem",
    "Quantiles",
    "Span",
    "Tree",
    "auto",
    "averaged",
    "averages",
    "bottom_coded",
    "categories",
    "check",
    "classification",
    "codes_of",
    "coverage",
    "covered",
    "covers",
    "dates",
    "dates_for",
    "days_in",
    "disjoint",
    "draw",
    "flat",
    "forms_of",
    "frequent",
    "frequent_for",
    "intervals",
    "intervals_for",
    "is_from_data",
    "kind_of_label",
    "likely_forms",
    "mask",
    "members_of",
    "moments_of",
    "ordered",
    "places_in",
    "postcodes",
    "quantiles",
    "read_decimal",
    "similarity_tree",
    "span_of",
    "top_coded",
    "tree",
    "unread",
    "write_csv",
]
