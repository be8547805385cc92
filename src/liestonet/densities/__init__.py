"""Exact transition densities of scalar equations, with prices and likelihoods computed from them."""
