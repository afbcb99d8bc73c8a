"""Values of the metrics of this process."""

from designer.monitoring.metrics import REGISTRY


def value(name: str, **labels: str) -> float:
    """Return the value of a metric with these labels; 0 without one."""
    metrics = REGISTRY.restricted_registry([name]).collect()
    samples = [sample for metric in metrics for sample in metric.samples]
    return sum(one.value for one in samples if (one.name, one.labels) == (name, labels))
