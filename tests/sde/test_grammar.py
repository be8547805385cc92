"""What the tokeniser and the parser accept, what tree it means, and what they refuse."""

from __future__ import annotations

from fractions import Fraction

import pytest

from liestonet.errors import InputError
from liestonet.sde.grammar import Call, Name, Number, Parser, Power, Product, Sum
from liestonet.sde.tokens import tokenise


def shape(node):
    """A tree as nested tuples, without its texts."""
    match node:
        case Number(value):
            return value
        case Name(name):
            return name
        case Sum(terms):
            return ("+", *[shape(term) if sign > 0 else ("-", shape(term)) for sign, term in terms])
        case Product(factors):
            return ("*", *[shape(f) if direction > 0 else ("/", shape(f)) for direction, f in factors])
        case Power(base, exponent):
            return ("^", shape(base), shape(exponent))
        case Call(function, argument):
            return (function, shape(argument))


def read(text, coordinates=("x", "y"), valued=("k",)):
    return shape(Parser(tokenise(text), text, coordinates, valued).formula())


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("1.5", Fraction(3, 2)),
        (".5", Fraction(1, 2)),
        ("2.", 2),
        ("1e-3", Fraction(1, 1000)),
        ("½", Fraction(1, 2)),
        ("2x", ("*", 2, "x")),
        ("2 x y", ("*", 2, "x", "y")),
        ("2e", ("*", 2, "e")),
        ("x(1-x)", ("*", "x", ("+", 1, ("-", "x")))),
        ("(1+x)(1-x)", ("*", ("+", 1, "x"), ("+", 1, ("-", "x")))),
        ("k(x)", ("*", "k", "x")),
        ("q(1 - x)", ("*", "q", ("+", 1, ("-", "x")))),
        ("mu (1 - x)", ("*", "mu", ("+", 1, ("-", "x")))),
        ("-x^2", ("+", ("-", ("^", "x", 2)))),
        ("2^3^x", ("^", 2, ("^", 3, "x"))),
        ("2**-3", ("^", 2, ("+", ("-", 3)))),
        ("x² y", ("*", ("^", "x", 2), "y")),
        ("x²y", ("*", ("^", "x", 2), "y")),
        ("x⁻¹²", ("^", "x", ("+", ("-", 12)))),
        ("x^2 y", ("*", ("^", "x", 2), "y")),
        ("x^2(1+x)", ("*", ("^", "x", 2), ("+", 1, "x"))),
        ("1/2 x", ("*", 1, ("/", 2), "x")),
        ("x/y dt", ("*", "x", ("/", "y"), "dt")),
        ("1/2dt", ("*", 1, ("/", 2), "dt")),
        ("x/2*y", ("*", "x", ("/", 2), "y")),
        ("2*-x", ("*", 2, ("+", ("-", "x")))),
        ("√2 x", ("*", ("sqrt", 2), "x")),
        ("√(1+x)^2", ("^", ("sqrt", ("+", 1, "x")), 2)),
        ("a × b · c − d", ("+", ("*", "a", "b", "c"), ("-", "d"))),
        ("ln(x) + arctan(x) + Abs(x)", ("+", ("log", "x"), ("atan", "x"), ("Abs", "x"))),
        ("π", "pi"),
        ("µ", "μ"),
        ("x₁", "x1"),
        ("dW_1", "dW1"),
        ("dW₀₂", "dW2"),
        ("x ∘ dW", ("*", "x", "dW")),
        ("(x\n y)", ("*", "x", "y")),
    ],
)
def test_tree(text, tree):
    assert read(text) == tree


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("x_a", "'_'"),
        ("__import__('os')", "'_'"),
        ("x.real", "'.'"),
        ("x.5", "'.'"),
        ("'a'", "strings"),
        ("[x]", "round brackets"),
        ("{x}", "round brackets"),
        ("x @ y", "'@'"),
        ("|x|", "abs(x)"),
        ("lambda x: x", "':'"),
        ("x 2", "operator is missing"),
        ("2 3", "operator is missing"),
        ("1/2x", "1/2x"),
        ("1/x y", "1/x y"),
        ("1/x(1+x)", "1/x("),
        ("e^2x", "e^2x"),
        ("e^-2x", "e^-2x"),
        ("√2x", "√2x"),
        ("√x^2", "√"),
        ("xⁿ", "ⁿ"),
        ("x⁻", "exponent"),
        ("sin x", "sin(x)"),
        ("sin^2(x)", "sin(x)^2"),
        ("sni(x)", "did you mean sin"),
        ("eval(x)", "Unknown function eval"),
        ("f(x)", "Unknown function f"),
        ("x(t)", "x times t"),
        ("dW(t)", "dW times t"),
        ("sin(x, y)", "one argument"),
        ("(x", "closing bracket"),
        ("x)", "never opened"),
        ("x +", "stops after '+'"),
        ("* x", "'*'"),
        ("()", "')'"),
        ("x = y", "one = sign"),
        ("x ∘ dt", "∘"),
        ("1e400", "1e400"),
        ("1e999999999", "1e999999999"),
        ("1" * 200, "111"),
        ("(" * 60 + "x" + ")" * 60, "nested"),
        ("x^" * 60 + "x", "nested"),
        ("√" * 60 + "x", "nested"),
        ("-" * 3000 + "x", "2000"),
        ("x" * 20_001, "20000"),
        ("x" * 41, "longer than"),
        ("dW" + "1" * 7, "too large a number"),
    ],
)
def test_refused(text, mentions):
    with pytest.raises(InputError) as caught:
        read(text)
    assert mentions in str(caught.value)
    assert str(caught.value).endswith((".", "?"))
    assert "\n" not in str(caught.value)
