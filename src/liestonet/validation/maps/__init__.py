"""Symmetries that are maps, not flows: mirrors, turns and shifts, of equations and of data (docs/method.md §14)."""
