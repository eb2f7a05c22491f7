"""What a release cost: how much detail is lost, and how many records."""

from incrowd.measures._costs import (
    CellObjective,
    ColumnCosts,
    LabelSums,
    Objective,
    Published,
    ambiguity,
    column_costs,
    column_loss,
    costs_of_labels,
    costs_of_sums,
    detail_lost,
    mean_detail,
    round_scores,
)
from incrowd.measures._exposure import (
    ClassSizes,
    Exposed,
    persons_alone,
    plain_number,
    same_classes,
    same_sets,
    unique_without,
)
from incrowd.measures._labels import Axis, Cover, Spread, ValueGroups, comparison_groups, line_positions
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
)
from incrowd.measures._pairs import Joint, Ranges, answers, cramers_v
from incrowd.measures._risk import (
    Chances,
    Guess,
    best_guess,
    chances_in_population,
    chances_in_table,
    expected_chance,
    expected_chances,
)
from incrowd.measures._uniqueness import Sizes, Uniqueness, estimated_uniqueness, pitman_fit

__all__ = [
    "MEASURES", "AverageClassSize", "Axis", "CellObjective", "Chances", "ClassSizes", "ColumnCosts", "Cover",
    "Discernibility", "Distortion", "Entropy", "Exposed", "Guess", "Height", "Joint", "LabelSums", "Loss", "Measure",
    "Objective", "Precision", "Published", "Ranges", "Sizes", "Spread", "Uniqueness", "ValueGroups", "ambiguity",
    "answers", "best_guess", "chances_in_population", "chances_in_table", "column_costs", "column_loss",
    "column_weights", "comparison_groups", "costs_of_labels", "costs_of_sums", "cramers_v", "detail_lost",
    "estimated_uniqueness", "expected_chance", "expected_chances", "line_positions", "mean_detail", "persons_alone",
    "pitman_fit", "plain_number", "round_scores", "same_classes", "same_sets", "unique_without",
]  # fmt: skip
