"""Searches for one level per column: optimal, Incognito, Samarati, all solutions, the frontier."""
