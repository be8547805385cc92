"""Pictures of a validation: ΔNLL against ε, residuals after a push with floor and control, quantiles of residuals."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.render.html.palette import DATA, ERROR, EXACT, FAINT, INFERRED, stroke
from liestonet.render.html.plot_geometry import few_ticks, new_axes
from liestonet.validation.after_push import Misfit
from liestonet.validation.validate import Validation

# ΔNLL below this is drawn at the lower edge: it cannot be distinguished from zero.
LEAST = 1e-5


def delta_nll(validation: Validation, ax: Any = None) -> Any:
    """|ΔNLL| of every generator against ε, and of random pushes of equal displacement."""
    ax = new_axes(ax)
    rows = () if validation.invariance is None else validation.invariance.rows
    control: dict[float, list[float]] = {}
    for k in sorted({row.generator for row in rows}):
        own = [row for row in rows if row.generator == k and np.isfinite(row.delta_nll)]
        sizes = [max(abs(row.delta_nll), LEAST) for row in own]
        ax.plot([row.epsilon for row in own], sizes, marker="o", markersize=4, label=f"X{k + 1}", **stroke(k))
    for row in rows:
        control.setdefault(row.epsilon, []).extend(abs(value) for value in row.control if np.isfinite(value))
    for epsilon, values in control.items():
        ax.plot([epsilon] * len(values), np.maximum(values, LEAST), "x", color=DATA, markersize=4)
    ax.plot([], [], "x", color=DATA, markersize=4, label="random pushes")
    ax.set_yscale("log")
    ax.set(xlabel="push ε (fraction of the box)", ylabel="|ΔNLL| per increment")
    ax.figure.legend(loc="outside upper center", ncols=3)
    return ax


def after_push_bars(validation: Validation, ax: Any = None) -> Any:
    """Residuals of drift and diffusion together after a push, with the floor and a random push."""
    ax = new_axes(ax)
    rows = [row for row in validation.after_push if row.residual is not None]
    places = np.arange(len(rows))
    bars = (("floor", EXACT, "not pushed (floor)"), ("residual", INFERRED, "pushed"), ("control", ERROR, "random push"))
    for position, (name, colour, label) in enumerate(bars):
        heights = [_size(getattr(row, name)) for row in rows]
        ax.bar(places + 0.27 * (position - 1), heights, width=0.25, color=colour, label=label)
    ax.set_yscale("log")
    ax.set_xticks(places, [f"X{row.generator + 1}, {row.epsilon:g}" for row in rows], rotation=30, ha="right")
    ax.set(xlabel="generator, ε", ylabel="mean squared misfit")
    ax.figure.legend(loc="outside upper center", ncols=2)
    return ax


def quantiles(validation: Validation, ax: Any = None) -> Any:
    """Quantiles of the standardised residuals against those of a Gaussian."""
    ax = new_axes(ax)
    gaussian = validation.gates.gaussian
    ax.plot(gaussian, gaussian, color=FAINT, linewidth=1.2, zorder=0)
    for column, values in enumerate(validation.gates.quantiles.T):
        ax.plot(gaussian, values, marker=".", markersize=4, linestyle="none", color=stroke(column)["color"])
    ax.set(xlabel="Gaussian quantile", ylabel="residual's quantile")
    return few_ticks(ax)


def _size(misfit: Misfit | None) -> float:
    return float("nan") if misfit is None else misfit.drift + misfit.diffusion
