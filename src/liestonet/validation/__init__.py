"""Checks of a result: principal angles between spans of generators."""

from liestonet.validation.angles import principal_angles

__all__ = ["principal_angles"]
