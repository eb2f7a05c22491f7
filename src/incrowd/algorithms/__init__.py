"""Searches: from a census and a bound model to a recoding. Still empty."""
