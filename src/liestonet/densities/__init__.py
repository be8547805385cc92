"""Exact transition densities of scalar equations, prices and likelihoods that follow from them."""
