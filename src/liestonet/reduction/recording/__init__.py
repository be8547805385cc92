"""From a recording to an equation: the most general drift and diffusion with the symmetries that were found, fitted."""
