"""Flags: what a reader of an equation or of a result should know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Flag:
    """What may affect a result, and what to do about it."""

    code: str
    message: str
    action: str
