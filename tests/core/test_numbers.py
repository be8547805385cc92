"""Every door takes NumPy's numbers as Python's: same answer, and files that hold plain values."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import sympy

import liestonet as lsn
from liestonet.core.numbers import as_float, is_real, is_truth, is_whole, plain, truth_of
from liestonet.validation.generator_input import read_generators


@pytest.mark.parametrize("kind", [int, *(np.dtype(code).type for code in np.typecodes["AllInteger"])])
def test_integers_of_any_width_are_whole_and_real(kind: type) -> None:
    assert is_whole(kind(3))
    assert is_real(kind(3))
    assert type(plain(kind(3))) is int


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (Fraction(1, 4), 0.25),
        (sympy.Rational(1, 4), 0.25),
        (sympy.sqrt(2) / 2, 0.5**0.5),
        (np.array(0.25), 0.25),
        (np.float32(0.25), 0.25),
        (10**400, np.inf),
        ("0.25", None),
        (True, None),
        (1j, None),
        (sympy.Symbol("x"), None),
        (np.array([0.25]), None),
    ],
)
def test_real_numbers_of_any_kind_become_floats(given, value):
    assert as_float(given) == (value if value is None else pytest.approx(value, rel=1e-15))


@pytest.mark.parametrize("kind", [float, np.float16, np.float32, np.float64, np.longdouble])
def test_floats_of_any_width_are_real(kind: type) -> None:
    assert is_real(kind(0.5))
    assert not is_whole(kind(0.5))
    assert type(plain(kind(0.5))) is float


@pytest.mark.parametrize("value", [True, np.True_, "1", None, 1j, np.complex128(1), np.array([1])])
def test_other_values_are_no_numbers(value: object) -> None:
    assert not is_real(value)
    assert not is_whole(value)


def test_truth_and_tuples() -> None:
    assert is_truth(np.False_)
    assert not is_truth(0)
    assert plain((np.int8(1), (np.float32(2), np.True_), "x")) == (1, (2.0, True), "x")
    parts = plain((np.int8(1), np.True_))
    assert isinstance(parts, tuple)
    assert [type(part) for part in parts] == [int, bool]
    assert repr(plain([np.float64(1), (np.str_("x"),)])) == "[1.0, ('x',)]"


@pytest.mark.parametrize("value", [False, np.False_])
def test_settings_that_are_true_or_false(value: object) -> None:
    assert truth_of("refit", value) is False
    assert repr(lsn.Spectral(refit=value)) == "Spectral(refit=False)"
    made = lsn.solve(lsn.SDE.parse("dx = dW"), formulas=value).provenance
    assert made is not None
    assert made.command.endswith("formulas=False)")


@pytest.mark.parametrize("value", ["no", 0, None, np.array([True])])
def test_other_values_are_neither_true_nor_false(value: object, brownian: lsn.Trajectories) -> None:
    doors: list[Callable[[], object]] = [
        lambda: lsn.Spectral(refit=value),
        lambda: lsn.solve(lsn.SDE.parse("dx = dW"), formulas=value),
        lambda: lsn.discover(brownian, formulas=value),
    ]
    for door in doors:
        with pytest.raises(lsn.InputError, match="give True or False"):
            door()


@pytest.fixture(scope="module")
def brownian() -> lsn.Trajectories:
    return lsn.SDE.parse("dx = dW").simulate(initial=0.0, duration=np.float32(1), step=0.01, paths=np.int16(64), seed=1)


def test_discover_takes_numpy_scalars(brownian: lsn.Trajectories, tmp_path: object) -> None:
    given = {"tolerance": np.float32(0.125), "error_rate": np.float16(0.0625), "dimension": np.int64(2)}
    result = lsn.discover(brownian, **given, seed=np.uint8(3))
    same = lsn.discover(brownian, tolerance=0.125, error_rate=0.0625, dimension=2, seed=3)
    assert result.to_json() == same.to_json()
    assert result.provenance == same.provenance
    result.save(f"{tmp_path}/run.lsn")
    assert lsn.load(f"{tmp_path}/run.lsn").to_json() == same.to_json()


def test_other_public_functions_take_numpy_scalars(brownian: lsn.Trajectories) -> None:
    fitted = lsn.fit(brownian)
    changed, same = fitted.perturb(np.float32(0.5)), fitted.perturb(0.5)
    assert np.array_equal(changed.drift_estimates[0].parameters, same.drift_estimates[0].parameters)
    given = read_generators([(np.int64(0), [np.float32(0.5)])], ("x",), fitted.domain)
    tau, xi = given(np.zeros(1), np.zeros((1, 1)))
    assert (tau.item(), xi.item()) == (0, 0.5)


SETTINGS = """
import json
import numpy as np
import liestonet as lsn
from liestonet.neural.coefficients.settings import CoefficientSettings, Constant
from liestonet.neural.settings import Architecture, Objective, Optimizer

def made(whole, real, truth, row):
    return lsn.Neural(
        architecture=Architecture(tau=[whole(8)], shared=truth(False)),
        objective=Objective(weights=row, flow=real(0.5), flow_steps=whole(2)),
        optimizer=Optimizer(rate=real(0.25), steps=whole(7)),
        sweep=whole(4),
    )

given = made(np.int16, np.float32, np.bool_, tuple(np.ones(9, dtype=np.float32)))
same = made(int, float, bool, (1.0,) * 9)
assert repr(given) == repr(same)
assert json.dumps(given.to_dictionary()) == json.dumps(same.to_dictionary())
surrogate = CoefficientSettings(steps=np.int64(5), floor=np.float32(0.5), schedule=Constant(np.float64(0.125)))
assert repr(surrogate) == repr(CoefficientSettings(steps=5, floor=0.5, schedule=Constant(0.125)))
assert lsn.Neural.paper(np.int64(1)) == lsn.Neural.paper(1)
"""


def test_settings_of_networks_take_numpy_scalars() -> None:
    """In a process of its own: the type checks of the tests would refuse what users may give."""
    done = subprocess.run([sys.executable, "-c", SETTINGS], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
