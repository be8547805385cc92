"""What is said of all symmetries together holds for the equation, checked by SymPy with criteria of their own; and the
sentences have the numbers, errors and units of the result.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy

import liestonet as lsn
from liestonet.render.meaning import meaning_of
from liestonet.render.view import ResultView


def codes(result) -> set[str]:
    return {row.code for row in meaning_of(result)}


class Scalar:
    """g and its derivatives along y = ∫dx/σ, without inverting y."""

    def __init__(self, sde) -> None:
        symbolic = sde.symbolic
        self.x, self.t = sympy.Symbol("x", positive=True), symbolic.time  # roots have one branch there
        renamed = {symbolic.state[0]: self.x}
        self.f: Any = sympy.Matrix(symbolic.drift).xreplace(renamed)[0, 0]
        self.sigma: Any = sympy.Matrix(symbolic.diffusion).xreplace(renamed)[0, 0]

    def d(self, value, times=1):
        for _ in range(times):
            value = sympy.simplify(self.sigma * value.diff(self.x))
        return value

    @property
    def g(self):
        return self.f / self.sigma - self.sigma.diff(self.x) / 2

    def affine(self) -> bool:
        """dy = g dt + dW with g affine in y: D²g = 0, with the part y_t that the time in σ brings."""
        first = self.d(self.g) - self.sigma.diff(self.t) / self.sigma
        return sympy.simplify(self.d(first)) == 0

    def bessel(self) -> bool:
        """g = A/y + b y (autonomous): D²g = 2A/y³, so that its power −1/3 is affine in y."""
        second = self.d(self.g, 2)
        return second != 0 and sympy.simplify(self.d(sympy.root(second**2, 6) ** -1, 2)) == 0

    def potential(self):
        """V′, V″, … along y, of the heat equation ψ_t = ½ψ_yy − Vψ (autonomous)."""
        first = self.d((self.g**2 + self.d(self.g)) / 2)
        return [first, *(self.d(first, k) for k in range(1, 5))]


SCALAR = {
    "dx = -x dt + dW": "brownian",
    "dx = x/2 dt + x dW": "brownian",
    "dx = (x - x*log(x)) dt + x dW": "brownian",
    "dx = (1 - x) dt + sqrt(x) dW": "bessel",
    "dx = 2/x dt + dW": "bessel",
    "dx = x^2 dW": "bessel",
    "dx = (x - x^3) dt + dW": "alone",
    "dx = sin(x) dt + dW": "alone",
    "dx = (x - x^2) dt + x dW": "alone",
}


@pytest.mark.parametrize("text", SCALAR)
def test_what_a_count_says_of_a_scalar_equation(text):
    sde = lsn.SDE.parse(text)
    said, scalar = codes(lsn.solve(sde)), Scalar(sde)
    assert SCALAR[text] in said
    assert ("brownian" in said) == scalar.affine()
    if not scalar.affine():
        assert ("bessel" in said) == scalar.bessel()
    if "linear" in said:
        assert sympy.diff(scalar.f, scalar.x, 2) == 0
        assert sympy.diff(scalar.sigma, scalar.x) == 0


ROTORS = {
    "dx = dt/2 + 7/10 dW": "free-rotor",
    "dx = ((2 + sin(x))*cos(x)/2 + 3*(2 + sin(x))) dt + (2 + sin(x)) dW": "free-rotor",
    "dx = sin(x) dt + dW": "driven-rotor",
}


@pytest.mark.parametrize("text", ROTORS)
def test_what_a_count_says_of_an_angle(text):
    """A rotor is free where g is constant; what is said of lines (Bessel type, self-similar) is not said of angles."""
    sde = lsn.SDE.parse(text).with_periods({"x": 2 * np.pi})
    found = codes(lsn.solve(sde)) & {"free-rotor", "driven-rotor", "brownian", "bessel", "alone"}
    equation = Scalar(sde)
    assert found == {ROTORS[text]}
    assert (sympy.simplify(equation.d(equation.g)) == 0) == (ROTORS[text] == "free-rotor")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("dx = -x dt + dW", "heat"),
        ("dx = (1 - x) dt + sqrt(x) dW", "inverse-square"),
        ("dx = (x - x^3) dt + dW", "no-kernel"),
    ],
)
def test_what_a_count_says_of_a_density(text, code):
    sde = lsn.SDE.parse(text)
    _, _, third, fourth, fifth = Scalar(sde).potential()
    special = sympy.simplify(5 * third * fifth - 6 * fourth**2) == 0
    expected = "heat" if third == 0 else "inverse-square" if special else "no-kernel"
    assert code == expected
    assert codes(lsn.solve(sde, symmetry="fokker-planck")) & {"heat", "inverse-square", "no-kernel"} == {code}


@pytest.mark.parametrize(
    "text",
    [
        "dx = y dt; dy = -4*x dt - 2*y dt + dW",
        "dx = -x dt + dW1; dy = -y dt + dW2",
        "dx = y dt; dy = -y dt + dW",
        "dx = y dt; dy = (x - x^3 - y) dt + dW",
        "dx = (x - x^3) dt + dW1; dy = -y dt + dW2",
        "dx = y dt + dW1; dy = -sin(x) dt + y dW2",
    ],
)
def test_what_is_said_of_a_system(text):
    sde = lsn.SDE.parse(text)
    symbolic = sde.symbolic
    assert symbolic is not None
    drift, sigma, state = sympy.Matrix(symbolic.drift), sympy.Matrix(symbolic.diffusion), symbolic.state
    matrix = drift.jacobian(state)
    linear = not matrix.has(*state) and not sigma.has(*state)
    said = codes(lsn.solve(sde))
    assert ("linear-system" in said) == linear
    if "common-rate" in said:
        assert np.ptp([complex(value).real for value in matrix.eigenvals(multiple=True)]) < 1e-12
    assert ("only-time" in said) == (text == "dx = y dt; dy = (x - x^3 - y) dt + dW" or "sin" in text)


@pytest.mark.slow
def test_rates_have_errors_and_units(tmp_path):
    sde = lsn.SDE.parse("dx = -1.3*x dt + 0.5 dW")
    simulated = sde.simulate(
        initial=lambda rng, k: rng.uniform(-2, 2, (k, 1)), duration=3.0, step=0.02, paths=200, seed=3
    )
    rows = ["particle,t (s),x (um)"]
    for k, (times, states) in enumerate(zip(simulated.times, simulated.states, strict=True)):
        rows += [f"{k},{t!r},{x!r}" for t, x in zip(times.tolist(), states[:, 0].tolist(), strict=True)]
    (tmp_path / "trap.csv").write_text("\n".join(rows))
    result = lsn.discover(lsn.Trajectories.read(tmp_path / "trap.csv"))
    said = {row.code: row for row in result.meaning()}
    row = said["shared-shift"]
    formula = result.formulas()[int(row.about.removeprefix("X")) - 1]
    (constant,) = formula.constants
    assert abs(constant.value + 1.3) < 4 * constant.uncertainty
    digits = max(0, 1 - int(np.floor(np.log10(constant.uncertainty))))
    assert f"k = {-constant.value:.{digits}f} ± {constant.uncertainty:.{digits}f} s⁻¹" in row.text
    after = 1 / abs(constant.value)
    error = constant.uncertainty * after**2
    digits = max(0, 1 - int(np.floor(np.log10(error))))
    assert f"1/k = {after:.{digits}f} ± {error:.{digits}f} s)" in row.text
    upper = max(row.upper for row in result.ladder if row.verdict == "symmetry")
    assert f"{100 * upper:.2g} %" in said["linear"].text


def test_more_symmetries_than_the_data_support_are_not_explained():
    """A dimension that was asked for is no finding."""
    sde = lsn.SDE.parse("dx = (x - x^3) dt + 0.7 dW")
    data = sde.simulate(
        initial=lambda rng, k: rng.uniform(-1.5, 1.5, (k, 1)), duration=3.0, step=0.02, paths=200, seed=4
    )
    result = lsn.discover(data, dimension=3, formulas=False)
    assert not codes(result) & {"brownian", "linear", "bessel"}


def test_every_display_has_the_sentences():
    result = lsn.solve(lsn.SDE.parse("dx = -x dt + dW"))
    texts = [row.text for row in result.meaning()]
    assert texts
    assert [row["text"] for row in json.loads(result.to_json())["meaning"]] == texts
    assert all(text in result._repr_html_() for text in texts)
    assert [row.text for row in ResultView.of(result).meaning] == texts


def test_uncertain_answers_make_no_claims():
    result = lsn.solve(lsn.SDE.parse("dx = (x - x^3) dt + dW"))
    assert "alone" in codes(result)
    unbounded = replace(result, findings=replace(result.findings, bound=3))
    assert "alone" not in codes(unbounded)
