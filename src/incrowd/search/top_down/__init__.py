"""``TopDown``: the search and its steps."""
