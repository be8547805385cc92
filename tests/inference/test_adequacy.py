"""Score tests of the fit of a long recording (docs/method.md §5.8)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import scipy.special
import scipy.stats

import liestonet as lsn
from liestonet.core.progress import silent
from liestonet.inference.adequacy import CELLS, MEMORY, PATHS, FitTest, _Part, _score_test, adequacy_of
from liestonet.inference.clock import choose_clock, unconfirmed
from liestonet.inference.engine import Request
from liestonet.inference.spectral_engine import Spectral
from liestonet.surrogate.spectral_fit import fit_spectral
from liestonet.symmetry.determining.kinds import ITO
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories.clock import Relabelled


def recording(paths: Sequence[np.ndarray], dt: float = 0.1) -> lsn.Trajectories:
    """Long paths given as arrays."""
    times = [np.arange(len(path)) * dt for path in paths]
    measurement = lsn.Measurement.exact(steps="euler")
    return lsn.Trajectories.from_arrays(times, [np.asarray(path)[:, None] for path in paths], measurement=measurement)


def euler(rng: np.random.Generator, drift: Callable[[float], float], count: int, dt: float = 0.1) -> np.ndarray:
    """One path of Euler steps."""
    kicks = np.sqrt(dt) * rng.standard_normal(count)
    path = np.zeros(count + 1)
    for k in range(count):
        path[k + 1] = path[k] + dt * drift(path[k]) + kicks[k]
    return path


def asked(data: lsn.Trajectories) -> dict[str, FitTest]:
    source, _ = choose_clock(data, "restart")
    assert isinstance(source, Relabelled)
    return {test.name: test for test in adequacy_of(source, fit_spectral(source))}


def test_score_against_a_regression_with_more_columns() -> None:
    """The statistic is that of White's robust test of the added columns, computed from their own regression."""
    rng = np.random.default_rng(1)
    count, added, own = 3000, 4, 3
    rows = rng.standard_normal((count, added + own))
    rows[:, 0] += 0.3 * rows[:, added]
    z = rng.standard_normal(count) * (1 + 0.3 * np.abs(rows[:, 0]))
    part = _Part("drift of x", rows.T @ rows, rows.T @ z, (rows * z[:, None] ** 2).T @ rows, float(count))
    nuisance, tested = rows[:, added:], rows[:, :added]
    rest = tested - nuisance @ np.linalg.lstsq(nuisance, tested, rcond=None)[0]
    score = rest.T @ z
    statistic = score @ np.linalg.solve((rest * z[:, None] ** 2).T @ rest, score)
    p_value, size = _score_test(part, np.arange(added), np.arange(added, added + own))
    assert p_value == pytest.approx(scipy.special.chdtrc(added, statistic), rel=1e-8)
    assert size == pytest.approx(np.sqrt(max(statistic - added, 0) / count), abs=1e-9)


def test_what_the_fit_could_follow_is_not_asked() -> None:
    """A function that is almost one of the fit's own is left out, and the others are tested as if it were not there."""
    rng = np.random.default_rng(9)
    rows, z = rng.standard_normal((2000, 5)), rng.standard_normal(2000)
    rows[:, 2] = rows[:, 3] + 0.1 * rows[:, 2]
    part = _Part("drift of x", rows.T @ rows, rows.T @ z, (rows * z[:, None] ** 2).T @ rows, 2000.0)
    with_it = _score_test(part, np.arange(3), np.arange(3, 5))
    assert with_it == pytest.approx(_score_test(part, np.arange(2), np.arange(3, 5)), rel=0.05)
    assert _score_test(part, np.array([2]), np.arange(3, 5)) == (1.0, 0.0)


def test_shrunk_estimates_do_not_count() -> None:
    """Adding what the fit's own functions explain to the residuals changes nothing."""
    rng = np.random.default_rng(2)
    rows, z = rng.standard_normal((2000, 5)), rng.standard_normal(2000)
    moved = z + rows[:, 3:] @ [0.2, -0.1]
    answers = []
    for values in (z, moved):
        scatter = (rows * z[:, None] ** 2).T @ rows
        part = _Part("drift of x", rows.T @ rows, rows.T @ values, scatter, 2000.0)
        answers.append(_score_test(part, np.arange(3), np.arange(3, 5))[0])
    assert answers[0] == pytest.approx(answers[1], rel=1e-9)


def test_linear_relaxation_is_adequate() -> None:
    """Chance of a false alarm 0.001 for each test at most, and only with a deviation above 5 %."""
    rng = np.random.default_rng(3)
    found = asked(recording([euler(rng, lambda x: -x, 6000) for _ in range(2)]))
    assert set(found) == {CELLS, PATHS, MEMORY}
    assert not any(test.rejected for test in found.values())


def test_memory_is_detected() -> None:
    """A force with a correlation time of half a relaxation time: not a diffusion in x."""
    rng = np.random.default_rng(4)
    count, dt = 8000, 0.1
    x, force = np.zeros(count + 1), 0.0
    for k in range(count):
        x[k + 1] = x[k] + dt * (force - x[k]) + 0.5 * np.sqrt(dt) * rng.standard_normal()
        force += -2 * force * dt + 2 * np.sqrt(dt) * rng.standard_normal()
    data = recording([x])
    found = asked(data)
    assert found[MEMORY].rejected
    result = lsn.discover(data, clock="restart", formulas=False)
    assert result.dimension == 0
    assert {"memory", "misfit"} & {flag.code for flag in result.flags}
    assert all(row.verdict != "symmetry" for row in result.ladder)
    told = json.loads(result.to_json())["fit_quality"]
    assert told["rejected"]
    assert any(test["rejected"] for test in told["tests"])
    assert result.fit_quality.rejected
    assert result.fit_quality.p_value < 1e-3


def test_paths_that_differ_are_detected() -> None:
    rng = np.random.default_rng(5)
    paths = [euler(rng, lambda x, c=centre: c - x, 3000) for centre in (-0.6, -0.2, 0.2, 0.6)]
    assert asked(recording(paths))[PATHS].rejected


def test_many_paths_that_differ_are_detected() -> None:
    """Too many for an indicator each: with noise of their own, which varies by a fifth, or the same."""
    rng, dt = np.random.default_rng(8), 0.1
    for spread, differ in ((0.0, False), (0.2, True)):
        size, x = np.exp(spread * rng.standard_normal(200)), np.zeros((41, 200))
        for k in range(40):
            x[k + 1] = x[k] - dt * x[k] + size * np.sqrt(dt) * rng.standard_normal(200)
        data = recording(list(x.T))
        found = {test.name: test for test in adequacy_of(data, fit_spectral(data))}
        assert found[PATHS].rejected == differ


def test_finer_structure_than_the_series_is_detected() -> None:
    rng = np.random.default_rng(6)
    path = euler(rng, lambda x: -x + 4 * np.sin(16 * x), 20_000, dt=0.02)
    assert asked(recording([path], dt=0.02))[CELLS].rejected


def test_a_rejected_fit_has_no_symmetries_of_the_law() -> None:
    """Nor where the law had more of them than there were Itô symmetries, as a field that turns with the noise."""
    rng = np.random.default_rng(3)
    source = choose_clock(recording([euler(rng, lambda x: -x, 3000)]), "restart")[0]
    found = Spectral().discover(Request(source, ITO, Criteria(), None, False, 0, silent))
    found = replace(found, search=unconfirmed(found.search, asked=False), count=0, imposed=None, law_dimension=1)
    adequate, rejected = (FitTest(CELLS, p_value, 0.5, "drift of x") for p_value in (0.5, 1e-9))
    assert found.tested((adequate,), asked=False).law_dimension == 1
    assert found.tested((adequate, rejected), asked=False).law_dimension is None


def test_a_small_deviation_is_no_reason() -> None:
    assert not FitTest(CELLS, 1e-9, 0.02, "drift of x").rejected
    assert not FitTest(CELLS, 0.01, 0.5, "drift of x").rejected
    assert FitTest(CELLS, 1e-9, 0.06, "drift of x").rejected


@pytest.mark.slow
def test_p_values_are_uniform() -> None:
    """Linear relaxation with errors of the points, 60 recordings; false alarms 0.004 (binomial tails)."""
    rng = np.random.default_rng(7)
    low, count = {name: 0 for name in (CELLS, MEMORY)}, 60
    for _ in range(count):
        path = euler(rng, lambda x: -x, 6000)
        noisy = path + 0.15 * rng.standard_normal(len(path))
        data = lsn.Trajectories.from_arrays([np.arange(len(path)) * 0.1], [noisy[:, None]])
        for name, test in asked(data).items():
            low[name] += test.p_value < 0.2
    for found in low.values():
        # the smaller of two independent p-values, doubled, is below 0.2 with probability 1 − 0.9²
        assert scipy.stats.binom.ppf(0.001, count, 0.19) <= found <= scipy.stats.binom.ppf(0.999, count, 0.19)
