"""Symmetries that are maps, not flows: mirrors, rotations and shifts, of equations and of data (docs/method.md §14)."""
