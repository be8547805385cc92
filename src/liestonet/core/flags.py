"""Flags: remarks that a reader of an equation or of a result should know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Flag:
    """A remark on a result: what may affect it, and what to do about it."""

    code: str
    message: str
    action: str
