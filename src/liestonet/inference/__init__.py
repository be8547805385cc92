"""Where surrogate and symmetry meet: what is imposed on coefficients, held-out paths, the stages of a search."""
