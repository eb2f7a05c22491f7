"""Where tables live: the only room that knows a dataframe library."""
