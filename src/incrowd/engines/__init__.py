"""Where tables live: the only room that knows a dataframe library."""

from incrowd.engines._arrays import read_arrays, write_arrays
from incrowd.engines._arrow import table_of_columns
from incrowd.engines._csv import look_at
from incrowd.engines._database import Database, write_database
from incrowd.engines._files import check_suffix, ending_of, is_escaped, is_text
from incrowd.engines._formulas import escape_formula, unescape_formula
from incrowd.engines._open import open_table
from incrowd.engines._private import private_folder
from incrowd.engines._protocol import Engine, Replace
from incrowd.engines._remembered import Remembered
from incrowd.engines._sample import sample_of
from incrowd.engines._stage import Stage, watching

__all__ = [
    "Database",
    "Engine",
    "Remembered",
    "Replace",
    "Stage",
    "check_suffix",
    "ending_of",
    "escape_formula",
    "is_escaped",
    "is_text",
    "look_at",
    "open_table",
    "private_folder",
    "read_arrays",
    "sample_of",
    "table_of_columns",
    "unescape_formula",
    "watching",
    "write_arrays",
    "write_database",
]
