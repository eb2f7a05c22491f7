"""Where tables live: the only room that knows a dataframe library."""

from incrowd.engines._arrays import read_arrays, write_arrays
from incrowd.engines._arrow import table_of_columns
from incrowd.engines._csv import look_at
from incrowd.engines._open import open_table
from incrowd.engines._protocol import Engine

__all__ = ["Engine", "look_at", "open_table", "read_arrays", "table_of_columns", "write_arrays"]
