"""The paper's engine: networks for coefficients and generators. Only this room and `surrogate.neural` load JAX."""
