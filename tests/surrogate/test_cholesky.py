"""The Cholesky gauge: σσᵀ = a, its derivatives, and its linearisation, against finite differences."""

import numpy as np
import pytest

from liestonet.surrogate.cholesky import cholesky_jet


def _family(points, noisy, shift):
    """a(t, x) + shift·δ(t, x) with all derivatives up to one, for a smooth positive a; zero where there is no noise."""
    n = len(noisy)
    rng = np.random.default_rng(5)
    base, wave, change = (rng.standard_normal((n, n)) for _ in range(3))

    def at(z):
        phase = z @ np.array([0.7, -0.4, 0.9][: z.shape[1]])
        root = base + np.sin(phase)[:, None, None] * wave + 2 * np.eye(n)
        delta = np.cos(2 * phase)[:, None, None] * (change + change.T)
        value = root @ np.swapaxes(root, 1, 2) + shift * delta
        return value * np.outer(noisy, noisy)

    steps = 1e-5 * np.eye(points.shape[1])
    result: dict[tuple[int, ...], np.ndarray] = {(): at(points)}
    for v, step in enumerate(steps):
        result[(v,)] = (at(points + step) - at(points - step)) / 2e-5
    return result


@pytest.mark.parametrize("noisy", [(True, True), (False, True), (True, False)])
def test_root_derivatives_and_changes(noisy):
    noisy = np.array(noisy)
    points = np.random.default_rng(1).uniform(-1, 1, (6, 3))
    plain = _family(points, noisy, 0.0)
    direction = {
        d: (a - b) / 2
        for d, a, b in ((d, _family(points, noisy, 1.0)[d], _family(points, noisy, -1.0)[d]) for d in plain)
    }
    squared = {d: np.stack([plain[d], direction[d]], axis=3) for d in plain}
    sigma, changes = cholesky_jet(squared, noisy)
    assert sigma[()].shape == (6, 2, noisy.sum())
    np.testing.assert_allclose(sigma[()] @ np.swapaxes(sigma[()], 1, 2), plain[()], atol=1e-12)
    for v in range(3):
        product = sigma[(v,)] @ np.swapaxes(sigma[()], 1, 2)
        np.testing.assert_allclose(product + np.swapaxes(product, 1, 2), plain[(v,)], atol=1e-9)
    small = 1e-5
    upper, lower = (
        cholesky_jet({d: (plain[d] + sign * small * direction[d])[..., None] for d in plain}, noisy)[0]
        for sign in (1, -1)
    )
    for d in plain:
        np.testing.assert_allclose((upper[d] - lower[d]) / (2 * small), changes[d][..., 0], rtol=1e-5, atol=1e-6)


def test_what_is_not_positive_is_lifted():
    squared = {(): np.array([1.0, -0.5, 2.0]).reshape(3, 1, 1, 1)}
    sigma, _ = cholesky_jet(squared, np.array([True]))
    assert np.all(np.isfinite(sigma[()]))
    assert np.all(sigma[()] > 0)


def test_units_of_the_coordinates_do_not_matter():
    """σ(UaU) = Uσ(a) for diagonal U, also where an estimate of a is not positive and is lifted."""
    rng = np.random.default_rng(3)
    root = rng.normal(size=(40, 2, 2))
    a = root @ np.swapaxes(root, 1, 2) - 0.2 * np.eye(2)
    assert np.any(np.linalg.eigvalsh(a)[:, 0] < 0)
    slope = rng.normal(size=(40, 2, 2))
    squared = {(): a[..., None], (1,): (slope + np.swapaxes(slope, 1, 2))[..., None]}
    units = np.array([1.0, 1e-9])
    changed = {d: array * units[:, None, None] * units[:, None] for d, array in squared.items()}
    noisy = np.array([True, True])
    plain, scaled = cholesky_jet(squared, noisy)[0], cholesky_jet(changed, noisy)[0]
    for derivative, sigma in plain.items():
        np.testing.assert_allclose(scaled[derivative], sigma * units[:, None], rtol=1e-7)
