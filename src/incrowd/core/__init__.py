"""The shared words and kernels: what every other room stands on. NumPy and numba only."""

from incrowd.core._census import Census, CensusRequest
from incrowd.core._classes import Cells, Classes, Histogram, Standing
from incrowd.core._compatible import compatible_sizes
from incrowd.core._domain import Domain, kind_of
from incrowd.core._errors import (
    DataError,
    EngineError,
    HierarchyError,
    IncrowdError,
    NoSafeRelease,
    ParameterError,
    PlanError,
    PlanProblem,
    PrivacyWarning,
    ReleaseMismatch,
    SchemaError,
    UncoveredValuesError,
    UnknownColumnError,
    named,
    warn,
)
from incrowd.core._grid import Grid, printable
from incrowd.core._grouping import Grouping, add_up, group, tally
from incrowd.core._known_ladder import KnownLadder
from incrowd.core._labelling import Labelling, Namer, numbered, stretches
from incrowd.core._ladder import TOP, Hierarchy, Ladder, Step
from incrowd.core._lock import has_locks, lock_file, lock_folder
from incrowd.core._look_alikes import look_alikes
from incrowd.core._mapping import FrozenMapping
from incrowd.core._overlay import overlay
from incrowd.core._packing import Packing, smallest_unsigned
from incrowd.core._recoding import FullDomainRecoding, LocalRecoding, Recoding
from incrowd.core._recoding_store import get_recoding, join_cells, put_cells, put_recoding
from incrowd.core._schema import Binding, Meaning, Schema
from incrowd.core._supersets import Partition, Regions, SupersetMode, supersets
from incrowd.core._value_texts import WHOLE_FLOATS, Kind, canonical_text, canonical_value, exact_number
from incrowd.core._verdict import Finding, Verdict, joined_verdicts

__all__ = [
    "TOP",
    "WHOLE_FLOATS",
    "Binding",
    "Cells",
    "Census",
    "CensusRequest",
    "Classes",
    "DataError",
    "Domain",
    "EngineError",
    "Finding",
    "FrozenMapping",
    "FullDomainRecoding",
    "Grid",
    "Grouping",
    "Hierarchy",
    "HierarchyError",
    "Histogram",
    "IncrowdError",
    "Kind",
    "KnownLadder",
    "Labelling",
    "Ladder",
    "LocalRecoding",
    "Meaning",
    "Namer",
    "NoSafeRelease",
    "Packing",
    "ParameterError",
    "Partition",
    "PlanError",
    "PlanProblem",
    "PrivacyWarning",
    "Recoding",
    "Regions",
    "ReleaseMismatch",
    "Schema",
    "SchemaError",
    "Standing",
    "Step",
    "SupersetMode",
    "UncoveredValuesError",
    "UnknownColumnError",
    "Verdict",
    "add_up",
    "canonical_text",
    "canonical_value",
    "compatible_sizes",
    "exact_number",
    "get_recoding",
    "group",
    "has_locks",
    "join_cells",
    "joined_verdicts",
    "kind_of",
    "lock_file",
    "lock_folder",
    "look_alikes",
    "named",
    "numbered",
    "overlay",
    "printable",
    "put_cells",
    "put_recoding",
    "smallest_unsigned",
    "stretches",
    "supersets",
    "tally",
    "warn",
]
