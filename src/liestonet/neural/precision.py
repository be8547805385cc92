"""float64 throughout: single precision is too inaccurate for third derivatives and residuals of 1e-6."""

from __future__ import annotations

import jax

from liestonet.errors import InputError


def require_float64() -> None:
    """Refuse to start in single precision."""
    if not jax.config.read("jax_enable_x64"):
        raise InputError(
            "The neural engine computes in float64, and JAX is in float32; call "
            'jax.config.update("jax_enable_x64", True) first, or set JAX_ENABLE_X64=1.'
        )
