"""Lattice."""
