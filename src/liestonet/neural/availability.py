"""Checks that the neural engine can run: JAX is installed and uses 64-bit numbers."""

from __future__ import annotations

from importlib.util import find_spec

from liestonet.errors import InputError

NEEDED = ("jax", "equinox", "optax", "diffrax")


def require_installed() -> None:
    """Raise an error that says what to install if JAX is missing."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(
            f"The neural engine needs {', '.join(missing)}; install it with pip install 'liestonet[neural]', or use "
            "engine=liestonet.Spectral()."
        )


def require_jax() -> None:
    """Raise an error without JAX, or with 32-bit numbers."""
    require_installed()
    from liestonet.neural.precision import require_float64

    require_float64()


def switch_to_float64() -> None:
    """Switch JAX to 64 bits for the whole process; only for the command line, which runs no other code."""
    require_installed()
    import jax

    jax.config.update("jax_enable_x64", True)
