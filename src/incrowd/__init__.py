"""Hide every person of a table in a crowd, prove it, attack it, and show what it cost."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incrowd.algorithms import (
        Frontier,
        Incognito,
        Optimal,
        Samarati,
        Solutions,
    )
    from incrowd.api import (
        Assessment,
        Recipe,
        Release,
        anonymize,
        assess,
        census,
        check,
        feasibility,
        frontier,
        hospital,
        hospital_schema,
        solutions,
    )
    from incrowd.core import (
        Census,
        Classes,
        DataError,
        EngineError,
        HierarchyError,
        IncrowdError,
        NoSafeRelease,
        ParameterError,
        Partition,
        PrivacyWarning,
        ReleaseMismatch,
        Schema,
        SchemaError,
        UncoveredValuesError,
        UnknownColumnError,
        Verdict,
    )
    from incrowd.hierarchies import (
        auto,
        bottom_coded,
        categories,
        dates,
        flat,
        frequent,
        intervals,
        mask,
        ordered,
        top_coded,
        tree,
    )
    from incrowd.models import (
        AlphaAssociation,
        Association,
        BetaLikeness,
        DeltaDisclosure,
        EnhancedPAlphaSensitive,
        KAnonymity,
        LDiversity,
        NTCloseness,
        PAlphaSensitive,
        PSensitive,
        RecursiveDiversity,
        TCloseness,
    )

_ROOMS = {
    "algorithms": (
        "Frontier",
        "Incognito",
        "Optimal",
        "Samarati",
        "Solutions",
    ),
    "api": (
        "Assessment",
        "Recipe",
        "Release",
        "anonymize",
        "assess",
        "census",
        "check",
        "feasibility",
        "frontier",
        "hospital",
        "hospital_schema",
        "solutions",
    ),
    "core": (
        "Census",
        "Classes",
        "DataError",
        "EngineError",
        "HierarchyError",
        "IncrowdError",
        "NoSafeRelease",
        "ParameterError",
        "Partition",
        "PrivacyWarning",
        "ReleaseMismatch",
        "Schema",
        "SchemaError",
        "UncoveredValuesError",
        "UnknownColumnError",
        "Verdict",
    ),
    "hierarchies": (
        "auto",
        "bottom_coded",
        "categories",
        "dates",
        "flat",
        "frequent",
        "intervals",
        "mask",
        "ordered",
        "top_coded",
        "tree",
    ),
    "models": (
        "AlphaAssociation",
        "Association",
        "BetaLikeness",
        "DeltaDisclosure",
        "EnhancedPAlphaSensitive",
        "KAnonymity",
        "LDiversity",
        "NTCloseness",
        "PAlphaSensitive",
        "PSensitive",
        "RecursiveDiversity",
        "TCloseness",
    ),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "AlphaAssociation",
    "Assessment",
    "Association",
    "BetaLikeness",
    "Census",
    "Classes",
    "DataError",
    "DeltaDisclosure",
    "EngineError",
    "EnhancedPAlphaSensitive",
    "Frontier",
    "HierarchyError",
    "Incognito",
    "IncrowdError",
    "KAnonymity",
    "LDiversity",
    "NTCloseness",
    "NoSafeRelease",
    "Optimal",
    "PAlphaSensitive",
    "PSensitive",
    "ParameterError",
    "Partition",
    "PrivacyWarning",
    "Recipe",
    "RecursiveDiversity",
    "Release",
    "ReleaseMismatch",
    "Samarati",
    "Schema",
    "SchemaError",
    "Solutions",
    "TCloseness",
    "UncoveredValuesError",
    "UnknownColumnError",
    "Verdict",
    "anonymize",
    "assess",
    "auto",
    "bottom_coded",
    "categories",
    "census",
    "check",
    "dates",
    "feasibility",
    "flat",
    "frequent",
    "frontier",
    "hospital",
    "hospital_schema",
    "intervals",
    "mask",
    "ordered",
    "solutions",
    "top_coded",
    "tree",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that ``import incrowd`` costs nothing."""
    if name not in _ROOM_OF:
        msg = f"module 'incrowd' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(importlib.import_module(f"incrowd.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
