"""``Mondrian``: the search, its cuts, their check, the names of parts."""
