"""Sentences on a recording: its clock, dependence on the date, measurement errors, and goodness of fit."""

from __future__ import annotations

from liestonet.core.p_values import p_clause
from liestonet.inference.adequacy import CELLS, PATHS
from liestonet.inference.clock import PERIOD, ClockFound
from liestonet.render.numbers import number
from liestonet.result.findings import DataFindings, Measured
from liestonet.surrogate.recording_errors import Level

MOST_FILES = 4  # files of which each error is shown


def clock_text(found: DataFindings) -> str:
    """A sentence on the clock, shown above the result; empty for the recorded clock."""
    clock = found.clock
    if clock is None or clock.window is None:
        return ""
    unit = found.data.units.get("t", "")
    every = f"{number(float(f'{clock.window:.3g}'))}{f' {unit}' if unit else ''}"
    if clock.kind == PERIOD:
        begun = f"The clock has a period of {every}"
        return f"{begun}; whether the law depends on the date beyond that is tested ({_p_value(clock)})."
    one = not found.surrogate.overview.sample.trajectory.any()
    start = ("One long recording: the" if one else "Long recordings: the") if clock.automatic else "The"
    about = "" if clock.relaxation is None else f" (about {_relaxations(clock.window / clock.relaxation)})"
    return f"{start} clock restarts every {every}{about}; ∂t is tested against the date ({_p_value(clock)})."


def recording_text(found: DataFindings) -> str:
    """A sentence on estimated errors of the points and exposure; empty if they are not part of the model."""
    measured = found.measured
    if measured.noise is None:
        return ""
    sizes = _sizes(measured)
    if measured.order == 2:
        return (
            "Only positions were recorded: velocities are estimated. Measurement error of positions "
            f"(standard deviation): {sizes}; "
            "the fit accounts for it."
        )
    exposure = measured.exposure
    blur = "not identified" if exposure is None else f"{_level(exposure)} of a step"
    return f"Measurement error (standard deviation): {sizes}; exposure: {blur}. The fit accounts for both."


def _sizes(measured: Measured) -> str:
    """Errors of the points by coordinate; where files have their own, those of a few files, or from least to most."""
    noise, each = measured.noise or {}, [one.noise or {} for one in measured.each]
    found = []
    for name, level in noise.items():
        own = [one[name] for one in each if name in one]
        if not own:
            found.append(f"{name} {_level(level)}")
        elif len(own) <= MOST_FILES:
            found.append(f"{name} {', '.join(map(_level, own))} in the {len(own)} files")
        else:
            least, most = (f"{chosen(one.value for one in own):.2g}" for chosen in (min, max))
            found.append(f"{name} {least} to {most} in {len(own)} files")
    return "; ".join(found) if each else ", ".join(found)


def _level(level: Level) -> str:
    """An estimated value with its error, or a given one without."""
    return f"{level.value:.2g} ± {level.error:.1g}" if level.error else f"{level.value:.2g} (given)"


def changes_with_date(found: DataFindings) -> str:
    """A clause that says that the law depends on the date; empty if the test does not reject."""
    date = None if found.clock is None else found.clock.date
    if date is None or not date.rejected:
        return ""
    other = ", or with something slow that was not recorded" if date.period is None else ""
    return f"The law changes with the date{other} ({p_clause(date.p_value)})"


def not_adequate(found: DataFindings) -> str:
    """A clause on the first test that rejects the fit; empty if none does."""
    wrong = found.fit_quality.first
    if wrong is None:
        return ""
    if wrong.name == CELLS:
        return f"The series does not fit the recording ({wrong.of}, {p_clause(wrong.p_value)})"
    if wrong.name == PATHS:
        return f"The paths differ from each other ({wrong.of}, {p_clause(wrong.p_value)})"
    unit = found.data.units.get("t", "")
    time = "" if wrong.time is None else f"memory of about {wrong.time:.2g}{f' {unit}' if unit else ''}, "
    return f"Not a diffusion at this resolution ({time}{p_clause(wrong.p_value)})"


def _p_value(clock: ClockFound) -> str:
    return "not tested" if clock.p_value is None else p_clause(clock.p_value)


def _relaxations(count: float) -> str:
    text = f"{count:.2g}"
    return f"{text} relaxation time{'' if text == '1' else 's'}"
