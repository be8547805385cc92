"""Numbers that decide stand in frozen values, each with its source; other numbers at the top of a module are listed.

Read from the syntax tree, so that a new constant is covered on the day it is written.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path

import pytest

from liestonet.core.provenance import tuning_record
from liestonet.core.tuning import by_dimension

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "liestonet"
ROOMS = [
    "core",
    "sde",
    "symmetry",
    "surrogate",
    "inference",
    "diagnostics",
    "validation",
    "formulas",
    "algebra",
    "neural",
    "pipeline",
]
# Sizes, limits of input and of output, and numbers of mathematics: none of them changes what is decided.
NO_DECISION = {
    "core/coordinate.py": {"EXTRA_POINTS"},
    "core/noise_shape.py": {"PLACES", "NODES", "FAR_NODES", "NEAREST"},  # of an integral, to rounding
    "core/p_values.py": {"SMALLEST_P", "LARGEST_P"},  # of the text; verdicts use the p-value itself
    "core/pace.py": {"DISCOVERING", "SOLVING", "SOONEST"},
    "sde/domain_choice.py": {"_BATCH"},
    "sde/exact.py": {"LARGEST", "MAX_BITS", "MAX_POWER", "MAX_EXPONENT_SIZE", "_LARGEST_PRIME"},
    "sde/grammar.py": {"MAX_DEPTH"},
    "sde/modular.py": {"PRIME", "TRIES", "PARTS"},
    "sde/parametric_series.py": {"SMALL", "LARGEST_ROOT"},
    "sde/polynomial.py": {"CHUNK", "ONE_THREAD", "DENSE"},
    "sde/polynomials.py": {"BITS", "MOST_AUXILIARY", "LARGEST_FRACTION"},
    "sde/sde.py": {"_PROBES", "_BATCH"},
    "sde/simulation.py": {"NORMALS_AT_ONCE", "SECONDS_BETWEEN_REPORTS", "LARGEST_GRID", "LARGEST_NUMBER"},
    "sde/singularities.py": {"_FACTOR_OPERATIONS"},
    "sde/symbolic.py": {"_TIDY_OPERATIONS"},
    "sde/tokens.py": {"MAX_CHARACTERS", "MAX_TOKENS", "MAX_DIGITS", "MAX_NAME", "MAX_EXPONENT"},
    "symmetry/determining/fields.py": {"CHUNK", "DENSE"},
    "symmetry/determining/operator.py": {"CHUNK", "KEPT_BYTES", "CHUNK_BYTES"},
    "symmetry/statistical/noisy_operator.py": {"KEPT_BYTES"},
    "surrogate/regression.py": {"PIECE", "STRIP", "LEAST_STRIP"},
    "diagnostics/turnover.py": {"MEDIAN_SQUARE"},
    "validation/flows.py": {"PIECE", "STAGES", "ERROR"},
    "validation/smoothness.py": {"ORDER"},
    "formulas/functionspace.py": {"CHUNK"},
    "formulas/notation.py": {"LARGEST_FACTORED"},
    "formulas/shortest.py": {"LARGEST", "LARGEST_POWER", "SMALLEST"},
    "algebra/naming.py": {"MOST_QUESTIONS"},
    "algebra/structure.py": {"CHUNK_ENTRIES", "SHOWN"},
    "neural/generator_networks.py": {"PIECE"},
    "neural/loss_probe.py": {"WIDTHS", "REPEATS"},  # of untrained networks
    "neural/engine.py": {"MOST_GENERATORS"},
    "neural/presets.py": {"_DENSITY"},  # part of the settings, which a result keeps
    "neural/sweep.py": {"CHUNK"},
    "neural/coefficients/batches.py": {"LEAST_TRAINED"},
    "neural/coefficients/density.py": {"LEAST_STATES", "ROWS"},
    "neural/coefficients/information.py": {"PIECE", "PIECE_BEYOND", "FEW_OUTPUTS"},
    "neural/coefficients/jets.py": {"ROWS", "COLUMNS"},
    "neural/coefficients/likelihood.py": {"PIECE"},
    "core/cluster.py": {"ANSWER_WITHIN", "WORKERS_WITHIN", "ASK_EVERY", "PAUSE", "DEATH_WITHIN", "AHEAD"},
    "pipeline/crew.py": {"SOONEST"},
    "pipeline/solve.py": {"MOST_COORDINATES"},
}
TUNED = sorted(path for room in ROOMS for path in (PACKAGE / room).rglob("tuning.py"))


def is_number(node: ast.expr) -> bool:
    """A number, a sum or product with one, or a tuple or dictionary of numbers."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) or is_number(node.right)
    if isinstance(node, ast.Tuple | ast.List):
        return bool(node.elts) and all(is_number(part) for part in node.elts)
    return isinstance(node, ast.Dict) and bool(node.values) and all(is_number(part) for part in node.values)


def constants(tree: ast.Module) -> set[str]:
    """Names at the top of a module that stand for numbers."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=True))
            found |= {ast.unparse(name) for name, value in pairs if is_number(value)}
    return found


def tuning_classes(path: Path) -> list[ast.ClassDef]:
    return [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)]


def test_constants_are_found():
    code = "A = 1\nB, C = 2e-3, 'x'\nD: float = -1.0\nE = 2**3\nF = {1: 2}\nG = f(3)\nH = 4 * EPS\nI = True"
    assert constants(ast.parse(code)) == {"A", "B", "D", "E", "F", "H"}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_keeps_the_numbers_that_decide_in_its_tuning(room: str):
    for path in sorted((PACKAGE / room).rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        found = constants(ast.parse(path.read_text()))
        assert found <= NO_DECISION.get(place, set()), f"{place}: give it a field with a source, or list it here"


def test_the_list_names_nothing_that_is_gone():
    for place, names in NO_DECISION.items():
        assert names <= constants(ast.parse((PACKAGE / place).read_text())), place


@pytest.mark.parametrize("path", TUNED, ids=lambda path: str(path.relative_to(PACKAGE).parent))
def test_every_field_says_where_its_value_comes_from(path: Path):
    lines = path.read_text().splitlines()
    for node in tuning_classes(path):
        for field in (part for part in node.body if isinstance(part, ast.AnnAssign)):
            comment, line = [], field.lineno - 2
            while lines[line].startswith("    # "):
                comment.append(lines[line].strip().removeprefix("# "))
                line -= 1
            text = " ".join(reversed(comment))
            assert " Source: " in text, f"{node.name}.{ast.unparse(field.target)}"


@pytest.mark.parametrize("path", TUNED, ids=lambda path: str(path.relative_to(PACKAGE).parent))
def test_every_value_is_frozen_and_made_once(path: Path):
    module = import_module("liestonet." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts))
    made = Counter(type(value).__name__ for value in vars(module).values() if is_dataclass(value))
    for node in tuning_classes(path):
        kind = getattr(module, node.name)
        assert made[node.name] == 1
        assert kind.__dataclass_params__.frozen
        assert all(hash(getattr(kind(), field.name)) is not None for field in fields(kind))  # nothing that can change


def test_class_names_are_used_once():
    """They are the keys in a result's provenance."""
    names = Counter(node.name for path in TUNED for node in tuning_classes(path))
    assert set(names.values()) == {1}


@pytest.mark.parametrize(("dimension", "value"), [(1, "a"), (2, "b"), (3, "c"), (10, "c")])
def test_the_last_value_is_for_all_more_coordinates(dimension: int, value: str):
    assert by_dimension(("a", "b", "c"), dimension) == value


def test_a_record_has_every_value_of_those_given():
    from liestonet.symmetry.statistical.tuning import JUDGING, SEARCH

    record = tuning_record(SEARCH, JUDGING)
    assert list(record) == ["SearchTuning", "JudgingTuning"]
    assert record["JudgingTuning"]["model_error"] == JUDGING.model_error
    assert record["SearchTuning"].keys() == {field.name for field in fields(SEARCH)}


def test_the_values_of_the_neural_engine_load_no_jax():
    code = "import sys, liestonet.neural.tuning; sys.exit('jax' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_what_is_asked_of_a_symmetry_has_one_default():
    from inspect import signature

    from liestonet.cli.discover import discover as command
    from liestonet.core.tuning import SHARED
    from liestonet.pipeline.discover import discover
    from liestonet.symmetry.statistical.verdicts import Criteria

    for asked in (signature(discover), signature(command), signature(Criteria)):
        assert asked.parameters["tolerance"].default == SHARED.default_tolerance
        assert asked.parameters["error_rate"].default == SHARED.default_error_rate
