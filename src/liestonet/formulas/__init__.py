"""Closed forms of generators: from a span of series to formulas, with their proofs or their errors."""
