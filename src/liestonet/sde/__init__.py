"""Stochastic differential equations: read from text, SymPy or callables, evaluated and simulated."""

from liestonet.sde.sde import SDE

__all__ = ["SDE"]
