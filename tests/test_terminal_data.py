"""What a result from data says at a terminal: the sentence for every outcome, and tables that stay narrow."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import liestonet as lsn
from liestonet.algebra.commutators import estimated_brackets, standing_out
from liestonet.algebra.structure import Algebra
from liestonet.result import Result
from liestonet.symmetry.ladder import LadderRow
from liestonet.terminal_data import commutator_lines, data_verdict, percent, render_discovery


@pytest.fixture(scope="module")
def result() -> Result:
    """Brownian motion without noise in a second coordinate, which is carried along: dy = x dt."""
    sde = lsn.SDE.parse("dx = dW; dy = x dt")
    data = sde.simulate(lambda rng, paths: rng.uniform(-1, 1, (paths, 2)), duration=1.0, step=0.02, paths=100, seed=5)
    return lsn.discover(data, formulas=False)


def ladder(*rows: tuple[float, float, float, str]) -> tuple[LadderRow, ...]:
    return tuple(
        LadderRow(residual, lower, upper, 0.01, 0.5 if verdict == "symmetry" else 1e-9, verdict)
        for residual, lower, upper, verdict in rows
    )


YES, NEAR = (0.01, 0.0, 0.03, "symmetry"), (0.015, 0.01, 0.02, "near-symmetry")
OPEN, NO = (0.05, 0.0, 0.3, "undecided"), (0.5, 0.4, 0.6, "no")
SENTENCES = {
    "found and near": (2, (YES, YES, NEAR, NO), "2 Itô symmetries to within 3 % (95 %), all may be exact (p = 0.5); "
                       "1 near-symmetry to within 2 %."),
    "one": (1, (YES, NO), "1 Itô symmetry to within 3 % (95 %), it may be exact (p = 0.5)."),
    "none": (0, (NO, NO), "No Itô symmetry (95 %): the nearest direction misses by 40 % to 60 %."),
    "open": (0, (OPEN, NO), "No Itô symmetry can be confirmed (95 %); 1 direction undecided (residual 0 % to 30 %)."),
    "asked": (3, (YES, OPEN, OPEN, NO), "3 Itô symmetries, as asked for, where the data alone support 1 (95 %); "
              "2 directions undecided (residual 0 % to 30 %)."),
}  # fmt: skip


@pytest.mark.parametrize(("dimension", "rows", "sentence"), SENTENCES.values(), ids=SENTENCES.keys())
def test_verdict(dimension, rows, sentence, result):
    assert data_verdict(replace(result, symmetry="ito", dimension=dimension, ladder=ladder(*rows))) == sentence


def test_the_surrogate_names_its_equation(result):
    written = "dx = f_x(t, x, y) dt + σ_x(t, x, y) dW; dy = f_y(t, x, y) dt, estimated from 5,000 increments"
    assert str(result.surrogate) == written


@pytest.mark.parametrize("count", [8, 60])
def test_long_ladders_fit(count, result):
    long = replace(result, ladder=ladder(*[YES] * count, NO))
    console = Console(width=80, color_system=None)
    with console.capture() as captured:
        console.print(render_discovery(long))
    lines = captured.get().splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("symmetry" in line for line in lines) < 40


def test_numbers_json_lacks_are_text(result):
    plain = replace(result, gap=math.nan, ladder=ladder((math.inf, 0.0, math.inf, "no"))).to_dictionary()
    assert plain["gap"] == "nan"
    assert plain["ladder"][0]["upper"] == "inf"
    assert replace(result, gap=math.inf).to_json()


def test_commutators_below_the_error_are_not_shown():
    constants = np.zeros((2, 2, 2))
    constants[0, 1], constants[1, 0] = (2.0, 0.01), (-2.0, -0.01)
    clear = Algebra(constants, 0.0, 0.0, constants)
    assert commutator_lines(standing_out(clear)) == ["[X1, X2] = 2 X1"]
    assert commutator_lines(standing_out(replace(clear, closure=0.5))) == []
    assert commutator_lines(standing_out(replace(clear, error=2.5))) == []


def test_brackets_from_data_are_those_of_the_terminal():
    """[X1, X2] = 2 X1 to two digits; what is smaller than its error is left out."""
    constants = np.zeros((2, 2, 2))
    constants[0, 1], constants[1, 0] = (1.9996, 0.01), (-1.9996, -0.01)
    found = estimated_brackets(Algebra(constants, 0.0, 0.0, constants, error=0.05))
    assert {pair: str(value) for pair, value in found.items()} == {(0, 1): "2*X1"}


def test_a_notebook_shows_the_same_verdict(result):
    assert data_verdict(result).split(";")[0].rstrip(".") in result._repr_html_()


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0 %"), (1e-5, "< 0.01 %"), (0.0134, "1.3 %"), (0.5, "50 %"), (2.04, "200 %"), (12.3, "12-fold")],
)
def test_percent(value, text):
    assert percent(value) == text
