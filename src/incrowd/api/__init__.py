"""The front doors: what a user calls."""
