"""Where tables live: the only room that knows a dataframe library."""

from incrowd.engines._arrays import read_arrays, read_texts, write_arrays
from incrowd.engines._arrow import table_of_columns
from incrowd.engines._as_written import is_written_by
from incrowd.engines._budget import Budget, peak
from incrowd.engines._charset import charset_of
from incrowd.engines._codebook import Codebook
from incrowd.engines._csv import first_rows, look_at
from incrowd.engines._database import Database, write_database
from incrowd.engines._decoding import reads
from incrowd.engines._dialect import Dialect
from incrowd.engines._estimate import census_size_about, go_together
from incrowd.engines._files import check_suffix, ending_of, is_escaped, is_text
from incrowd.engines._formulas import escape_formula, unescape_formula
from incrowd.engines._head import head_of
from incrowd.engines._notation import Notation, check_form, day_of, plain_day, plain_number
from incrowd.engines._open import open_table
from incrowd.engines._protocol import Engine, Replace
from incrowd.engines._remembered import Answers, Remembered, classes_of
from incrowd.engines._sample import sample_of
from incrowd.engines._several import digest_of_files, files_of
from incrowd.engines._spark import check_published, cluster_of, forget, open_written
from incrowd.engines._spark_files import places_of, read_folder
from incrowd.engines._spark_home import SparkHome
from incrowd.engines._spark_session import spark_session
from incrowd.engines._spilled import Block, CellFile, CellWriter, can_spill, shares_of, spill_census
from incrowd.engines._spreadsheet import sheets_of
from incrowd.engines._stage import Stage, watching
from incrowd.engines._temp import private_folder
from incrowd.engines._wording import Wording, check_dialect

__all__ = [
    "Answers",
    "Block",
    "Budget",
    "CellFile",
    "CellWriter",
    "Codebook",
    "Database",
    "Dialect",
    "Engine",
    "Notation",
    "Remembered",
    "Replace",
    "SparkHome",
    "Stage",
    "Wording",
    "can_spill",
    "census_size_about",
    "charset_of",
    "check_dialect",
    "check_form",
    "check_published",
    "check_suffix",
    "classes_of",
    "cluster_of",
    "day_of",
    "digest_of_files",
    "ending_of",
    "escape_formula",
    "files_of",
    "first_rows",
    "forget",
    "go_together",
    "head_of",
    "is_escaped",
    "is_text",
    "is_written_by",
    "look_at",
    "open_table",
    "open_written",
    "peak",
    "places_of",
    "plain_day",
    "plain_number",
    "private_folder",
    "read_arrays",
    "read_folder",
    "read_texts",
    "reads",
    "sample_of",
    "shares_of",
    "sheets_of",
    "spark_session",
    "spill_census",
    "table_of_columns",
    "unescape_formula",
    "watching",
    "write_arrays",
    "write_database",
]
