from .attacks import (
    Intruder as Intruder,
)
from .core import (
    DataError as DataError,
    EngineError as EngineError,
    HierarchyError as HierarchyError,
    IncrowdError as IncrowdError,
    NoSafeRelease as NoSafeRelease,
    ParameterError as ParameterError,
    Partition as Partition,
    PlanError as PlanError,
    PrivacyWarning as PrivacyWarning,
    ReleaseMismatch as ReleaseMismatch,
    Schema as Schema,
    SchemaError as SchemaError,
    ShiftedDates as ShiftedDates,
    UncoveredValuesError as UncoveredValuesError,
    UnknownColumnError as UnknownColumnError,
    Verdict as Verdict,
)
from .datasets import (
    hospital as hospital,
    hospital_schema as hospital_schema,
)
from .engines import (
    Database as Database,
    Tables as Tables,
)
from .evidence import (
    alternatives as alternatives,
    assess as assess,
    attack as attack,
    check as check,
    compare as compare,
    preset as preset,
    profile as profile,
    risk as risk,
    utility as utility,
)
from .hierarchies import (
    auto as auto,
    averaged as averaged,
    bottom_coded as bottom_coded,
    categories as categories,
    classification as classification,
    dates as dates,
    flat as flat,
    frequent as frequent,
    intervals as intervals,
    items as items,
    mask as mask,
    ordered as ordered,
    postcodes as postcodes,
    quantiles as quantiles,
    top_coded as top_coded,
    tree as tree,
)
from .models import (
    AlphaAssociation as AlphaAssociation,
    BetaLikeness as BetaLikeness,
    DeltaDisclosure as DeltaDisclosure,
    EnhancedPAlphaSensitive as EnhancedPAlphaSensitive,
    KAnonymity as KAnonymity,
    KKmAnonymity as KKmAnonymity,
    KmAnonymity as KmAnonymity,
    LDiversity as LDiversity,
    NTCloseness as NTCloseness,
    PAlphaSensitive as PAlphaSensitive,
    PSensitive as PSensitive,
    RecursiveDiversity as RecursiveDiversity,
    TCloseness as TCloseness,
)
from .plan import (
    Plan as Plan,
    Suggestion as Suggestion,
    safe_harbor as safe_harbor,
    suggest as suggest,
)
from .release import (
    Release as Release,
    anonymize as anonymize,
    apply as apply,
    census as census,
    feasibility as feasibility,
    frontier as frontier,
    load_recoding as load_recoding,
    save_recoding as save_recoding,
    solutions as solutions,
    verify as verify,
)
from .search import (
    CheapestFirst as CheapestFirst,
    Datafly as Datafly,
    Incognito as Incognito,
    LevelsAndCells as LevelsAndCells,
    Mondrian as Mondrian,
    MuArgus as MuArgus,
    Optimal as Optimal,
    Samarati as Samarati,
    SwapDiversity as SwapDiversity,
    TopDown as TopDown,
)
