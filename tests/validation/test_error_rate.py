"""The checks of a result are made at the error rate that it was found with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import liestonet as lsn
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.validation import ratio_test, validate
from liestonet.validation.lack_of_fit import lack_of_fit
from liestonet.validation.push_test import (
    Invariance,
    InvarianceRow,
    _largest,
    _usual_draws,
    fewest_draws,
    invariance,
)
from liestonet.validation.validate import Validation

OU = lsn.SDE.parse("dx = -x dt + dW")
UNUSED = float("nan")


def recording(paths: int, seed: int) -> lsn.Trajectories:
    return OU.simulate(lambda rng, k: rng.uniform(-2, 2, (k, 1)), duration=1.0, step=0.02, paths=paths, seed=seed)


@pytest.fixture(scope="module")
def found() -> lsn.Result:
    return lsn.discover(recording(60, 12), formulas=False)


def at(result: lsn.Result, error_rate: float, tolerance: float = 0.1) -> lsn.Result:
    """The same generators, as if they had been found at another error rate."""
    assert result.estimated is not None
    return replace(result, findings=replace(result.estimated, criteria=Criteria(tolerance, error_rate)))


@pytest.mark.parametrize("count", range(1, 40))
def test_draws_suffice_to_reject_at_every_rate(count: int):
    assert _usual_draws(count, 0.05) == max(39, 20 * count - 1)
    assert _usual_draws(count, 0.2) == _usual_draws(count, 0.05)
    assert _usual_draws(count, 0.01) == 100 * count - 1
    for rate in (0.001, 0.01, 0.03, 0.07, 0.2, 0.9):
        assert 1 / (_usual_draws(count, rate) + 1) <= rate / count
        assert 1 / (fewest_draws(rate) + 1) <= rate < 1 / fewest_draws(rate)


@pytest.mark.slow
def test_a_push_is_rejected_at_one_percent():
    """x∂x stretches noise by e^0.3: the data lie above all 99 draws, however these fall."""
    seen = invariance(recording(12, 2), "x d_x", epsilons=(0.3,), error_rate=0.01)
    assert (seen.draws, seen.level) == (99, 0.01)
    assert seen.p_values == (0.01,)
    assert seen.largest == ((0.0, 0.3),)
    gates = lack_of_fit(recording(12, 2))
    checked = Validation(("x d_x",), "law", gates, None, seen, (), (), None, np.ones(1), 600, 0.01)
    assert checked.contradicted
    assert "x d_x: invariance is rejected for a push of 0.3 of the box (level 1 %)." in checked.sentences()


def pushed(epsilon: float, p_value: float) -> InvarianceRow:
    statistics = UNUSED, UNUSED, UNUSED, UNUSED, UNUSED, UNUSED
    return InvarianceRow(0, epsilon, UNUSED, (), *statistics, 500, 0, p_value)


@pytest.mark.parametrize(
    ("level", "ends", "said"),
    [
        (0.01, (0.3, np.inf), "invariance is not rejected for pushes up to 0.3 of the box (level 1 %)."),
        (
            0.05,
            (0.2, 0.3),
            "invariance is not rejected for pushes up to 0.2 of the box, and rejected at 0.3 (level 5 %).",
        ),
        (0.2, (0.0, 0.1), "invariance is rejected for a push of 0.1 of the box (level 20 %)."),
    ],
)
def test_the_level_decides_how_far_invariance_reaches(level: float, ends: tuple[float, float], said: str):
    rows = (pushed(0.1, 0.15), pushed(0.2, 0.4), pushed(0.3, 0.03))
    assert _largest(rows, level) == ends
    assert validate._reach("X1", *ends, level) == f"X1: {said}"


def test_pushes_that_keep_too_little_data_are_not_said_to_be_rejected():
    ends = _largest([pushed(0.1, float("nan"))], 0.05)
    assert validate._reach("X1", *ends, 0.05).startswith("X1: invariance is not tested")


@pytest.mark.parametrize(
    ("rate", "shown"), [(0.01, "99 % interval"), pytest.param(0.2, "80 % interval", marks=pytest.mark.slow)]
)
@pytest.mark.usefixtures("few_draws")
def test_the_ratio_test_has_the_rate_of_the_result(found: lsn.Result, rate: float, shown: str):
    other = recording(20, 13)
    usual, changed = lsn.test(other, found), lsn.test(other, at(found, rate))
    assert (usual.error_rate, changed.error_rate) == (0.05, rate)
    assert (usual.p_value, usual.deviance, usual.residual) == (changed.p_value, changed.deviance, changed.residual)
    assert shown in str(changed)
    assert "95 % interval" in str(usual)
    for row, same in zip(usual.rows, changed.rows, strict=True):
        narrow, wide = (same, row) if rate > 0.05 else (row, same)
        assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper


@pytest.mark.usefixtures("few_draws")
def test_generators_are_found_again_by_the_same_criteria(found: lsn.Result, monkeypatch: pytest.MonkeyPatch):
    asked = []

    def search(data: Any, **options: Any) -> lsn.Result:
        asked.append((options["tolerance"], options["error_rate"]))
        return lsn.discover(data, **options)

    monkeypatch.setattr(ratio_test, "discover", search)
    own = lsn.test(recording(60, 12), at(found, 0.2, tolerance=0.3))
    assert asked == [(0.3, 0.2)]
    assert own.error_rate == 0.2


@pytest.mark.parametrize("rate", [0.01, pytest.param(0.2, marks=pytest.mark.slow)])
@pytest.mark.usefixtures("few_draws")
def test_every_check_has_the_rate_of_the_result(found: lsn.Result, rate: float, monkeypatch: pytest.MonkeyPatch):
    """Few draws and refits are made; what counts is which rate each check is asked for."""
    rates: dict[str, float] = {}

    def pushes(*given: Any, **options: Any) -> Invariance:
        rates["pushes"] = options["error_rate"]
        return invariance(*given, **{**options, "draws": 1})

    def search(data: Any, **options: Any) -> lsn.Result:
        rates["containment"], rates["tolerance"] = options["error_rate"], options["tolerance"]
        return found

    monkeypatch.setattr(validate, "invariance", pushes)
    monkeypatch.setattr(validate, "discover", search)
    monkeypatch.setattr(validate, "after_push", lambda *given, **options: ())
    checked = lsn.validate(at(found, rate, tolerance=0.25), recording(20, 13), epsilons=(0.1,))
    assert rates == {"pushes": rate, "containment": rate, "tolerance": 0.25}
    assert checked.test is not None
    assert checked.invariance is not None
    assert (checked.error_rate, checked.test.error_rate, checked.invariance.level) == (rate, rate, rate)
    assert f"(level {100 * rate:g} %)" in str(checked)


@pytest.mark.parametrize(
    ("rate", "draws", "said"), [(0.01, 98, "1 %; give at least 99"), (0.2, 3, "20 %; give at least 4")]
)
def test_too_few_draws_for_the_rate_are_refused(found: lsn.Result, rate: float, draws: int, said: str):
    with pytest.raises(lsn.InputError, match=said):
        lsn.validate(at(found, rate), recording(40, 13), draws=draws)


def test_what_has_no_rate_is_tested_at_five_percent():
    assert ratio_test.criteria_of(lsn.solve(OU, formulas=False)) == Criteria()
    assert ratio_test.criteria_of("d_t") == Criteria()
