"""Checks of results: angles between spans, finite flows, pushed data, tests of generators and maps."""

from liestonet.core.angles import principal_angles
from liestonet.validation.flows import Flow, flow
from liestonet.validation.push import Pushed, push

__all__ = ["Flow", "Pushed", "flow", "principal_angles", "push"]
