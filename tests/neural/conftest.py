"""The neural engine works in 64 bits; JAX is switched before any test here makes an array."""

import jax

jax.config.update("jax_enable_x64", True)
