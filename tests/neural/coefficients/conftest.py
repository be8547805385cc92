"""Small surrogates, fitted once a session: most tests look at what they are, not at how good they are."""

from __future__ import annotations

import numpy as np
import pytest

import liestonet as lsn
from liestonet.neural.coefficients.fit_coefficients import fit_coefficients
from liestonet.neural.coefficients.neural_surrogate import NeuralSurrogate
from liestonet.neural.coefficients.settings import Cholesky
from neural_cases import quick, simulated


@pytest.fixture(scope="session")
def scalar_data() -> lsn.Trajectories:
    return simulated("dx = -x dt + (1 + x^2/4) dW", 100)


@pytest.fixture(scope="session")
def scalar(scalar_data) -> NeuralSurrogate:
    """Multiplicative noise in one dimension."""
    return fit_coefficients(scalar_data, quick(), seed=3)


@pytest.fixture(scope="session")
def planar() -> NeuralSurrogate:
    """Correlated noise in two dimensions, a full σ with all penalties."""
    data = simulated("dx = -x dt + dW1; dy = (x - y) dt + 0.5 dW1 + 0.8 dW2", 101, dimension=2)
    structure = Cholesky(2, 1, smoothness=1e-3, variance=5e-4, whitening=5e-3)
    return fit_coefficients(data, quick(structure=structure, clip=1.0), seed=4)


@pytest.fixture(scope="session")
def langevin() -> NeuralSurrogate:
    """A coordinate without noise."""
    return fit_coefficients(simulated("dx = y dt; dy = -y dt + sqrt(2) dW", 102, dimension=2), quick(), seed=5)


@pytest.fixture
def cloud() -> np.ndarray:
    """Points (t, x) for one dimension."""
    rng = np.random.default_rng(0)
    return np.column_stack([rng.uniform(0.2, 1.8, 40), rng.uniform(-1, 1, 40)])
