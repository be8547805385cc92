"""How p-values are written everywhere: values near 0 and 1 as bounds, because they are not computed exactly."""

from __future__ import annotations

# p-values outside these limits are shown as bounds: "p = 1" would read as certainty.
SMALLEST_P, LARGEST_P = 1e-3, 0.99


def p_text(value: float) -> str:
    """A p-value: 0.21, < 0.001, > 0.99."""
    if value < SMALLEST_P:
        return f"< {SMALLEST_P:g}"
    return f"> {LARGEST_P:g}" if value > LARGEST_P else f"{value:.2g}"


def p_clause(value: float) -> str:
    """A p-value in a sentence: `p = 0.21`, `p < 0.001`, `p > 0.99`."""
    text = p_text(value)
    return f"p {text}" if text[0] in "<>" else f"p = {text}"
