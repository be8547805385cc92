"""What processes that are started from this one inherit: one thread each, a place for compiled code, and its end.

Ctrl-C in a terminal reaches all of them at once; it is the first one's to answer, and the others end with it.
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

# Several processes that each take all cores are slower than one.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
XLA_ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


@contextmanager
def one_thread_each(compiled: Path) -> Iterator[None]:
    """Environment for children, which read it when they load NumPy and JAX.

    `compiled` is JAX's compilation cache, if the user has not named one.
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
    """Ctrl-C waits for the end of this; a child started meanwhile never meets it, not even while it is starting."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def follow_parent() -> None:
    """For the start of a child: leave Ctrl-C to the parent, and end when it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """For the start of a child: end at once when the parent is gone, however it ended."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_wait_and_end, args=(parent,), daemon=True).start()


def _wait_and_end(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
