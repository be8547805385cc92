"""Wrong input ends in one clear sentence: exit code 2 and one line on stderr, or an InputError, and no traceback."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from typer.testing import CliRunner

import liestonet as lsn
from liestonet.cli import app
from liestonet.core.domain import Domain

WIENER = "dx = dW"
X = sympy.Symbol("x", real=True)


def solving(equation: str, *options: str) -> list[str]:
    return ["solve", equation, *options]


def simulating(*options: str, equation: str = WIENER, initial: str = "x=0", out: str = "paths.csv") -> list[str]:
    return ["simulate", equation, "--initial", initial, "--out", out, "--paths", "3", *options]


# What is typed, and a part of the sentence that must come back.
TYPED: dict[str, tuple[list[str], str]] = {
    "no equation": (["solve"], "Missing argument 'EQUATION'"),
    "empty equation": (solving(""), "neither an equation"),
    "blank equation": (solving("  \n "), "neither an equation"),
    "misspelt name": (solving("brownain"), "did you mean brownian"),
    "misspelt name to simulate": (simulating(equation="lngevin"), "did you mean langevin"),
    "misspelt name to show": (["show", "ornstein_uhlenbek"], "did you mean ornstein-uhlenbeck"),
    "name like no other": (["show", "§§§"], "solve --list"),
    "very long name": (solving("q" * 5000), "neither an equation"),
    "equation to show": (["show", "dx = dW"], "neither an equation"),
    "no name to show": (["show"], "Missing argument 'NAME'"),
    "parameter of a name": (solving("brownian", "--param", "k=1"), "leave --param out"),
    "other sense of a name": (solving("geometric-brownian", "--stratonovich"), "leave --stratonovich out"),
    "domain of a name": (solving("brownian", "--domain", "y=0:1"), "the equation has t, x"),
    "initial of a name": (simulating(equation="langevin"), "has no y"),
    "two kinds of output": (solving(WIENER, "--json", "--latex"), "Give --json or --latex, not both"),
    "unknown command": (["slove"], "No such command 'slove'"),
    "unknown option": (solving(WIENER, "--simmetry", "law"), "No such option"),
    "option without value": (solving(WIENER, "--symmetry"), "requires an argument"),
    "unknown symmetry": (solving(WIENER, "--symmetry", "lie"), "choose one of ito, law, fokker-planck"),
    "no differential on the left": (solving("x = 2 dt + dW"), "dx = ..."),
    "ordinary equation": (solving("dx/dt = x"), "no place for the noise"),
    "no dt": (solving("dx = x + dW"), "has no dt and no dW"),
    "unknown function": (solving("dx = foo(x) dt + dW"), "Unknown function foo"),
    "misspelt function": (solving("dx = sqr(x) dt + dW"), "did you mean sqrt"),
    "unbalanced brackets": (solving("dx = (x dt + dW"), "bracket"),
    "equation twice": (solving("dx = dW; dx = dt"), "keep one of them"),
    "undefined parameters": (simulating(equation="dx = k*x dt + s dW"), "k, s have no value"),
    "unused parameter": (solving(WIENER, "--param", "k=1"), "does not occur"),
    "parameter is a coordinate": (solving("dx = x dt + dW", "--param", "x=1"), "it is a coordinate"),
    "parameter without value": (solving("dx = k dt + dW", "--param", "k"), "write --param k=1.5"),
    "parameter no number": (solving("dx = k dt + dW", "--param", "k=two"), "which is not a number"),
    "parameter over zero": (solving("dx = k dt + dW", "--param", "k=1/0"), "which is not a number"),
    "parameter nan": (solving("dx = k dt + dW", "--param", "k=nan"), "not a finite number"),
    "parameter infinite": (solving("dx = k dt + dW", "--param", "k=inf"), "not a finite number"),
    "parameter huge": (solving("dx = k dt + dW", "--param", "k=1e300"), "1e100"),
    "parameter twice": (solving("dx = k dt + dW", "--param", "k=1", "--param", "k=2"), "twice"),
    "domain unknown name": (solving(WIENER, "--domain", "y=0:1"), "the equation has t, x"),
    "domain by position": (solving(WIENER, "--domain", "0:1, -2:2"), "write --domain x=-2:2"),
    "domain without colon": (solving(WIENER, "--domain", "x=1"), "two ends with a colon"),
    "domain with three ends": (solving(WIENER, "--domain", "x=0:1:2"), "two ends with a colon"),
    "domain empty": (solving(WIENER, "--domain", "x=1:1"), "lower one comes first"),
    "domain reversed": (solving(WIENER, "--domain", "t=1:0"), "lower one comes first"),
    "domain infinite": (solving(WIENER, "--domain", "x=0:inf"), "both ends must be finite"),
    "domain nan": (solving(WIENER, "--domain", "x=nan:1"), "both ends must be finite"),
    "domain no number": (solving(WIENER, "--domain", "x=a:b"), "which is not a number"),
    "domain blank": (solving(WIENER, "--domain", ""), "write --domain x=-2:2"),
    "domain twice": (solving(WIENER, "--domain", "x=0:1, x=0:2"), "twice"),
    "root of negative": (solving("dx = sqrt(x) dW", "--domain", "x=-1:1"), "x = 0"),
    "pole": (solving("dx = 1/x dt + dW", "--domain", "x=-1:1"), "not defined at x = 0"),
    "logarithm": (solving("dx = log(x) dt + dW", "--domain", "x=-1:1"), "x = 0"),
    "undefined everywhere": (solving("dx = sqrt(x) dW", "--domain", "x=-2:-1"), "x"),
    "undefined for all x": (solving("dx = sqrt(-1 - x^2) dW"), '--domain "t=0:1, x=-2:2"'),
    "kink": (solving("dx = abs(x) dt + dW", "--domain", "x=-1:1"), "not smooth at x = 0"),
    "jump": (solving("dx = sign(x) dt + dW", "--domain", "x=-1:1"), "not smooth at x = 0"),
    "complex number": (solving("dx = sqrt(-1) dW"), "complex"),
    "complex logarithm": (solving("dx = log(-2) dW"), "complex"),
    "division by zero": (solving("dx = 1/0 dt + dW"), "divides by zero"),
    "python call": (solving("dx = __import__('os').system('touch broken') dt + dW"), "Unexpected '_'"),
    "python call as a parameter": (solving("dx = k dt", "--param", "k=__import__('os')"), "which is not a number"),
    "python attribute": (solving("dx = x.real dt + dW"), "attributes are not part of a formula"),
    "python lambda": (solving("dx = (lambda: 1)() dt + dW"), "Unexpected ':'"),
    "python f-string": (solving("dx = f'{x}' dt + dW"), "holds no strings"),
    "python statement": (solving("dx = dW; import os"), "no = sign"),
    "python reserved word": (solving("dx = lambda dt + dW"), "reserved word"),
    "python subscript": (solving("dx = x[0] dt + dW"), "round brackets"),
    "shell backticks": (solving("dx = `touch broken` dt + dW"), "Unexpected '`'"),
    "shell substitution": (solving("dx = $(touch broken) dt + dW"), "Unexpected '$'"),
    "beyond rounding": (solving("dx = 1e99 x dt + 1e99 dW", "--domain", "t=0:1, x=-1:1"), "other units"),
    "index that is no index": (solving("dx = x_a dt + dW"), "with at most an index"),
    "latex": (solving("dx = \\sigma dW"), "LaTeX"),
    "relative form": (solving("dX_t/X_t = dW_t"), "dX = X*(...)"),
    "missing equation": (solving("dx = y dt + dW"), "dy = … if y is a coordinate"),
    "nothing after the sign": (solving("dx ="), "nothing follows"),
    "two differentials": (solving("dx = dW dt"), "multiplies two differentials"),
    "square of the noise": (solving("dx = dW^2"), "may only be a factor"),
    "time as a coordinate": (solving("dt = dW"), "names time"),
    "inverse cosine of 1/2": (solving("dx = acosh(x) dt + dW", "--domain", "x=0:1/2"), "undefined"),
    "diffusion infinite": (solving("dx = x dt + 1/x dW", "--domain", "x=0:1"), "not defined at x = 0"),
    "diffusion not real": (solving("dx = sqrt(x - 2) dW", "--domain", "x=0:1"), "undefined"),
    "too many coordinates": (solving("; ".join(f"dx{i} = dW{i}" for i in range(1, 31))), "at most 16"),
    "tower of powers": (solving("dx = 9**9**9**9 dt + dW"), "beyond"),
    "huge exponent": (solving("dx = 1e999999999 dt + dW"), "too long"),
    "not a letter": (solving("dx = \x00\x1b[31m dt"), "Unexpected"),
    "initial missing": (["simulate", WIENER, "--out", "paths.csv"], "Missing option '--initial'"),
    "initial incomplete": (simulating(equation="dx = y dt; dy = dW"), "has no y"),
    "initial unknown name": (simulating(initial="x=0, y=0"), "the equation has x"),
    "initial no number": (simulating(initial="x=one"), "which is not a number"),
    "initial nan": (simulating(initial="x=nan"), "finite"),
    "initial by position": (simulating(initial="0"), "write --initial x=1"),
    "initial reversed": (simulating(initial="x=1:0"), "lower one comes first"),
    "initial outside": (simulating("--boundary", "x>1"), "outside the boundary"),
    "out missing": (["simulate", WIENER, "--initial", "x=0"], "Missing option '--out'"),
    "out without suffix": (simulating(out="paths"), "no known suffix"),
    "out unknown suffix": (simulating(out="paths.xls"), "no known suffix"),
    "out in no folder": (simulating(out="nowhere/paths.csv"), "does not exist"),
    "out is a folder": (simulating(out="folder.csv"), "is a folder"),
    "out below a file": (simulating(out="file.csv/paths.csv"), "does not exist"),
    "duration negative": (simulating("--duration", "-1"), "positive number"),
    "duration no number": (simulating("--duration", "long"), "--duration must be a number"),
    "step zero": (simulating("--step", "0"), "positive number"),
    "step nan": (simulating("--step", "nan"), "positive number"),
    "step longer than duration": (simulating("--step", "2"), "shorter than the step"),
    "start infinite": (simulating("--start", "inf"), "finite"),
    "paths zero": (simulating("--paths", "0"), "at least 1"),
    "paths beyond memory": (simulating("--paths", "99999999999999"), "do not fit into memory"),
    "paths a fraction": (simulating("--paths", "2.5"), "--paths must be a whole number"),
    "substeps negative": (simulating("--substeps", "-3"), "at least 1"),
    "seed negative": (simulating("--seed", "-1"), "at least 0"),
    "seed no integer": (simulating("--seed", "1.5"), "--seed must be a whole number"),
    "seed a word": (simulating("--seed", "lucky"), "--seed must be a whole number"),
    "boundary unknown name": (simulating("--boundary", "y>0"), "the coordinates are x"),
    "boundary unreadable": (simulating("--boundary", "x"), "cannot be read"),
    "boundary both ways": (simulating("--boundary", "0<x>1"), "cannot be read"),
    "boundary no number": (simulating("--boundary", "x>low"), "not a number"),
    "boundary empty": (simulating("--boundary", "1<x<-1"), "empty"),
    "boundary twice": (simulating("--boundary", "x>0, x>-1"), "twice"),
    "blow-up": (simulating("--step", "0.5", "--duration", "50", equation="dx = x^9 dt", initial="x=9"), "--boundary"),
}
PIPED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "neither an equation"),
    "nested brackets": (b"dx = " + b"(" * 20_000 + b"x" + b")" * 20_000 + b" dt", "shorten it"),
    "nested brackets that fit": (b"dx = " + b"(" * 900 + b"x" + b")" * 900 + b" dt", "nested more than"),
    "megabyte": (b"dx = " + b"x + " * 250_000 + b"x dt", "shorten it"),
    "not text": (b"dx = \xff\xfe dt", "UTF-8"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "file.csv").write_text("")
    return tmp_path


def assert_one_sentence(outcome: Any, part: str) -> None:
    assert outcome.exit_code == 2, outcome.stderr
    assert outcome.stdout == ""
    assert re.fullmatch(r"liestonet: [^\n]{10,400}[.?)]\n", outcome.stderr), outcome.stderr
    assert part in outcome.stderr
    assert "Error" not in outcome.stderr
    assert outcome.stderr.rstrip("\n").isprintable()


@pytest.mark.parametrize(("words", "part"), TYPED.values(), ids=TYPED.keys())
def test_typed(words, part, folder):
    before = sorted(folder.rglob("*"))
    assert_one_sentence(CliRunner().invoke(app, words), part)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(("text", "part"), PIPED.values(), ids=PIPED.keys())
def test_piped(text, part, folder):
    assert_one_sentence(CliRunner().invoke(app, ["solve", "-"], input=text), part)


def wiener() -> lsn.SDE:
    return lsn.SDE.parse(WIENER)


def called(drift: Callable[..., Any], diffusion: Callable[..., Any] | None = None, noise: Any = 1) -> lsn.SDE:
    """An equation in one dimension from callables."""
    return lsn.SDE(drift, diffusion or (lambda t, x: np.ones((len(t), 1, 1))), dimension=1, noise=noise)


def solved(drift: Callable[..., Any], diffusion: Callable[..., Any] | None = None) -> Any:
    return lsn.solve(called(drift, diffusion), domain=[(0, 1), (-1, 1)])


def on(domain: Any, equation: str = WIENER) -> Any:
    return lsn.solve(lsn.SDE.parse(equation), domain=domain)


def simulated(**changes: Any) -> Any:
    return wiener().simulate(**({"initial": 0.0, "duration": 1.0, "step": 0.1} | changes))


def failing(t: Any, x: Any) -> Any:
    raise RuntimeError("no licence\nfor this solver")


def asked(function: Callable[..., Any], *arguments: Any, **options: Any) -> Callable[[], Any]:
    """A call for later, with arguments that the type checker would rightly refuse."""
    return lambda: function(*arguments, **options)


# A call of the library, and a part of the sentence that must come back.
CALLED: dict[str, tuple[Callable[[], Any], str]] = {
    "solve text": (asked(lsn.solve, WIENER), "SDE.parse"),
    "solve nothing": (asked(lsn.solve, None), "SDE"),
    "solve unknown symmetry": (asked(lsn.solve, wiener(), "lie"), "choose one of"),
    "solve symmetry of wrong type": (asked(lsn.solve, wiener(), 3), "choose one of"),
    "domain empty list": (lambda: on([]), "2 are needed"),
    "domain too short": (lambda: on([(0, 1)]), "2 are needed"),
    "domain too long": (lambda: on([(0, 1)] * 3), "2 are needed"),
    "domain a number": (lambda: on(5), "(low, high) pairs"),
    "domain text": (lambda: on("t=0:1, x=0:1"), "(low, high) pairs"),
    "domain of triples": (lambda: on([(0, 1, 2), (0, 1, 2)]), "(low, high) pairs"),
    "domain complex": (lambda: on([(0, 1), (0, 1j)]), "(low, high) pairs"),
    "domain huge integer": (lambda: on([(0, 1), (0, 10**400)]), "(low, high) pairs"),
    "domain reversed": (lambda: on([(0, 1), (1, -1)]), "empty or reversed"),
    "domain point": (lambda: on([(0, 1), (1, 1)]), "empty or reversed"),
    "domain nan": (lambda: on([(0, 1), (float("nan"), 1)]), "finite"),
    "domain infinite": (lambda: on([(0, float("inf")), (0, 1)]), "finite"),
    "domain object of another dimension": (lambda: on(Domain(((0.0, 1.0),))), "2 are needed"),
    "root of negative": (lambda: on([(0, 1), (-1, 1)], "dx = sqrt(x) dW"), "x = 0"),
    "pole": (lambda: on([(0, 1), (-1, 1)], "dx = 1/x dt + dW"), "x = 0"),
    "pole in time": (lambda: on([(-1, 1), (-1, 1)], "dx = x/t dt + dW"), "t = 0"),
    "pole on a curve": (lambda: on([(0, 1), (-1, 1), (-1, 1)], "dx = dW1/(x-y); dy = dW2"), "keeps its sign"),
    "logarithm": (lambda: on([(0, 1), (-1, 1)], "dx = log(x) dW"), "x = 0"),
    "kink": (lambda: on([(0, 1), (-1, 1)], "dx = abs(x) dW"), "not smooth"),
    "callable of wrong shape": (lambda: solved(lambda t, x: x[:, 0]), "shape"),
    "callable of wrong noise": (lambda: solved(lambda t, x: x, lambda t, x: np.ones((len(t), 1, 2))), "shape"),
    "callable complex": (lambda: solved(lambda t, x: x * 1j), "real numbers"),
    "callable that raises": (lambda: solved(failing), "no licence for this solver"),
    "callable that returns nothing": (lambda: solved(lambda t, x: None), "real numbers"),
    "callable that returns text": (lambda: solved(lambda t, x: "x"), "real numbers"),
    "callable ragged": (lambda: solved(lambda t, x: [[1.0], [1.0, 2.0]]), "failed"),
    "callable nan": (lambda: solved(lambda t, x: x * np.nan), "finite"),
    "callable nan in places": (lambda: solved(lambda t, x: np.sqrt(x)), "x ="),
    "callable nan, domain ours": (lambda: lsn.solve(called(lambda t, x: x * np.nan)), "domain="),
    "callable infinite": (lambda: solved(lambda t, x: 1 / x), "x"),
    "callable with a kink": (lambda: solved(lambda t, x: np.abs(x)), "x"),
    "callable with a jump": (lambda: solved(lambda t, x: np.sign(x - 0.3)), "x"),
    "callable missing": (asked(lsn.SDE, None, None, 1), "must be callables"),
    "callables as text": (asked(lsn.SDE, "x", "1", 1), "SDE.parse"),
    "noise not to be found": (lambda: called(lambda t, x: x, failing, noise=None), "give noise="),
    "noise negative": (lambda: called(lambda t, x: x, noise=-1), "0 or more"),
    "dimension zero": (asked(lsn.SDE, failing, failing, 0), "1 or more"),
    "dimension a word": (asked(lsn.SDE, failing, failing, "two"), "1 or more"),
    "names too few": (asked(lsn.SDE, failing, failing, 2, 1, names=["x"]), "2 different names"),
    "text not text": (asked(lsn.SDE.parse, 3), "must be text"),
    "text bytes": (asked(lsn.SDE.parse, b"dx = dW"), "must be text"),
    "parameter nan": (lambda: lsn.SDE.parse("dx = k dt", k=float("nan")), "not a finite number"),
    "parameter text": (lambda: lsn.SDE.parse("dx = k dt", k="1"), "not a real number"),
    "parameter complex": (lambda: lsn.SDE.parse("dx = k dt", k=1j), "not a real number"),
    "parameter unknown": (lambda: lsn.SDE.parse("dx = k dt", kk=1), "did you mean k"),
    "parameters of callables": (lambda: called(lambda t, x: x).with_parameters(k=1), "into the callables"),
    "sympy complex": (lambda: lsn.SDE.from_sympy([sympy.I * X], [[1]], [X]), "imaginary"),
    "sympy infinite": (lambda: lsn.SDE.from_sympy([sympy.oo], [[1]], [X]), "finite"),
    "sympy wrong shape": (lambda: lsn.SDE.from_sympy([X, X], [[1]], [X]), "drift"),
    "sympy unknown function": (lambda: lsn.SDE.from_sympy([sympy.gamma(X)], [[1]], [X]), "not supported"),
    "initial of wrong shape": (lambda: simulated(initial=[0.0, 1.0]), "shape"),
    "initial nan": (lambda: simulated(initial=np.nan), "finite"),
    "initial complex": (lambda: simulated(initial=1j), "real"),
    "initial text": (lambda: simulated(initial="x=0"), "real"),
    "initial law of wrong shape": (lambda: simulated(initial=lambda rng, paths: np.zeros(paths)), "shape"),
    "duration negative": (lambda: simulated(duration=-1), "positive"),
    "duration text": (lambda: simulated(duration="1"), "positive"),
    "step zero": (lambda: simulated(step=0), "positive"),
    "paths a fraction": (lambda: simulated(paths=1.5), "whole number"),
    "seed a fraction": (lambda: simulated(seed=0.5), "whole number"),
    "seed nothing": (lambda: simulated(seed=None), "whole number"),
    "start nan": (lambda: simulated(start=np.nan), "finite"),
    "boundary a number": (lambda: simulated(boundary=0.0), "dictionary"),
    "boundary reversed": (lambda: simulated(boundary={"x": (1, 0)}), "empty"),
    "point of wrong shape": (lambda: wiener().drift(0.0, [1.0, 2.0]), "one row per point"),
    "write unknown suffix": (lambda: simulated().write("paths.xls"), "no known suffix"),
    "write in no folder": (lambda: simulated().write("nowhere/paths.csv"), "does not exist"),
    "trajectories nan": (lambda: lsn.Trajectories.from_arrays([0.0, 1.0], [[[0.0], [np.nan]]]), "row 1"),
    "trajectories flat": (lambda: lsn.Trajectories.from_arrays([0.0, 1.0], [0.0, 1.0]), "shape"),
}


@pytest.mark.parametrize(("call", "part"), CALLED.values(), ids=CALLED.keys())
def test_called(call, part, folder):
    with pytest.raises(lsn.InputError) as caught:
        call()
    message = str(caught.value)
    assert part in message
    assert re.fullmatch(r"[^\n]{10,400}[.?]", message), message


def test_the_table_is_long():
    assert len(TYPED) + len(PIPED) >= 45
