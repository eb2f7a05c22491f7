"""What a release cost: how much detail is lost, and how many records."""

from incrowd.measures._labelled import LabelSums, costs_of_labels, costs_of_sums
from incrowd.measures._measures import (
    MEASURES,
    AverageClassSize,
    Discernibility,
    Distortion,
    Entropy,
    Height,
    Loss,
    Measure,
    Precision,
    column_weights,
    read_measure,
)
from incrowd.measures._objective import Objective, Published, rounded
from incrowd.measures._risk import (
    Chances,
    chances_expected,
    chances_in_population,
    chances_in_table,
    expected_chance,
)
from incrowd.measures._risk_inference import Guess, best_guess
from incrowd.measures._risk_population import Fitting, crowds
from incrowd.measures._risk_sets import persons_alone, same_classes, same_sets
from incrowd.measures._uniqueness import ESTIMATORS, Uniqueness, estimated_uniqueness
from incrowd.measures._uniqueness_pitman import pitman_fit
from incrowd.measures._uniqueness_sizes import Sizes
from incrowd.measures._utility_axis import Axis, Spread
from incrowd.measures._utility_costs import ColumnCosts, ambiguity, column_costs
from incrowd.measures._utility_covers import Cover, in_line
from incrowd.measures._utility_groups import Groups, comparison_groups
from incrowd.measures._utility_pairs import Joint, Ranges, answers, cramers_v

__all__ = [
    "ESTIMATORS",
    "MEASURES",
    "AverageClassSize",
    "Axis",
    "Chances",
    "ColumnCosts",
    "Cover",
    "Discernibility",
    "Distortion",
    "Entropy",
    "Fitting",
    "Groups",
    "Guess",
    "Height",
    "Joint",
    "LabelSums",
    "Loss",
    "Measure",
    "Objective",
    "Precision",
    "Published",
    "Ranges",
    "Sizes",
    "Spread",
    "Uniqueness",
    "ambiguity",
    "answers",
    "best_guess",
    "chances_expected",
    "chances_in_population",
    "chances_in_table",
    "column_costs",
    "column_weights",
    "comparison_groups",
    "costs_of_labels",
    "costs_of_sums",
    "cramers_v",
    "crowds",
    "estimated_uniqueness",
    "expected_chance",
    "in_line",
    "persons_alone",
    "pitman_fit",
    "read_measure",
    "rounded",
    "same_classes",
    "same_sets",
]
