"""The made-up hospital: what demo, documentation and tests use."""

from incrowd.datasets._hospital import hospital, hospital_schema

__all__ = ["hospital", "hospital_schema"]
