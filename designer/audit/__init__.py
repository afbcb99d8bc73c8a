"""Audit trail: sign-ins, and changes of permissions and keys."""

from designer.audit.recording import record_audit
from designer.audit.sign_ins import record_failed_sign_in, record_sign_in, record_sign_out

__all__ = ["record_audit", "record_failed_sign_in", "record_sign_in", "record_sign_out"]
