"""Symmetries of exactly known coefficients: an upper bound from power series, then a numerical null space."""
