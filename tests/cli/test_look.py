"""`liestonet look`: what is printed, what is asked, and what is refused in one sentence with exit code 2."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest
from scipy.io import savemat
from typer.testing import CliRunner

from lab_files import kinds, walk
from liestonet.cli import app
from liestonet.trajectories import Trajectories
from liestonet.trajectories.look import look_at, plotted

FILES = kinds()


def run(*words: str):
    return CliRunner().invoke(app, list(words))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_shows_rows_steps_plot_and_the_next_command(folder):
    shown = run("look", "hash.txt", "--gap", "1")
    assert shown.exit_code == 0
    for part in ("# bead 3, laser 40 mW", "First rows as they are read", "steps       all 0.05", "x of path 0", "│"):
        assert part in shown.stdout
    assert shown.stdout.endswith("Next\n  liestonet discover hash.txt --gap 1\n")
    assert all(len(line) <= 80 for line in shown.stdout.split("\n"))


def test_json(folder):
    found = json.loads(run("look", "columns.csv", "--json").stdout)
    assert found["summary"]["paths"] == 20
    assert found["next"] == "liestonet discover columns.csv"
    assert found["steps"]["uneven"] == 0


def test_what_cannot_be_decided_is_asked_with_the_command_to_type(folder):
    asked = run("look", "no_time.txt")
    assert asked.exit_code == 2
    assert "# sampling rate 20 Hz" in asked.stdout
    wanted = "type `liestonet discover no_time.txt --dt 0.05` (the time between rows that the file names)."
    assert wanted in asked.stderr
    assert asked.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [["--plot", "look.svg"], ["--plot=look.svg"]])
def test_a_picture_is_written_and_is_no_part_of_the_next_command(words, folder):
    shown = run("look", "hash.txt", *words, "--gap", "1")
    assert shown.exit_code == 0
    assert "Wrote look.svg." in shown.stdout
    assert shown.stdout.endswith("Next\n  liestonet discover hash.txt --gap 1\n")
    drawn = (folder / "look.svg").read_text()
    assert ">step of x" in drawn
    asked = run("look", "no_time.txt", *words)
    assert "type `liestonet discover no_time.txt --dt 0.05`" in asked.stderr


@pytest.mark.parametrize(
    ("name", "part"),
    [("look.gif", "written as .png, .svg, .pdf"), ("none/look.png", "no folder"), ("d.png", "is a folder")],
)
def test_a_picture_that_cannot_be_written_is_one_sentence(name, part, folder):
    (folder / "d.png").mkdir()
    refused = run("look", "hash.txt", "--plot", name)
    assert refused.exit_code == 2
    assert part in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not refused.stdout


def test_hints():
    rng = np.random.default_rng(0)
    angle = 0.3 * rng.normal(size=3000).cumsum()
    plain = rng.normal(size=3000)
    states = np.column_stack([angle % (2 * np.pi), np.degrees(angle) % 360 - 180, angle, plain])
    names = ["a", "b", "theta", "x"]
    data = Trajectories.from_arrays([np.arange(3000.0)], [states], names)
    hints = look_at(data).hints
    for part in ("--periodic a=2pi", "--periodic b=360", "--periodic theta=2pi", "One long path"):
        assert sum(part in hint for hint in hints) == 1
    assert not any("periodic x" in hint for hint in hints)


def test_a_plot_has_its_highest_point_where_the_path_has():
    t = np.linspace(0, 1, 64)
    lines = plotted(t, t)
    assert lines[0].rstrip("⠀").endswith(lines[0][-1])
    assert lines[0][-1] != "⠀"
    assert lines[-2].split("│")[1][0] != "⠀"


BAD = {
    "time and dt": (["comma.csv", "--dt", "0.1"], "leave --dt out"),
    "rows and a label": (["rows.txt", "--layout", "rows", "--trajectory", "c1"], "leave one of the two out"),
    "rows and a time": (["rows.txt", "--layout", "rows", "--time", "c1"], "no column is the time"),
    "a comma twice": (["comma.csv", "--delimiter", ",", "--decimal", ","], "cannot be both"),
    "unknown layout": (["comma.csv", "--layout", "tall"], "choose one of"),
    "unknown delimiter": (["comma.csv", "--delimiter", "|"], "choose"),
    "no step": (["no_time.txt", "--dt", "0"], "positive number"),
    "too few names": (["comma.csv", "--columns", "t, x"], "2 names are given for 3 columns"),
    "a name twice": (["comma.csv", "--columns", "t, x, x"], "two columns"),
    "counts that do not count": (["comma.csv", "--time", "t", "--dt", "0.1"], "not whole numbers"),
}


@pytest.mark.parametrize(("words", "part"), BAD.values(), ids=BAD.keys())
def test_contradicting_options_are_one_sentence(words, part, folder):
    for command in ("look", "discover"):
        refused = run(command, *words)
        assert refused.exit_code == 2
        assert part in refused.stderr
        assert refused.stderr.count("\n") == 1


def wide(path):
    path.write_text("1," * 200_000 + "1\n" + "2," * 200_000 + "2\n")


def one_frame(path):
    path.write_text("t,x\n0,1\n")


def wider(path):
    path.write_text(",".join(["1"] * 1_000_000) + "\n")


def functions(path):
    with h5py.File(path, "w") as file:
        file["f"] = np.zeros((1, 2))
        file["f"].attrs["MATLAB_class"] = np.bytes_("function_handle")


def gigabytes(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", (10**6, 10**6), dtype="f8", chunks=(100, 100)).attrs["MATLAB_class"] = np.bytes_(
            "double"
        )


def old_gigabytes(path):
    savemat(path, {"x": walk()[1]})
    content = bytearray(path.read_bytes())
    place = content.index(np.array([40, 2], dtype="<i4").tobytes())
    content[place : place + 8] = np.array([2**30, 2**10], dtype="<i4").tobytes()
    path.write_bytes(content)


REFUSED = {
    "wide.csv": (wide, "200,001 columns"),
    "wider.csv": (wider, "line of more than"),
    "one.csv": (one_frame, "two consecutive"),
    "f.mat": (functions, "no plain numbers"),
    "new.mat": (gigabytes, "GB"),
    "old.mat": (old_gigabytes, "GB"),
}


@pytest.mark.parametrize(("name", "made"), [(name, made) for name, made in REFUSED.items()], ids=REFUSED.keys())
def test_what_is_too_much_or_no_data_is_one_sentence(name, made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write, part = made
    write(tmp_path / name)
    refused = run("discover", name)
    assert refused.exit_code == 2
    assert part in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_beads(data_folder):
    data = Trajectories.read(data_folder / "beads" / "Tracks_46um.mat", dt=15)
    assert data.names == ("x", "y")
    assert data.increments().dt.min() == 15
    assert "189 tracks" in data.remarks[0]
    assert "currentTracks (7)" in data.remarks[0]
