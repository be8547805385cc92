"""What to watch out for, what the data were, and how to make the result again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from liestonet.report.html import Section, render
from liestonet.result import Result
from liestonet.terminal import number


def flags(result: Result) -> Section | None:
    """Every flag with its action."""
    if not result.flags:
        return None
    return Section("What to watch out for", render("flags.html", flags=result.flags))


def data(result: Result) -> Section | None:
    """The summary of the data and their digest."""
    if result.data is None:
        return None
    rows = [tuple(part.strip() for part in line.partition("  ")[::2]) for line in str(result.data).split("\n")]
    return Section("Data", render("data.html", rows=rows, digest=result.data.digest))


def making(result: Result) -> Section | None:
    """Settings, versions, seed, and the command that makes the result again."""
    made = result.provenance
    html = render(
        "making.html",
        command=made.command if made is not None else None,
        settings=[(name, str(value)) for name, value in made.settings.items()] if made is not None else [],
        versions=", ".join(f"{name} {value}" for name, value in made.versions.items()) if made is not None else "",
        seed=made.seed if made is not None else None,
        rows=list(_done(result)),
    )
    return Section("How it was made", html)


def _done(result: Result) -> Iterator[tuple[str, str]]:
    """What was looked at, and where."""
    names = ("t", *result.names)
    yield "equation", str(result.surrogate)
    yield (
        "domain",
        ", ".join(
            f"{name} from {number(low)} to {number(high)}"
            for name, (low, high) in zip(names, result.domain.intervals, strict=True)
        ),
    )
    if result.standards is not None:
        if result.symmetry == "ito" and getattr(result.surrogate, "noise", 1) > 1:
            yield "gauge", f"σ lower triangular, coordinates in the order {', '.join(result.names)}"
        if result.refit is not None:
            yield "likelihood ratio", f"of imposing the symmetries: {_likelihood(result.refit)}"


def _likelihood(refit: Any) -> str:
    freedom = f"{refit.degrees_of_freedom:.1f} degrees of freedom"
    ratio = f"deviance {number(refit.deviance)} on {freedom}, p = {refit.p_value:.2g}"
    if not np.isfinite(refit.held_out):
        return ratio
    return f"{ratio}; paths held out gain {refit.held_out:.1f} ± {refit.held_out_error:.1f} in log-likelihood"
