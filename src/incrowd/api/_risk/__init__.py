"""Re-identification risk: ``risk`` and what it is made of."""
