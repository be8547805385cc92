"""Symmetries of estimated coefficients: directions of one operator, sorted and tested."""
