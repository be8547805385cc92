"""The environment of child processes: one thread each, a cache for compiled code, and an end with their parent.

Ctrl-C in a terminal is sent to all processes at once; only the parent handles it, and the children end with it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path

# Several processes that each use all cores are slower than one.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
XLA_ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


@contextmanager
def one_thread_each(compiled: Path) -> Iterator[None]:
    """Set the environment of children, which is read when they load NumPy and JAX.

    `compiled` is the folder of JAX's compilation cache, unless the user has set one.
    """
    cache = os.environ.get("JAX_COMPILATION_CACHE_DIR", str(compiled.resolve()))
    flags = f"{os.environ.get('XLA_FLAGS', '')} {XLA_ONE_THREAD}".strip()
    wanted = ONE_THREAD | {"XLA_FLAGS": flags, "JAX_COMPILATION_CACHE_DIR": cache}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def interrupts_later() -> Iterator[None]:
    """Delay Ctrl-C to the end of this context; a child started inside it never receives one, even while starting."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def follow_parent() -> None:
    """Called when a child starts: ignore Ctrl-C, which the parent handles, and end with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """Called when a child starts: end at once when the parent has ended, however it did."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_wait_and_end, args=(parent,), daemon=True).start()


def _wait_and_end(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
