"""Closed forms of generators: formulas for a span of series, proved or with stated errors."""
