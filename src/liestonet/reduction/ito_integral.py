"""The Itô integral ∫ G dW of a known integrand, unevaluated: a SymPy expression beside SymPy's own Integral."""

from __future__ import annotations

from typing import Any

import sympy


class ItoIntegral(sympy.Expr):
    """∫_a^b G(s) dW(s): `ItoIntegral(G, s, a, b, W)`, W the symbol of the Wiener process.

    With an integrand that depends on s alone it is Gaussian with mean zero and the variance `variance`.
    """

    is_commutative = True
    is_extended_real = True
    is_real = True

    def __new__(cls, integrand: Any, variable: Any, lower: Any, upper: Any, noise: Any) -> ItoIntegral:
        parts = [sympy.sympify(part) for part in (integrand, variable, lower, upper, noise)]
        return sympy.Expr.__new__(cls, *parts)

    @property
    def integrand(self) -> Any:
        return self.args[0]

    @property
    def variable(self) -> Any:
        return self.args[1]

    @property
    def lower(self) -> Any:
        return self.args[2]

    @property
    def upper(self) -> Any:
        return self.args[3]

    @property
    def noise(self) -> Any:
        """The symbol of the Wiener process."""
        return self.args[4]

    @property
    def variance(self) -> Any:
        """∫ G² ds, the variance where G is a function of s alone and else its expectation's integrand."""
        return sympy.Integral(self.integrand**2, (self.variable, self.lower, self.upper))

    @property
    def free_symbols(self) -> set[Any]:
        inside = self.integrand.free_symbols - {self.variable}
        return inside | self.lower.free_symbols | self.upper.free_symbols | {self.noise}

    def _eval_subs(self, old: Any, new: Any) -> Any:
        if old == self.variable:  # the variable of integration is not replaced by a value
            low, high = self.lower.subs(old, new), self.upper.subs(old, new)
            return ItoIntegral(self.integrand, self.variable, low, high, self.noise)
        return None

    def _sympystr(self, printer: Any) -> str:
        integrand, variable, lower, upper, noise = (printer._print(part) for part in self.args)
        return f"ItoIntegral({integrand}, d{noise}({variable}), {lower}..{upper})"

    def _latex(self, printer: Any) -> str:
        integrand, variable, lower, upper, noise = (printer._print(part) for part in self.args)
        if self.integrand == 1 and self.lower == 0:
            return f"{{{noise}}}_{{{upper}}}"
        factor = "" if self.integrand == 1 else f"{integrand}\\, "
        return f"\\int\\limits_{{{lower}}}^{{{upper}}} {factor}d{{{noise}}}_{{{variable}}}"
