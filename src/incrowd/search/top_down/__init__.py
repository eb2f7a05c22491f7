"""Top-down local recoding: the search, its steps and its needs."""
