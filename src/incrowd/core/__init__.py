"""The shared words and kernels: what every other room stands on. NumPy and numba only."""

from incrowd.core._domain import Domain, Kind
from incrowd.core._errors import (
    DataError,
    EngineError,
    HierarchyError,
    IncrowdError,
    MissingExtraError,
    ParameterError,
    PrivacyWarning,
    SchemaError,
    UncoveredValuesError,
    UnknownColumnError,
)
from incrowd.core._ladder import TOP, Hierarchy, Ladder, Step
from incrowd.core._packing import Packing, smallest_unsigned
from incrowd.core._schema import Binding, Meaning, Schema

__all__ = [
    "TOP",
    "Binding",
    "DataError",
    "Domain",
    "EngineError",
    "Hierarchy",
    "HierarchyError",
    "IncrowdError",
    "Kind",
    "Ladder",
    "Meaning",
    "MissingExtraError",
    "Packing",
    "ParameterError",
    "PrivacyWarning",
    "Schema",
    "SchemaError",
    "Step",
    "UncoveredValuesError",
    "UnknownColumnError",
    "smallest_unsigned",
]
