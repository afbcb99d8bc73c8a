"""Monitoring: logs, health, metrics and telemetry for operators."""
