"""Text for numbers in the tests of given generators and maps."""

from __future__ import annotations


def percent(value: float) -> str:
    """A relative residual as text: 0 %, 1.6 %, 97.4 %."""
    return f"{100 * value:.3g} %"


def percent_range(lower: float, upper: float) -> str:
    """A confidence interval of a residual as text: 95.4 % to 99.4 %."""
    return f"{percent(lower)} to {percent(upper)}"


def deviance_text(deviance: float, dof: float | int, expected: float | None) -> str:
    """The deviance with its mean under exact symmetry, which shows whether it is large."""
    mean = dof if expected is None or abs(expected - dof) < 0.05 else expected
    alike = f"{mean:.1f}" == f"{dof:.1f}"
    given = ", its degrees of freedom" if alike else f" ({dof:.1f} degrees of freedom)"
    return f"deviance {deviance:.1f}, where an exact symmetry gives {mean:.1f} on average{given}"


def map_verdict(verdict: str) -> str:
    """The text shown to users for the stored verdict on a map."""
    return "not a symmetry" if verdict == "no" else verdict


def balance_verdict(verdict: str) -> str:
    """The text shown to users for the stored verdict on detailed balance."""
    shown = {"symmetry": "balanced", "near-symmetry": "nearly balanced", "no": "not balanced"}
    return shown.get(verdict, verdict)


def claimed(spoken: str, many: bool) -> str:
    """The claim as text: `this Itô symmetry`, `these symmetries of the law`."""
    noun = "symmetries" if many else "symmetry"
    return f"{'these' if many else 'this'} " + (f"{noun} of the law" if spoken == "law" else f"{spoken} {noun}")
