"""Plots: they draw on the axes they are given, in the user's names and units, what the result says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex, to_rgb

import liestonet as lsn
from findings import of_data
from liestonet.render.html import palette
from liestonet.render.html.bands import coefficient_deviations, generator_deviations, generator_errors
from liestonet.render.html.plot_geometry import line_through
from report_results import MAKERS, made

WHOLE = ["ladder", "time_parts", "drift", "diffusion"]
OF_ONE = ["state_part", "flow"]


@pytest.fixture
def ax() -> Iterator[Any]:
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("plot", [*WHOLE, *OF_ONE])
def test_every_plot_draws_every_result(plot, name, ax):
    result, draw = made(name), getattr(lsn.plots, plot)
    if plot in OF_ONE and not result.fields.count:
        with pytest.raises(lsn.InputError, match="There are 0 generators"):
            draw(result, ax)
        return
    assert draw(result, ax) is ax
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    assert ax.lines or ax.collections


def test_a_plot_without_axes_makes_its_own():
    drawn = lsn.plots.ladder(made("undecided"))
    assert drawn.lines
    plt.close(drawn.figure)


def test_units_are_on_the_axes(ax):
    result = made("1-D")
    lsn.plots.flow(result, ax, generator=0)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("t [s]", "x [um]")
    lsn.plots.drift(result, ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x [um]", "f [um/s]")
    lsn.plots.diffusion(result, ax)
    assert ax.get_ylabel() == "a [um²/s]"


def test_the_ladder_shows_residuals_intervals_and_the_tolerance(ax):
    result = made("undecided")
    lsn.plots.ladder(result, ax)
    points = {(round(float(line.get_xdata()[0]), 9), int(line.get_ydata()[0])) for line in ax.lines
              if line.get_marker() in palette.MARKERS.values() and len(line.get_xdata()) == 1}  # fmt: skip
    for position, row in enumerate(result.ladder, start=1):
        assert (round(max(row.residual, 1e-3), 9), position) in points
    tolerances = [line for line in ax.lines if list(line.get_xdata()) == [of_data(result).criteria.tolerance] * 2]
    assert [to_hex(line.get_color()) for line in tolerances] == [palette.ERROR]


def test_drift_is_drawn_along_the_coordinate_it_depends_on(ax):
    """dx = y dt: the drift of x is a line in y."""
    result = lsn.solve(lsn.catalogue["langevin"].sde, formulas=False)
    lsn.plots.drift(result, ax, coordinate=0)
    assert ax.get_xlabel() == "y"
    np.testing.assert_allclose(ax.lines[0].get_ydata(), ax.lines[0].get_xdata(), atol=1e-12)


def test_the_flow_carries_paths_where_the_exact_flow_does(ax):
    """exp(t) ∂x of dx = x dt + dW moves a point by ε exp(t), and ∂t by ε."""
    result = lsn.solve(lsn.SDE.parse("dx = x dt + dW"))
    for i, row in enumerate(result.formulas()):
        if row.tau == 0:
            lsn.plots.flow(result, ax, generator=i)
    old, new = ax.lines[0], ax.lines[-5]
    moved = new.get_ydata() - old.get_ydata()
    assert np.ptp(moved / np.exp(old.get_xdata())) < 1e-3 * moved.max()
    np.testing.assert_allclose(new.get_xdata(), old.get_xdata(), rtol=1e-7, atol=1e-12)  # the first time is 0


def test_curves_are_drawn_by_proved_formulas(ax):
    """Series that are wrong in every digit leave the picture as it is, where formulas are proved."""
    exact = lsn.solve(lsn.SDE.parse("dx = -x dt + dW"), domain=[(0, 1), (-2, 2)])
    assert {form.status for form in exact.formulas()} == {"proved"}
    spoilt = replace(exact, fields=exact.fields.mixed(-7 * np.eye(exact.fields.count)))
    curves = [line.get_ydata() for line in lsn.plots.time_parts(exact, ax).get_lines()]
    ax.clear()
    again = [line.get_ydata() for line in lsn.plots.time_parts(spoilt, ax).get_lines()]
    assert len(curves) == len(again) > 1
    for one, other in zip(curves, again, strict=True):
        np.testing.assert_array_equal(one, other)


def test_bands_of_drift_and_diffusion_are_what_the_covariance_says():
    """f and a are linear in the parameters: their variance is the sum of squares of single errors' effects."""
    surrogate = made("1-D").surrogate
    points = line_through(made("1-D"), 1, 9)
    found = coefficient_deviations(surrogate, points)
    changes = []
    for direction in surrogate.errors.root.T:
        moved = surrogate.with_parameters(surrogate.parameters + direction)
        changes.append(moved.drift(points[:, 0], points[:, 1:]) - surrogate.drift(points[:, 0], points[:, 1:]))
    np.testing.assert_allclose(found[0], np.sqrt(np.sum(np.square(changes), axis=0)), rtol=1e-6)


def test_bands_of_generators_grow_with_the_errors():
    """Half the errors of the coefficients are half the bands, where the data are much better than the prior."""
    result = made("1-D")
    points = line_through(result, 0, 7)
    errors = generator_errors(result)
    assert errors is not None
    wide = generator_deviations(errors, result.fields.count, points)
    refit = of_data(result).refit
    assert refit is not None
    small = replace(
        refit.surrogate.errors, scatter=refit.surrogate.errors.scatter / 100, prior=refit.surrogate.errors.prior / 100
    )
    smaller = replace(refit, surrogate=refit.surrogate.with_errors(small))
    better = replace(result, findings=replace(of_data(result), refit=smaller))
    errors = generator_errors(better)
    assert errors is not None
    narrow = generator_deviations(errors, result.fields.count, points)
    assert np.all(wide >= 0)
    assert narrow.max() < wide.max() / 10


# How a reader without red or green cones sees a colour (Machado, Oliveira and Fernandes 2009, complete loss).
BLINDNESS = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "full sight": np.eye(3).tolist(),
}


@pytest.mark.parametrize("sight", BLINDNESS)
def test_meanings_can_be_told_apart(sight):
    matrix = np.array(BLINDNESS[sight])
    colours = [to_rgb(c) for c in (palette.DATA, palette.INFERRED, palette.ERROR)]
    seen = np.array([np.clip(matrix @ np.where(np.array(c) > 0.04045, ((np.array(c) + 0.055) / 1.055) ** 2.4,
                                               np.array(c) / 12.92), 0, 1) for c in colours])  # fmt: skip
    apart = [np.linalg.norm(seen[i] - seen[j]) for i in range(3) for j in range(i)]
    assert min(apart) > 0.15


def test_every_colour_of_a_figure_has_a_name_on_the_page():
    used = {palette.INK, palette.MUTED, palette.FAINT, palette.DATA, palette.INFERRED, palette.EXACT, palette.ERROR}
    used |= {*palette.CURVES, *palette.VERDICTS.values()}
    assert used <= set(palette.VARIABLES)


def test_a_density_is_only_drawn_where_there_is_one(ax):
    result = lsn.solve(lsn.SDE.parse("dx = -x dt + dW"), formulas=False)
    with pytest.raises(lsn.InputError, match="Only Fokker–Planck generators"):
        lsn.plots.density_part(result, ax)
