"""What intruders would learn: ``attack`` and what it is made of."""
