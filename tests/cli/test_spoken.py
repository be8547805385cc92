"""Messages of the library in the words of the command line."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from liestonet import cli
from liestonet.cli.spoken import spoken


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Too few columns; give state=['x', 'y'] (the others).", "Too few columns; give --state x,y (the others)."),
        (
            "One path; give trajectory='particle 1', or dt=0.5.",
            "One path; give --trajectory 'particle 1', or --dt 0.5.",
        ),
        ("The rows are out of order (sort=True).", "The rows are out of order (--sort)."),
        (
            "Parameter k has no value; give one, as in p(t, x, t0, x0, k=1.5), or use with_parameters.",
            "Parameter k has no value; give one with --param k=1.5.",
        ),
        (
            "Parameter r has no value: give one, e.g. r = 1.5 in the text or with_parameters(r=1.5).",
            "Parameter r has no value: give one, e.g. r = 1.5 in the text or with --param r=1.5.",
        ),
        (
            "The domain is 5; give two ends, such as (0, math.inf).",
            "The domain is 5; give two ends, such as --domain x=0:inf.",
        ),
        ("Nothing to do with options: state = 3.", "Nothing to do with options: state = 3."),
    ],
)
def test_keywords_become_options(message: str, said: str):
    assert spoken(message) == said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("discover", "a.csv", "--workers", "two"), "--workers must be a whole number, not 'two'"),
        (("discover", "a.csv", "--tolerance=some"), "--tolerance must be a number, not 'some'"),
        (("discover", "a.csv", "--by", "T", "--jobs", "0"), "--jobs must be 1 or more, not '0'"),
        (("price", "dx = dW", "--maturity", "1", "--x0", "1"), "Missing option '--payoff'"),
        (("look", "a.csv", "b", "c"), "need quotes"),
    ],
)
def test_wrong_values_are_one_sentence(words: tuple[str, ...], said: str):
    outcome = CliRunner().invoke(cli.app, list(words), prog_name="liestonet")
    assert outcome.exit_code == 2
    assert said in outcome.stderr
    assert outcome.stderr.count("\n") == 1
