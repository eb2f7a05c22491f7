"""Mondrian: the search, how it cuts, checks and names."""
