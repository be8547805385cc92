"""The next command after checks and uses: it can be typed as it stands, and keeps how the paths are read."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import liestonet as lsn
from liestonet.cli import app
from liestonet.core.ladder import LadderRow
from liestonet.groups.comparison import Group
from liestonet.render.next_check import (
    after_classification,
    after_density,
    after_full_report,
    after_groups,
    after_price,
    after_reversal,
    after_test,
    after_validation,
)
from liestonet.render.next_step import Typed
from liestonet.result.classification import Classification


def words(line: str) -> list[str]:
    return shlex.split(line)


def runs(command: str) -> None:
    outcome = CliRunner().invoke(app, words(command)[1:])
    assert outcome.exit_code == 0, outcome.output


@pytest.mark.parametrize(
    ("typed", "mapped", "expected"),
    [
        (
            "liestonet test 'my paths.csv' --state x,y --generator 'd_t' --generator 'd_x' --thin 2 --json",
            False,
            "liestonet discover 'my paths.csv' --state x,y --thin 2",
        ),
        (
            "liestonet test --map 'x -> -x' a.csv --noise=0.1",
            True,
            "liestonet discover a.csv --noise=0.1 --discrete",
        ),
    ],
)
def test_after_a_test_the_same_paths_are_searched(typed: str, mapped: bool, expected: str):
    for rejected in (True, False):
        assert words(after_test(words(typed), mapped, rejected).command) == words(expected)


def test_after_detailed_balance():
    step = after_reversal(words("liestonet reversible a.csv --state x,v --odd v"), of_equation=False)
    assert step is not None
    assert step.command == "liestonet discover a.csv --state x,v --discrete"
    step = after_reversal(words("liestonet reversible 'dx = -x dt + dW' --odd x"), of_equation=True)
    assert step is not None
    runs(step.command)
    assert after_reversal(words("liestonet reversible -"), of_equation=True) is None


def test_after_a_validation():
    result = replace(lsn.solve(lsn.SDE.parse("dx = dW")), provenance=None)
    typed = words("liestonet validate run.lsn --data a.csv --draws 50")
    step = after_validation(typed, result, contradicted=False, kept=False)
    assert step is not None
    assert words(step.command) == [*typed, "--report", "report.html"]
    step = after_validation(typed, result, contradicted=True, kept=False)
    assert step is not None
    assert step.command == "liestonet open run.lsn"
    assert after_validation(typed, result, contradicted=False, kept=True) is None


def test_after_a_density_and_a_price():
    typed = words("liestonet density 'dx = -k*x dt + dW' --param k=2 --x0 1 --t 1 --x 0")
    step = after_density(typed, [])
    assert step is not None
    assert step.command == "liestonet solve 'dx = -k*x dt + dW' --param k=2 --symmetry fokker-planck"
    runs(step.command)
    step = after_density(words("liestonet density 'dx = -k*x dt + dW'"), ["k"])
    assert step is not None
    assert step.command == "liestonet classify 'dx = -k*x dt + dW'"
    line = "liestonet price --payoff 'call(K)' --param K=1 --param=k=2 'dx = -k*x dt + dW' --maturity 1 --x0 0"
    step = after_price(words(line), ["K"])
    assert step is not None
    assert step.command == "liestonet density 'dx = -k*x dt + dW' --param=k=2"
    runs(step.command)


def test_after_a_classification():
    found = lsn.classify(lsn.SDE.parse("dx = mu*x dt + s*x^g dW"), ["ito"])
    typed = words("liestonet classify 'dx = mu*x dt + s*x^g dW' --symmetry ito")
    step = after_classification(typed, found)
    assert step is not None
    assert words(step.command)[-2:] == ["--symmetry", "ito"]
    runs(step.command)
    step = after_classification(typed, Classification("", (), (), ()))
    assert step is not None
    assert step.command == "liestonet solve 'dx = mu*x dt + s*x^g dW'"


def test_after_groups_the_least_decided_one_is_shown(tmp_path):
    typed = words("liestonet discover all.csv --by T --json")
    rows = {verdict: LadderRow(0.1, 0.0, 0.2, 0.1, 0.5, verdict) for verdict in ("symmetry", "undecided")}
    groups = tuple(
        Group(label, None, problem, f"folder {label}", 1, 5, 500, 1, "R", True, (), tuple(rows[v] for v in verdicts))
        for label, problem, verdicts in (
            ("a", "", ("symmetry",)),
            ("b", "", ("symmetry", "undecided")),
            ("c", "There are 3 increments, too few.", ()),
        )
    )
    found = lsn.GroupComparison("T", "", "ito", 0.05, groups)
    step = after_groups(typed, found)
    assert step is not None
    assert words(step.command) == words("liestonet discover all.csv --by T --out study")
    step = after_groups(typed, replace(found, folder=tmp_path))
    assert step is not None
    assert words(step.command) == ["liestonet", "open", str(tmp_path / "folder b" / "run.lsn")]
    assert after_groups(typed, replace(found, groups=groups[2:])) is None


def test_after_a_full_report_what_is_open_comes_first(tmp_path):
    settled = lsn.discover(lsn.catalogue["ornstein-uhlenbeck"].simulate(paths=400, seed=3), formulas=False)
    left = lsn.discover(lsn.catalogue["linear"].simulate(paths=300, seed=2), formulas=False)
    asked = {"command": "liestonet discover a.csv --all --out everything"}
    for result, expected in ((settled, f"liestonet open {tmp_path}/ito.lsn"), (left, "liestonet look a.csv")):
        assert result.provenance is not None
        typed = replace(result, provenance=replace(result.provenance, **asked))
        assert after_full_report(typed, tmp_path).command.startswith(expected)


def test_the_subject_may_stand_behind_options():
    assert Typed(words("liestonet solve --symmetry law --reduce 'dx = dW'")).subject == "dx = dW"
    assert Typed(words("liestonet solve --symmetry=law -")).subject == "-"
    assert Typed(words("liestonet solve --reduce")).subject == "-"
