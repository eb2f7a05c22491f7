"""What a release cost: how much detail is lost, and how many records."""

from incrowd.measures._labelled import costs_of_labels
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
    read_measure,
)
from incrowd.measures._objective import Objective, Published, rounded

__all__ = [
    "MEASURES",
    "AverageClassSize",
    "Discernibility",
    "Distortion",
    "Entropy",
    "Height",
    "Loss",
    "Measure",
    "Objective",
    "Precision",
    "Published",
    "costs_of_labels",
    "read_measure",
    "rounded",
]
