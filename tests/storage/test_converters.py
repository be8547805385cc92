"""Files of earlier schemas: what moved is found again, what refers to it still does, what is unknown is refused."""

from __future__ import annotations

from typing import Any

import pytest

from liestonet.storage.converters import converted


def schema_1(**fields: Any) -> dict[str, Any]:
    """A file with a domain, a result and a value that refers to both, as schema 1 had them."""
    result = {"symmetry": "ito", "gap": 2.5, "domain": {"object": 0}, "surrogate": {"object": 1}, **fields}
    objects = [
        {"class": "Domain", "fields": {"intervals": [[0.0, 1.0]]}},
        {"class": "StoredEquation", "fields": {}},
        {"class": "Result", "fields": result},
        {"class": "Later", "fields": {"result": [{"object": 2}], "domain": {"object": 0}}},
    ]
    return {"written_by": "0.1.0", "root": {"object": 3}, "objects": objects, "expressions": []}


def test_an_equation_gets_findings_and_references_follow():
    found = converted(schema_1(bound=3, draws=[], standards=None, data=None), 1)
    names = [row["class"] for row in found["objects"]]
    assert names == ["Domain", "StoredEquation", "EquationFindings", "Result", "Later"]
    findings, result, later = (row["fields"] for row in found["objects"][2:])
    assert findings == {"gap": 2.5, "equation": {"object": 1}, "bound": 3, "draws": []}
    assert result == {"symmetry": "ito", "domain": {"object": 0}, "closed_forms": [], "findings": {"object": 2}}
    assert later == {"result": [{"object": 3}], "domain": {"object": 0}}
    assert found["root"] == {"object": 4}


def test_data_get_findings_of_their_own():
    found = converted(schema_1(standards={"object": 0}, law_dimension=2, bound=None), 1)
    (findings,) = [row["fields"] for row in found["objects"] if row["class"] == "DataFindings"]
    assert findings == {"gap": 2.5, "surrogate": {"object": 1}, "criteria": {"object": 0}, "law_dimension": 2}


def test_a_field_that_no_version_had_stays_to_be_refused():
    found = converted(schema_1(colour="red"), 1)
    (result,) = [row["fields"] for row in found["objects"] if row["class"] == "Result"]
    assert result["colour"] == "red"


@pytest.mark.parametrize("content", [None, [], "text", 3])
def test_what_is_no_content_is_left_to_the_reader(content):
    assert converted(content, 1) is content


def test_the_present_schema_is_left_as_it_is():
    content = schema_1()
    assert converted(content, 2) is content
