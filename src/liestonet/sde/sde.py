"""The equation dx = f(t, x) dt + σ(t, x) dW (Itô): one value, from text, SymPy or NumPy callables.

Coefficients are evaluated in batches, t (B,) and x (B, d), and every returned array is checked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Coefficients
from liestonet.core.domain import Domain
from liestonet.core.flags import Flag
from liestonet.core.periods import checked_periods
from liestonet.errors import InputError
from liestonet.trajectories.checks import default_names

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients
    from liestonet.trajectories import Trajectories

Coefficient = Callable[[np.ndarray, np.ndarray], Any]
_PROBES, _BATCH = (0.0, 1.0, 0.5), 5


class SDE:
    """An Itô equation with d coordinates and r noises, never changed once made.

    `SDE(drift, diffusion, dimension=2)` takes batched callables: t (B,), x (B, d) -> (B, d) and (B, d, r).
    Equations made by `SDE.parse` and `SDE.from_sympy` keep their formulas in `symbolic`.
    """

    __slots__ = ("_diffusion", "_drift", "_flags", "_names", "_noise", "_periodic", "_symbolic")
    _drift: Coefficient
    _diffusion: Coefficient
    _flags: tuple[Flag, ...]
    _names: tuple[str, ...]
    _noise: int
    _periodic: dict[str, float]
    _symbolic: SymbolicCoefficients | None

    def __init__(
        self,
        drift: Coefficient | Any,
        diffusion: Coefficient | Any,
        dimension: int | Any,
        noise: int | Any | None = None,
        *,
        names: Sequence[str] | Any | None = None,
        flags: tuple[Flag, ...] = (),
    ) -> None:
        size = _whole(dimension, "dimension", 1)
        if not (callable(drift) and callable(diffusion)):
            raise InputError("drift and diffusion must be callables of t (B,) and x (B, d); for text use SDE.parse.")
        self._drift, self._diffusion = drift, diffusion
        self._names = _check_names(names, size)
        self._flags, self._symbolic, self._periodic = tuple(flags), None, {}
        self._noise = _probe_noise(diffusion, size) if noise is None else _whole(noise, "noise", 0)

    @classmethod
    def parse(
        cls,
        text: str | Any,
        /,
        *,
        parameters: Mapping[Any, Any] | None = None,
        stratonovich: bool = False,
        **values: Any,
    ) -> SDE:
        """Read equations as people write them, such as `dx = -k*x dt + s dW; k = 1.5`; nothing in the text is executed.

        Values may be given in the text, in `parameters` or as keywords; the latter two take precedence over the text.
        Names without a value stay symbolic, see `parameters`. `x ∘ dW` (or `stratonovich=True`) is converted
        to Itô's form, and `notes` says so.
        """
        from liestonet.sde.parse import parse_system

        given = dict(parameters or {})
        if twice := sorted(str(name) for name in given.keys() & values.keys()):
            raise InputError(f"Parameter {twice[0]} is given twice, in parameters= and as a keyword; keep one.")
        return cls.from_coefficients(*parse_system(text, given | values, stratonovich))

    @classmethod
    def from_sympy(
        cls,
        drift: Any,
        diffusion: Any,
        state: Any,
        time: Any = None,
        *,
        parameters: Mapping[Any, Any] | None = None,
        stratonovich: bool = False,
    ) -> SDE:
        """Take SymPy coefficients: drift a list or column, diffusion a matrix, list of rows or column."""
        from liestonet.sde.sympy_input import coefficients

        return cls.from_coefficients(*coefficients(drift, diffusion, state, time, parameters, stratonovich))

    @classmethod
    def from_coefficients(cls, symbolic: SymbolicCoefficients, flags: tuple[Flag, ...]) -> SDE:
        """An equation from formulas that are already checked, as `parse` and `from_sympy` do."""
        made = cls.__new__(cls)
        made._drift = made._diffusion = _never
        made._names = tuple(symbol.name for symbol in symbolic.state)
        made._noise, made._flags, made._symbolic = symbolic.noise, flags, symbolic
        made._periodic = {}
        return made

    def with_periods(self, periodic: Mapping[str, float] | Any) -> SDE:
        """The same equation with angles and phases: {"theta": 2 * math.pi}. `solve` and `simulate` then use them."""
        made = type(self).__new__(type(self))
        for slot in self.__slots__:
            setattr(made, slot, getattr(self, slot))
        made._periodic = dict(checked_periods(periodic, self._names))
        return made

    def with_killing(self, killing: Any) -> SDE:
        """The same equation with paths killed at a rate, an expression in the state such as "r*x"; None for no killing.

        A killing changes the density alone: `solve(symmetry="fokker-planck")`, `density` and `price` use it.
        """
        from liestonet.sde.killing import with_killing

        made = type(self).__new__(type(self))
        for slot in self.__slots__:
            setattr(made, slot, getattr(self, slot))
        made._symbolic = with_killing(self._symbolic, killing)
        return made

    @property
    def killing(self) -> Any:
        """The rate at which paths are killed, a SymPy expression; None without killing."""
        rate: Any = None if self._symbolic is None else self._symbolic.killing[0]
        return None if self._symbolic is None or rate == 0 else rate

    @property
    def periodic(self) -> Mapping[str, float]:
        """Periods of angles and phases, by coordinate."""
        return MappingProxyType(self._periodic)

    @property
    def dimension(self) -> int:
        """Number of coordinates, d."""
        return len(self._names)

    @property
    def noise(self) -> int:
        """Number of independent Wiener processes, r."""
        return self._noise

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return self._names

    @property
    def flags(self) -> tuple[Flag, ...]:
        """Remarks on how the equation was read or converted, and what to do about it."""
        return self._flags

    @property
    def notes(self) -> tuple[str, ...]:
        """The flags as plain text."""
        return tuple(f"{flag.message} {flag.action}" for flag in self._flags)

    @property
    def symbolic(self) -> SymbolicCoefficients | None:
        """The formulas, or None for callables."""
        return self._symbolic

    @property
    def callables(self) -> tuple[Coefficient, Coefficient]:
        """Drift and diffusion as given; for an equation from formulas, functions that raise an error."""
        return self._drift, self._diffusion

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names that have no value yet."""
        return self._symbolic.parameters if self._symbolic is not None else ()

    def with_parameters(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> SDE:
        """The same equation with some parameters given their values."""
        given = dict(values or {}) | more
        if self._symbolic is None:
            raise InputError("An equation made from callables has no parameters; put the values into the callables.")
        return self.from_coefficients(self._symbolic.substitute(given), self._flags).with_periods(self._periodic)

    def require_numeric(self) -> None:
        """Raise an error if a parameter has no value."""
        if self._symbolic is not None:
            self._symbolic.require_numeric()

    def drift(self, t: Any, x: Any) -> Float[np.ndarray, "b d"]:
        """f at B points; non-finite values are returned as they are."""
        times, states = self._points(t, x)
        if self._symbolic is not None:
            return self._symbolic.values("drift", times, states)[:, :, 0]
        return _call(self._drift, "drift", times, states, (len(times), self.dimension))

    def diffusion(self, t: Any, x: Any) -> Float[np.ndarray, "b d r"]:
        """σ at B points; non-finite values are returned as they are."""
        times, states = self._points(t, x)
        if self._symbolic is not None:
            return self._symbolic.values("diffusion", times, states)
        return _call(self._diffusion, "diffusion", times, states, (len(times), self.dimension, self.noise))

    def diffusion_squared(self, t: Any, x: Any) -> Float[np.ndarray, "b d d"]:
        """a = σσᵀ at B points."""
        sigma = self.diffusion(t, x)
        return sigma @ sigma.transpose(0, 2, 1)

    def coefficients(self, domain: Domain) -> Coefficients:
        """f, σ and a with their derivatives: exact from formulas, Chebyshev projections of callables on the domain."""
        if self._symbolic is not None:
            return self._symbolic
        from liestonet.sde.chebyshev import project

        return project(self, domain)

    def simulate(
        self,
        initial: Any,
        duration: Any,
        step: Any,
        paths: Any = 1,
        seed: Any = 0,
        *,
        start: Any = 0.0,
        substeps: Any = 1,
        boundary: Any = None,
        progress: Any = None,
    ) -> Trajectories:
        """Simulated paths; see `liestonet.sde.simulation.simulate`."""
        from liestonet.sde.simulation import simulate

        if self.killing is not None:
            raise InputError("Paths that are killed cannot be simulated; simulate the equation without its killing.")
        self.require_numeric()
        return simulate(
            self,
            initial,
            duration,
            step,
            paths,
            seed,
            start=start,
            substeps=substeps,
            boundary=boundary,
            progress=progress,
        )

    def _points(self, t: Any, x: Any) -> tuple[Float[np.ndarray, " b"], Float[np.ndarray, "b d"]]:
        states = np.asarray(x, dtype=np.float64)
        if states.ndim != 2 or states.shape[1] != self.dimension:
            raise InputError(f"x has shape {states.shape}, but (B, {self.dimension}) is needed: one row per point.")
        times = np.asarray(t, dtype=np.float64)
        if times.shape not in ((), (len(states),)):
            raise InputError(f"t has shape {times.shape}, but ({len(states)},) is needed: one time per row of x.")
        return np.broadcast_to(times, (len(states),)), states

    def __str__(self) -> str:
        if self._symbolic is not None:
            killed = "" if self.killing is None else f", killed at the rate {self.killing}"
            return self._symbolic.equations() + killed
        return f"d({', '.join(self._names)}) = drift dt + diffusion dW with {self._noise} noises, from callables"

    def __repr__(self) -> str:
        return f"SDE({str(self)!r})" if self._symbolic is not None else f"<SDE {self}>"


def _never(t: np.ndarray, x: np.ndarray) -> Any:
    raise InputError("This equation is symbolic and has no callables.")


def _whole(value: Any, name: str, least: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise InputError(f"{name} is {value!r}, but it must be a whole number, {least} or more.")
    return number


def _check_names(names: Any, dimension: int) -> tuple[str, ...]:
    if names is None:
        return default_names(dimension)
    checked = (names,) if isinstance(names, str) else tuple(names)
    if (
        len(checked) != dimension
        or len(set(checked)) != dimension
        or not all(isinstance(n, str) and n for n in checked)
    ):
        raise InputError(f"names is {names!r}, but {dimension} different names are needed, one per coordinate.")
    return checked


def _probe_noise(diffusion: Coefficient, dimension: int) -> int:
    """Number of noises, from the shape of σ at the first probe point where it can be evaluated."""
    problem: InputError | None = None
    for value in _PROBES:
        try:
            found = _evaluate(diffusion, "diffusion", np.full(_BATCH, value), np.full((_BATCH, dimension), value))
        except InputError as error:
            problem = error
            continue
        if found.ndim != 3 or found.shape[:2] != (_BATCH, dimension):
            expected = f"({_BATCH}, {dimension}, r) with r noises"
            raise InputError(f"diffusion returned shape {found.shape} for {_BATCH} points; {expected} is needed.")
        return found.shape[2]
    raise InputError(f"The number of noises could not be found; give noise= ({str(problem).rstrip('.')}).") from problem


def _evaluate(function: Coefficient, name: str, t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The result of a user's callable as a real array; if it fails, an error that quotes its message."""
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(function(t, x))
    except Exception as problem:
        reason = " ".join(str(problem).split()).rstrip(".") or type(problem).__name__
        raise InputError(f"The callable {name} failed on {len(t)} points: {reason}.") from problem
    if found.dtype.kind not in "fiub":
        raise InputError(f"The callable {name} returned {found.dtype} values, but real numbers are needed.")
    return found.astype(np.float64)


def _call(function: Coefficient, name: str, t: np.ndarray, x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    found = _evaluate(function, name, t, x)
    if found.shape != shape:
        raise InputError(
            f"The callable {name} returned shape {found.shape}, but {shape} is needed for {len(t)} points."
        )
    return found
