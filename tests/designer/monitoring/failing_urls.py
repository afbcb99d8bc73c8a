"""Addresses for tests of failures."""

from typing import Never

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest
from django.urls import include, path

from designer import urls


@login_not_required
def fail(request: HttpRequest) -> Never:
    """Fail with an error that nobody expects."""
    message = "secret-canary"
    raise RuntimeError(message)


urlpatterns = [path("fail/", fail), path("", include(urls))]
handler500 = urls.handler500
