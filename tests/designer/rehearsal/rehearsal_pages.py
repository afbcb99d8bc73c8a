"""Requests to the pages of a rehearsal, and their messages."""

from django.contrib.messages import get_messages
from django.urls import reverse


def post(client, address, conversation, **fields):
    return client.post(reverse(address, args=[conversation.pk]), fields)


def said(response) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]
