"""Checks of a result: angles between spans. More to come: flows, pushes, tests on data."""
