"""A study in processes that is interrupted, cannot keep a result, or loses a process."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from liestonet.core.processes import interrupts_later
from liestonet.errors import InputError
from liestonet.study.jobs import Job, JobOutcome
from liestonet.study.running import run_all
from liestonet.study.store import Store
from study_acts import PATIENCE, act
from study_cases import acting, begun, environment, use_acts, wait_until


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Ctrl-C is answered here and in programs started from here; a shell lets what it runs behind it ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Full(Store):
    """A store on a disk without room."""

    def write(self, job: Job, outcome: JobOutcome) -> None:
        raise InputError("The disk is full.")


@pytest.fixture
def marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file for each job that began."""
    use_acts(monkeypatch)
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


def test_nothing_begins_after_a_result_could_not_be_kept(tmp_path: Path, marks: Path) -> None:
    jobs = acting(marks, "return", *["wait"] * 5)
    with pytest.raises(InputError, match="disk is full"):
        run_all(jobs, Full(tmp_path / "results"), processes=2)
    assert not multiprocessing.active_children()
    assert set(begun(marks)) <= {job.name for job in jobs[:2]}


def test_nothing_begins_after_an_interruption(tmp_path: Path, marks: Path) -> None:
    def interrupt(job: Job, problem: str) -> None:
        wait_until(lambda: len(begun(marks)) == 2)
        raise KeyboardInterrupt

    jobs, store = acting(marks, "return", *["wait"] * 5), Store(tmp_path / "results")
    with pytest.raises(KeyboardInterrupt):
        run_all(jobs, store, processes=2, done=interrupt)
    assert not multiprocessing.active_children()
    assert begun(marks) == [job.name for job in jobs[:2]]
    assert [store.has(job) for job in jobs] == [True, *[False] * 5]


def test_other_processes_are_left_alone(tmp_path: Path, marks: Path) -> None:
    other = multiprocessing.get_context("spawn").Process(target=act, args=("wait", _settings(marks)))
    other.start()
    try:
        with pytest.raises(InputError):
            run_all(acting(marks, "return", "wait"), Full(tmp_path / "results"), processes=2)
        assert multiprocessing.active_children() == [other]
    finally:
        other.kill()
        other.join()


def _settings(folder: Path) -> dict[str, str]:
    return {"folder": str(folder), "name": "other"}


@pytest.mark.parametrize("processes", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_job_that_kills_its_process_leaves_the_others(tmp_path: Path, marks: Path, processes: int) -> None:
    store = Store(tmp_path / "results")
    jobs = acting(marks, "die", *["pause"] * 4)
    failures = run_all(jobs, store, processes=processes)
    assert [(failure.job.name, failure.reason.partition(" (")[0]) for failure in failures] == [
        ("0-die", "its process died twice")
    ]
    assert [store.has(job) for job in jobs] == [False, *[True] * 4]


def test_a_job_whose_process_dies_once_is_tried_again(tmp_path: Path, marks: Path) -> None:
    jobs, store = acting(marks, "die once", *["return"] * 3), Store(tmp_path / "results")
    assert run_all(jobs, store, processes=2) == []
    assert all(map(store.has, jobs))


SCRIPT = """
import json, sys
from pathlib import Path
from study_acts import act
from liestonet.study import running
from liestonet.study.jobs import Job
from liestonet.study.store import Store

if __name__ == "__main__":
    running.run_job = act
    try:
        running.run_all([Job(**entry) for entry in json.loads(sys.argv[2])], Store(Path(sys.argv[1])), processes=2)
    except KeyboardInterrupt:
        print("stopped")
"""


def test_ctrl_c_in_a_terminal(tmp_path: Path, marks: Path) -> None:
    """SIGINT to all processes of the study, as a terminal sends it."""
    jobs, script = acting(marks, *["wait"] * 6), tmp_path / "study.py"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), str(tmp_path / "results"), json.dumps([vars(job) for job in jobs])]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, env=environment()
    ) as study:
        wait_until(lambda: len(begun(marks)) == 2)
        os.killpg(study.pid, signal.SIGINT)
        said, complained = study.communicate(timeout=PATIENCE)
    assert (said, complained, study.returncode) == ("stopped\n", "", 0)
    assert begun(marks) == [job.name for job in jobs[:2]]
    assert not any(Path(f"/proc/{path.read_text()}").exists() for path in marks.iterdir())


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="Windows has no masks of signals")
def test_ctrl_c_while_a_child_starts_waits_and_spares_the_child() -> None:
    said = []
    with pytest.raises(KeyboardInterrupt):
        _interrupted_start(said)
    assert said == ["alive\n"]


def _interrupted_start(said: list[str]) -> None:
    program = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('alive')"
    with interrupts_later():
        signal.raise_signal(signal.SIGINT)
        said.append(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
