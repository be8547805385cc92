"""Equations from recordings: the most general drift and diffusion with the symmetries found, fitted to the data."""
