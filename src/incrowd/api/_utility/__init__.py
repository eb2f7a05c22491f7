"""What a release is still good for: ``utility`` and what it is made of."""
