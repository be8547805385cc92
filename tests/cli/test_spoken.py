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
