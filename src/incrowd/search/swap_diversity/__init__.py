"""``SwapDiversity``: the search and its crowds."""
