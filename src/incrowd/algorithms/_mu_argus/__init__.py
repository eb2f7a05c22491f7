"""µ-Argus: the search, and the combinations that it looks at."""
