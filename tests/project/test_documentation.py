"""The README and docs/ do what they say: snippets run, outputs agree, links lead somewhere.

The rules by which snippets run and outputs are compared stand in tools/snippets.py.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
SNIPPETS = ROOT / "tools" / "snippets.py"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Made from the source when the site is built; tests/project/test_site.py makes them.
GENERATED = {
    ROOT / "docs" / name
    for name in ("reference/python.md", "reference/values.md", "reference/command-line.md", "speed.md")
}
LINKED = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]

LINK = re.compile(
    r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)"  # [text](target "title")
    r"|^\s*\[[^\]]+\]:\s*(\S+)"  # [name]: target
    r"|(?:href|src)=\"([^\"]+)\"",
    re.M,
)
FENCED = r"^ *(`{3,}|~{3,}).*?^ *\1`*~*\s*$"
CODE = re.compile(FENCED + r"|`[^`\n]+`", re.M | re.S)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def run_snippets(page: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SNIPPETS), str(page)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def anchors(page: str) -> set[str]:
    """The names GitHub gives to a page's headings, and those set by hand."""
    without_blocks = re.sub(FENCED, "", page, flags=re.M | re.S)
    seen: Counter[str] = Counter()
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", without_blocks))
    for heading in re.findall(r"^#{1,6}\s+(.+?)\s*#*\s*$", without_blocks, re.M):
        text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def broken_links(page: Path) -> list[str]:
    """Relative links of a page that lead to no file or no heading; addresses on the web are not followed."""
    broken = []
    for groups in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        link = "".join(groups)
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path) if path else page
        if target in GENERATED:
            continue
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            broken.append(link)
    return broken


# Pages that compute for some seconds: `make docs-check` and `make test-slow` run them.
LONG = {
    "README.md": 24,
    "docs/networks.md": 30,
    "docs/recording.md": 20,
    "docs/finance.md": 17,
    "docs/index.md": 9,
    "docs/equation.md": 9,
    "docs/integrate.md": 9,
    "docs/fitted_equation.md": 6,
    "docs/validation.md": 9,
    "docs/conditions.md": 30,
    "docs/laptop_to_cluster.md": 8,
    "docs/long_recordings.md": 7,
    "docs/angles.md": 6,
    "docs/report.md": 4,
    "docs/symptoms.md": 4,
    "docs/mirrors.md": 6,
    "docs/classify.md": 2,
    "docs/prices.md": 2,
    "docs/files.md": 2,
    "docs/densities.md": 2,
    "docs/five_tasks.md": 20,
    "docs/gallery/trap.md": 11,
    "docs/gallery/free_particle.md": 6,
    "docs/gallery/double_well.md": 6,
    "docs/gallery/rotor.md": 6,
    "docs/gallery/oscillator.md": 8,
    "docs/gallery/price.md": 5,
    "docs/gallery/population.md": 5,
    "docs/gallery/proof.md": 4,
}


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.slow] * (name(page) in LONG), id=name(page)) for page in PAGES]
)
def test_snippets_run(page):
    assert page.is_file(), f"{name(page)} is missing"
    outcome = run_snippets(page)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


@pytest.mark.parametrize("page", LINKED, ids=name)
def test_links_resolve(page):
    assert page.is_file(), f"{name(page)} is missing"
    assert not broken_links(page)


GOOD = {
    "python in one namespace": "```python\na = 1\n```\nthen\n```python\nassert a == 1\n```",
    "output": "```python\nprint('took 1.23 s')\n```\n<!-- output -->\n```text\ntook 0.5 s\n```",
    "ellipsis": "```python\nprint('a 1 b\\nx\\ny')\n```\n<!-- output -->\n\n```text\na ... b\n...\ny\n```",
    "not run": "<!-- not run: needs a cluster -->\n```python\nraise ValueError\n```",
    "other commands": "```console\n$ git clone somewhere\n$ make test PYTHON=python3.12\n```",
    "files stay": "```python\nopen('a', 'w').close()\n```\n```python\nopen('a').close()\n```",
    "shown only": "```json\n{not json\n```",
}
BAD = {
    "raises": ("one\n\n```python\nx = 1\nundefined\n```", "line 5"),
    "wrong output": ("```python\nprint(1)\n```\n<!-- output -->\n```text\n2\n```", "what came out is\n1"),
    "output without block": ("<!-- output -->\n```text\n2\n```", "no Python block"),
    "note far away": ("<!-- not run: why -->\n\nText.\n\n```python\nundefined\n```", "undefined"),
    "no reason": ("<!-- not run: -->\n```python\nundefined\n```", "say why"),
    "missing target": ("```bash\nmake tset\n```", "no target tset"),
    "wrong command": ("```console\n$ liestonet no-such-command\n```", "exited with"),
    "unknown language": ("```pycon\n>>> 1\n```", "write python"),
    "open fence": ("```python\n1", "never closed"),
}


@pytest.mark.parametrize("page", GOOD.values(), ids=GOOD.keys())
def test_runner_lets_pass(page, tmp_path):
    (tmp_path / "page.md").write_text(page)
    outcome = run_snippets(tmp_path / "page.md")
    assert outcome.returncode == 0, outcome.stdout


@pytest.mark.parametrize(("page", "message"), BAD.values(), ids=BAD.keys())
def test_runner_finds(page, message, tmp_path):
    (tmp_path / "page.md").write_text(page)
    outcome = run_snippets(tmp_path / "page.md")
    assert outcome.returncode == 1
    assert message in outcome.stdout


def test_runner_counts(tmp_path):
    (tmp_path / "page.md").write_text("\n".join([GOOD["output"], GOOD["not run"], GOOD["other commands"]]))
    counted = "1 Python blocks and 0 commands run, 1 outputs compared, 3 not run"
    assert counted in run_snippets(tmp_path / "page.md").stdout


def flag_codes() -> set[str]:
    """The codes of all flags that the source can raise."""
    found = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Flag" and node.args:
                texts = (part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant))
                found.update(text for text in texts if isinstance(text, str))
    return found


def test_every_flag_has_a_remedy():
    page = (ROOT / "docs" / "flags.md").read_text(encoding="utf-8")
    named = {code for row in re.findall(r"^\| (`.+?) \|", page, re.M) for code in re.findall(r"`([a-z-]+)`", row)}
    assert not flag_codes() - named


def test_links_are_followed(tmp_path):
    (tmp_path / "other.md").write_text("# A heading: σ, really\n\n```text\n# none\n```\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](other.md) [b](other.md#a-heading-σ-really) [c](https://example.org) `[no](link)`\n"
        '[d](other.md#none) [e](missing.md) ![f](missing.png "title")\n\n[g]: #nowhere\n'
    )
    assert broken_links(page) == ["other.md#none", "missing.md", "missing.png", "#nowhere"]
