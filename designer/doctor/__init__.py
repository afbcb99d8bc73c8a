"""Examination of an installation: settings, services, storage and addresses, with fixes."""

from designer.doctor.address_checks import check_url
from designer.doctor.examination import examine
from designer.doctor.findings import Finding

__all__ = ["Finding", "check_url", "examine"]
