"""What is said of a result, in every case a result can be in."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy
from rich.console import Console

import liestonet as lsn
from findings import of_data, of_equation
from liestonet.algebra.structure import Algebra
from liestonet.core.flags import Flag
from liestonet.core.ladder import LadderRow
from liestonet.render.latex import render_latex
from liestonet.render.notebook import render_html
from liestonet.render.terminal import render
from liestonet.render.verdict import short_verdict, verdict
from liestonet.render.view import ResultView
from liestonet.result import Result
from report_results import MAKERS, made, page_of


@pytest.fixture(scope="module")
def result() -> Result:
    """Brownian motion: ∂t, ∂x and the scaling."""
    return lsn.solve(lsn.SDE.parse("dx = dW"), domain=[(0, 2), (-1, 1)])


@pytest.fixture(scope="module")
def nothing() -> Result:
    """An equation without symmetries."""
    return lsn.solve(lsn.SDE.parse("dx = sin(x)*exp(x)*t dt + (1 + x^2) dW"))


def found(result: Result, **changes: object) -> Result:
    """The result of an equation with other findings."""
    return replace(result, findings=replace(of_equation(result), **changes))  # pyright: ignore[reportArgumentType]


def flagged(result: Result, code: str) -> Result:
    return replace(result, flags=(Flag(code, "Why.", "What to do."),))


# the verdict of an equation


def test_two_sided(result):
    assert verdict(result) == (
        "dx = dW has a 3-dimensional algebra of Itô symmetries: no more are possible (power-series bound 3), "
        "and the 3 found satisfy the determining equations to rounding error."
    )


def test_bound_unknown_larger_smaller_or_doubtful(result):
    assert verdict(found(result, bound=None)).startswith("dx = dW has at least 3 independent Itô symmetries: ")
    assert "but no upper bound for their number was found." in verdict(found(result, bound=None))
    assert "but the power-series bound is 5." in verdict(found(result, bound=5))
    assert "but the power-series bound is 2: do not rely" in verdict(found(result, bound=2))
    assert "(power-series bound 3, numerically uncertain)" in verdict(flagged(result, "bound-doubtful"))


def test_ambiguous(result):
    said = verdict(flagged(found(result, gap=40.0), "ambiguous"))
    assert said.startswith("The number of Itô symmetries of dx = dW is uncertain: 3 directions satisfy")
    assert said.endswith("but the next residual is only 40 times larger.")


def test_none(nothing):
    assert "has no Itô symmetries: none are possible (power-series bound 0), and the smallest residual" in verdict(
        nothing
    )
    assert verdict(found(nothing, bound=None)).endswith("but no upper bound was found.")
    assert verdict(found(nothing, bound=2)).endswith("but the power-series bound is 2.")
    view = ResultView.of(nothing)
    assert (view.generators, view.algebra) == (None, None)
    assert "symmetry" not in {row.verdict for row in view.source.ladder.rows}
    assert not view.source.ladder.gap


def test_long_equations_are_not_repeated_in_the_sentence():
    equation = "; ".join(f"dx{i} = dW{i}" for i in range(1, 7))
    view = ResultView.of(lsn.solve(lsn.SDE.parse(equation), formulas=False))
    assert view.verdict.startswith("This 6-dimensional equation has an 8-dimensional")
    assert view.source.equation_line == equation
    assert view.generators is not None
    assert view.generators.note.startswith("Closed forms were not searched for;")
    assert view.generators.note.endswith("around the middle of the domain.")


@pytest.mark.parametrize("name", MAKERS)
def test_every_verdict_is_one_sentence(name):
    said = verdict(made(name))
    assert said.count(". ") == 0
    assert said.endswith(".")
    assert said == ResultView.of(made(name)).verdict


# the verdict of data


def ladder(*rows: tuple[float, float, float, str]) -> tuple[LadderRow, ...]:
    return tuple(
        LadderRow(residual, lower, upper, 0.01, 0.5 if verdict == "symmetry" else 1e-9, verdict)
        for residual, lower, upper, verdict in rows
    )


YES, NEAR = (0.01, 0.0, 0.03, "symmetry"), (0.015, 0.01, 0.02, "near-symmetry")
OPEN, NO = (0.05, 0.0, 0.3, "undecided"), (0.5, 0.4, 0.6, "no")
SENTENCES = {
    "found and near": (2, (YES, YES, NEAR, NO), "2 Itô symmetries, residuals below 3 % (95 % confidence), exact "
                       "symmetry not rejected (p = 0.5); 1 near-symmetry, residual below 2 %."),
    "one": (1, (YES, NO), "1 Itô symmetry, residual below 3 % (95 % confidence), exact symmetry not rejected "
            "(p = 0.5)."),
    "none": (0, (NO, NO), "No Itô symmetry (95 % confidence): the nearest direction has residual 40 % to 60 %."),
    "open": (0, (OPEN, NO), "No Itô symmetry can be confirmed (95 % confidence); 1 direction undecided (residual "
             "0 % to 30 %)."),
    "given dimension": (3, (YES, OPEN, OPEN, NO), "3 Itô symmetries as requested; the data support 1 (95 % "
                        "confidence); 2 directions undecided (residual 0 % to 30 %)."),
}  # fmt: skip


@pytest.mark.parametrize(("dimension", "rows", "sentence"), SENTENCES.values(), ids=SENTENCES.keys())
def test_verdict_of_data(dimension, rows, sentence):
    result = replace(made("undecided"), symmetry="ito", dimension=dimension, ladder=ladder(*rows))
    assert verdict(result) == short_verdict(result) == sentence


# everything else


def test_an_equation(result):
    view = ResultView.of(result)
    assert view.kind == "Itô symmetries"
    assert view.source.origin == "from an equation"
    assert view.domain.text == "t from 0 to 2, x from -1 to 1"
    assert view.domain.chosen == ""
    assert ("Upper bound", "3") in view.facts
    assert [(row.position, row.verdict) for row in view.source.ladder.rows[:4]] == [
        (1, "symmetry"),
        (2, "symmetry"),
        (3, "symmetry"),
        (4, "no"),
    ]
    assert view.source.ladder.columns == ("residual",)
    assert view.source.ladder.gap.startswith("gap: a factor of ")
    assert view.generators is not None
    assert [(row.label, row.status) for row in view.generators.rows] == [(f"X{k}", "proved") for k in (1, 2, 3)]
    assert view.generators.note == ""
    assert view.source.levels == view.source.data == view.source.training == ()


def test_what_was_chosen_is_said_with_the_domain_and_not_among_the_flags():
    sde = lsn.SDE.parse("dx = -x dt + dW")
    whole = ResultView.of(lsn.solve(sde, formulas=False))
    part = ResultView.of(lsn.solve(sde, domain=[(0, 1), None], formulas=False))
    assert (whole.domain.chosen, whole.domain.example) == ("chosen automatically", "x=LOW:HIGH")
    assert part.domain.chosen == "x was chosen automatically"
    assert "domain-chosen" not in {flag.code for view in (whole, part) for flag in view.flags}


def test_commutators_are_those_of_the_formulas(result):
    """Multiplied out by SymPy on the formulas of the view: [X, Y] = X(η) − Y(ξ) in every component."""
    view = ResultView.of(result)
    assert view.generators is not None
    assert view.algebra is not None
    t, x = (sympy.Symbol(name, real=True) for name in "tx")
    fields = [(row.formula.tau, row.formula.xi[0]) for row in view.generators.rows if row.formula is not None]
    for i in range(3):
        for j in range(i + 1, 3):
            parts = []
            for a, b in zip(fields[i], fields[j], strict=True):
                forth = fields[i][0] * sympy.diff(b, t) + fields[i][1] * sympy.diff(b, x)
                parts.append(forth - fields[j][0] * sympy.diff(a, t) - fields[j][1] * sympy.diff(a, x))
            said: Any = view.algebra.commutators.get((i, j), sympy.Integer(0))
            shown = [sum(said.coeff(f"X{k + 1}") * fields[k][c] for k in range(3)) for c in range(2)]
            assert all(sympy.simplify(a - b) == 0 for a, b in zip(parts, shown, strict=True))
    assert view.algebra.rest == "The other commutators vanish."


def test_infinite():
    view = ResultView.of(lsn.solve(lsn.SDE.parse("dx = dW; dy = y dt")))
    assert "has an infinite-dimensional algebra of Itô symmetries" in view.verdict
    assert ("Independent symmetries", "∞") in view.facts
    assert "Algebra" not in dict(view.facts)
    assert view.generators is not None
    assert "every symmetry is built from these fields" in view.generators.meaning
    assert view.algebra is not None
    assert view.algebra.name == ""
    assert "infinite" in {flag.code for flag in view.flags}


def test_an_open_span_has_no_algebra_and_no_table(result):
    for closure, infinite in ((0.3, False), (0.3, True), (math.nan, False)):
        dimension = math.inf if infinite else 3
        algebra = replace(result.algebra, closure=closure, infinite=infinite)
        view = ResultView.of(replace(result, dimension=dimension, algebra=algebra))
        assert view.algebra is not None
        assert view.algebra.open
        assert (view.algebra.name, view.algebra.commutators, view.algebra.residuals) == ("", {}, "")
        assert view.algebra.rest.startswith("The commutators leave the span of these generators by")
        assert ("as in an infinite-dimensional algebra they may" in view.algebra.rest) == infinite


def test_what_is_too_uncertain_to_name_is_not_called_commutative(result):
    constants = np.zeros((3, 3, 3))
    for error, ending in ((0.0, "vanish: the algebra is commutative."), (0.5, "vanish.")):
        algebra = Algebra(constants, 0.0, 0.0, constants, error=error)
        view = ResultView.of(replace(result, algebra=algebra))
        assert view.algebra is not None
        assert view.algebra.rest == f"All commutators {ending}"


def test_free_parameters():
    """∂t with exp(−kt) ∂x and with exp(−2kt) (∂t − kx ∂x), by hand."""
    result = lsn.solve(lsn.SDE.parse("dx = -k*x dt + s dW"))
    view = ResultView.of(result)
    assert view.generators is not None
    assert view.algebra is not None
    k = sympy.Symbol("k")
    rates = set()
    for value in view.algebra.commutators.values():
        plain: Any = value.xreplace({symbol: sympy.Symbol(str(symbol)) for symbol in value.free_symbols})
        (factor,) = [plain.coeff(f"X{j}") for j in (1, 2, 3) if plain.has(sympy.Symbol(f"X{j}"))]
        rates.add(abs(factor.coeff(k)))
    assert rates == {1, 2}
    assert (
        view.source.coefficients == f"As given. Plotted at {', '.join(f'{n} = {v}' for n, v in result.draw.items())}."
    )
    assert "generic-parameters" in {flag.code for flag in view.flags}


def test_long_time():
    """e^{30 t} cannot stand in one series; formulas are shown that were proved in a window of time."""
    view = ResultView.of(lsn.solve(lsn.SDE.parse("dx = x dt + dW"), domain=[(0, 30), (-1, 1)]))
    assert "3-dimensional algebra" in view.verdict
    assert view.generators is not None
    assert [row.status for row in view.generators.rows] == ["proved"] * 3
    assert view.algebra is not None
    assert view.algebra.name.startswith("Bianchi VI")
    assert len(view.algebra.commutators) == 2


def test_data_with_symmetries():
    result = made("1-D")
    view, estimated = ResultView.of(result), of_data(result)
    assert view.source.origin == "from data"
    assert view.source.ladder.columns == ("residual", "95 % interval", "if exact", "p")
    assert all(len(row.cells) == 4 for row in view.source.ladder.rows)
    assert view.source.digest == estimated.data.digest
    assert dict(view.source.data)["increments"].startswith(f"{estimated.data.increments:,}")
    assert view.source.levels[0].startswith(f"Symmetries of the law: {estimated.law_dimension}, the same as the Itô")
    assert estimated.refit is not None
    assert "likelihood-ratio test does not reject them (p > 0.99)" in view.source.levels[1]
    assert view.generators is not None
    assert {row.status for row in view.generators.rows} <= {"consistent", "numerical"}
    assert view.source.candidates is None
    rejected = replace(estimated, refit=replace(estimated.refit, deviance=1e4))
    assert "test rejects them (p < 0.001)" in ResultView.of(replace(result, findings=rejected)).source.levels[1]


def test_data_say_what_the_tolerance_is_and_what_was_not_tested():
    """Outside readers had asked why 10 %, why two estimates of a rate differ, and whether a mirror was tested."""
    result = made("1-D")
    view, found = ResultView.of(result), of_data(result)
    assert "below the tolerance of 10 %, a convention (--tolerance)" in view.source.ladder.legend
    assert "10 % is the default, chosen by hand" in view.source.ladder.explanation
    other = replace(result, findings=replace(found, criteria=replace(found.criteria, tolerance=0.2)))
    assert "the default is 10 %, chosen by hand" in ResultView.of(other).source.ladder.explanation
    assert any(row.constants for row in result.closed_forms)
    assert view.source.equation_line
    assert view.generators is not None
    assert "they differ within their errors" in view.generators.note
    assert "gives the same verdicts" in view.source.ladder.legend
    assert "gives the same verdicts" not in ResultView.of(made("undecided")).source.ladder.legend
    assert ResultView.of(replace(result, closed_forms=())).source.constants == ""
    assert view.source.untested.startswith("Not tested: mirrors such as x → −x")
    assert "Not tested: mirrors" in page_of("1-D")


def test_data_without_symmetries():
    view = ResultView.of(made("dimension 0"))
    assert view.verdict.startswith("No Itô symmetry (95 % confidence): the nearest direction has residual")
    assert (view.generators, view.algebra) == (None, None)
    assert ("Independent symmetries", "0") in view.facts


def test_undecided_directions_are_candidates():
    result = made("undecided")
    view = ResultView.of(result)
    wanted = [k for k, row in enumerate(result.ladder, start=1) if row.verdict in ("undecided", "near-symmetry")]
    assert view.source.candidates is not None
    assert [row.position for row in view.source.candidates.rows] == wanted
    assert all("∂" in row.first_terms for row in view.source.candidates.rows)


def test_given_dimension():
    data = lsn.catalogue["linear"].simulate(paths=300, seed=2)
    result = lsn.discover(data, formulas=False, dimension=2)
    view = ResultView.of(result)
    assert view.generators is not None
    assert len(view.generators.rows) == 2
    assert ("dimension", "2") in view.making


def test_how_it_was_made():
    result = made("undecided")
    view = ResultView.of(result)
    assert result.provenance is not None
    assert view.command == result.provenance.command
    rows = dict(view.making)
    assert rows["equation"] == str(result.surrogate)
    assert rows["versions"].startswith("python ")
    assert {name: str(value) for name, value in result.provenance.settings.items()}.items() <= rows.items()


class Trained:
    """A record of training as the neural engine keeps it."""

    rungs = ()

    def generators(self, t: np.ndarray, x: np.ndarray):
        return t[None], x[None]

    def to_dictionary(self) -> dict[str, object]:
        return {
            "steps": 1500, "interrupted": True, "losses": {"L1": 0.25}, "rungs": [{"count": 2}, {"count": 3}],
            "selected": {"jump": 3}, "angle_to_spectral": 0.5,
        }  # fmt: skip


def test_training():
    result = made("undecided")
    view = ResultView.of(replace(result, findings=replace(of_data(result), training=Trained())))
    assert view.source.training == (
        ("training", "1,500 steps, interrupted"),
        ("final losses", "L1 0.25"),
        ("generators tried", "2, 3"),
        ("selected", "3 by jump"),
        ("angle to spectral engine", "0.5°"),
    )
    assert set(view.source.training) <= set(view.making)


class Checked:
    """What a validation answers."""

    contradicted = conditional = False

    def sentences(self) -> list[str]:
        return ["No check rejects the generators.", "All pushes agree."]


def test_a_validation_is_said_by_all(result):
    view = ResultView.of(result.with_validation(Checked()))
    assert view.validation == tuple(Checked().sentences())
    console = Console(width=200, color_system=None)
    with console.capture() as captured:
        console.print(render(view))
    for text in (captured.get(), render_latex(view), render_html(view)):
        assert all(sentence in text for sentence in view.validation)


def test_numbers_json_lacks_are_text():
    result = made("undecided")
    odd = replace(
        result, findings=replace(result.findings, gap=math.nan), ladder=ladder((math.inf, 0.0, math.inf, "no"))
    )
    plain = odd.to_dictionary()
    assert plain["gap"] == "nan"
    assert plain["ladder"][0]["upper"] == "inf"
    assert replace(result, findings=replace(result.findings, gap=math.inf)).to_json()


def test_the_surrogate_names_its_equation():
    sde = lsn.SDE.parse("dx = dW; dy = x dt")
    data = sde.simulate(lambda rng, paths: rng.uniform(-1, 1, (paths, 2)), duration=1.0, step=0.02, paths=100, seed=5)
    written = "dx = f_x(t, x, y) dt + σ_x(t, x, y) dW; dy = f_y(t, x, y) dt, estimated from 5,000 increments"
    assert ResultView.of(lsn.discover(data, formulas=False)).source.equation == written
