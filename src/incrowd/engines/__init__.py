"""Where tables live: the only room that knows a dataframe library."""

from incrowd.engines._arrow import table_of_columns
from incrowd.engines._csv import look_at
from incrowd.engines._open import open_table
from incrowd.engines._protocol import Engine

__all__ = ["Engine", "look_at", "open_table", "table_of_columns"]
