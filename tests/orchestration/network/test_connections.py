"""Settings of connections."""

from orchestration.network import ConnectionSettings


def test_the_key_is_a_bearer_token_unless_a_header_replaces_it():
    plain = ConnectionSettings("shop", "http", key="sk-12345")
    assert plain.credentials == {"authorization": "Bearer sk-12345"}
    own = ConnectionSettings("shop", "http", key="sk-12345", headers={"Authorization": "Basic x"})
    assert own.credentials == {"authorization": "Basic x"}
    assert ConnectionSettings("shop", "http", headers={"X-Key": "1"}).credentials == {"x-key": "1"}


def test_secrets_appear_neither_in_a_text_nor_in_the_representation():
    settings = ConnectionSettings("shop", "http", key="sk-12345", headers={"X-Key": "header-7"})
    assert settings.without_secrets("sk-12345 or header-7") == "[redacted] or [redacted]"
    assert "sk-12345" not in repr(settings)
    assert "header-7" not in repr(settings)
