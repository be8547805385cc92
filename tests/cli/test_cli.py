"""The command line as people and scripts meet it: output, files, exit codes, and what `--help` costs."""

from __future__ import annotations

import csv
import gzip
import json
import os
import pty
import re
import shlex
import subprocess
import sys
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

import liestonet
from liestonet import cli

ANSI = re.compile(r"\x1b")
HEAVY = {"numpy", "scipy", "sympy", "matplotlib", "pyarrow", "jax", "rich"}
LANGEVIN = "dx = y dt; dy = -y dt + sqrt(2) dW"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and an environment that asks for nothing special."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "LIESTONET_DEBUG", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str, stdin: str = "") -> Any:
    """Run a command in this process."""
    return CliRunner().invoke(cli.app, list(words), input=stdin)


def printed(*words: str, stdin: str = "") -> str:
    """What a command that succeeds prints."""
    outcome = run(*words, stdin=stdin)
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stderr == ""
    return outcome.stdout


def process(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, its output in pipes."""
    command = [sys.executable, "-m", "liestonet", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)


def examples(command: str) -> list[str]:
    """The commands that a help text shows."""
    text = printed(*command.split(), "--help").replace("\\\n", "")
    return re.findall(r"^ +(liestonet .*)$", text.split("Examples:")[1].split("\n\n")[0], re.M)


EXAMPLES = {
    "": 9,
    "solve": 12,
    "show": 2,
    "simulate": 4,
}


@pytest.mark.usefixtures("undrawn", "few_draws")
@pytest.mark.parametrize(
    ("command", "count"),
    [
        pytest.param(*case, marks=[pytest.mark.slow] * (case[1] > 4), id=case[0] or "liestonet")
        for case in EXAMPLES.items()
    ],
)
def test_help_shows_examples_that_work(command, count, monkeypatch):
    monkeypatch.setattr(import_module("liestonet.cli.demo"), "PATHS", 100)  # tests/cli/test_demo.py runs all of it
    shown = examples(command)
    assert len(shown) == count
    for example in shown:
        words = shlex.split(re.split(r" [<|>] ", example)[0])
        assert printed(*words[1:], stdin="dx = dW\n")


@pytest.mark.parametrize(
    "words", [["--help"], ["solve", "--help"], ["show", "--help"], ["simulate", "--help"], ["--version"], []]
)
def test_help_loads_nothing_heavy(words):
    code = (
        "import sys; from liestonet.cli import app\n"
        "try:\n    app(sys.argv[1:], prog_name='liestonet')\n"
        f"finally:\n    sys.stderr.write(' '.join(sorted({HEAVY!r} & {{*sys.modules}})))"
    )
    outcome = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
    assert outcome.returncode == 0
    assert outcome.stdout
    assert outcome.stderr == "", f"loads {outcome.stderr}"


def test_without_a_command_it_shows_help():
    assert printed() == printed("--help")


def test_version():
    assert printed("--version") == f"liestonet {liestonet.__version__}\n"


def test_solve_says_the_verdict_first_and_then_the_evidence():
    text = printed("solve", "dx = x dt + dW")
    sentence = " ".join(text.split("\n\n")[0].split())
    assert re.fullmatch(
        r"dx = x dt \+ dW has a 3-dimensional algebra of Itô symmetries: no more are possible "
        r"\(power-series bound 3\), and the 3 found satisfy the determining equations to \S+\.",
        sentence,
    )
    assert (
        'Domain: t from 0 to 1, x from -1 to 1; chosen automatically; for another: --domain "x=LOW:HIGH".'
        in " ".join(text.split())
    )
    assert re.findall(r"^ +(\d)  \S.*  symmetry$", text, re.M) == ["1", "2", "3"]
    assert re.search(r"^ +gap: a factor of \de\d$", text, re.M)
    assert re.search(r"^  4  0\.52 +not a symmetry$", text, re.M)
    assert re.search(r"^  X1  ∂t +proved$", text, re.M)
    assert re.search(r"^  X3  exp\(2 t\) \(∂t \+ x ∂x\) +proved$", text, re.M)
    assert re.search(r"^  \[X1, X3\] = 2 X3$", text, re.M)
    assert re.search(r"Closure residual (< )?\S+, Jacobi residual (< )?\S+\.$", text, re.M)


@pytest.mark.parametrize(
    ("equation", "options"),
    [
        ("dx = x dt + dW", []),
        ("dx = 0 dt; dy = dW", []),
        ("dx = sin(x)*exp(x)*t dt + (1 + x^2) dW", []),
        ("dx = dW1; dy = dW2; dz = dW3; du = dW4", ["--symmetry", "law"]),
        ("dx = x ∘ dW; dy = (1 + sin(x)^2 + cos(x)^4 + x^2 y^2 + x y + x^6/(1 + y^2)) dt", []),
    ],
)
def test_output_in_a_pipe_is_plain_and_fits_80_columns(equation, options):
    text = printed("solve", equation, *options)
    assert not ANSI.search(text)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert not re.search(r"[ \t]$", text, re.M)


def test_many_lines_are_folded():
    text = printed("solve", "dx = dW1; dy = dW2; dz = dW3; du = dW4; dv = dW5", "--symmetry", "law")
    assert re.search(r"^  … \d+ more, see --json$", text, re.M)
    assert re.search(r"^ +…  11 more +symmetry$", text, re.M)


def test_the_symmetry_kinds_differ():
    assert "6-dimensional algebra of Fokker–Planck" in printed("solve", "dx = dW", "--symmetry", "fokker-planck", "-q")
    assert "3-dimensional algebra of symmetries of the law" in printed("solve", "dx = dW", "--symmetry", "law", "-q")


def test_quiet_is_one_line():
    text = printed("solve", LANGEVIN, "--quiet")
    assert text.startswith(f"{LANGEVIN} has a 3-dimensional algebra")
    assert text.count("\n") == 1


def test_json_is_the_result():
    found = json.loads(printed("solve", "dx = x dt + dW", "--json"))
    assert set(found) >= {
        "schema", "symmetry", "dimension", "bound", "gap", "equation", "names", "domain", "ladder", "generators",
        "algebra", "flags",
    }  # fmt: skip
    assert found["schema"] == "liestonet.result/1"
    assert found["dimension"] == found["bound"] == 3
    assert found["domain"] == {
        "chosen": True,
        "chosen_for": ["t", "x"],
        "intervals": {"t": [0.0, 1.0], "x": [-1.0, 1.0]},
        "singular": {"t": [None, None], "x": [None, None]},
        "periodic": {},
        "noise_shapes": {},
    }
    assert np.shape(found["algebra"]["structure_constants"]) == (3, 3, 3)


def test_json_knows_infinity():
    assert json.loads(printed("solve", "dx = 0 dt; dy = dW", "--json"))["dimension"] == "inf"


def test_domain_by_name_is_completed():
    text = printed("solve", "dx = y dt; dy = dW", "--domain", "x = 0:1/2", "--domain", "y=-3:3")
    assert "x from 0 to 0.5, y from -3 to 3; t was chosen automatically." in " ".join(text.split())
    given = json.loads(printed("solve", "dx = dW", "--domain", "x=-2:2, t=0:5", "--json"))["domain"]
    assert (given["chosen"], given["chosen_for"]) == (False, [])
    assert given["intervals"] == {"t": [0.0, 5.0], "x": [-2.0, 2.0]}
    found = json.loads(printed("solve", "dx = y dt; dy = dW", "--domain", "y=-3:3", "--json"))
    assert (found["domain"]["chosen"], found["domain"]["chosen_for"]) == (False, ["t", "x"])
    (flag,) = [flag for flag in found["flags"] if flag["code"] == "domain-chosen"]
    assert flag["message"] == "The domain was given in part; chosen automatically: t in (0, 1), x in (-1, 1)."


def test_parameters_are_exact():
    words = ["dx = -k*x dt + s dW", "--param", "k=3/2", "--param", "s=0.1", "--json"]
    assert json.loads(printed("solve", *words))["equation"] == "dx = -3*x/2 dt + 1/10 dW"
    assert json.loads(printed("solve", words[0], "--param", "k=3/2, s=0.1", "--json"))["equation"] == (
        "dx = -3*x/2 dt + 1/10 dW"
    )


def test_stratonovich_is_converted_and_told():
    text = printed("solve", "dx = x dW", "--stratonovich")
    assert text.startswith("dx = x/2 dt + x dW has")
    assert "Stratonovich" in text


@pytest.mark.slow
def test_shared_noise_is_told_apart_from_conversion():
    found = json.loads(printed("solve", "dx = dW; dy = x dW", "--domain", "t=0:1, x=0:1, y=0:1", "--json"))
    assert [flag["code"] for flag in found["flags"] if flag["code"] != "infinite"] == ["shared-noise"]
    found = json.loads(printed("solve", "dx = x ∘ dW; dy = x ∘ dW", "--json"))
    assert {flag["code"] for flag in found["flags"]} >= {"shared-noise", "converted"}


@pytest.mark.parametrize("text", ["dx = x dt + dW", "dx = x dt\n  + dW\n"])
def test_equation_from_stdin(text):
    assert printed("solve", "-", "-q", stdin=text).startswith("dx = x dt + dW has a 3-dim")


def test_solve_writes_a_report(folder, undrawn):
    words = ["solve", "dx = x dt + dW", "--report", "page.html"]
    text = printed(*words)
    assert text.endswith("\nReport: page.html\n")
    assert f"{shlex.join(['liestonet', *words])}" in unescape((folder / "page.html").read_text())
    assert "Report" not in printed(*words, "--quiet")
    assert json.loads(printed(*words, "--json"))["dimension"] == 3


@pytest.mark.parametrize(("name", "message"), [("page.pdf", ".html"), ("nowhere/page.html", "There is no folder")])
def test_a_report_that_cannot_be_written_is_refused_first(name, message, folder):
    outcome = run("solve", "dx = x dt + dW", "--report", name)
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert list(folder.iterdir()) == []


SIMULATE = ["simulate", "dx = y dt; dy = -y dt + dW", "--initial", "x=1, y=-2:2", "--paths", "5", "--duration", "0.2"]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet", "a.npz"])
def test_simulate_writes_every_format(name, folder):
    text = printed(*SIMULATE, "--out", name)
    assert re.fullmatch(rf"Wrote {name}: 5 paths of 21 points; t 0 to 0\.2, step 0\.01; x .*; seed 0\.\n", text)
    rows = read(folder / name)
    assert rows.shape == (105, 3)
    assert (rows[::21, 1] == 1).all()
    assert (np.abs(rows[::21, 2]) <= 2).all()
    assert len(set(rows[::21, 2])) == 5


def read(path: Path) -> np.ndarray:
    """Columns t, x, y of a written file."""
    if path.suffix == ".npz":
        with np.load(path) as file:
            return np.column_stack([file["times"], file["states"]])
    if path.suffix == ".parquet":
        table = parquet.read_table(path)
        return np.column_stack([table[name].to_numpy() for name in ("t", "x", "y")])
    content = path.read_bytes()
    lines = (gzip.decompress(content) if path.suffix == ".gz" else content).decode().splitlines()
    return np.array([[float(row[name]) for name in ("t", "x", "y")] for row in csv.DictReader(lines)])


def test_simulate_is_what_the_library_does(folder):
    printed("simulate", "dx = -x dt + dW", "--initial", "x=1", "--paths", "3", "--duration", "1", "--step", "0.1",
            "--start", "2", "--seed", "7", "--substeps", "2", "--out", "a.npz")  # fmt: skip
    same = liestonet.SDE.parse("dx = -x dt + dW").simulate(1.0, 1.0, 0.1, 3, 7, start=2.0, substeps=2)
    with np.load(folder / "a.npz") as file:
        np.testing.assert_array_equal(file["states"], same.flat_states)
        np.testing.assert_array_equal(file["times"], same.flat_times)


def test_seed_decides(folder):
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        printed(*SIMULATE, "--seed", seed, "--out", f"{name}.csv")
    a, b, c = ((folder / f"{name}.csv").read_bytes() for name in "abc")
    assert a == b
    assert a != c


@pytest.mark.parametrize(
    ("texts", "bounds"),
    [
        (["x>0"], {"x": (0.0, None)}),
        (["x >= 0"], {"x": (0.0, None)}),
        (["0<x<1", "y<5"], {"x": (0.0, 1.0), "y": (None, 5.0)}),
        (["1 > x > -1e-3"], {"x": (-1e-3, 1.0)}),
        (["x>0, x≤1"], {"x": (0.0, 1.0)}),
        (["-2<x"], {"x": (-2.0, None)}),
        ([], None),
    ],
)
def test_boundary_as_people_write_it(texts, bounds):
    assert cli.read_boundary(texts) == bounds


def test_boundary_is_kept(folder):
    printed("simulate", "dx = dW", "--initial", "x=0:1", "--boundary", "0<x<1", "--duration", "3", "--out", "a.npz")
    with np.load(folder / "a.npz") as file:
        assert 0 <= file["states"].min() < 0.1
        assert 0.9 < file["states"].max() <= 1


def test_simulate_quietly():
    assert printed(*SIMULATE, "--out", "a.csv", "--quiet") == ""


def broken(problem: BaseException) -> Any:
    def fail(*_: Any, **__: Any) -> None:
        raise problem

    return fail


def test_an_internal_error_asks_for_a_report(monkeypatch):
    monkeypatch.setattr("liestonet.pipeline.solve.solve", broken(KeyError("lost\nkey")))
    outcome = run("solve", "dx = dW")
    assert outcome.exit_code == 1
    assert outcome.stdout == ""
    first, second, third, last = outcome.stderr.splitlines()
    assert first == "liestonet: Internal error: please report it with the lines below."
    assert second == r"KeyError: 'lost\nkey'"
    assert third == "liestonet solve 'dx = dW'"
    assert "--debug" in last


@pytest.mark.parametrize("words", [["--debug", "solve", "dx = dW"], ["solve", "dx = dW", "--debug"]])
def test_debug_shows_the_traceback(monkeypatch, words):
    monkeypatch.setattr("liestonet.pipeline.solve.solve", broken(KeyError("lost")))
    outcome = run(*words)
    assert outcome.exit_code == 1
    assert "Traceback (most recent call last)" in outcome.stderr
    assert outcome.stderr.splitlines()[0].startswith("liestonet: Internal error")
    assert outcome.stderr.splitlines()[-1] == "KeyError: 'lost'"


def test_debug_by_environment(monkeypatch):
    monkeypatch.setattr("liestonet.pipeline.solve.solve", broken(KeyError("lost")))
    monkeypatch.setenv("LIESTONET_DEBUG", "1")
    assert "Traceback" in run("solve", "dx = dW").stderr


@pytest.mark.parametrize(
    ("problem", "code", "said"),
    [
        (KeyboardInterrupt(), 130, ""),
        (MemoryError(), 2, "liestonet: Not enough memory; reduce the size of the problem.\n"),
        (
            OSError(28, "No space left on device"),
            1,
            "liestonet: The operating system reported an error: No space left on device.\n",
        ),
    ],
)
def test_other_ends(monkeypatch, problem, code, said):
    monkeypatch.setattr("liestonet.pipeline.solve.solve", broken(problem))
    outcome = run("solve", "dx = dW")
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (code, "", said)


def test_interrupted(folder):
    """Ctrl-C in the middle of a simulation that would take minutes: nothing said, nothing left behind."""
    words = ["simulate", "dx = dW", "--initial", "x=0", "--duration", "1e6", "--paths", "2", "--out", "a.npz"]
    code = (
        "import sys, _thread, threading; from liestonet.cli import app\n"
        "threading.Timer(1.0, _thread.interrupt_main).start()\n"
        "app(sys.argv[1:], prog_name='liestonet')"
    )
    outcome = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, check=False, timeout=60)
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (130, b"", b"")
    assert not list(folder.iterdir())


def test_as_a_process():
    outcome = process("solve", "dx = x dt + dW", "--quiet")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    wrong = process("solve", "dx = log(x) dt + dW", "--domain", "x=-1:1")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert re.fullmatch(r"liestonet: [^\n]+\.\n", wrong.stderr)


def test_a_closed_pipe_is_no_failure():
    command = [sys.executable, "-m", "liestonet", "solve", "dx = dW"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(timeout=120) == 0


def test_output_where_the_terminal_knows_ascii_only():
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    outcome = process("solve", "dx = dW", env=environment)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout.isascii()


def at_a_terminal(**environment: str) -> str:
    """What `solve` prints when stdout and stderr are a terminal."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "liestonet", "solve", "dx = dW"]
    variables = os.environ | {"TERM": "xterm-256color", "COLUMNS": "120"} | environment
    with subprocess.Popen(command, stdout=follower, stderr=follower, env=variables) as running:
        os.close(follower)
        text = b""
        try:
            while chunk := os.read(leader, 65536):
                text += chunk
        except OSError:  # how Linux says that the other side is gone
            pass
        assert running.wait(timeout=120) == 0
    os.close(leader)
    return text.decode()


def test_colours_and_progress_at_a_terminal():
    text = at_a_terminal()
    assert "\x1b[32msymmetry" in text
    assert re.search("\\x1b\\[\\?25l.*(starting|reading|looking|counting|basis of)", text)


def test_no_color_is_respected():
    text = at_a_terminal(NO_COLOR="1")
    assert "symmetry" in text
    assert not re.search(r"\x1b\[[0-9;]*3\dm", text)
