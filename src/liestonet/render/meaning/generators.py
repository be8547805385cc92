"""The meaning of each generator in a sentence, for the shapes of `shapes.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from liestonet.render.meaning import shapes as known
from liestonet.render.meaning.quantities import Quantities

# The part of the noise that a symmetry preserves: with the Wiener process fixed, the noise; else its covariance.
NOISE = {
    "ito": "noise",
    "random": "noise",
    "law": "covariance of the noise",
    "fokker-planck": "covariance of the noise",
}
# The qualification of "another path", by kind of symmetry.
SAME = {"ito": "with the same noise", "random": "with the same noise", "law": "of the same equation"}


@dataclass(frozen=True)
class Speaker:
    """Sentences on shapes, for one kind of symmetry, given names of coordinates, errors and units.

    `density` means that a Fokker–Planck generator also multiplies the density by a factor that is not constant, so that
    it is not a symmetry of paths.
    """

    kind: str
    names: tuple[str, ...]
    quantities: Quantities
    density: bool = False

    def sentence(self, shape: known.Shape) -> str:
        """The sentence on a shape: what it implies for the equation."""
        words: dict[type, Callable[[Any], str]] = {
            known.TimeTranslation: self._time,
            known.MovingFrame: self._frame,
            known.Shift: self._shift,
            known.SharedShift: self._shared,
            known.Scaling: self._scaling,
            known.Rotation: self._rotation,
            known.CurvedShift: self._curved,
            known.SelfSimilar: self._similar,
            known.OtherClock: self._clock,
            known.Projective: self._projective,
            known.Normalisation: self._norm,
            known.NoiseShift: self._noise_shift,
        }
        text = words[type(shape)](shape)
        if self.density:
            text += " The density is multiplied by a factor too, so no single path is mapped."
        return text

    @property
    def _noise(self) -> str:
        return NOISE[self.kind]

    def _rules(self, ending: str) -> str:
        """The subject of a rule, drift and noise or densities, followed by an ending."""
        if self.density:
            return f"after multiplication by a factor, densities obey the same equation {ending}"
        return f"drift and {self._noise} {ending}"

    def _listed(self, indices: Sequence[int]) -> str:
        """Names of coordinates in a sentence: `x`, `x and y`."""
        shown = [self.names[i] for i in indices]
        return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"

    def _time(self, _: known.TimeTranslation) -> str:
        if self.density:
            return f"Time translation: {self._rules('at all times')}."
        return f"Time translation: {self._rules('do not depend on time')}."

    def _frame(self, shape: known.MovingFrame) -> str:
        moved = [i for i, part in enumerate(shape.velocity) if part != 0]
        speeds = ", ".join(f"{self.names[i]} with {self.quantities.text(shape.velocity[i])}" for i in moved)
        same = self._rules("at all times" if self.density else "do not depend on time")
        return f"Travelling wave: in a frame that moves ({speeds} per unit of time), {same}."

    def _shift(self, shape: known.Shift) -> str:
        moved = [i for i, part in enumerate(shape.direction) if part != 0]
        name = self._listed(moved)
        if len(moved) == 1:
            if self.density:
                return f"Shift of {name}: {self._rules(f'everywhere along {name}')}."
            return f"Shift of {name}: {self._rules(f'do not depend on {name}')}; no place along {name} is special."
        ratio = " : ".join(self.quantities.text(shape.direction[i]) for i in moved)
        same = self._rules("after it" if self.density else "are the same after it")
        return f"Shift of {name} together ({ratio}): {same}."

    def _shared(self, shape: known.SharedShift) -> str:
        moved = [i for i, part in enumerate(shape.components) if part != 0]
        name = self._listed(moved)
        if shape.boost:
            return self._boost(name)
        if self.density:
            return f"Boost of {name}: in a frame displaced like this, {self._rules('as at rest')}."
        if len(self.names) == 1:
            head = (
                f"The drift is linear in {name}{self._slope(shape)}, and the {self._noise} does not depend on {name}."
            )
        else:
            head = (
                f"Added to {name} of a path, it gives another path {SAME.get(self.kind, SAME['law'])}: along this "
                f"direction the drift is linear and the {self._noise} does not change."
            )
        return f"{head} {self._fate(shape)}".rstrip()

    def _boost(self, name: str) -> str:
        if self.density:
            return f"Galilei boost: in a frame that moves with constant velocity, {self._rules('as at rest')}."
        return (
            f"Galilei boost of {name}: a constant velocity added to a path gives another path "
            f"{SAME.get(self.kind, SAME['law'])}; rest and steady motion cannot be distinguished."
        )

    def _slope(self, shape: known.SharedShift) -> str:
        return "" if shape.rate is None else f" with slope {self.quantities.text(shape.rate, self.quantities.per_time)}"

    def _fate(self, shape: known.SharedShift) -> str:
        """A sentence on how the difference of two paths evolves."""
        if shape.rate is None:
            return ""
        turn = ""
        if shape.frequency is not None:
            import sympy

            period = self.quantities.text(2 * sympy.pi / shape.frequency, self.quantities.time)
            shown = self.quantities.text(shape.frequency, self.quantities.per_time)
            turn = f"oscillates at angular frequency ω = {shown} (period 2π/ω = {period})"
        decay = self._decay(shape.rate)
        subject = "The difference of two paths with the same noise" if len(self.names) == 1 else "Such a difference"
        return f"{subject} {' and '.join(part for part in (turn, decay) if part)}." if turn or decay else ""

    def _decay(self, rate: Any) -> str:
        """A clause such as `relaxes at the rate k = …`, with the relaxation time."""
        value, say = self.quantities.value(rate), self.quantities
        if value is None:
            falls = rate.could_extract_minus_sign()
            shown = say.text(-rate if falls else rate)
            return f"{'relaxes' if falls else 'grows'} at the rate {shown} where that is positive"
        if value == 0:
            return ""
        k, verb = (-rate, "relaxes") if value < 0 else (rate, "grows")
        after = f"relaxation time 1/k = {say.text(1 / k, say.time)}" if value < 0 else "two paths separate"
        return f"{verb} at the rate k = {say.text(k, say.per_time)} ({after})"

    def _scaling(self, shape: known.Scaling) -> str:
        moved = [i for i, part in enumerate(shape.weights) if part != 0]
        name, same = self._listed(moved), len({shape.weights[i] for i in moved}) == 1
        centred = [
            self.names[i] if shape.centre[i] == 0 else f"{self.names[i]} - ({self.quantities.text(shape.centre[i])})"
            for i in moved
        ]
        if self.density:
            return f"Scaling of {name}: {self._rules('at every size')}."
        square = "" if self.kind in ("ito", "random") else " (covariance: its square)"
        if len(self.names) == 1:
            return (
                f"Scaling of {name}: drift and noise are proportional to {centred[0]}, so its relative changes (the "
                "returns of a price, the growth per head of a population) do not depend on its size."
            )
        if same:
            return (
                f"Scaling of {name}: if {' and '.join(centred)} {'is' if len(moved) == 1 else 'are'} multiplied by a "
                f"factor, drift and noise there are multiplied by the same factor{square}, and nothing else changes: "
                "only relative changes matter."
            )
        powers = ", ".join(
            f"{c} by c^({self.quantities.text(shape.weights[i])})" for c, i in zip(centred, moved, strict=True)
        )
        return f"Scaling with weights ({powers}): drift and noise are multiplied by the same factors{square}."

    def _rotation(self, shape: known.Rotation) -> str:
        i, j = shape.plane
        name = f"({self.names[i]}, {self.names[j]})"
        round_ = abs(shape.factors[0]) == abs(shape.factors[1])
        middle = "" if all(part == 0 for part in shape.centre) else f" about {self._point(shape.centre, (i, j))}"
        ellipses = "" if round_ else ", on ellipses instead of circles"
        if self.kind == "ito":
            return (
                f"Rotation of the plane {name}{middle}{ellipses}: a rotated path is a path with the same noise, and no "
                "direction in this plane is special."
            )
        return (
            f"Rotation of the plane {name}{middle}{ellipses}: drift and {self._noise} turn with the state, and no "
            "direction in this plane is special (isotropy)."
        )

    def _point(self, centre: Sequence[Any], plane: tuple[int, int]) -> str:
        return f"({', '.join(self.quantities.text(centre[k]) for k in plane)})"

    def _curved(self, shape: known.CurvedShift) -> str:
        name, y = self.names[shape.coordinate], self.quantities.formula(shape.straight)
        head = f"In the coordinate {y} instead of {name} this is a shift"
        if self.density:
            return f"{head}: {self._rules('after it')}."
        level = f"the {self._noise} no longer depends on it, and the drift "
        if self.quantities.value(shape.rate) == 0:
            return f"{head}: {level}does not depend on it either."
        slope = self.quantities.text(shape.rate, self.quantities.per_time)
        fate = self._fate(known.SharedShift((shape.profile,), shape.rate))
        there = fate.replace("The difference", "There the difference")
        return f"{head}: {level}is linear in it with slope {slope}. {there}".rstrip()

    def _similar(self, shape: known.SelfSimilar) -> str:
        about = "" if shape.origin == 0 else f" about t = {self.quantities.text(shape.origin, self.quantities.time)}"
        what = "densities obey the same equation" if self.density else "the process has the same law"
        if shape.straight is not None:
            y = self.quantities.formula(shape.straight)
            return f"Self-similar{about} in {y}: with time scaled by c and {y} by √c, {what}."
        parts = [self._magnified(i, exponent, shape.centre[i]) for i, exponent in enumerate(shape.exponents)]
        diffusive = all(self.quantities.text(exponent) == "1/2" for exponent in shape.exponents)
        ending = ", as in diffusion" if diffusive else ""
        return f"Self-similar{about}: with time scaled by c, {', '.join(parts)}, {what}{ending}."

    def _magnified(self, i: int, exponent: Any, centre: Any) -> str:
        name = self.names[i] if centre == 0 else f"{self.names[i]} - ({self.quantities.text(centre)})"
        shown = self.quantities.text(exponent)
        factor = {"0": "unchanged", "1/2": "by √c", "1": "by c"}
        return f"{name} {factor.get(shown, f'by c^({shown})')}"

    def _clock(self, shape: known.OtherClock) -> str:
        say = self.quantities
        moved = [i for i, y in enumerate(shape.coordinates) if str(y) != self.names[i]]
        clock = say.up_to_unit(shape.clock)
        pairs = [(clock, "t"), *((say.formula(shape.coordinates[i]), self.names[i]) for i in moved)]
        shown = [new for new, old in pairs if new != old]
        return (
            f"Time and state rescaled together: in the variables {' and '.join(shown)} the equation does not depend on "
            "the new time."
        )

    def _projective(self, _: known.Projective) -> str:
        return (
            "Projective: time goes to t/(1 - ε t), the state is scaled with it, and densities solve the same equation; "
            "Brownian motion has this symmetry under inversion of time."
        )

    def _norm(self, _: known.Normalisation) -> str:
        return "Normalisation: a density times a constant solves the equation too, because it is linear."

    def _noise_shift(self, shape: known.NoiseShift) -> str:
        if shape.linear:
            along = "" if len(self.names) == 1 else " along it"
            return (
                "An amount that depends on the noise and on time only: added to a path it gives another path with the "
                f"same noise, so the equation is linear in the state{along}."
            )
        return (
            "An amount that depends on the noise: the distance of two neighbouring paths with the same noise can be "
            "proportional to it at all times, so it gives the rate at which the dependence on the initial state decays."
        )
