"""What is said about a result, in every case a result can be in."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import liestonet as lsn
from liestonet.algebra.structure import Algebra
from liestonet.result import Flag, Result
from liestonet.terminal import bracket_lines, first_terms, number
from liestonet.verdict import verdict


@pytest.fixture(scope="module")
def result() -> Result:
    """Brownian motion: ∂t, ∂x and the scaling."""
    return lsn.solve(lsn.SDE.parse("dx = dW"), domain=[(0, 2), (-1, 1)])


@pytest.fixture(scope="module")
def nothing() -> Result:
    """An equation without symmetries."""
    return lsn.solve(lsn.SDE.parse("dx = sin(x)*exp(x)*t dt + (1 + x^2) dW"))


def flagged(result: Result, code: str, **changes: object) -> str:
    return verdict(replace(result, flags=(Flag(code, "Why.", "What to do."),), **changes))  # pyright: ignore[reportArgumentType]


def test_two_sided(result):
    assert verdict(result) == (
        "dx = dW has a 3-dimensional algebra of Itô symmetries: no more are possible (power-series bound 3), "
        "and the 3 found satisfy the determining equations to rounding error."
    )


def test_bound_unknown_larger_smaller_or_doubtful(result):
    assert "but no upper bound for their number was found." in flagged(result, "no-upper-bound", bound=None)
    assert "though power series would allow up to 5." in flagged(result, "bound-not-reached", bound=5)
    assert "power series allow only 2, so do not rely" in flagged(result, "bound-not-reached", bound=2)
    assert "(power-series bound 3, not beyond doubt)" in flagged(result, "bound-doubtful")


def test_ambiguous(result):
    said = flagged(result, "ambiguous", gap=40.0)
    assert said.startswith("How many Itô symmetries dx = dW has is not certain: 3 directions fit")
    assert said.endswith("the gap to the next is only a factor of 40.")


def test_infinite(result):
    assert "dx = dW has an infinite-dimensional algebra" in flagged(result, "infinite", dimension=math.inf, bound=None)


def test_none(nothing):
    assert "has no Itô symmetries: none are possible (power-series bound 0), and the nearest" in verdict(nothing)
    assert verdict(replace(nothing, bound=None)).endswith("though no upper bound was found.")
    assert verdict(replace(nothing, bound=2)).endswith("though power series would allow up to 2.")


def test_long_equations_are_not_repeated_in_the_sentence():
    equation = "; ".join(f"dx{i} = dW{i}" for i in range(1, 7))
    assert verdict(lsn.solve(lsn.SDE.parse(equation))).startswith("This 6-dimensional equation has an 8-dimensional")


def test_every_verdict_is_one_sentence(result, nothing):
    for case in (result, nothing):
        assert verdict(case).count(". ") == 0
        assert verdict(case).endswith(".")


def test_first_terms_are_the_generators(result):
    """Whatever the basis of the span: ask for two fields in it, around t = 1 and x = 0."""
    t, x = np.linspace(0, 2, 9), np.linspace(-1, 1, 9)
    tau, xi = result.generators(t, x[:, None])
    wanted = np.array([[*(0 * t), *(0 * x - 1)], [*(3 * t), *(1.5 * x)]])
    mixing = np.linalg.lstsq(np.hstack([tau, xi[:, :, 0]]).T, wanted.T)[0]
    shown = first_terms(replace(result, fields=result.fields.mixed(mixing)))
    assert shown == ["-∂x", "(3 + 3 (t - 1)) ∂t + 1.5 x ∂x"]


def test_first_terms_say_where_more_follows():
    shown = first_terms(lsn.solve(lsn.SDE.parse("dx = x dt + dW")))
    assert "∂t" in shown
    assert sum("…" in text for text in shown) == 2


def test_brackets():
    constants = np.zeros((3, 3, 3))
    constants[0, 1] = [0.0, 2.0000000001, 1e-9]
    constants[0, 2] = [-1.0, 0.0, -math.sqrt(3)]
    constants -= constants.transpose(1, 0, 2)
    assert bracket_lines(Algebra(constants, 1e-9, 0.0, constants)) == ["[X1, X2] = 2 X2", "[X1, X3] = -X1 - 1.732 X3"]
    assert bracket_lines(Algebra(np.zeros((2, 2, 2)), 0.0, 0.0, np.zeros((2, 2, 2)))) == []


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2"), (-0.0, "0"), (1 / 3, "0.3333"), (3e-12, "3e-12"), (1.5e20, "1.5e20"), (-1.0, "-1")]
)
def test_numbers(value, text):
    assert number(value) == text
