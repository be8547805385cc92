"""Jobs of a study on a dask.distributed cluster."""

from __future__ import annotations

import os

from liestonet.core.cluster import connected
from liestonet.study.jobs import Job, Outcomes, reason, run_job

OWN = "LIESTONET_"  # environment variables with this prefix are passed to the workers, such as the place of a data file


def on_cluster(jobs: list[Job], address: str) -> Outcomes:
    """The outcomes of jobs run on a cluster; others repeat a lost worker's jobs, a lost scheduler ends the study."""
    variables = {name: value for name, value in os.environ.items() if name.startswith(OWN)}
    with connected(address) as scheduler:
        submit = scheduler.client.submit
        futures = {submit(run_job, job.target, job.settings, variables, key=job.file_name): job for job in jobs}
        for future in scheduler.finished(list(futures)):
            yield futures[future], scheduler.result(future, reason)
            future.release()
