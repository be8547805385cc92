"""Formulas of exact equations, each proved by SymPy."""
