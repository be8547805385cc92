"""The paper's engine: networks for coefficients and generators. With `surrogate.neural` the only room that loads JAX."""
