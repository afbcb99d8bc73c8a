"""Error reports without secrets."""

from django.views.debug import ExceptionReporter


def test_a_report_contains_no_encryption_keys(settings):
    settings.ENCRYPTION_KEYS = ["sk-canary-of-the-settings"]
    report = ExceptionReporter(None, RuntimeError, RuntimeError("x"), None)
    assert "canary" not in str(report.get_traceback_data()["settings"])
