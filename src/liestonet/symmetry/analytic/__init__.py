"""Symmetries of coefficients that are known exactly: an upper bound from power series, a null space from below."""
