"""Hide every person of a table in a crowd, prove it, attack it, and show what it cost."""
