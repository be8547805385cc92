"""The highest frequency of a periodic coordinate, found by a test with a known level, and the series it asks for."""

from __future__ import annotations

import numpy as np
import pytest

from liestonet.core.domain import Domain
from liestonet.surrogate.features import coordinate_variants, degree_variants, with_frequencies
from liestonet.surrogate.frequencies import highest_frequency, reach
from liestonet.surrogate.tuning import FIT


@pytest.mark.parametrize("frequency", [1, 8, 30, 64])
def test_a_frequency_is_found(frequency: int) -> None:
    rng = np.random.default_rng(frequency)
    angle = rng.uniform(0, 2 * np.pi, 20_000)
    target = np.sin(frequency * angle) + 3 * rng.standard_normal(20_000)
    assert highest_frequency(target[:, None], angle) == frequency


def test_noise_shows_no_frequency() -> None:
    """Level 1 %: of 30 draws more than 3 would have a chance of 1 in 4,000."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(30):
        angle = rng.normal(1.0, 0.8, 3000)  # not even on the turn
        found += highest_frequency(rng.standard_normal((3000, 2)), angle) > 0
    assert found <= 3


def test_a_drift_that_is_no_wave_has_the_frequencies_that_show() -> None:
    rng = np.random.default_rng(5)
    angle = rng.normal(0.0, 0.5, 20_000)
    target = 2 * np.sin(angle) + rng.standard_normal(20_000)
    assert highest_frequency(target[:, None], angle) <= 2


def test_series_reach_beyond_what_shows() -> None:
    assert reach(0) == 0
    assert reach(8) == 12
    assert reach(60) == FIT.frequencies


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_features_get_more_waves_where_these_show(dimension: int) -> None:
    domain = Domain(((0.0, 1.0), (0.0, 3.0), *[(-1.0, 1.0)] * (dimension - 1)), chosen=True, periodic=(1,))
    usual = coordinate_variants(domain)[0]
    for features in [usual, *degree_variants(usual)]:
        assert with_frequencies(features, {1: 1}) is None
        more = with_frequencies(features, {1: 20})
        assert more is not None
        present = {tuple(row) for row in features.degrees.tolist()}
        assert present < {tuple(row) for row in more.degrees.tolist()}
        assert int(more.orders[:, 1].max()) == 20
        assert int(more.degrees[:, 1].max()) == 40
        alone = {row[1] for row in more.degrees.tolist() if not any(row[2:]) and not row[0]}
        assert alone == set(range(41))


def test_every_frequency_has_its_cosine_and_its_sine() -> None:
    domain = Domain(((0.0, 1.0), (0.0, 3.0), (-1.0, 1.0)), periodic=(1,))
    degrees = {tuple(row) for row in coordinate_variants(domain)[0].degrees.tolist()}
    assert all((t, k + 1 if k % 2 else k - 1, x) in degrees for t, k, x in degrees if k)
