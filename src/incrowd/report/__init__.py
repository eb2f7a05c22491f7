"""Draws the plain values that it is given; computes nothing and never sees a table. Still empty."""
