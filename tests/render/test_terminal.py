"""The view at a terminal: 80 columns, long tables folded, commutators that stand out of their error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import liestonet as lsn
from liestonet.algebra.commutators import estimated_brackets, exact_brackets
from liestonet.algebra.structure import Algebra
from liestonet.core.ladder import LadderRow
from liestonet.render.terminal import commutator_lines, render
from liestonet.render.view import ResultView
from liestonet.result import Result
from report_results import made


def printed(result: Result) -> str:
    console = Console(width=80, color_system=None)
    with console.capture() as captured:
        console.print(render(ResultView.of(result)))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


YES = LadderRow(0.01, 0.0, 0.03, 0.01, 0.5, "symmetry")
NO = LadderRow(0.5, 0.4, 0.6, 0.01, 1e-9, "no")


@pytest.mark.parametrize(("count", "shown"), [(8, 8), (16, 16), (17, 6), (60, 6)])
def test_long_ladders_are_folded_and_fit(count, shown):
    text = printed(replace(made("undecided"), ladder=(*[YES] * count, NO)))
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    ladder = text.split("Candidate directions")[1].split("\n\n")[0].splitlines()
    assert sum(line.endswith("  symmetry") and "more" not in line for line in ladder) == shown
    assert (f"{count - 6} more" in text) == (count > 16)


def test_the_gap_separates_kept_and_dropped_directions():
    text = printed(lsn.solve(lsn.SDE.parse("dx = dW"), formulas=False))
    ladder = text.split("Candidate directions")[1].split("\n\n")[0]
    assert ladder.index("  3  ") < ladder.index("gap: a factor of") < ladder.index("  4  ")


def test_commutators_of_an_equation():
    constants = np.zeros((3, 3, 3))
    constants[0, 1] = [0.0, 2.0000000001, 1e-9]
    constants[0, 2] = [-1.0, 0.0, -np.sqrt(3)]
    constants -= constants.transpose(1, 0, 2)
    lines = commutator_lines(exact_brackets(Algebra(constants, 1e-9, 0.0, constants)))
    assert lines == ["[X1, X2] = 2 X2", "[X1, X3] = -X1 - sqrt(3) X3"]
    nothing = np.zeros((2, 2, 2))
    assert commutator_lines(exact_brackets(Algebra(nothing, 0.0, 0.0, nothing))) == []


def test_commutators_below_the_error_are_not_shown():
    constants = np.zeros((2, 2, 2))
    constants[0, 1], constants[1, 0] = (1.9996, 0.01), (-1.9996, -0.01)
    clear = Algebra(constants, 0.0, 0.0, constants, error=0.05)
    assert commutator_lines(estimated_brackets(clear)) == ["[X1, X2] = 2 X1"]
    assert commutator_lines(estimated_brackets(replace(clear, closure=0.5))) == []
    assert commutator_lines(estimated_brackets(replace(clear, error=2.5))) == []
