"""Progress of a computation and its remaining time, from the current stage and the time elapsed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic

# Relative duration of each stage, as measured on small systems; a stage is recognised by how its message begins.
DISCOVERING: Mapping[str, float | int] = {
    "reading": 10,
    "looking over the data": 15,
    "drift": 10,
    "diffusion": 6,
    "covariance of the estimates": 6,
    "looking for symmetries": 15,
    "taking": 7,
    "refitting": 16,
    "looking for symmetries of the law": 8,
    "testing for dependence on the date": 5,
    "checking the data": 8,
    "looking for formulas": 12,
    "drawing the report": 40,
}
SOLVING: Mapping[str, float | int] = {
    "examining the coefficients": 3,
    "looking for functions that are constant": 8,
    "counting power series": 10,
    "basis of": 25,
    "solving with": 20,
    "looking for formulas": 40,
    "proving the formulas": 20,
    "computing brackets": 4,
    "looking for new coordinates": 20,
    "looking for martingales": 60,
    "drawing the report": 40,
}
VALIDATING: Mapping[str, float | int] = {
    "fitting drift and diffusion": 4,
    "testing for a diffusion": 6,
    "likelihood ratio": 12,
    **{f"pushing along generator {k} of": 20 for k in range(1, 4)},
    **{f"refitting paths pushed along generator {k} of": 8 for k in range(1, 4)},
    "perturbing the surrogate": 3,
    "Fokker–Planck": 20,
    "drawing the report": 40,
}
# Stages that some runs skip.
OPTIONAL = {
    "drawing": {"drawing the report"},
    "formulas": {"looking for formulas"},
    "parameters": {"solving with", "proving the formulas"},
    "reducing": {"looking for new coordinates", "looking for martingales"},
}
# No remaining time is shown before this many seconds.
SOONEST = 2.0


def without(shares: Mapping[str, float | int], **absent: bool) -> dict[str, float | int]:
    """The shares of a run that skips stages: drawing=True, formulas=True, parameters=True, reducing=True."""
    left_out = {name for key, gone in absent.items() if gone for name in OPTIONAL[key]}
    return {name: share for name, share in shares.items() if name not in left_out}


class Pace:
    """Records when stages began, and estimates the remaining time from those that are finished."""

    def __init__(self, shares: Mapping[str, float | int], clock: Callable[[], float] = monotonic) -> None:
        self._shares, self._clock = shares, clock
        self._begun = self._entered = clock()
        self._done = 0.0

    def enter(self, stage: str) -> None:
        """Record that a stage begins; earlier and unknown stages are ignored."""
        known = [name for name in self._shares if stage.startswith(name)]
        if not known:
            return
        names = list(self._shares)
        before = sum(self._shares[name] for name in names[: names.index(max(known, key=len))])
        done = before / sum(self._shares.values())
        if done > self._done:
            self._done, self._entered = done, self._clock()

    @property
    def done(self) -> float:
        """Fraction of the whole computation that is finished when the current stage begins."""
        return self._done

    def left(self) -> float | None:
        """Estimated remaining seconds, at the average speed so far; None if it is too early to estimate."""
        now = self._clock()
        if not self._done or now - self._begun < SOONEST:
            return None
        whole = (self._entered - self._begun) / self._done
        return max(0.0, self._begun + whole - now)

    def text(self) -> str:
        """The remaining time as text, such as `about 12 s left`; empty if there is no estimate."""
        seconds = self.left()
        if seconds is None or seconds < 1:
            return ""
        return f"about {seconds / 60:.0f} min left" if seconds > 99 else f"about {seconds:.0f} s left"
