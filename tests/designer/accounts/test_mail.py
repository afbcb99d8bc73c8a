"""Mails that a thread sends after the response."""

from concurrent.futures import wait
from contextvars import ContextVar
from threading import Event

from django.core import mail
from django.core.mail import EmailMessage, get_connection

from designer.accounts.mail import send_later, send_message_later

LIMIT = 60
"""Seconds that a test waits for the thread on a busy machine."""

PERSON = ContextVar("PERSON", default="nobody")


def message(subject: str, **options) -> EmailMessage:
    return EmailMessage(subject, "Hello", to=["ada@baton.example"], **options)


def test_a_mail_is_sent_after_the_earlier_ones():
    earlier = Event()
    send_later(lambda: send_after(earlier))
    send_message_later(message("second"))
    end = send_later(lambda: None)
    assert end in wait([end], timeout=0.05).not_done
    earlier.set()
    end.result(LIMIT)
    assert [each.subject for each in mail.outbox] == ["first", "second"]


def send_after(event: Event) -> None:
    assert event.wait(LIMIT)
    message("first").send()


def test_a_mail_that_cannot_be_sent_is_logged_and_the_next_one_is_sent(caplog):
    refused = get_connection(
        "django.core.mail.backends.smtp.EmailBackend", host="127.0.0.1", port=1
    )
    send_message_later(message("lost", connection=refused))
    send_message_later(message("next"))
    send_later(lambda: None).result(LIMIT)
    assert "A mail was not sent: " in caplog.text
    assert "Check BATON_MAIL_URL." in caplog.text
    assert [each.subject for each in mail.outbox] == ["next"]


def test_a_mail_is_sent_in_the_context_of_its_call():
    seen: list[str] = []
    token = PERSON.set("ada")
    try:
        sent = send_later(lambda: seen.append(PERSON.get()))
    finally:
        PERSON.reset(token)
    sent.result(LIMIT)
    send_later(lambda: seen.append(PERSON.get())).result(LIMIT)
    assert seen == ["ada", "nobody"]
