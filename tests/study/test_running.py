"""A study that is stopped, killed, changed or run elsewhere gives the same results and does nothing twice."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from liestonet.core.processes import one_thread_each
from liestonet.errors import InputError
from liestonet.reproduction.publication import ItemJob
from liestonet.study.jobs import Job, run_job
from liestonet.study.running import run_all, unfinished
from liestonet.study.store import Store, plain, require_writable
from study_acts import DONE
from study_cases import REAL, SMALL, contents, environment, wait_until


def test_what_is_there_is_not_done_again(tmp_path: Path, serial: list[object]) -> None:
    store, done = Store(tmp_path), []
    run_all(SMALL[:2], store, done=lambda job, problem: done.append(job))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.json")}
    run_all(SMALL, store, done=lambda job, problem: done.append(job))
    assert [job.name for job in done] == [job.name for job in SMALL]
    assert all(path.stat().st_mtime_ns == then for path, then in before.items())
    assert contents(store, SMALL) == serial


def test_a_changed_setting_is_another_job(tmp_path: Path) -> None:
    store, job = Store(tmp_path), SMALL[0]
    run_all([job], store)
    for other in (
        replace(job, settings={**job.settings, "seed": 3}),
        replace(job, revision=2),
        replace(job, given={"engine": "another"}),
        replace(job, function="kinds:run"),
    ):
        assert unfinished([other], store) == [other]
    assert unfinished([replace(job, cost=99.0)], store) == []


def test_processes_give_the_same_numbers(tmp_path: Path) -> None:
    """Of real jobs, beside those of this process."""
    store = Store(tmp_path)
    assert run_all(REAL, store, processes=2) == []
    assert contents(store, REAL) == [run_job(job.target, job.settings)["value"] for job in REAL]


def test_a_job_that_fails_leaves_the_others(tmp_path: Path) -> None:
    store = Store(tmp_path)
    wrong = ItemJob("size", "wrong", "size:run", {"case": "no such case", "seed": 0, "share": 1.0})
    failures = run_all([wrong, SMALL[0]], store)
    assert [failure.job.name for failure in failures] == ["wrong"]
    assert "no such case" in failures[0].reason
    assert store.has(SMALL[0])
    assert not store.has(wrong)


def test_a_damaged_result_is_computed_again(tmp_path: Path, serial: list[object]) -> None:
    store = Store(tmp_path)
    run_all(SMALL[:1], store)
    store.path(SMALL[0]).write_text(store.path(SMALL[0]).read_text()[:-40])
    assert unfinished(SMALL[:1], store) == SMALL[:1]
    run_all(SMALL[:1], store)
    assert contents(store, SMALL[:1]) == serial[:1]


def test_a_full_disk_is_one_sentence_and_leaves_nothing_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"disk is full.*kept"):
        Store(tmp_path).write(SMALL[0], DONE)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_place_that_cannot_be_written_to_is_refused_before_the_work(tmp_path: Path) -> None:
    """The sentence names what a user gave: the folder, or the page."""
    file, new = tmp_path / "file", tmp_path / "new"
    file.write_text("")
    with pytest.raises(InputError, match=rf"^Results could not be written to {file} \(.*\); name another place"):
        require_writable(file, file / "results", new / "page.md")
    with pytest.raises(InputError, match=rf"^page.md could not be written to {file} \(.*\); name another place"):
        require_writable(new, new / "results", file / "page.md")
    with pytest.raises(InputError, match=rf"^{new} is a folder; name a file in it"):
        require_writable(new, new / "results", new)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "new", "results"]


@pytest.mark.parametrize(
    "change",
    [
        {"value": 5},
        {"value": {}},
        {"cpu_seconds": None},
        {"schema": "liestonet.job/0"},
        {"job": None},
        {"job": {**SMALL[1].identity, "item": "small", "name": SMALL[0].name}},
    ],
)
def test_a_file_that_is_no_result_of_this_job_is_not_read(tmp_path: Path, change: dict[str, object]) -> None:
    store, job = Store(tmp_path), SMALL[0]
    store.write(job, {"value": {"angle": 1.0}, "cpu_seconds": 1.0})
    assert store.has(job)
    path = store.path(job)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert not store.has(job)


def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    """SIGTERM to the parent of two spawned processes, which would sleep for ten minutes."""
    program = (
        "import multiprocessing, os, sys, time\n"
        "from liestonet.core.processes import end_with_parent\n"
        "def sleep(folder):\n"
        "    end_with_parent()\n"
        "    open(f'{folder}/{os.getpid()}', 'w').close()\n"
        "    time.sleep(600)\n"
        "if __name__ == '__main__':\n"
        "    context = multiprocessing.get_context('spawn')\n"
        "    started = [context.Process(target=sleep, args=(sys.argv[1],)) for _ in range(2)]\n"
        "    [process.start() for process in started]\n"
        "    [process.join() for process in started]\n"
    )
    script, folder = tmp_path / "parent.py", tmp_path / "children"
    script.write_text(program)
    folder.mkdir()
    parent = subprocess.Popen([sys.executable, str(script), str(folder)])
    wait_until(lambda: len(list(folder.iterdir())) == 2)
    parent.terminate()
    parent.wait()
    wait_until(lambda: not any(_runs(path.name) for path in folder.iterdir()))


def _runs(process: str) -> bool:
    """Whether the process is running, and not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_numbers_that_are_not_finite_become_null() -> None:
    assert plain({"a": [float("inf"), 1.0], "b": float("nan")}) == {"a": [None, 1.0], "b": None}


KILLED = """
import json, sys
from pathlib import Path
from liestonet.study.jobs import Job
from liestonet.study.running import run_all
from liestonet.study.store import Store

if __name__ == "__main__":
    run_all([Job(**entry) for entry in json.loads(sys.argv[2])], Store(Path(sys.argv[1])), processes=2)
"""


def test_a_killed_study_goes_on(tmp_path: Path, serial: list[object]) -> None:
    """SIGKILL in the middle of a study of two processes; the second start finishes it."""
    script, store = tmp_path / "study.py", Store(tmp_path / "results")
    script.write_text(KILLED)
    described = json.dumps([vars(job) for job in SMALL])
    command = [sys.executable, str(script), str(store.folder), described]
    process = subprocess.Popen(command, start_new_session=True, env=environment())
    wait_until(lambda: any(map(store.has, SMALL)))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kept = {job.name for job in SMALL if store.has(job)}
    done: list[Job] = []
    assert run_all(SMALL, store, done=lambda job, problem: done.append(job)) == []
    assert {job.name for job in done} == {job.name for job in SMALL} - kept
    assert contents(store, SMALL) == serial


def test_a_job_says_what_it_took() -> None:
    outcome = run_job(SMALL[0].target, SMALL[0].settings)
    assert outcome["cpu_seconds"] > 0
    assert {"python", "numpy"} <= set(outcome.get("versions", {}))


def test_processes_share_compiled_code_and_leave_the_environment_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    with one_thread_each(tmp_path / "compiled"):
        assert os.environ["OMP_NUM_THREADS"] == "1"
        assert os.environ["JAX_COMPILATION_CACHE_DIR"] == str(tmp_path / "compiled")
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "JAX_COMPILATION_CACHE_DIR" not in os.environ
