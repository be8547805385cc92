"""Files with right hashes and wrong content, made on purpose: refused, or harmless; nothing in them ever runs."""

from __future__ import annotations

import copy
import json
import random
import tracemalloc

import pytest

import liestonet as lsn
from liestonet.errors import InputError
from liestonet.storage import container
from liestonet.storage.container import write_container
from liestonet.storage.expressions import read_expressions
from liestonet.storage.pack import pack
from storage_cases import result


def forged(case: str, change, path) -> None:
    """Write a result after its content was changed, with hashes that agree."""
    content, arrays = pack(result(case))
    content = copy.deepcopy(content)
    change(content, arrays)
    write_container(path, content, arrays)


def objects(content, name: str) -> list[dict]:
    return [row["fields"] for row in content["objects"] if row["class"] == name]


def set_field(name: str, field: str, value):
    def change(content, arrays):
        for fields in objects(content, name):
            fields[field] = value

    return change


def set_array(name: str, field: str, edit):
    """Edit a copy of the array behind a field of the first object of a class."""

    def change(content, arrays):
        place = objects(content, name)[0][field]
        place = place if isinstance(place, dict) else place[0]
        arrays[place["array"]] = edit(arrays[place["array"]].copy())

    return change


def rename_class(content, arrays):
    content["objects"][0]["class"] = "Popen"


def module_path(content, arrays):
    content["objects"][0]["class"] = "os.system"


def drop_field(content, arrays):
    del objects(content, "Result")[0]["domain"]


def circle(content, arrays):
    objects(content, "Result")[0]["domain"] = {"object": len(content["objects"]) - 1}


def deep(content, arrays):
    value: object = 1
    for _ in range(200):
        value = [value]
    objects(content, "EquationFindings")[0]["draws"] = value


REFUSED = {
    "unknown class": (rename_class, "'Popen' is not a class"),
    "module": (module_path, "'os.system' is not a class"),
    "missing field": (drop_field, "no field 'domain' in the file"),
    "new field": (set_field("Flag", "colour", "red"), "no field 'colour' in this version"),
    "circle": (circle, "do not fit together"),
    "too deep": (deep, "nested too deeply"),
    "wrong type": (set_field("Result", "names", 3), "'names' of Result has a wrong type"),
    "bool for a number": (set_field("EquationFindings", "gap", True), "'gap' of EquationFindings has a wrong type"),
    "text for a number": (set_field("Result", "dimension", "3"), "'dimension' of Result has a wrong type"),
    "other kind": (set_field("Result", "symmetry", "weak"), "kind of symmetry is unknown"),
    "list for a tuple": (set_field("Result", "flags", {"list": []}), "'flags' of Result"),
    "terminal codes": (set_field("Flag", "message", "\x1b[2J"), "control characters"),
    "half a character": (set_field("Flag", "message", "\ud800"), "control characters"),
    "unknown value": (set_field("EquationFindings", "bound", {"pickle": "gASV"}), "'pickle' is not a kind of value"),
    "two values": (set_field("EquationFindings", "bound", {"array": "a0", "list": []}), "more than one kind"),
    "missing array": (set_field("Fields", "coefficients", {"array": "a99"}), "do not fit together"),
    "late object": (set_field("Fields", "basis", {"object": 9999}), "do not fit together"),
    "negative object": (set_field("Fields", "basis", {"object": -1}), "not the number of an entry"),
    "no findings": (set_field("Result", "findings", {"object": 0}), "'findings' of Result has a wrong type"),
    "another object": (set_field("Result", "algebra", {"object": 0}), "'algebra' of Result"),
    "text for a formula": (
        set_field("Formula", "tau", "__import__('os').system('touch forged')"),
        "'tau' of Formula has a wrong type",
    ),
    "huge degree": (set_array("Basis", "degrees", lambda a: a + 10**9), "impossible degree"),
    "negative degree": (set_array("Basis", "degrees", lambda a: a - 5), "impossible degree"),
    "short generators": (set_array("Fields", "coefficients", lambda a: a[:-1].copy()), "do not match their basis"),
    "whole numbers": (set_array("Fields", "coefficients", lambda a: a.astype(int)), "'coefficients' of Fields"),
    "empty domain": (set_field("Domain", "intervals", [[1.0, 0.0], [0.0, 1.0]]), "empty or reversed"),
    "not finite": (set_field("Domain", "intervals", [[0.0, {"float": "inf"}], [0.0, 1.0]]), "must be finite"),
    "other float": (set_field("Domain", "intervals", [[0.0, {"float": "1e5"}], [0.0, 1.0]]), "do not fit together"),
}


@pytest.mark.parametrize(("change", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_forged_content_is_refused(change, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    forged("1-D", change, tmp_path / "run.lsn")
    with pytest.raises(InputError, match=reason):
        lsn.load(tmp_path / "run.lsn")
    assert [path.name for path in tmp_path.iterdir()] == ["run.lsn"]


def test_a_newer_file_says_so(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(container, "SCHEMA", 7)
        result("1-D").save(tmp_path / "run.lsn")
    with pytest.raises(InputError, match=r"written by a newer LieStoNet \(schema 7; this one reads up to 2\); update"):
        lsn.load(tmp_path / "run.lsn")


def test_an_older_file_lacks_a_field_that_has_a_default(tmp_path):
    def change(content, arrays):
        del objects(content, "Result")[0]["provenance"]
        for name in ("draws", "parametric_brackets", "validation"):
            del objects(content, "EquationFindings")[0][name]

    forged("1-D", change, tmp_path / "run.lsn")
    opened = lsn.load(tmp_path / "run.lsn")
    assert opened.provenance is None
    assert opened.validation is None
    assert not opened.draw


X = [["Symbol", "x", {"real": True}]]
RATIONAL = ["Rational", "0x9", "0x1"]


def tower() -> list:
    """9^9^9^…: SymPy would compute it."""
    return [RATIONAL, *(["Pow", 0, i] for i in range(20))]


def laughs() -> list:
    """Forty rows that are a sum of 2^40 terms."""
    return [*X, *(["Add", i, i] for i in range(40))]


EXPRESSIONS = {
    "laughs": laughs(),
    "too deep": [*X, *(["exp", i] for i in range(400))],
    "call": [*X, ["__import__", 0]],
    "lambda": [*X, ["Lambda", 0, 0]],
    "attribute": [*X, ["exp.__class__", 0]],
    "unknown function": [*X, ["Unknown", "eval", 0]],
    "unknown text": [*X, ["Unknown", "tau_1 if exit() else f", 0]],
    "long integer": [["Rational", "0x" + "f" * 10_000, "0x1"]],
    "decimal digits": [["Rational", "9" * 5000, "1"]],
    "zero denominator": [["Rational", "0x1", "0x0"]],
    "large exponent": [["Float", "0x1", 10**9, 53]],
    "precision": [["Float", "0x1", 0, 10**9]],
    "later row": [["exp", 1], *X],
    "itself": [["exp", 0]],
    "no argument": [["exp"]],
    "power of one": [*X, ["Pow", 0]],
    "no symbol": [["Symbol", 3, {}]],
    "false facts": [["Symbol", "x", {"real": 1}]],
    "unknown facts": [["Symbol", "x", {"__class__": True}]],
    "no row": [3],
}  # fmt: skip


@pytest.mark.parametrize("rows", EXPRESSIONS.values(), ids=EXPRESSIONS.keys())
def test_strange_expressions_are_refused(rows, tmp_path):
    def change(content, arrays):
        content["expressions"] = rows

    forged("1-D", change, tmp_path / "run.lsn")
    tracemalloc.start()
    with pytest.raises(InputError, match=r"run\.lsn"):
        lsn.load(tmp_path / "run.lsn")
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()


def test_nothing_is_computed_on_reading():
    *_, last = read_expressions(tower())
    assert last.count_ops() == 20


def test_a_coefficient_that_would_be_huge_is_refused(tmp_path):
    def change(content, arrays):
        start = len(content["expressions"])
        rows = [
            [head, *(number + start for number in rest)] if head == "Pow" else [head, *rest] for head, *rest in tower()
        ]
        content["expressions"] += rows
        objects(content, "SymbolicCoefficients")[0]["drift"] = {"matrix": [1, 1, [start + len(rows) - 1]]}

    forged("1-D", change, tmp_path / "run.lsn")
    with pytest.raises(InputError, match=r"is beyond|too many digits|exponent"):
        lsn.load(tmp_path / "run.lsn")


def test_a_coefficient_with_an_unknown_function_is_refused(tmp_path):
    def change(content, arrays):
        content["expressions"] += [["Symbol", "x", {"real": True}]]
        content["expressions"] += [["Unknown", "tau_1", len(content["expressions"]) - 1]]
        number = len(content["expressions"]) - 1
        objects(content, "SymbolicCoefficients")[0]["drift"] = {"matrix": [1, 1, [number]]}

    forged("1-D", change, tmp_path / "run.lsn")
    with pytest.raises(InputError, match="not supported"):
        lsn.load(tmp_path / "run.lsn")


LEAVES = [
    None, True, 0, -1, 3, 10**18, 1.5, "", "x", "__import__('os').system('touch forged')", "{0.__class__}", [], [[]],
    {"list": []}, {"map": []}, {"map": [[1, 2]]}, {"array": "a0"}, {"object": 0}, {"expression": 0}, {"float": "nan"},
    {"matrix": [1, 1, [0]]}, {"sparse": [[1, 1], {"array": "a0"}, {"array": "a0"}, {"array": "a0"}]}, {"object": 1e9},
]  # fmt: skip


def places(value, found: list) -> list:
    """Every place in a JSON value that can be replaced."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found.append((value, key))
        places(item, found)
    return found


def use(found) -> None:
    """Everything that turns a stored result into something else; a forged one may fail, but not run or grow."""
    for action in (found.to_json, found.latex, found.brackets, found._repr_html_, lambda: found.algebra.name):
        try:
            action()
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError):
            continue


FORGED = ["1-D", "infinite", "callables", "parameters"]


def forge_at_random(case: str, count: int, path) -> int:
    """Forge a file so many times; return how many were refused."""
    rng = random.Random(f"{case} {count}")
    packed, arrays = pack(result(case))
    text = json.dumps(packed)
    refused = 0
    for _ in range(count):
        content = json.loads(text)
        for _ in range(rng.choice([1, 1, 2, 5])):
            holder, key = rng.choice(places(content, []))
            holder[key] = copy.deepcopy(rng.choice(LEAVES))
        write_container(path, content, arrays)
        tracemalloc.start()
        try:
            found = lsn.load(path)
        except InputError:
            refused += 1
        else:
            use(found)
        finally:
            assert tracemalloc.get_traced_memory()[1] < 2**26
            tracemalloc.stop()
    return refused


@pytest.mark.parametrize("case", FORGED)
@pytest.mark.parametrize("count", [8, pytest.param(400, marks=pytest.mark.slow)])
def test_random_forgeries_are_refused_or_harmless(case, count, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert forge_at_random(case, count, tmp_path / "run.lsn") > count / 2
    assert [found.name for found in tmp_path.iterdir()] == ["run.lsn"]
