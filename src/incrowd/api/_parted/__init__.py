"""A table whose census does not fit into memory, cut into parts that are finished one after the other."""
