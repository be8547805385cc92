"""MathML says what SymPy says: read back by a small evaluator that knows nothing of the printer, numbers agree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import liestonet as lsn
from liestonet.formulas.formula import Constant, Formula
from liestonet.render.html import mathml

x, y, t = sympy.symbols("x y t", real=True)
POINT = {"x": 0.7, "y": 1.3, "t": 0.4, "e": math.e, "π": math.pi}
FUNCTIONS = {"ln": math.log, "arctan": math.atan, "sin": math.sin, "cos": math.cos, "tanh": math.tanh}


def tree(content: str) -> ElementTree.Element:
    """The formula as XML; well-formed, or this fails."""
    return ElementTree.fromstring(f"<mrow>{content.replace('&#x2062;', '⁢')}</mrow>")


def number(node: ElementTree.Element, values: Mapping[str, float]) -> float:
    """The value of one element that is no operator."""
    children = list(node)
    match node.tag:
        case "mn":
            return float(node.text or "")
        case "mi":
            return values[node.text or ""]
        case "mrow":
            return row(children, values)
        case "mfrac":
            return number(children[0], values) / number(children[1], values)
        case "msqrt":
            return math.sqrt(row(children, values))
        case "msup":
            return number(children[0], values) ** number(children[1], values)
    raise AssertionError(f"{node.tag} has no value")


def row(nodes: list[ElementTree.Element], values: Mapping[str, float]) -> float:
    """Sums of products, brackets around them or not; a named function takes the brackets behind it."""
    nodes = [node for node in nodes if node.tag != "mspace"]
    if nodes and nodes[0].text == "(" and nodes[-1].text == ")":
        nodes = nodes[1:-1]
    total, product, sign, waiting = 0.0, 1.0, 1.0, None
    for position, node in enumerate(nodes):
        if node.tag == "mo" and node.text in ("+", "−"):
            total += sign * product if position else 0.0
            product, sign = 1.0, 1.0 if node.text == "+" else -1.0
        elif node.tag == "mo":
            assert node.text in ("⁢", "×", "·"), node.text
        elif name(node) in FUNCTIONS:
            waiting = node
        elif waiting is not None:
            power = number(list(waiting)[1], values) if waiting.tag == "msup" else 1.0
            product *= FUNCTIONS[name(waiting)](number(node, values)) ** power
            waiting = None
        else:
            product *= number(node, values)
    return total + sign * product


def name(node: ElementTree.Element) -> str:
    """The name of a function, itself or raised to a power."""
    inner = next(iter(node)) if node.tag == "msup" else node
    return inner.text or "" if inner.tag == "mi" else ""


EXPRESSIONS = [
    x - 2 * y,
    -x / 2,
    (x + 1) ** 2 / (y - 3),
    sympy.sqrt(1 + x**2),
    sympy.exp(-2 * t) * (x - y),
    x ** sympy.Rational(3, 2) / 7,
    1 / sympy.sqrt(x),
    sympy.log(x) ** 2 + sympy.atan(x * y),
    sympy.Float("1.23e-7") * x,
    -sympy.Rational(3, 4) - x,
    sympy.pi * x - sympy.E,
    2**x,
    5 * 2**x * 3**y,
    (-2) ** 2 * x * (y - x) * sympy.sin(t) ** 3,
    sympy.exp(sympy.exp(x)),
    -(x + y) * (x - y),
    # what SymPy would multiply out stays as it is
    sympy.Mul(4, 1 - 2 * x, evaluate=False),
    sympy.Mul(-1, x - 1, evaluate=False),
    sympy.Mul(-4, 1 - 2 * x, evaluate=False),
    sympy.Add(1, sympy.Mul(-2, x - 1, evaluate=False), evaluate=False),
    sympy.factor_terms(4 - 8 * x) * sympy.exp(t),
]


def value(expression: Any) -> float:
    return float(expression.subs({x: POINT["x"], y: POINT["y"], t: POINT["t"]}))


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_value_is_the_same(expression):
    expected = value(expression)
    assert number(tree(mathml.expression(expression)), POINT) == pytest.approx(expected, rel=2e-4)


leaves = st.sampled_from([x, y, t, *map(sympy.Rational, ("2", "-3", "1/2", "-5/3"))])


def grow(inner: st.SearchStrategy) -> st.SearchStrategy:
    """These, and one level more."""
    pairs = st.tuples(inner, inner)
    return st.one_of(
        inner,
        pairs.map(lambda pair: pair[0] + pair[1]),
        pairs.map(lambda pair: pair[0] * pair[1]),
        inner.map(lambda e: e**2),
        inner.map(lambda e: sympy.tanh(e) + 2),
        inner.map(lambda e: 1 / (e**2 + 1)),
    )


@given(grow(grow(grow(leaves))))
def test_value_of_any_formula_is_the_same(expression):
    assert number(tree(mathml.expression(expression)), POINT) == pytest.approx(value(expression), rel=1e-9, abs=1e-12)


def test_a_factor_that_is_a_sum_is_in_brackets():
    """(1 − x) 2 ∂x is not 2 − 2x ∂x."""
    formula = Formula(sympy.Integer(1), (sympy.Mul(2, 1 - x, evaluate=False),), sympy.Integer(0), "proved", 0.0)
    shown = text_of(mathml.field_mathml(formula, ["x"]))
    assert "(" in shown.split("∂")[1], shown


def text_of(content: str) -> str:
    return "".join(tree(content).itertext())


def test_a_generator_with_an_uncertain_rate():
    rate = sympy.Symbol("c", real=True)
    row = Formula(sympy.exp(rate * t), (x / 2,), sympy.Integer(0), "consistent", 0.1, (Constant(rate, -1.98, 0.13),))
    content = mathml.field_mathml(row, ("x",))
    assert "−1.98±0.13" in text_of(content)
    assert "∂" in text_of(content)


def test_names_are_escaped_and_set_with_subscripts():
    assert mathml.identifier("x_1") == mathml.identifier("x1")
    assert text_of(mathml.identifier("theta")) == "θ"
    assert "<b>" not in mathml.identifier("<b>")


def test_two_numbers_never_stand_side_by_side():
    """5·2^x, which without a sign would read 52^x."""
    assert text_of(mathml.expression(5 * 2**x)) == "5·2x"


def test_combinations_have_the_generator_behind_its_factor():
    k, first, second = sympy.Symbol("k"), sympy.Symbol("X1"), sympy.Symbol("X12")
    assert text_of(mathml.combination(-2 * k * first + second)).replace("⁢", "") == "−2kX1+X12"
    assert text_of(mathml.combination(sympy.Integer(0))) == "0"


@pytest.mark.parametrize("key", ["langevin", "cir", "brownian-10d", "bessel-drift"])
def test_equations_are_well_formed(key):
    symbolic = lsn.catalogue[key].sde.symbolic
    lines = mathml.equation_mathml(symbolic)
    assert len(lines) == len(lsn.catalogue[key].sde.names)
    assert all("=" in text_of(line) for line in lines)


def test_functions_of_densities_can_be_read():
    """Bessel functions by their letters, and no fractions with variables in small exponents."""
    assert text_of(mathml.expression(sympy.besseli(1, x))) == "I1(x)"
    assert text_of(mathml.expression(sympy.exp(-x / t))) == "exp(−xt)"
    assert text_of(mathml.expression(sympy.exp(-t / 2))) == "e−t2"
    assert text_of(mathml.expression(sympy.exp(x * sympy.exp(-t)))).startswith("e")
