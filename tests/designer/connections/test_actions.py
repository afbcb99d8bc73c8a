"""Changes to connections and their secrets."""

import pytest

from designer.connections.actions import (
    ConnectionValues,
    SubmittedSecrets,
    store_models,
    update_connection,
)
from designer.core.edit_errors import RefusedError
from designer.models import Connection
from tests.designer.connections.connection_pages import field_error, post, save_connection

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_deleted_connection_cannot_be_changed(user) -> None:
    row = Connection.objects.create(owner=user, name="work")
    Connection.objects.all().delete()
    values = ConnectionValues(fields={"name": "other"}, secrets=SubmittedSecrets())
    with pytest.raises(RefusedError, match="has been deleted"):
        update_connection(connection=row, values=values)
    store_models(connection=row, models=["large"])
    assert not Connection.objects.exists()


def test_empty_and_dotted_secrets_keep_the_stored_values(client):
    row = save_connection(client, key="sk-canary", headers="X-Team: blue")
    post(client, "connection", row.pk, headers="X-Team: ••••••\nX-New: red", model="large")
    value = Connection.objects.get().value()
    assert (value.key, value.model) == ("sk-canary", "large")
    assert value.headers == {"X-Team": "blue", "X-New": "red"}
    assert Connection.objects.get().version == row.version + 1


def test_a_key_is_removed_only_on_request(client):
    row = save_connection(client, key="sk-canary")
    post(client, "connection", row.pk, forget_key="on")
    assert Connection.objects.get().value().key == ""


def test_another_address_requires_the_key_again(client):
    row = save_connection(client, key="sk-canary")
    moved = {"base_url": "https://evil.example/v1"}
    response = post(client, "connection", row.pk, **moved)
    assert response.status_code == 422
    assert field_error(response, "key").startswith(
        "The stored key is for https://api.example: enter"
    )
    assert Connection.objects.get().base_url == row.base_url
    post(client, "connection", row.pk, **moved, key="sk-new")
    assert Connection.objects.get().value().key == "sk-new"


def test_another_path_on_the_same_host_keeps_the_key(client):
    row = save_connection(client, key="sk-canary")
    post(client, "connection", row.pk, base_url="https://api.example/v2")
    assert Connection.objects.get().value().key == "sk-canary"


def test_another_address_requires_the_headers_again(client):
    row = save_connection(client, headers="X-Team: blue")
    moved = {"base_url": "https://evil.example/v1", "headers": "X-Team: ••••••"}
    response = post(client, "connection", row.pk, **moved)
    assert field_error(response, "headers").startswith(
        "The stored headers are for https://api.example"
    )


def test_the_number_of_connections_is_limited(client, user):
    rows = (Connection(owner=user, name=f"c{number}") for number in range(50))
    Connection.objects.bulk_create(rows)
    assert "the maximum of" in field_error(post(client, "connection_add"), "name")
