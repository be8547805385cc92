"""Conditions under which equations are more symmetric: those of the literature, and none on generic families."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
import sympy
from typer.testing import CliRunner

import liestonet as lsn
from liestonet import cli
from liestonet.errors import InputError

CIR = "dx = kappa*(theta - x) dt + sigma*sqrt(x) dW"
HESTON = "dS = mu*S dt + sqrt(v)*S dW1; dv = kappa*(theta - v) dt + sigma*sqrt(v) dW2"
SPRING = "dx = v dt; dv = (-gamma*v - k*x) dt + s dW"

# Equation, kind, generic dimension, and conditions as polynomials with the dimension there, from docs/method.md §2.6:
# scalar equations have 3 Itô symmetries where g is affine in y and 2 where g = A/y + b y; densities 6 and 4.
KNOWN = [
    (CIR, "ito", 2, {"4*kappa*theta - sigma**2": 3}),
    (CIR, "law", 2, {"4*kappa*theta - sigma**2": 3}),
    (CIR, "fokker-planck", 4, {"4*kappa*theta - sigma**2": 6, "4*kappa*theta - 3*sigma**2": 6}),
    ("dx = mu*x dt + s*x^g dW", "ito", 2, {"g": 3, "g - 1": 3}),
    ("dx = mu*x dt + s*x^g dW", "fokker-planck", 4, {"g": 6, "g - 1": 6, "g - 2": 6}),
    ("dx = a/x dt + dW", "ito", 2, {"a": 3}),
    ("dx = a/x dt + dW", "fokker-planck", 4, {"a": 6, "a - 1": 6}),
    ("dx = (a*x + b) dt + (c*x + d) dW", "ito", 1, {"a*d - b*c": 3, "c": 3}),
    ("dx = (a*x + b) dt + (c*x + d) dW", "law", 1, {"a*d - b*c": 3, "c": 3}),
    ("dx = (a*x + b*y) dt + dW1; dy = (c*x + d*y) dt + dW2", "ito", 3, {"b": 4, "c": 4, "a - d": 4}),
    (SPRING, "ito", 3, {"3*gamma**2 - 16*k": 4}),
    ("dx = v dt; dv = (-gamma*v - omega^2*x) dt + s dW", "ito", 3, {"3*gamma**2 - 16*omega**2": 4}),
    (HESTON, "ito", 2, {"sigma": math.inf}),
]
# No value of the parameters at which noise is left makes these more symmetric.
GENERIC = [
    ("dx = k*(m - x) dt + s dW", "ito"),
    ("dx = (a - x^2) dt + dW", "ito"),
    ("dx = (x - x^3 + a) dt + dW", "fokker-planck"),
    ("dx = mu*x dt + s*x dW", "ito"),
    ("dx = (x - x^3) dt + s dW", "law"),
    ("dx = (sin(x) + a) dt + s dW", "ito"),
    ("dx = (x^2 - x^4 + a*x) dt + dW", "fokker-planck"),
    ("dx = (tanh(x) - x^3 + a) dt + (1 + x^2) dW", "ito"),
    ("dx = y dt; dy = (x - x^3 - c*y) dt + s dW", "ito"),
    ("dx = (x - x^3 + k*y) dt + dW1; dy = (y - y^3 + k*x) dt + dW2", "law"),
]


@pytest.mark.parametrize(("equation", "kind", "generic", "conditions"), KNOWN)
def test_known_conditions_are_found_and_no_other(equation, kind, generic, conditions):
    found = lsn.classify(equation, kind, prove=False)
    assert found.generic == {kind: generic}
    assert {(str(e), row.dimension) for row in found for e in row.equations} == {
        (str(sympy.parse_expr(text, local_dict=sympy_symbols(text))), dimension)
        for text, dimension in conditions.items()
    }
    assert found.kinds[0].complete


def sympy_symbols(text: str) -> dict[str, Any]:
    names = ("kappa", "theta", "sigma", "gamma", "omega", "mu", "a", "b", "c", "d", "g", "k", "s")
    return {name: sympy.Symbol(name, real=True) for name in names}


@pytest.mark.parametrize(("equation", "kind"), GENERIC)
def test_generic_families_have_no_condition(equation, kind):
    found = lsn.classify(equation, kind, prove=False)
    assert list(found) == []
    assert found.kinds[0].complete
    assert "No condition raises the dimension." in str(found)


def test_every_condition_agrees_with_solve_on_it_and_beside_it():
    for row in lsn.classify("dx = a/x dt + dW", ("ito", "fokker-planck")):
        assert row.status == "proved"
        assert lsn.solve(row.sde, row.kind, formulas=False).dimension == row.dimension
    beside = lsn.SDE.parse("dx = a/x dt + dW", a=0.93)
    assert lsn.solve(beside, "fokker-planck", formulas=False).dimension == 4


@pytest.mark.slow
@pytest.mark.parametrize(("equation", "kind", "generic", "conditions"), KNOWN)
def test_known_conditions_are_proved(equation, kind, generic, conditions):
    found = lsn.classify(equation, kind)
    assert sum(len(row.equations) for row in found) == len(conditions)
    assert [row.status for row in found] == ["proved"] * len(found)


def test_the_condition_of_affine_coefficients_is_proved():
    """αδ = βγ with three constants left, where formulas of `solve` are consistent with the equation, not proved."""
    found = lsn.classify("dx = (a*x + b) dt + (c*x + d) dW", "ito")
    assert {(row.condition, row.dimension, row.status) for row in found} == {
        ("a*d = b*c", 3, "proved"),
        ("c = 0", 3, "proved"),
    }


def test_conditions_on_conditions():
    # generic: ∂t alone; b = 0: one dimension more, and then a = 0: all of Brownian motion's
    found = lsn.classify("dx = (a*x + b*x^3) dt + s dW", "ito", prove=False)
    assert [(row.condition, row.dimension) for row in found] == [("b = 0", 3)]
    assert found.coverage[0].endswith("except: s = 0 (no noise is left).")


def test_killing():
    plain = lsn.classify("dx = k*(m - x) dt + s dW", "fokker-planck", prove=False)
    killed = lsn.classify("dx = k*(m - x) dt + s dW", killing="r*x^3", prove=False)
    assert plain.generic == {"fokker-planck": 6}
    assert killed.generic == {"fokker-planck": 2}
    assert [(row.condition, row.dimension) for row in killed] == [("r = 0", 6)]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda: lsn.classify("dx = -x dt + dW"), "no free parameter"),
        (lambda: lsn.classify(3), "takes an equation"),
        (lambda: lsn.classify(CIR, "lie"), "lie"),
        (lambda: lsn.classify("dx = -y dt + s dW"), "no value and no equation"),
    ],
)
def test_wrong_input_ends_in_one_sentence(given, words):
    with pytest.raises(InputError, match=words):
        given()


def test_the_command():
    words = ["classify", "dx = a/x dt + dW", "--symmetry", "ito"]
    shown = CliRunner().invoke(cli.app, words)
    assert shown.exit_code == 0, shown.output
    assert "a = 0" in shown.stdout
    assert "proved" in shown.stdout
    found = json.loads(CliRunner().invoke(cli.app, [*words, "--no-proof", "--json"]).stdout)
    assert found["kinds"] == [{"kind": "ito", "dimension": 2, "complete": True, "left_out": []}]
    assert [(row["condition"], row["dimension"], row["status"]) for row in found["rows"]] == [("a = 0", 3, "numerical")]


def test_an_infinite_dimension_is_said():
    from liestonet.result.classification import count

    assert count(math.inf) == "infinite"


def test_random_symmetries_are_not_classified():
    with pytest.raises(InputError, match="kinds ito, law, fokker-planck, not random"):
        lsn.classify("dx = a*x dt + dW", "random")
