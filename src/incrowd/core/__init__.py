"""The shared words and kernels: what every other room stands on. NumPy and numba only."""

from incrowd.core._atomic import atomic_folder, atomic_path, has_locks, lock_file, lock_folder, remove
from incrowd.core._census import Census, CensusRequest
from incrowd.core._classes import Cells, Classes, Histogram, Standing, compatible_sizes
from incrowd.core._display import Grid, percent, percent_unspaced, printable, records_of, share_of
from incrowd.core._domain import Domain, kind_of, look_alikes
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
from incrowd.core._grouping import Field, Grouping, Packing, add_up, group, overlay, smallest_unsigned, tally
from incrowd.core._labelling import Labelling, Namer, numbered, stretches
from incrowd.core._ladder import TOP, Hierarchy, KnownLadder, Ladder, Step
from incrowd.core._mapping import FrozenMapping
from incrowd.core._recoding import FullDomainRecoding, LocalRecoding, Recoding
from incrowd.core._schema import Binding, Meaning, Schema
from incrowd.core._store import get_recoding, join_cells, put_cells, put_recoding
from incrowd.core._supersets import Partition, Regions, SupersetMode, supersets
from incrowd.core._texts import WHOLE_FLOATS, Kind, canonical_text, canonical_value, exact_number
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
    "Field",
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
    "atomic_folder",
    "atomic_path",
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
    "percent",
    "percent_unspaced",
    "printable",
    "put_cells",
    "put_recoding",
    "records_of",
    "remove",
    "share_of",
    "smallest_unsigned",
    "stretches",
    "supersets",
    "tally",
    "warn",
]
