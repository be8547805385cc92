"""Which worker gets the next piece."""

from __future__ import annotations

from liestonet.core.cluster import Shares


class Task:
    """A future that is finished or not."""

    def __init__(self) -> None:
        self.finished = False

    def done(self) -> bool:
        return self.finished


def test_the_worker_with_least_to_do_for_its_threads_is_next() -> None:
    shares, tasks = Shares({"a": 1, "b": 2}), []
    order = []
    for _ in range(6):
        worker = shares.freest({"a": 1, "b": 2})
        tasks.append(shares.given(worker, Task()))
        order += worker
    assert (order.count("a"), order.count("b")) == (2, 4)
    for task, worker in zip(tasks, order, strict=True):
        task.finished = worker == "a"
    assert shares.freest({"a": 1, "b": 2}) == ["a"]


def test_workers_come_and_go() -> None:
    shares = Shares({"a": 1})
    shares.given(shares.freest({"a": 1}), Task())
    assert shares.freest({"a": 1, "new": 1}) == ["new"]
    assert shares.threads == 2
    assert shares.freest({}) == []
    assert shares.threads == 1
    assert shares.freest({"new": 1}) == ["new"]
