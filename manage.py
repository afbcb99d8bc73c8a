#!/usr/bin/env python3
"""Run Django's commands for Baton."""

import os
import sys


def main() -> None:
    """Hand the command line to Django, with Baton's settings unless others are named."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.settings")

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
