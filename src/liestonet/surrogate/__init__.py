"""Drift and diffusion from recorded increments, with the covariance of what was estimated."""
