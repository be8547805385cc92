"""A save that is killed loses nothing: the file is the old one or the new one, whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from liestonet.errors import InputError
from storage_cases import result

# One process imports the package, then forks a child for every kill, which saves in turn what it was given.
SCRIPT = """
import os, random, signal, sys, time
import liestonet as lsn

first, second, target, kills = *sys.argv[1:4], int(sys.argv[4])
results = [lsn.load(first), lsn.load(second)]
whole = [open(path, "rb").read() for path in (first, second)]
results[0].save(target)
begun = time.perf_counter()
for _ in range(10):
    results[0].save(target)
once = (time.perf_counter() - begun) / 10
rng, seen, during = random.Random(kills), [0, 0], 0
reading, writing = os.pipe()
for _ in range(kills):
    wanted = rng.randrange(1, 4)
    child = os.fork()
    if child == 0:
        for turn in range(1_000_000):
            if turn < wanted:  # on a busy machine only the child knows when it has begun
                os.write(writing, b".")
            results[(turn + 1) % 2].save(target)
    for _ in range(wanted):
        os.read(reading, 1)
    time.sleep(rng.uniform(0.0, once))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    left = open(target, "rb").read()
    if left not in whole:
        sys.exit("the file is neither the old one nor the new one")
    seen[whole.index(left)] += 1
    lsn.load(target)
    pieces = [name for name in os.listdir(os.path.dirname(target)) if name.endswith(".tmp")]
    during += bool(pieces)
    for name in pieces:
        os.unlink(os.path.join(os.path.dirname(target), name))
print(*seen, during)
"""
# The same at every step of a save, before and after it; each child kills itself.
STOPPED = """
import os, signal, sys
import liestonet as lsn
from liestonet.errors import InputError
from liestonet.trajectories import writers

old, new, target = sys.argv[1:4]
result, opened, sync = lsn.load(new), writers.Path.open, os.fsync
result.save(target)
counted = []


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def around(function, after):
    def wrapped(*arguments, **options):
        if after:
            function(*arguments, **options)
        die()

    return wrapped


class Torn:
    def __init__(self, file):
        self._file = file

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        return self._file.__exit__(*rest)

    def write(self, data):
        self._file.write(data[: len(data) // 2])
        self._file.flush()
        die()


def stop(step, after):
    if step == "open":
        writers.Path.open = around(opened, after)
    elif step == "write":
        writers.Path.open = lambda path, *mode: Torn(opened(path, *mode))
    elif step == "replace":
        os.replace = around(os.replace, after)
    else:
        turn = 1 + (step == "fsync of the folder")

        def fsync(handle):
            counted.append(handle)
            return around(sync, after)(handle) if len(counted) == turn else sync(handle)

        os.fsync = fsync


for step in ("open", "write", "fsync of the file", "replace", "fsync of the folder"):
    for after in (False, True):
        with open(old, "rb") as source, open(target, "wb") as file:
            file.write(source.read())
        child = os.fork()
        if child == 0:
            stop(step, after)
            result.save(target)
            os._exit(3)
        killed = os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
        left = open(target, "rb").read()
        which = [name for name in (old, new) if open(name, "rb").read() == left]
        print(step, "after" if after else "before", killed, os.path.basename(which[0]) if which else "torn", sep=",")
"""


@pytest.fixture
def two_files(tmp_path) -> tuple[Path, Path]:
    result("1-D").save(tmp_path / "first.lsn")
    result("data 1-D Fokker-Planck").save(tmp_path / "second.lsn")
    return tmp_path / "first.lsn", tmp_path / "second.lsn"


def killed_often(files: tuple[Path, Path], folder: Path, kills: int) -> tuple[int, ...]:
    folder.mkdir()
    command = [sys.executable, "-c", SCRIPT, *map(str, files), str(folder / "run.lsn"), str(kills)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert outcome.returncode == 0, outcome.stderr
    return tuple(map(int, outcome.stdout.split()))


def test_killed_saves_lose_nothing(two_files, tmp_path):
    old, new, _ = killed_often(two_files, tmp_path / "runs", 10)
    assert old + new == 10


@pytest.mark.slow
def test_two_hundred_kills_lose_nothing(two_files, tmp_path):
    old, new, during = killed_often(two_files, tmp_path / "runs", 200)
    assert old + new == 200
    assert min(old, new, during) > 0  # both are met, and some kills came while a file was being written


def test_a_kill_at_every_step_loses_nothing(two_files, tmp_path):
    (tmp_path / "runs").mkdir()
    command = [sys.executable, "-c", STOPPED, *map(str, two_files), str(tmp_path / "runs" / "run.lsn")]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert outcome.returncode == 0, outcome.stderr
    rows = [line.split(",") for line in outcome.stdout.splitlines()]
    assert len(rows) == 10
    for step, moment, killed, left in rows:
        moved = step == "fsync of the folder" or (step, moment) == ("replace", "after")
        assert killed == "True", step
        assert left == ("second.lsn" if moved else "first.lsn"), step


def test_a_full_disk_loses_nothing(two_files, tmp_path, monkeypatch):
    import os

    target = tmp_path / "run.lsn"
    result("1-D").save(target)
    before = target.read_bytes()

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"The disk is full: 'run\.lsn' could not be written"):
        result("dimension 0").save(target)
    assert target.read_bytes() == before
    assert not list(tmp_path.glob(".*.tmp"))
