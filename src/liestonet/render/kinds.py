"""Names and meanings of the kinds of symmetry, the verdicts and the statuses."""

from __future__ import annotations

from typing import NamedTuple


class KindWords(NamedTuple):
    """The words for one symmetry of a kind and for several, and a sentence on their effect."""

    one: str
    several: str
    meaning: str

    def counted(self, count: int) -> str:
        """`1 Itô symmetry`, `3 Itô symmetries`."""
        return f"{count} {self.one if count == 1 else self.several}"


KINDS = {
    "ito": KindWords(
        "Itô symmetry",
        "Itô symmetries",
        "Each maps a solution of the equation to another solution, driven by the same noise up to a change of clock.",
    ),
    "law": KindWords(
        "symmetry of the law",
        "symmetries of the law",
        "Each maps the process to one with the same law; the noise may be rotated.",
    ),
    "fokker-planck": KindWords(
        "Fokker–Planck symmetry",
        "Fokker–Planck symmetries",
        "Each maps solutions of the Fokker–Planck equation to solutions. Superposition, a symmetry of every linear "
        "equation, is not counted.",
    ),
    "random": KindWords(
        "random symmetry",
        "random symmetries",
        "Each maps a solution of the equation to another solution driven by the same noise, by an amount that depends "
        "on the Wiener process itself.",
    ),
}
# The words shown for stored verdicts.
VERDICT_WORDS = {
    "symmetry": "symmetry",
    "near-symmetry": "near-symmetry",
    "undecided": "undecided",
    "no": "not a symmetry",
}
STATUSES = {
    "proved": "SymPy substituted it into the determining equations and got zero.",
    "consistent": "The formula agrees with the estimated symmetries within their errors; it is not proved. A number "
    "after ± is one standard error; numbers without ± are simple ones that agree.",
    "numerical": "No closed form; first Taylor terms around the middle of the domain.",
}
