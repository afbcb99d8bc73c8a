"""Long work in the background: jobs with progress, stop and recovery, on Django Tasks."""

from designer.jobs.kinds import JobFailedError, JobKind
from designer.jobs.recovery import SWEEP_SECONDS, JobSweeper, has_queued_work
from designer.jobs.start import TooManyJobsError, start_job

__all__ = [
    "SWEEP_SECONDS",
    "JobFailedError",
    "JobKind",
    "JobSweeper",
    "TooManyJobsError",
    "has_queued_work",
    "start_job",
]
