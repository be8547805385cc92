"""The randomisation check of a map (docs/method.md §14.4): what makes its p-value exact for any number of paths."""

from __future__ import annotations

import numpy as np

import liestonet as lsn
from liestonet.surrogate.spectral_fit import fit_spectral
from liestonet.validation.maps.map_input import read_map
from liestonet.validation.maps.randomisation import _path_vectors, _statistic, _whitened, order_of


def test_paths_replaced_by_images_only_choose_other_rows() -> None:
    """Vectors of replaced paths are those of their images, in the same units: data and draws are exchangeable."""
    sde = lsn.SDE.parse("dx = (x - x^3) dt + 0.7 dW")
    data = sde.simulate(initial=[0.0], duration=1.0, step=0.05, paths=40, seed=5)
    surrogate = fit_spectral(data)
    mirror = read_map("x -> -x", data.names, surrogate.domain)
    assert order_of(mirror, surrogate) == 2
    flipped = np.random.default_rng(5).integers(0, 2, len(data))
    signs = np.repeat(1 - 2 * flipped, np.diff(data.offsets))
    replaced = lsn.Trajectories(data.flat_times, data.flat_states * signs[:, None], data.offsets, names=data.names)
    before, after = (_path_vectors(paths, mirror, surrogate, 2) for paths in (data, replaced))
    np.testing.assert_allclose(after[:, 0], before[np.arange(len(data)), flipped], atol=1e-12)
    weights, same = _whitened(before), _whitened(after)
    np.testing.assert_allclose(weights @ weights.T, same @ same.T, rtol=1e-6)
    chosen = _statistic(before[np.arange(len(data)), flipped], weights)
    np.testing.assert_allclose(_statistic(after[:, 0], same), chosen, rtol=1e-6)
