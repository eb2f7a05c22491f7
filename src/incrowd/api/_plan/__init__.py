"""A run as a file: reading, checking, writing and running a plan."""
