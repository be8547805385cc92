"""How a recording was made: errors of its points, exposure, kind of steps. One value that is kept with the data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, TypeVar
from urllib.parse import quote, unquote

import numpy as np

from liestonet.core.numbers import is_real, is_whole
from liestonet.errors import InputError

STEPS = ("continuous", "euler")
AUTO = "auto"
MARK = "# measurement: "  # begins the header of an empty column of a CSV file, which any reader of tables takes


@dataclass(frozen=True)
class Measurement:
    """How points were recorded; `Measurement()` is a recording of which nothing is known.

    `noise` is the standard deviation of the error of a point in the coordinate's unit: one number, 0 for none, a
    dictionary by coordinate, or "auto" if unknown. `exposure` is the part of a step over which a point is averaged (0
    to 1), or "auto" if unknown. `steps` are "continuous", or "euler" where every recorded step is one Euler step of the
    equation. `order` is 2 for positions of a system with inertia whose velocities were not recorded.
    """

    noise: float | str | dict[str, float | str] = AUTO
    exposure: float | str = AUTO
    steps: str = "continuous"
    order: int = 1

    def __init__(self, noise: Any = AUTO, exposure: Any = AUTO, steps: Any = "continuous", order: Any = 1) -> None:
        values = {"noise": _noise(noise), "exposure": _exposure(exposure), "steps": steps, "order": order}
        if not isinstance(steps, str) or steps not in STEPS:
            raise InputError(f"The steps of a measurement are {steps!r}; choose 'continuous' or 'euler'.")
        if not is_whole(order) or order not in (1, 2):
            raise InputError(
                f"The order of a measurement is {order!r}; give 1, or 2 for positions of an inertial system."
            )
        if steps == "euler" and values["exposure"] not in (AUTO, 0):
            raise InputError(
                f"Steps 'euler' and exposure {exposure!r} contradict each other: a mean over a part of a step is no "
                "Euler step; give exposure=0 or steps='continuous'."
            )
        for name, value in (values | {"order": int(order)}).items():
            object.__setattr__(self, name, value)

    @classmethod
    def exact(cls, steps: Any = "euler") -> Measurement:
        """Points without error and without blur, as a simulation gives them."""
        return cls(noise=0, exposure=0, steps=steps)

    @property
    def is_exact(self) -> bool:
        """Whether points have neither error nor blur."""
        sizes = self.noise.values() if isinstance(self.noise, dict) else [self.noise]
        return self.exposure == 0 and all(size == 0 for size in sizes)

    def noise_of(self, name: str) -> float | str:
        """The standard deviation of one coordinate's error, or "auto"."""
        return self.noise.get(name, AUTO) if isinstance(self.noise, dict) else self.noise

    def check_names(self, names: tuple[str, ...]) -> None:
        """Refuse errors for coordinates that do not exist."""
        for name in self.noise if isinstance(self.noise, dict) else ():
            if name not in names:
                raise InputError(
                    f"The measurement has a noise of {name!r}, but the coordinates are {', '.join(names)}."
                )

    def to_json(self) -> str:
        """JSON text that `from_json` reads."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: Any, file: str) -> Measurement:
        """The measurement from a file's JSON; fields of later versions are refused."""
        try:
            given = json.loads(text)
            return cls(**given)
        except (TypeError, ValueError, RecursionError) as problem:
            raise InputError(
                f"What {file!r} says of its measurement cannot be read; give measurement=lsn.Measurement(…) instead."
            ) from problem

    def header(self) -> str:
        """The known fields of the measurement as the header of an empty column; empty if nothing is known."""
        unknown = Measurement()
        if self == unknown:
            return ""
        found = []
        if self.noise == 0 and self.exposure == 0:
            found.append("exact")
        else:
            if isinstance(self.noise, dict):
                found += [f"noise.{quote(name, safe='')}={size}" for name, size in self.noise.items()]
            elif self.noise != AUTO:
                found.append(f"noise={self.noise}")
            if self.exposure != AUTO:
                found.append(f"exposure={self.exposure}")
        found += [f"steps={self.steps}"] * (self.steps != unknown.steps) + [f"order={self.order}"] * (self.order != 1)
        return MARK + " ".join(found)

    def over(self, steps: int) -> Measurement:
        """The measurement of a recording whose steps each consist of several of the present ones."""
        if steps == 1:
            return self
        exposure = self.exposure if isinstance(self.exposure, str) else self.exposure / steps
        return replace(self, steps="continuous", exposure=exposure)

    def degraded(self, noisy: bool, blurred: bool, dropped: bool) -> Measurement:
        """The measurement of degraded data: the sizes of added errors count as unknown, as they are in a laboratory."""
        return Measurement(
            noise=AUTO if noisy else self.noise,
            exposure=AUTO if blurred else self.exposure,
            steps="continuous" if blurred or dropped else self.steps,
            order=self.order,
        )

    def transformed(self, scales: Mapping[str, tuple[str, float | None]], names: tuple[str, ...]) -> Measurement:
        """The measurement after a change of coordinates: `scales` gives the new name and the slope, if constant."""
        sizes: dict[str, float | str] = {}
        for name in names:
            new, slope = scales.get(name, (name, 1.0))
            size = self.noise_of(name)
            if isinstance(size, str) or size == 0:
                sizes[new] = size
            else:
                sizes[new] = AUTO if slope is None else size * abs(slope)
        same = len(set(map(str, sizes.values()))) == 1
        affine = all(slope is not None for _, slope in scales.values())
        return Measurement(
            noise=next(iter(sizes.values())) if same and not isinstance(self.noise, dict) else sizes,
            exposure=self.exposure,
            steps=self.steps if affine else "continuous",
            order=self.order,
        )


def measurement_in(headers: Sequence[str]) -> Measurement | None:
    """The measurement given by one of the headers, as `header` wrote it; else unknown."""
    found = [_of_words(header.removeprefix(MARK)) for header in headers if header.startswith(MARK)]
    return found[0] if found else None


def _of_words(text: str) -> Measurement | None:
    given: dict[str, Any] = {}
    known = {field.name for field in fields(Measurement)}
    try:
        for word in text.split():
            name, equals, value = word.partition("=")
            if word == "exact":
                given |= {"noise": 0, "exposure": 0}
            elif not equals:
                return None
            elif name.startswith("noise."):
                given.setdefault("noise", {})[unquote(name.removeprefix("noise."))] = (
                    value if value == AUTO else float(value)
                )
            elif name in known:
                given[name] = value if name == "steps" else int(value) if name == "order" else float(value)
            else:
                return None
        return Measurement(**given)
    except (ValueError, TypeError, AttributeError):
        return None


def as_measurement(given: Any) -> Measurement:
    """The argument `measurement` of a function, checked; None means unknown."""
    if given is None:
        return Measurement()
    if not isinstance(given, Measurement):
        raise InputError(f"The measurement must be a value such as lsn.Measurement(noise=0.02), not {_shown(given)}.")
    return given


Source = TypeVar("Source")  # data of any kind: what comes back is of the kind that was given


def marked(source: Source, given: object) -> Source:
    """A source of increments with a given measurement; None keeps its own.

    Copies that were added to recorded paths are left out, since they are not observations.
    """
    kept: Any = getattr(source, "recorded", source)
    if given is None:
        return kept
    measurement = as_measurement(given)
    measurement.check_names(kept.names)
    return replace(kept, measurement=measurement)


def slope_of(values: np.ndarray, images: np.ndarray) -> float | None:
    """The slope of a function if it is affine on these values up to rounding; else None."""
    low, high = int(np.argmin(values)), int(np.argmax(values))
    extent = float(values[high]) - float(values[low])
    if not extent > 0:
        return None
    slope = (float(images[high]) - float(images[low])) / extent
    missed = np.abs(images - (images[low] + slope * (values - values[low]))).max()
    rounding = 64 * np.finfo(np.float64).eps * max(float(np.abs(images).max()), abs(slope) * extent)
    return slope if missed <= rounding else None


def _noise(given: Any) -> float | str | dict[str, float | str]:
    if isinstance(given, Mapping):
        if not given or not all(isinstance(name, str) for name in given):
            raise InputError("The noise of a measurement by coordinate is a dictionary such as {'x': 0.02, 'y': 0}.")
        return {name: _one_noise(size) for name, size in given.items()}
    return _one_noise(given)


def _one_noise(given: Any) -> float | str:
    if isinstance(given, str) and given == AUTO:
        return AUTO
    if not is_real(given) or not 0 <= given < np.inf:
        raise InputError(
            f"The noise of a measurement is {_shown(given)}; give 'auto', 0, a standard deviation such as 0.02, or a "
            "dictionary by coordinate."
        )
    return float(given)


def _exposure(given: Any) -> float | str:
    if isinstance(given, str) and given == AUTO:
        return AUTO
    if not is_real(given) or not 0 <= given <= 1:
        raise InputError(
            f"The exposure of a measurement is {_shown(given)}; give 'auto', 0, or the part of a step, at most 1."
        )
    return float(given)


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 60 else text[:59] + "…"
