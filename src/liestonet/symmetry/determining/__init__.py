"""The determining equations: kinds of symmetry, basis, matrix, and generators as functions."""
