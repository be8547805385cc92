"""The weighted sum of the losses, from one evaluation of the generators for all of them (docs/method.md §12)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from liestonet.neural import losses_l1_to_l5 as structure
from liestonet.neural.generator_networks import DifferentiableGenerators, GeneratorJets
from liestonet.neural.losses_l6_l8 import Batch, validity
from liestonet.neural.losses_l7_l9 import pushed_coefficients, pushed_density
from liestonet.neural.settings import Objective

LossesByNumber = dict[int, Float[Array, ""]]


def loss_names(numbers: Iterable[int]) -> tuple[str, ...]:
    """The names of the losses in messages and files."""
    return tuple(f"L{number}" for number in numbers)


@dataclass(frozen=True)
class Losses:
    """L1 … L9 of one kind of symmetry in the forms chosen by the settings."""

    objective: Objective
    kind: str

    @property
    def active(self) -> tuple[int, ...]:
        return self.objective.active(self.kind == "fokker-planck")

    def terms(
        self, networks: DifferentiableGenerators, batch: Batch, key: PRNGKeyArray, wanted: tuple[int, ...] | None = None
    ) -> LossesByNumber:
        """The losses with a weight, or those asked for, each by its number."""
        wanted = self.active if wanted is None else wanted
        if set(wanted) == {5}:
            return {5: self._independence(networks.values(batch["points"]))}
        pointwise = self.objective.closure == "pointwise" and bool({1, 2} & set(wanted))
        evaluate = networks.bent if pointwise else networks
        fields = evaluate(batch["points"], batch.get("variances", batch["squared"]))
        found: LossesByNumber = {}
        if {1, 2, 3} & set(wanted):
            found |= self._algebraic(fields, wanted)
        if 4 in wanted:
            found[4] = structure.bilinearity(fields, key)
        if 5 in wanted:
            found[5] = self._independence(fields.values)
        if 6 in wanted or 8 in wanted:
            number = 8 if self.kind == "fokker-planck" else 6
            found[number] = validity(self.kind, fields, batch, self.objective.absolute)
        if 7 in wanted:
            found[7] = pushed_coefficients(self.kind, networks, fields, batch, self.objective)
        if 9 in wanted:
            found[9] = pushed_density(networks, batch, self.objective)
        return found

    def _algebraic(self, fields: GeneratorJets, wanted: tuple[int, ...]) -> LossesByNumber:
        """L1, L2 and L3 from one set of brackets."""
        brackets = structure.lie_brackets(fields)
        found: LossesByNumber = {}
        if 3 in wanted:
            found[3] = structure.skew_symmetry(brackets)
        if not {1, 2} & set(wanted):
            return found
        if self.objective.closure == "pointwise":
            constants, gradient = structure.pointwise_constants(fields, brackets, self.objective.ridge)
        else:
            constants, gradient = structure.global_constants(fields, brackets, self.objective.ridge), None
        if 1 in wanted:
            found[1] = structure.closure(fields, brackets, constants)
            if gradient is not None:
                found[1] = found[1] + structure.constancy(gradient)
        if 2 in wanted:
            found[2] = structure.jacobi(constants)
        return found

    def _independence(self, values: Float[Array, "m b c"]) -> Array:
        if self.objective.independence == "hinge":
            return structure.independence_hinge(values, self.objective.level)
        return structure.independence_determinant(values, self.objective.epsilon)

    def weights_at(self, progress: Float[Array, ""]) -> dict[int, Float[Array, ""] | float]:
        """The weights at a fraction `progress` of training: L1–L4 rise linearly from the beginning of the ramp."""
        ramp = self.objective.ramp
        rising = 1.0 if ramp is None else jnp.clip((progress - ramp) / (1 - ramp), 0.0, 1.0)
        return {n: self.objective.weights[n - 1] * (rising if n <= 4 else 1.0) for n in self.active}

    def total(
        self, networks: DifferentiableGenerators, batch: Batch, key: PRNGKeyArray, progress: Float[Array, ""]
    ) -> tuple[Float[Array, ""], dict[str, Float[Array, ""]]]:
        """The weighted sum with the explicit decay of the parameters, and the single losses by name."""
        terms, weights = self.terms(networks, batch, key), self.weights_at(progress)
        total = sum((weights[n] * terms[n] for n in self.active), start=jnp.zeros(()))
        if self.objective.decay:
            total = total + self.objective.decay * sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(networks))
        return total, dict(zip(loss_names(self.active), (terms[n] for n in self.active), strict=True))
