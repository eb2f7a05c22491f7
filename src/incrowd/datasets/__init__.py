"""The made-up hospital: what demo, documentation and tests use."""

from incrowd.datasets._hospital import hospital, hospital_schema
from incrowd.datasets._hospital_tables import hospital_tables, hospital_tables_schema

__all__ = ["hospital", "hospital_schema", "hospital_tables", "hospital_tables_schema"]
