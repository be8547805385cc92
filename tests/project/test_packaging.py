"""The package as a user meets it: its names, its version, and what stands about it in other files."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

import liestonet

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOT_LOADED = ["jax", "sympy", "matplotlib", "pyarrow", "scipy", "numpy"]


@pytest.mark.parametrize("name", liestonet.__all__)
def test_public_name_resolves(name):
    assert getattr(liestonet, name) is not None


def test_dir_lists_the_public_names_before_they_are_loaded():
    code = "import liestonet, sys; sys.exit(not set(liestonet.__all__) <= set(dir(liestonet)))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'symetry'"):
        liestonet.symetry  # pyright: ignore[reportAttributeAccessIssue]  # noqa: B018


def test_import_loads_nothing_heavy():
    code = f"import liestonet, sys; sys.exit(' '.join({{*{NOT_LOADED}}} & {{*sys.modules}}) or 0)"
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, f"import liestonet loads {outcome.stderr}"


def test_version_is_the_same_everywhere():
    assert liestonet.__version__ == PROJECT["version"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", citation, re.M) == [PROJECT["version"]]


def test_constraints_name_versions_only():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    wrong = [line for line in lines if not re.fullmatch(r"#.*|[a-z0-9-]+==[0-9a-z.]+", line)]
    assert not wrong, wrong


def test_constraints_cover_all_requirements():
    pinned = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text().splitlines()}
    asked = chain(PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    names = {re.split(r"[^A-Za-z0-9-]", need)[0] for need in asked}
    assert names - {"liestonet"} <= pinned


@pytest.mark.skipif(not (ROOT / ".ci" / "run").exists(), reason="the source distribution has no CI script")
def test_ci_runs_what_make_check_runs():
    called = re.findall(r"^\s*make (\S+)", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.M)
    assert called == ["check"]
