"""The text, LaTeX and plain values of a reduction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sympy.printing.str import StrPrinter

from liestonet.formulas.notation import expression_latex, expression_text

if TYPE_CHECKING:
    from sympy import Expr

    from liestonet.reduction.reduction import Reduction

Row = tuple[str, str]


def verdict(made: Reduction) -> str:
    """The outcome, in one sentence."""
    if made.kind == "none":
        return "Not reduced."
    if made.kind == "solved":
        law = " in law" if made.level == "law" else ""
        known = "known functions of time and of the noise" if made.noise_names else "known functions"
        return f"Solved{law}: every coordinate is an integral of {known}."
    if made.bessel is not None:
        return f"Reduced to a Bessel process, A = {expression_text(made.bessel)}."
    names = ", ".join(made.sde.names[: made.closed])
    if made.closed == made.sde.dimension:
        return f"Reduced to an equation for {names} that does not depend on time."
    return f"Reduced to an equation for {names}; the others are integrals."


def proof(made: Reduction) -> str:
    """A sentence on how the new equation was verified."""
    if made.kind == "none":
        return ""
    if made.status == "proved":
        return "Proved: Itô's formula in SymPy gives the new equation."
    if made.flows is not None:
        return f"Numerical: the equation is exact, the coordinates have errors of about {made.error:.1g}."
    return f"Numerical: the new equation agrees with Itô's formula to {made.error:.1g}."


def rows(made: Reduction) -> list[Row]:
    """The whole reduction as labelled rows."""
    if made.kind == "none":
        return [("", str(step)) for step in made.steps]
    changed = [(s, e) for s, e in made.coordinates.items() if s != e]
    found: list[Row] = [("step", str(step)) for step in made.steps]
    if changed:
        found.append(("coordinates", ", ".join(f"{s} = {expression_text(e)}" for s, e in changed)))
        back = [(s, e) for s, e in made.inverse.items() if s != e]
        shown = ", ".join(f"{s} = {expression_text(e)}" for s, e in back)
        missing = "no closed form; it is computed numerically" if made.is_whole else "none: there are fewer coordinates"
        found.append(("inverse", shown or missing))
    found.append(("equation", equation_text(made)))
    if made.solution is not None:
        found += [("solution", f"{s} = {solution_text(e)}") for s, e in made.solution.items()]
    if made.wiener:
        found.append(("noise", made.wiener))
    found.append(("holds", made.validity))
    drawn = "integrals along drawn paths of the noise" if made.noise_names else "by simulation of the new equation"
    found.append(("sample", "exact at any step" if made.is_exact else drawn))
    return found


def equation_text(made: Reduction) -> str:
    """The new equation in its own time."""
    text, clock = str(made.sde), next(iter(made.coordinates))
    if str(clock) == "t":
        return text.replace("**", "^")
    return text.replace("**", "^").replace(" dt", f" d{clock}").replace("dW", "dB")


class _Printer(StrPrinter):
    """SymPy's text with integrals in mathematical notation."""

    printmethod = "_solution_text"

    def _print_ItoIntegral(self, node: Any) -> str:
        if node.integrand == 1 and node.lower == 0:
            return f"{node.noise}({self._print(node.upper)})"
        return self._integral(node.integrand, node.lower, node.upper, f"d{node.noise}({node.variable})")

    def _print_Integral(self, expr: Any) -> str:
        variable, low, high = expr.limits[0]
        return self._integral(expr.function, low, high, f"d{variable}")

    def _integral(self, inside: Any, low: Any, high: Any, ending: str) -> str:
        text = self._print(inside)
        front = "" if inside == 1 else f"({text}) " if inside.is_Add else f"{text} "
        return f"∫_{self._print(low)}^{self._print(high)} {front}{ending}"


def solution_text(expression: Expr) -> str:
    """The text of a solution with integrals such as ∫_0^t exp(s) dW(s)."""
    return _Printer().doprint(expression).replace("**", "^").replace("*", " ")


def lines(made: Reduction) -> list[str]:
    """The whole reduction as lines of text."""
    found = [verdict(made)]
    found += [f"  {label}: {text}" if label else f"  {text}" for label, text in rows(made)]
    said = proof(made)
    return [*found, f"  {said}"] if said else found


def latex(made: Reduction) -> str:
    """Coordinates, equation and solution as an align environment."""
    import sympy

    def symbol(s: Any) -> str:
        return expression_latex(s)

    entries = [f"{symbol(s)} &= {expression_latex(e)}" for s, e in made.coordinates.items() if s != e]
    formulas: Any = made.sde.symbolic
    clock = symbol(next(iter(made.coordinates)))
    letter = "B" if made.level == "law" or clock != "t" else "W"
    for i, s in enumerate(formulas.state):
        terms = [f"\\left({expression_latex(formulas.drift[i])}\\right) d{clock}"] if formulas.drift[i] != 0 else []
        for k in range(formulas.noise):
            entry = formulas.diffusion[i, k]
            mark = f"_{{{k + 1}}}" if formulas.noise > 1 else ""
            if entry != 0:
                front = "" if entry == 1 else f"\\left({expression_latex(entry)}\\right)"
                terms.append(f"{front}\\, d{letter}{mark}")
        entries.append(f"d{symbol(s)} &= {' + '.join(terms) or '0'}")
    entries += [f"{symbol(s)}(t) &= {expression_latex(sympy.sympify(e))}" for s, e in (made.solution or {}).items()]
    return "\\begin{align}\n" + " \\\\\n".join(entries) + "\n\\end{align}\n"


def dictionary(made: Reduction) -> dict[str, Any]:
    """Plain text and lists for JSON (docs/json.md)."""

    def table(given: Any) -> Any:
        return None if given is None else {str(s): str(e) for s, e in given.items()}

    return {
        "kind": made.kind,
        "status": made.status,
        "error": made.error,
        "level": made.level,
        "coordinates": table(made.coordinates),
        "inverse": table(made.inverse),
        "equation": str(made.sde),
        "closed": made.closed,
        "clock": str(next(iter(made.coordinates))),
        "bessel": None if made.bessel is None else str(made.bessel),
        "solution": table(made.solution),
        "steps": [{"generator": step.generator, "text": step.text} for step in made.steps],
        "validity": made.validity,
        "noise": made.wiener,
        "noise_names": list(made.noise_names),
        "exact_sample": made.is_exact,
        "latex": latex(made),
    }
