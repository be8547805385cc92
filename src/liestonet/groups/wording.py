"""Lists in sentences."""

from __future__ import annotations

from collections.abc import Sequence

MOST_LISTED = 6  # labels in one sentence


def listed(labels: Sequence[str]) -> str:
    """`a, b and c`; of a long list the first items and the number of the others."""
    first = list(labels)
    if len(first) > MOST_LISTED:
        return f"{', '.join(first[: MOST_LISTED - 1])} and {len(first) - MOST_LISTED + 1} more"
    return first[0] if len(first) == 1 else f"{', '.join(first[:-1])} and {first[-1]}"
