"""The next command: it keeps what was typed, changes one thing, and can be typed as it stands."""

from __future__ import annotations

import shlex
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import liestonet as lsn
from liestonet.cli import app
from liestonet.core.provenance import Provenance
from liestonet.inference.adequacy import PATHS, FitTest
from liestonet.render.next_step import Typed, next_step
from liestonet.result.findings import DataFindings


def solved(*words: str):
    """The result of a typed `solve`, and what it says to type next."""
    options = dict(zip(words[1::2], words[2::2], strict=True))
    result = lsn.solve(lsn.SDE.parse(words[0]), symmetry=options.get("--symmetry", "ito"))
    typed = Provenance(shlex.join(["liestonet", "solve", *words]), {}, {})
    step = next_step(replace(result, provenance=typed))
    assert step is not None
    return shlex.split(step.command)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["dx = sin(x) dt + dW"], ["solve", "dx = sin(x) dt + dW", "--periodic", "x=2pi"]),
        (["dx = -x dt + dW"], ["solve", "dx = -x dt + dW", "--reduce"]),
        (["dx = (1 - x) dt + sqrt(x) dW"], ["density", "dx = (1 - x) dt + sqrt(x) dW"]),
        (["dx = (x - x^3) dt + dW"], ["solve", "dx = (x - x^3) dt + dW", "--symmetry", "random"]),
        (["dx = -x dt + dW", "--symmetry", "fokker-planck"], ["density", "dx = -x dt + dW"]),
        (["dx = -k*x dt + dW"], ["classify", "dx = -k*x dt + dW"]),
    ],
)
def test_after_an_equation(words, expected):
    command = solved(*words)
    assert command == ["liestonet", *expected]
    if expected[0] != "classify":
        outcome = CliRunner().invoke(app, command[1:])
        assert outcome.exit_code == 0, outcome.output


def test_options_are_kept_replaced_and_left_out():
    typed = Typed(shlex.split("liestonet discover a.csv --state 'x, y' --tolerance=0.2 --json --thin 3"))
    assert typed.value("--tolerance") == "0.2"
    assert typed.value("--thin") == "3"
    again = shlex.split(typed.with_option("--tolerance", "0.3"))
    assert again == ["liestonet", "discover", "a.csv", "--state", "x, y", "--thin", "3", "--tolerance", "0.3"]
    assert "--thin" not in typed.without("--thin")
    assert "3" not in typed.without("--thin")


def test_names_of_files_are_quoted_for_the_shell():
    typed = Typed(["liestonet", "discover", "my file; rm x.csv"])
    assert shlex.split(typed.with_option("--discrete")) == ["liestonet", "discover", "my file; rm x.csv", "--discrete"]


def test_an_equation_from_a_pipe_has_no_next_command():
    result = lsn.solve(lsn.SDE.parse("dx = -x dt + dW"))
    assert next_step(replace(result, provenance=Provenance("liestonet solve -", {}, {}))) is None
    assert next_step(replace(result, provenance=None)) is None


def test_in_python_the_next_step_is_a_call():
    step = next_step(lsn.solve(lsn.SDE.parse("dx = -x dt + dW")))
    assert step is not None
    assert step.command == "liestonet.reduce(result)"


def test_a_rejected_fit_is_looked_at_first():
    """No tolerance and no other kind of symmetry would change what the tests of the fit say."""
    rng = np.random.default_rng(3)
    steps = np.sqrt(0.05) * rng.standard_normal((50, 41, 1))
    data = lsn.Trajectories.from_arrays([0.05 * np.arange(41)] * 50, list(np.cumsum(steps, axis=1)))
    result = lsn.discover(data, formulas=False, tolerance=0.01)
    found = result.findings
    assert isinstance(found, DataFindings)
    typed = Provenance("liestonet discover a.csv --tolerance 0.01", {}, {})
    for size, command in ((0.5, "liestonet look a.csv"), (0.01, "liestonet discover a.csv --tolerance ")):
        tested = replace(found, tests=(FitTest(PATHS, 1e-9, size, "drift of x"),))
        step = next_step(replace(result, findings=tested, provenance=typed))
        assert step is not None
        assert step.command.startswith(command)
