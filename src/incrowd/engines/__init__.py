"""Where tables live: the only room that knows a dataframe library."""

from incrowd.engines._arrow import table_of_columns
from incrowd.engines._cell_files import (
    CellFile,
    CellWriter,
    can_spill,
    read_arrays,
    read_texts,
    shares_of,
    spill_census,
    write_arrays,
)
from incrowd.engines._destinations import write_table
from incrowd.engines._file_checks import head_of, is_written_by
from incrowd.engines._files import Stamp, digest_of_files, ending_of, files_of, is_text
from incrowd.engines._joined_tables import JoinedTables
from incrowd.engines._private_folder import private_folder
from incrowd.engines._protocol import (
    Engine,
    Replace,
    Shift,
    Stage,
    census_size_about,
    check_persons,
    determines,
    sample_of,
    watching,
)
from incrowd.engines._remembered_table import Remembered, TableMemory
from incrowd.engines._resources import Budget, Resources, peak_memory, trim_memory
from incrowd.engines._shift import check_room, first_and_last_day
from incrowd.engines._tables import join_tables, open_table
from incrowd.engines._tables_of_people import JoinedColumn, Tables
from incrowd.engines.formats._charset import Charset, can_decode
from incrowd.engines.formats._csv import first_rows, header_of
from incrowd.engines.formats._database import Database, write_database
from incrowd.engines.formats._excel import sheets_of
from incrowd.engines.formats._notation import Notation, check_form, day_of, plain_day, plain_number
from incrowd.engines.formats._output import check_suffix, is_escaped
from incrowd.engines.formats._statistics import Codebook
from incrowd.engines.formats._wording import Dialect, Wording, check_dialect, escape_formula, unescape_formula
from incrowd.engines.spark._backend import SparkBackend, places_of, read_folder
from incrowd.engines.spark._engine import check_published, cluster_of, open_written, unpersist
from incrowd.engines.spark._session import spark_session

__all__ = [
    "Budget",
    "CellFile",
    "CellWriter",
    "Charset",
    "Codebook",
    "Database",
    "Dialect",
    "Engine",
    "JoinedColumn",
    "JoinedTables",
    "Notation",
    "Remembered",
    "Replace",
    "Resources",
    "Shift",
    "SparkBackend",
    "Stage",
    "Stamp",
    "TableMemory",
    "Tables",
    "Wording",
    "can_decode",
    "can_spill",
    "census_size_about",
    "check_dialect",
    "check_form",
    "check_persons",
    "check_published",
    "check_room",
    "check_suffix",
    "cluster_of",
    "day_of",
    "determines",
    "digest_of_files",
    "ending_of",
    "escape_formula",
    "files_of",
    "first_and_last_day",
    "first_rows",
    "head_of",
    "header_of",
    "is_escaped",
    "is_text",
    "is_written_by",
    "join_tables",
    "open_table",
    "open_written",
    "peak_memory",
    "places_of",
    "plain_day",
    "plain_number",
    "private_folder",
    "read_arrays",
    "read_folder",
    "read_texts",
    "sample_of",
    "shares_of",
    "sheets_of",
    "spark_session",
    "spill_census",
    "table_of_columns",
    "trim_memory",
    "unescape_formula",
    "unpersist",
    "watching",
    "write_arrays",
    "write_database",
    "write_table",
]  # fmt: skip
