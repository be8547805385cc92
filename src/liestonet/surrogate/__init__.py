"""Drift and diffusion estimated from recorded increments, with the covariance of the estimates."""
