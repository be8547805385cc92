"""Whether the neural engine can run here: JAX installed, and switched to 64 bits."""

from __future__ import annotations

from importlib.util import find_spec

from liestonet.errors import InputError

NEEDED = ("jax", "equinox", "optax", "diffrax")


def require_jax() -> None:
    """Refuse to begin without JAX, or with 32-bit numbers, in one sentence that says what to do."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(
            f"The neural engine needs {', '.join(missing)}; install it with pip install 'liestonet[neural]', or use "
            "engine=liestonet.Spectral()."
        )
    import jax

    if not jax.config.read("jax_enable_x64"):
        raise InputError(
            "The neural engine works in 64 bits and JAX is set to 32: call jax.config.update('jax_enable_x64', True) "
            "first, or set the environment variable JAX_ENABLE_X64=1."
        )
