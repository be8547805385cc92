"""erf in an equation, from the text to formulas, files and notation, and in its simulation."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.special import erf

import liestonet as lsn

T, X = sympy.symbols("t x", real=True)


@pytest.fixture(scope="module")
def result() -> lsn.Result:
    """w = ∫ dx / (2 + erf x) is Brownian motion, so there are its three symmetries."""
    return lsn.solve(lsn.SDE.parse("dx = (2 + erf(x)) ∘ dW"))


def test_an_image_of_brownian_motion_has_its_symmetries(result: lsn.Result) -> None:
    assert result.dimension == 3
    assert [row.status for row in result.formulas()] == ["proved"] * 3
    shift = result.formulas()[2].xi[0]
    same = {symbol: X for symbol in shift.free_symbols}
    assert sympy.simplify(shift.xreplace(same) / (2 + sympy.erf(X))).is_number


@pytest.mark.usefixtures("undrawn")
@pytest.mark.slow
def test_files_and_notation_hold_it(result: lsn.Result, tmp_path: object) -> None:
    result.save(f"{tmp_path}/run.lsn")
    assert lsn.load(f"{tmp_path}/run.lsn").to_json() == result.to_json()
    assert r"\operatorname{erf}" in result.latex()
    assert "<mi mathvariant='normal'>erf</mi>" in result.report(f"{tmp_path}/page.html").read_text(encoding="utf-8")
    printed = str(result.surrogate)
    assert str(lsn.SDE.parse(printed)) == printed


def test_paths_are_those_of_a_callable() -> None:
    text = lsn.SDE.parse("dx = -erf(2*x) dt + (1 + erfc(x)) dW")
    plain = lsn.SDE(lambda t, x: -erf(2 * x), lambda t, x: 2 - erf(x)[:, :, None], dimension=1)
    options = {"initial": 0.3, "duration": 1.0, "step": 0.01, "paths": 20, "seed": 5}
    np.testing.assert_allclose(text.simulate(**options).flat_states, plain.simulate(**options).flat_states, rtol=1e-12)
