"""The front doors: what a user calls."""

from incrowd.api._census import census
from incrowd.api._check import check
from incrowd.api._hospital import hospital, hospital_schema

__all__ = ["census", "check", "hospital", "hospital_schema"]
