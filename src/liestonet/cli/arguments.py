"""Parsing of arguments: equations, names of the catalogue, domains, initial states, bounds and numbers."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from liestonet.errors import InputError

if TYPE_CHECKING:
    from liestonet.catalogue import Experiment, System
    from liestonet.sde import SDE

MOST_INPUT = 1_000_000
LONGEST_NAME = 60


def read_equation(text: str, params: Iterable[str] = (), stratonovich: bool = False) -> tuple[SDE, Any]:
    """The equation of an argument, and its system if it is a name of the catalogue; parameters may have no value."""
    from liestonet.sde import SDE

    if text == "-":
        text = _standard_input()
    given = list(assignments(params, "--param", "k=1.5"))
    if "=" not in text:
        system = read_system(text)
        if given or stratonovich:
            option = "--param" if given else "--stratonovich"
            raise InputError(f"{system.key} is the Itô equation {system.equation}; leave {option} out.")
        return system.sde, system
    values = {name: read_number(value, f"The parameter {name}") for name, value in given}
    return SDE.parse(text, parameters=values, stratonovich=stratonovich), None


def require_values(sde: SDE) -> None:
    """Raise an error if parameters have no value."""
    if sde.parameters:
        first, many = sde.parameters[0], len(sde.parameters) > 1
        raise InputError(
            f"{', '.join(sde.parameters)} {'have' if many else 'has'} no value; give {'each' if many else 'it'} one, "
            f"such as --param {first}=1.5, or the equation d{first} = … if {first} is a coordinate."
        )


def read_system(text: str) -> System:
    """The system of the catalogue that has this name."""
    from liestonet.catalogue import catalogue, nearest_keys

    name = text.strip().lower()
    if name in catalogue:
        return catalogue[name]
    close = nearest_keys(name) if len(name) <= LONGEST_NAME else []
    hint = f"did you mean {' or '.join(close)}?" if close else "liestonet solve --list shows the names."
    raise InputError(
        f"{quoted(text)} is neither an equation, such as 'dx = -x dt + dW', nor a name from the catalogue; {hint}"
    )


def _standard_input() -> str:
    try:
        return sys.stdin.read(MOST_INPUT) if sys.stdin is not None else ""
    except UnicodeDecodeError as problem:
        raise InputError("The text from stdin is not UTF-8; save it in that encoding.") from problem


def read_domain(
    sde: SDE, texts: Iterable[str], system: System | Any | None = None
) -> list[tuple[float, float] | None] | None:
    """Intervals in the library's order, None for those not given; by default the box of a catalogue system."""
    names = ("t", *sde.names)
    given: dict[str, tuple[float, float] | None] = {
        name: read_interval(value, f"The domain's interval for {name}")
        for name, value in assignments(texts, "--domain", "x=-2:2")
    }
    require_known(given, names, "domain")
    if system is not None:
        own = {name: (float(low), float(high)) for name, (low, high) in zip(names, system.box, strict=True)}
        return [(own | given)[name] for name in names]
    return [given.get(name) for name in names] if given else None


def read_periods(texts: Iterable[str] | None) -> dict[str, float] | None:
    """`theta=2pi, phi=360` as periods by name; `none` means no periods."""
    from liestonet.core.periods import period_from_text

    found: dict[str, float] = {}
    given = pieces(texts or ())
    if given == ["none"]:
        return found
    for piece in given:
        name, period = period_from_text(piece)
        if name in found:
            raise InputError(f"--periodic gives {quoted(name)} twice; keep one of them.")
        found[name] = period
    return found or None


def read_experiment(sde: SDE, system: System | Any | None, initial: Sequence[str]) -> Experiment:
    """The simulation settings of a catalogue system, or the default ones, with the initial state if given."""
    from dataclasses import replace

    from liestonet.catalogue import Experiment

    if system is not None:
        return replace(system.experiment, initial=read_initial(sde, initial)) if initial else system.experiment
    if not initial:
        raise InputError("Missing option '--initial': give the initial state, such as --initial x=1.")
    return Experiment(read_initial(sde, initial), duration=1.0, paths=100, substeps=1)


def read_initial(sde: SDE, texts: Iterable[str]) -> tuple[tuple[float, float], ...]:
    """The initial states of paths: an interval for every coordinate, with equal ends if a number was given."""
    what = "The initial value of"
    given = {
        name: read_interval(value, f"{what} {name}") if ":" in value else (read_number(value, f"{what} {name}"),) * 2
        for name, value in assignments(texts, "--initial", "x=1")
    }
    require_known(given, sde.names, "initial state")
    for name in sde.names:
        if name not in given:
            raise InputError(f"The initial state has no {name}; add it, as in --initial {name}=0.")
    return tuple((float(low), float(high)) for low, high in (given[name] for name in sde.names))


def read_boundary(texts: Iterable[str]) -> dict[str, tuple[float | None, float | None]] | None:
    """`x>0`, `0<x<1`, `x<=5` as (lower, upper) for each name."""
    from liestonet.sde.boundary import bounds_in_words

    return bounds_in_words(pieces(texts)) or None


def pieces(texts: Iterable[str]) -> list[str]:
    """The parts of a repeatable option, which may also be separated by commas."""
    return [piece.strip() for text in texts for piece in text.split(",")]


def assignments(texts: Iterable[str], option: str, example: str) -> Iterator[tuple[str, str]]:
    """The pairs of `name=value, name=value`; each name at most once, and spelt as in the equation."""
    from liestonet.sde.tokens import plain_name

    seen = set()
    for piece in pieces(texts):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not (name and equals and value):
            raise InputError(f"{option} {quoted(piece)} cannot be read; write {option} {example}.")
        name = plain_name(name)
        if name in seen:
            raise InputError(f"{option} gives {quoted(name)} twice; keep one of them.")
        seen.add(name)
        yield name, value


def read_number(text: str, what: str) -> Any:
    """A decimal number as a float, or a fraction of whole numbers, exact."""
    try:
        if match := re.fullmatch(r"([+-]?\d{1,15})\s*/\s*(\d{1,15})", text):
            return Fraction(int(match[1]), int(match[2]))
        return float(text)
    except (ValueError, ZeroDivisionError) as problem:
        raise InputError(f"{what} is {quoted(text)}, which is not a number; write one such as 1.5 or 3/2.") from problem


def read_interval(text: str, what: str) -> tuple[float, float]:
    """The two ends of `low:high`, which must be finite."""
    parts = text.split(":")
    if len(parts) != 2:
        raise InputError(f"{what} is {quoted(text)}; write its two ends with a colon, such as -2:2.")
    low, high = (float(read_number(part.strip(), what)) for part in parts)
    if not low < high or high - low == float("inf"):
        raise InputError(f"{what} is {quoted(text)}; both ends must be finite, and the lower one comes first.")
    return low, high


def require_known(given: Iterable[str], names: Sequence[str], what: str) -> None:
    """Refuse names the equation does not have."""
    for name in given:
        if name not in names:
            raise InputError(f"The {what} names {quoted(name)}, but the equation has {', '.join(names)}.")


def quoted(text: str) -> str:
    """A part of the input in quotation marks, shortened to one line."""
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else f"{line[:57]}...")
