"""``CheapestFirst``: the search and its compiled loops."""
