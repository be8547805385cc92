"""Symmetries of coefficients with errors: directions of one operator, sorted and judged."""
