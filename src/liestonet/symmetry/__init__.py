"""Symmetries of drift and diffusion, exact or estimated; independent of how the coefficients were found."""
