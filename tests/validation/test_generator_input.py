"""Generators as people give them: text, SymPy, callables; derivatives against SymPy, nonsense refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy

from liestonet.core.domain import Domain
from liestonet.core.generators import Lifted
from liestonet.errors import InputError
from liestonet.formulas.formula import Formula
from liestonet.validation.formulas import Formulas
from liestonet.validation.generator_input import parse_generators, project, read_generators
from liestonet.validation.smoothness import ORDER, regular

T, X, Y = sympy.symbols("t x y", real=True)
DOMAIN = Domain(((0.0, 2.0), (-2.0, 2.0)))
POINTS = np.random.default_rng(0).uniform((0, -2), (2, 2), (30, 2))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("2 t d_t + x d_x", [(2 * T, X)]),
        ("2t∂t + x∂x", [(2 * T, X)]),
        ("e^(2t) (∂_t + x ∂_x)", [(sympy.exp(2 * T), X * sympy.exp(2 * T))]),
        ("∂/∂x; exp(-t) d/dx", [(0, 1), (0, sympy.exp(-T))]),
        ("t d_x - x u d_u", [(0, T, -X)]),
        ("-(x^2 - 1)/2 d_x", [(0, (1 - X**2) / 2)]),
        ("1/x d_x", [(0, 1 / X)]),
        ("erf(x) d_x + erfc(t) d_t", [(sympy.erfc(T), sympy.erf(X))]),
        ("1/x ∂/∂x + 1/t ∂t", [(1 / T, 1 / X)]),
    ],
)
def test_text_is_read(text: str, rows: list):
    found = parse_generators(text, ("x",)).rows
    assert len(found) == len(rows)
    for row, expected in zip(found, rows, strict=True):
        assert [sympy.simplify(a - b) for a, b in zip(row, expected, strict=True)] == [0] * len(expected)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x d_t", "depend on t only"),
        ("k d_x", "k"),
        ("y d_x", "y"),
        ("x", "not a sum"),
        ("d_x^2", "not a sum"),
        ("x d_x + 1", "not a sum"),
        ("u^2 d_u", "only as a factor of d_u"),
        ("  ", "no generator"),
        ("__import__('os').system('true') d_x", "Unexpected"),
        ("d_x d_t", "not a sum"),
        ("exp(x d_x", "stops after 'd_x'; a closing bracket"),
        ("1/2x d_x", "not clear what x belongs to in '1/2x'"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(text: str, reason: str):
    with pytest.raises(InputError, match=reason):
        parse_generators(text, ("x",))


@pytest.mark.parametrize(
    "text",
    [
        "∂/∂x + t ∂x - x ∂t $ 2",
        "d_t; d_{x} + x d_x $ 1",
        "t d_t + x d_x\n  ∂_x + 3 $ ∂x",
        "d/dt + exp(x) d/dx + x $ d_x",
        "d_x + x d_x )",
        "d_t; d_x + foo(x) d_x",
        ["d_t", "x d_x + 4 $ d_x"],
    ],
)
def test_positions_count_in_the_text_as_typed(text: str | list[str]):
    with pytest.raises(InputError) as problem:
        read_generators(text, ("x",), DOMAIN)
    (place,) = re.findall(r"at character (\d+)", str(problem.value))
    typed = text if isinstance(text, str) else text[-1]
    assert typed[int(place) - 1] in "$)f"


def test_messages_show_the_text_as_typed():
    with pytest.raises(InputError, match=r"near '∂/∂x [+] t ∂x [)]'"):
        parse_generators("∂/∂x + t ∂x )", ("x",))


def test_names_that_begin_alike_are_told_apart():
    row = parse_generators("x1 d_x10 + x10 d_x1", ("x1", "x10")).rows[0]
    assert [str(part) for part in row] == ["0", "x10", "x1"]


def test_derivatives_are_those_of_sympy():
    given = parse_generators("e^(2t) d_t + sin(x)*t d_x", ("x",))
    expected = sympy.lambdify((T, X), sympy.diff(sympy.sin(X) * T, X, X), "numpy")(*POINTS.T)
    np.testing.assert_allclose(given.components(POINTS, [(1, 1)])[1, 1][0, :, 1], expected)


def test_a_callable_becomes_the_same_functions():
    given = parse_generators("e^(2t) d_t + sin(x)*t d_x; d_x", ("x",))
    fields = project(lambda t, x: given(t, x), DOMAIN)
    for derivative in ((), (0,), (1,), (1, 1)):
        found = fields.components(POINTS, [derivative])[derivative]
        np.testing.assert_allclose(found, given.components(POINTS, [derivative])[derivative], atol=2e-4)


def test_the_lift_is_minus_the_divergence():
    given = Lifted(parse_generators("t d_t + x*y^2 d_x + x*y d_y", ("x", "y")), 2)
    points = np.random.default_rng(0).uniform(-1, 1, (20, 3))
    t, x, y = points.T
    found = given.components(points, [(), (2,)])
    np.testing.assert_allclose(found[()][0, :, 3], -(y**2) - x, atol=1e-12)
    np.testing.assert_allclose(found[2,][0, :, 3], -2 * y, atol=1e-12)
    assert given(t, points[:, 1:])[2].shape == (1, 20)


def test_other_ways_to_give_them():
    pair = read_generators((2 * T, [X]), ("x",), DOMAIN)
    rows = read_generators([(sympy.Integer(0), [sympy.Integer(1)]), (2 * T, [X])], ("x",), DOMAIN)
    assert (pair.count, rows.count) == (1, 2)
    other = sympy.Symbol("x")  # without the assumption that it is real
    np.testing.assert_allclose(
        read_generators((0, [other**2]), ("x",), DOMAIN)(*_split(POINTS))[1][0], POINTS[:, 1:] ** 2
    )
    for wrong in (
        3.0,
        None,
        [],
        lambda t, x: t,
        lambda t, x: (t[None], np.abs(x)[None] * np.nan),
        (T, [X, X]),
        (X, [0]),
        [(T, [X]), (T * X, [X])],
        ("t", ["x"]),
    ):
        with pytest.raises(InputError):
            read_generators(wrong, ("x",), DOMAIN)


def test_formulas_of_a_result_without_density_have_no_beta():
    zero, one = sympy.Integer(0), sympy.Integer(1)
    shown = [Formula(T, (X,), zero, "proved", 0.0), Formula(zero, (one,), zero, "proved", 0.0)]
    assert not read_generators(shown, ("x",), DOMAIN).has_beta
    assert read_generators([*shown, Formula(zero, (zero,), one, "proved", 0.0)], ("x",), DOMAIN).has_beta
    assert read_generators((T, [X], 0), ("x",), DOMAIN).has_beta  # a zero that somebody wrote


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("log(x) d_x", r"log\(x\) ∂x is not finite at t = 0, x = -2"),
        ("sqrt(x) d_x", "not finite at"),
        ("exp(800 x) d_x", "not below 1e"),
        ("(1/(x - 1)) d_x", "not finite where x - 1 = 0"),
        ("x^(-2) d_x", "not finite where x = 0"),
        ("abs(x) d_x", "not differentiable where x = 0"),
        ("sign(x - t) d_x", "not differentiable where .* = 0"),
        ("t^0.5 d_x", "derivative that is not finite at t = 0"),
        ((0, [0]), "is zero"),
        ((0, [sympy.Abs(sympy.Symbol("x"))]), "not differentiable where x = 0"),
        ((0, [sympy.Max(X, 0)]), "not differentiable where x = 0"),
        ((0, [sympy.floor(X)]), "cannot be differentiated"),
        ((0, [sympy.I]), "real number"),
        ((0, [sympy.Function("f")(X)]), "cannot be evaluated"),
        ([(0, [X]), (0, [sympy.log(X)])], r"generator log\(x\) ∂x is not finite"),
    ],
)
def test_what_is_not_smooth_on_the_box_is_refused_and_where(given: object, reason: str):
    with pytest.raises(InputError, match=reason) as refused:
        read_generators(given, ("x",), DOMAIN)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("abs(x) d_x", "x d_x"),
        ("sign(-x) d_x", "-d_x"),
        ("abs(abs(x) - 9) d_x", "(9 - x) d_x"),
        ("(log(x) + 1/x) d_x", "(log(x) + 1/x) d_x"),
    ],
)
def test_kinks_and_poles_beside_the_box_do_not_matter(text: str, same: str):
    beside = Domain(((0.0, 2.0), (0.5, 3.0)))
    points = np.random.default_rng(0).uniform((0, 0.5), (2, 3), (30, 2))
    found, plain = read_generators(text, ("x",), beside), parse_generators(same, ("x",))
    for derivative in ((), (1,), (1, 1)):
        expected = plain.components(points, [derivative])[derivative]
        np.testing.assert_allclose(found.components(points, [derivative])[derivative], expected, atol=1e-14)


def test_the_lift_needs_one_more_derivative():
    """x^{5/2} has two finite derivatives at x = 0, which the box touches, and no third one."""
    touching = Domain(((0.0, 2.0), (0.0, 2.0)))
    given = read_generators("x^2.5 d_x", ("x",), touching)
    assert isinstance(given, Formulas)
    with pytest.raises(InputError, match="derivative that is not finite at t = 0, x = 0"):
        regular(given, touching, ORDER + 1)


def test_exponentials_are_evaluated_without_overflow():
    """exp(1000 − t) near t = 1000 is of moderate size, though its factors exp(1000) and exp(−t) are not."""
    late = Domain(((1000.0, 1001.0), (-2.0, 2.0)))
    t = np.linspace(1000, 1001, 7)
    found = read_generators("exp(1000 - t) (d_x + x d_x)", ("x",), late)(t, np.ones((7, 1)))[1]
    np.testing.assert_allclose(found[0, :, 0], 2 * np.exp(1000 - t), rtol=1e-12)


def _split(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return points[:, 0], points[:, 1:]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("d_t; d_t", "Generator 2, ∂t, is a combination of ∂t before"),
        (["d_x", "-3 d_x"], "Generator 2"),
        ("d_t; x d_x; d_t - 1/3 x d_x; d_x", "Generator 3, .* combination of ∂t and x ∂x before"),
        ("sin(x)^2 d_x; cos(x)^2 d_x; d_x", "Generator 3, ∂x"),
        ("erf(x) d_x; d_x; erfc(x) d_x", "Generator 3"),
        ("d_x; d_x + u d_u; 2 u d_u", "Generator 3"),
        ([(0, [X]), (0, [2 * X])], "Generator 2, 2 x ∂x"),
        (lambda t, x: (np.zeros((2, len(t))), np.stack([np.exp(x), np.pi * np.exp(x)])), "Generator 2, X2, .* of X1"),
        (lambda t, x: (np.zeros((2, len(t))), np.stack([x, 0 * x])), "X2 is zero"),
    ],
)
def test_a_combination_of_other_generators_is_named(given: object, named: str):
    with pytest.raises(InputError, match=named):
        read_generators(given, ("x",), DOMAIN)


def test_independent_generators_stay_however_alike():
    far = Domain(((0.0, 2.0), (1e3, 1e3 + 1.0)))
    for domain, text in (
        (DOMAIN, "d_t; d_t + 1e-6 x d_x"),
        (far, "d_x; x d_x; x^2 d_x"),
        (DOMAIN, "exp(x) d_x; x d_x"),
    ):
        assert read_generators(text, ("x",), domain).count == len(text.split(";"))
