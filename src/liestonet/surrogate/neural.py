"""The neural surrogate's door: everything behind it needs JAX, which is loaded only when a fit is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from liestonet.errors import InputError


def fit_neural(data: Any, settings: Any = None, *, seed: int = 0, progress: Callable[[str], None] | None = None) -> Any:
    """Estimate drift and diffusion by networks: `CoefficientSettings` in, a `NeuralSurrogate` out."""
    try:
        from liestonet.neural.coefficients.fitting import fit_coefficients
    except ModuleNotFoundError as missing:
        raise InputError(
            f"The neural engine needs {missing.name}, which is not installed: pip install 'liestonet[neural]'."
        ) from missing
    return fit_coefficients(data, settings, seed=seed, progress=progress)
