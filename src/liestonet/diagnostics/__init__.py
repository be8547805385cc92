"""Flags about the data, each with a number, a calibrated test and one recommended action."""
