"""Formulas of spans with an error: constants with uncertainties, consistent but not proved."""
