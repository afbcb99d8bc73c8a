"""Settings of servers and workers that know the gated job."""

from designer.settings import *  # noqa: F403
from designer.settings import JOB_KINDS

JOB_KINDS["gated"] = "tests.designer.jobs.gated_job.GATED"
