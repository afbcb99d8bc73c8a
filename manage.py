#!/usr/bin/env python3
"""Run Django's commands for Baton."""

import gc
import os
import sys

MANY_OBJECTS = 35_000
"""Threshold of new objects for a garbage collection: most objects of a start stay in memory."""


def main() -> None:
    """Hand the command line to Django, with Baton's settings unless others are named."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.settings")
    gc.set_threshold(MANY_OBJECTS, *gc.get_threshold()[1:])

    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        _ = settings.INSTALLED_APPS  # loads them
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
