"""Colours of all pictures, one per meaning: data, inferred, exact, error. Safe for colour-blind readers (Okabe–Ito).

On the page each colour is a variable of the style sheet, so that pictures follow the reader's light or dark mode.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

INK, MUTED, FAINT = "#1c2330", "#5b6472", "#d5d9e0"
DATA, INFERRED, EXACT, ERROR = "#808894", "#0072b2", "#00775a", "#b84a00"
# Several curves in one picture: first these, then the same with other strokes.
CURVES = (INFERRED, "#c1509b", "#00775b", "#b84a01", "#7a5cc4", "#8a6d00")
STROKES = ("-", "--", "-.", ":")
# Signed sizes, the same in light and dark, and lines on top of them.
SIGNED, ON_COLOURS = "RdBu_r", "#202020"

VERDICTS = {"symmetry": INFERRED, "near-symmetry": "#8a6d01", "undecided": "#8a6d02", "no": ERROR}
MARKERS = {"symmetry": "o", "near-symmetry": "D", "undecided": "s", "no": "X"}

# The style sheet's name of each colour; templates/report.css gives it a value for light and for dark.
VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    FAINT: "--faint",
    DATA: "--data",
    INFERRED: "--inferred",
    EXACT: "--exact",
    ERROR: "--error",
    "#c1509b": "--curve-2",
    "#00775b": "--exact",
    "#b84a01": "--error",
    "#7a5cc4": "--curve-5",
    "#8a6d00": "--curve-6",
    "#8a6d01": "--doubt",
    "#8a6d02": "--doubt",
}

SETTINGS: dict[Any, Any] = {
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.facecolor": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "lines.linewidth": 1.7,
    "svg.fonttype": "none",  # text stays text: it can be searched, copied and read aloud
    "svg.hashsalt": "liestonet",  # the same result gives the same file
    "axes.formatter.use_mathtext": False,
    "axes.formatter.useoffset": False,
}


def stroke(position: int) -> dict[str, Any]:
    """Colour and line style of the curve with this number."""
    rounds, colour = divmod(position, len(CURVES))
    return {"color": CURVES[colour], "linestyle": STROKES[rounds % len(STROKES)]}


@contextmanager
def styled() -> Iterator[None]:
    """Matplotlib with the page's settings in this context."""
    import matplotlib as mpl

    with mpl.rc_context(SETTINGS):
        yield
