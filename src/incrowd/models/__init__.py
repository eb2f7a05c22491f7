"""Promises: each privacy model is a small frozen object that judges classes. Still empty."""
