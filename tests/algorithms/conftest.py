"""How properties are tried here."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("patient", deadline=None)  # a busy machine is no failure
settings.load_profile("patient")
