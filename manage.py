#!/usr/bin/env python3
"""Run Django's commands for Baton."""

import os
import sys


def main() -> None:
    """Hand the command line to Django, with Baton's settings unless others are named."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.settings")

    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
