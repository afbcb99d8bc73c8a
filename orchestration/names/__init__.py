"""Names in arguments and files: the check of a collection of names, suggestions for a wrong one."""

from orchestration.names.name_sets import names_of
from orchestration.names.suggestions import closest_names, did_you_mean

__all__ = ["closest_names", "did_you_mean", "names_of"]
