"""Figures of a study as SVG, with the same bytes for the same numbers."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

COLOURS = {
    "paper": "#E69F00",
    "pointwise": "#999999",
    "neural": "#CC79A7",
    "polished": "#D55E00",
    "spectral": "#0072B2",
    "exact": "#009E73",
}


def svg(
    draw: Callable[[Any], None], *, columns: int = 1, rows: int = 1, size: tuple[float, float] = (4.2, 3.2)
) -> bytes:
    """A new figure, whose axes `draw` fills, as SVG without dates or random names."""
    import matplotlib

    matplotlib.use("Agg", force=False)
    from matplotlib import pyplot

    with matplotlib.rc_context({"svg.hashsalt": "liestonet", "svg.fonttype": "none", "font.size": 9}):
        figure, axes = pyplot.subplots(rows, columns, figsize=(size[0] * columns, size[1] * rows), squeeze=False)
        try:
            draw(axes)
            figure.tight_layout()
            buffer = io.BytesIO()
            figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": "liestonet"})
        finally:
            pyplot.close(figure)
    return buffer.getvalue()
