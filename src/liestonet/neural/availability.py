"""Whether the neural engine can run here: JAX installed, and switched to 64 bits."""

from __future__ import annotations

from importlib.util import find_spec

from liestonet.errors import InputError

NEEDED = ("jax", "equinox", "optax", "diffrax")


def require_installed() -> None:
    """Refuse to begin without JAX, in one sentence that says what to do."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(
            f"The neural engine needs {', '.join(missing)}; install it with pip install 'liestonet[neural]', or use "
            "engine=liestonet.Spectral()."
        )


def require_jax() -> None:
    """Refuse to begin without JAX, or with 32-bit numbers."""
    require_installed()
    from liestonet.neural.precision import require_float64

    require_float64()


def switch_to_float64() -> None:
    """Switch JAX to 64 bits for the whole process: for the command line, which has it for itself."""
    require_installed()
    import jax

    jax.config.update("jax_enable_x64", True)
