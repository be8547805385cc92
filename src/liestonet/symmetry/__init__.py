"""Symmetries of drift and diffusion, exact or estimated; knows nothing of how coefficients were found."""
