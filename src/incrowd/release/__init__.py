"""The main job: anonymize, apply, release, check again, folder, certificate, verify."""

from incrowd.release._about import NOT_STATED, QUESTIONS, SHORT, About, check_about, settings_of
from incrowd.release._anonymize import anonymize, apply
from incrowd.release._census import (
    AS_READ,
    Reading,
    census,
    census_within_memory,
    fits_in_memory,
    open_with_schema,
    reading_as_before,
    unused_notation_notes,
    with_size,
)
from incrowd.release._certificate import limits_of
from incrowd.release._columns import PublishedColumn
from incrowd.release._explanation import Explanation
from incrowd.release._feasibility import feasibility
from incrowd.release._folder import (
    OWNER,
    TABLES,
    certificate_at,
    certificate_beside,
    certificate_in,
    format_like,
    public_folder,
)
from incrowd.release._joined_schema import joined_schema
from incrowd.release._output import Format, check_wanted_dialect
from incrowd.release._publish import Draft, is_comparable, open_problem
from incrowd.release._recipe import Basis, Recipe, budget_of, prediction_of
from incrowd.release._recoding_file import HEADER, SavedRecoding, StoredRecoding, load_recoding, save_recoding
from incrowd.release._release import Release, open_original, open_release
from incrowd.release._release_file import open_released, public_schema, wording_of
from incrowd.release._republication import WHOSE
from incrowd.release._rows import first_rows, published_rows, rows_with_sizes
from incrowd.release._shifted_dates import IntervalRisk, untrue_text
from incrowd.release._signature import KeyFile
from incrowd.release._solutions import Strength, frontier, solutions
from incrowd.release._table_files import TABLE_FORMATS, open_certified
from incrowd.release._verdict import (
    free_name,
    ladders_of,
    looks_at_levels,
    notes_on_look_alikes,
    verdict_of,
)
from incrowd.release._verify import Verification, read_certificate, verify
from incrowd.release._verify_script import NEEDS
from incrowd.release._versions import (
    LatticeNode,
    NodeVersion,
    Version,
    basis_of,
    inspect_node,
    lattice_of,
    version_of,
    version_of_draft,
)
from incrowd.release._ways_back import WayBack

__all__ = [
    "AS_READ",
    "HEADER",
    "NEEDS",
    "NOT_STATED",
    "OWNER",
    "QUESTIONS",
    "SHORT",
    "TABLES", "TABLE_FORMATS",
    "WHOSE",
    "About",
    "Basis",
    "Draft",
    "Explanation",
    "Format",
    "IntervalRisk",
    "KeyFile",
    "LatticeNode",
    "NodeVersion",
    "PublishedColumn",
    "Reading",
    "Recipe",
    "Release",
    "SavedRecoding",
    "StoredRecoding",
    "Strength",
    "Verification",
    "Version",
    "WayBack",
    "anonymize",
    "apply",
    "basis_of",
    "budget_of",
    "census",
    "census_within_memory",
    "certificate_at",
    "certificate_beside",
    "certificate_in",
    "check_about",
    "check_wanted_dialect",
    "feasibility",
    "first_rows",
    "fits_in_memory",
    "format_like",
    "free_name",
    "frontier",
    "inspect_node",
    "is_comparable", "joined_schema",
    "ladders_of",
    "lattice_of",
    "limits_of",
    "load_recoding",
    "looks_at_levels",
    "notes_on_look_alikes",
    "open_certified", "open_original",
    "open_problem",
    "open_release",
    "open_released",
    "open_with_schema",
    "prediction_of",
    "public_folder", "public_schema",
    "published_rows",
    "read_certificate",
    "reading_as_before",
    "rows_with_sizes",
    "save_recoding",
    "settings_of",
    "solutions",
    "untrue_text",
    "unused_notation_notes",
    "verdict_of",
    "verify",
    "version_of",
    "version_of_draft",
    "with_size",
    "wording_of",
]  # fmt: skip
