"""Cheapest first: the search and its compiled loops."""
