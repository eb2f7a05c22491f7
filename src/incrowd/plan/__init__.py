"""The plan file, its checks, the suggestion for a new table, and published rules."""

from incrowd.plan._plan import Plan
from incrowd.plan._safe_harbor import KINDS, likely_kind, safe_harbor
from incrowd.plan._toml import NotToml, check_plain, tables_of, value_as_toml
from incrowd.plan.suggestion._missing import MISSING, Gap, gaps_in
from incrowd.plan.suggestion._protection import Combination, SinglingOut
from incrowd.plan.suggestion._reading import are_typed
from incrowd.plan.suggestion._suggest import suggest
from incrowd.plan.suggestion._suggestion import ColumnSuggestion, Suggestion

__all__ = [
    "KINDS",
    "MISSING",
    "ColumnSuggestion",
    "Combination",
    "Gap",
    "NotToml",
    "Plan",
    "SinglingOut",
    "Suggestion",
    "are_typed",
    "check_plain",
    "gaps_in",
    "likely_kind",
    "safe_harbor",
    "suggest",
    "tables_of",
    "value_as_toml",
]  # fmt: skip
