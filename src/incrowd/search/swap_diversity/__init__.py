"""Swapping l-diversity: the search and its crowds."""
