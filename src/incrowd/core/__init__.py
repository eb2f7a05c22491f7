"""The shared words and kernels: what every other room stands on. NumPy and numba only."""

from incrowd.core._census import Census, CensusRequest, FrozenMapping
from incrowd.core._classes import Cells, Classes, Histogram, compatible_sizes
from incrowd.core._display import Grid, percent, printable, records_text, share_text, unbroken_percent
from incrowd.core._domain import Domain, kind_of
from incrowd.core._draft import has_locks, lock_file, lock_folder, unwritten_by
from incrowd.core._errors import (
    FORCE,
    DataError,
    EngineError,
    HierarchyError,
    Hint,
    IncrowdError,
    NoSafeRelease,
    ParameterError,
    PlanError,
    PlanProblem,
    PrivacyWarning,
    ReleaseMismatch,
    SchemaError,
    Setting,
    UncoveredValuesError,
    UnknownColumnError,
    import_extra,
    name_list,
    warn,
    without_addresses,
)
from incrowd.core._grouping import Field, Grouping, Packing, add_up, group, overlay, smallest_unsigned, tally
from incrowd.core._labelling import Labelling, Namer, class_extremes, distinct_texts
from incrowd.core._ladder import TOP, Hierarchy, KnownLadder, Ladder, Step
from incrowd.core._recoding import (
    FullDomainRecoding,
    LocalRecoding,
    Recoding,
    join_cells,
    recoding_from_arrays,
)
from incrowd.core._schema import Binding, Meaning, Schema
from incrowd.core._supersets import Partition, SupersetMode, supersets
from incrowd.core._texts import WHOLE_FLOATS, Kind, canonical_text, canonical_value, exact_number
from incrowd.core._verdict import Finding, Verdict, joint_verdict
from incrowd.core._whole_files import (
    atomic_folder,
    atomic_path,
    atomic_paths,
    bytes_in,
    check_file,
    check_path,
    check_target,
    json_in,
    remove_path,
    text_in,
)

__all__ = [
    "FORCE", "TOP", "WHOLE_FLOATS", "Binding", "Cells", "Census", "CensusRequest", "Classes", "DataError", "Domain",
    "EngineError", "Field", "Finding", "FrozenMapping", "FullDomainRecoding", "Grid", "Grouping", "Hierarchy",
    "HierarchyError", "Hint", "Histogram", "IncrowdError", "Kind", "KnownLadder", "Labelling", "Ladder",
    "LocalRecoding", "Meaning", "Namer", "NoSafeRelease", "Packing", "ParameterError", "Partition", "PlanError",
    "PlanProblem", "PrivacyWarning", "Recoding", "ReleaseMismatch", "Schema", "SchemaError", "Setting", "Step",
    "SupersetMode", "UncoveredValuesError", "UnknownColumnError", "Verdict", "add_up", "atomic_folder", "atomic_path",
    "atomic_paths", "bytes_in", "canonical_text", "canonical_value", "check_file", "check_path", "check_target",
    "class_extremes", "compatible_sizes", "distinct_texts", "exact_number", "group", "has_locks", "import_extra",
    "join_cells", "joint_verdict", "json_in", "kind_of", "lock_file", "lock_folder", "name_list", "overlay", "percent",
    "printable", "recoding_from_arrays", "records_text", "remove_path", "share_text", "smallest_unsigned", "supersets",
    "tally", "text_in", "unbroken_percent", "unwritten_by", "warn", "without_addresses",
]  # fmt: skip
