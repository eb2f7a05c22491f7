"""The report: what is said, measured and drawn, for the owner and for the public."""
