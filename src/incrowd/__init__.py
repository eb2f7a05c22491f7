"""Hide every person of a table in a crowd, prove it, attack it, and show what it cost."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incrowd.api import census, check, hospital, hospital_schema
    from incrowd.core import (
        Census,
        Classes,
        DataError,
        EngineError,
        HierarchyError,
        IncrowdError,
        ParameterError,
        PrivacyWarning,
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
        BetaLikeness,
        DeltaDisclosure,
        EnhancedPAlphaSensitive,
        KAnonymity,
        LDiversity,
        PAlphaSensitive,
        PSensitive,
        RecursiveDiversity,
        TCloseness,
    )

_ROOMS = {
    "api": ("census", "check", "hospital", "hospital_schema"),
    "core": (
        "Census",
        "Classes",
        "DataError",
        "EngineError",
        "HierarchyError",
        "IncrowdError",
        "ParameterError",
        "PrivacyWarning",
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
        "BetaLikeness",
        "DeltaDisclosure",
        "EnhancedPAlphaSensitive",
        "KAnonymity",
        "LDiversity",
        "PAlphaSensitive",
        "PSensitive",
        "RecursiveDiversity",
        "TCloseness",
    ),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "AlphaAssociation",
    "BetaLikeness",
    "Census",
    "Classes",
    "DataError",
    "DeltaDisclosure",
    "EngineError",
    "EnhancedPAlphaSensitive",
    "HierarchyError",
    "IncrowdError",
    "KAnonymity",
    "LDiversity",
    "PAlphaSensitive",
    "PSensitive",
    "ParameterError",
    "PrivacyWarning",
    "RecursiveDiversity",
    "Schema",
    "SchemaError",
    "TCloseness",
    "UncoveredValuesError",
    "UnknownColumnError",
    "Verdict",
    "auto",
    "bottom_coded",
    "categories",
    "census",
    "check",
    "dates",
    "flat",
    "frequent",
    "hospital",
    "hospital_schema",
    "intervals",
    "mask",
    "ordered",
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
