"""Lists and p-values in sentences."""

from __future__ import annotations

from collections.abc import Sequence

# Labels in one sentence, and the smallest p-value that is told as a number.
MOST_LISTED, SMALLEST = 6, 1e-3


def listed(labels: Sequence[str]) -> str:
    """`a, b and c`; of very many the first ones and how many more there are."""
    first = list(labels)
    if len(first) > MOST_LISTED:
        return f"{', '.join(first[: MOST_LISTED - 1])} and {len(first) - MOST_LISTED + 1} more"
    return first[0] if len(first) == 1 else f"{', '.join(first[:-1])} and {first[-1]}"


def chance(p_value: float) -> str:
    """`p = 0.21`, `p < 0.001`."""
    return f"p < {SMALLEST:g}" if p_value < SMALLEST else f"p = {p_value:.2g}"
