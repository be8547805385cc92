"""Numbers and texts embedded safely in a page's script elements."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from markupsafe import Markup

# These characters are escaped in script elements: they begin tags and comments, or end lines in old scripts.
ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def embedded(value: Any) -> Markup:
    """Plain values as JSON for a script element of type application/json."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escaped in ESCAPED.items():
        text = text.replace(character, escaped)
    return Markup(text)


def checksum(script: str) -> str:
    """The hash by which a content security policy allows the one script of the page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def rounded(values: Float[np.ndarray, "..."] | Sequence[float], digits: int) -> list[Any]:
    """Numbers rounded to `digits` significant digits; None for those that are not finite."""

    def short(value: Any) -> Any:
        if isinstance(value, list):
            return [short(part) for part in value]
        return float(f"{value:.{digits}g}") if np.isfinite(value) else None

    return short(np.asarray(values, dtype=float).tolist())


def on_grid(values: Float[np.ndarray, " b"], step: float) -> list[float]:
    """Numbers rounded to multiples of the largest power of ten not above a step, in the shortest form."""
    decimals = int(np.ceil(-np.log10(step))) if step > 0 else 0
    return [float(f"{value:.{max(decimals, 0)}f}") for value in values]
