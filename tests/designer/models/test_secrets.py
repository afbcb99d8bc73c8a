"""Encryption of stored secrets."""

import pytest

from designer.models.secrets import UnreadableSecretError, reencrypt, seal, unseal

PLACE = "https://api.example"
OLD, NEW = "old-" + "a" * 40, "new-" + "b" * 40


def test_a_secret_can_be_decrypted_for_its_place():
    sealed = seal("sk-canary", place=PLACE)
    assert unseal(sealed, place=PLACE) == "sk-canary"
    assert "canary" not in sealed
    assert PLACE not in sealed


def test_a_secret_cannot_be_decrypted_for_another_place():
    sealed = seal("sk-canary", place=PLACE)
    with pytest.raises(UnreadableSecretError, match="is bound to https"):
        unseal(sealed, place="https://evil.example")


def test_an_empty_secret_stays_empty():
    assert seal("", place=PLACE) == ""
    assert unseal("", place=PLACE) == ""
    assert reencrypt("") == ""


def test_the_first_key_encrypts_and_all_of_them_decrypt(settings):
    settings.ENCRYPTION_KEYS = [OLD]
    sealed = seal("sk-canary", place=PLACE)
    settings.ENCRYPTION_KEYS = [NEW, OLD]
    assert unseal(sealed, place=PLACE) == "sk-canary"
    encrypted = reencrypt(sealed)
    settings.ENCRYPTION_KEYS = [NEW]
    assert unseal(encrypted, place=PLACE) == "sk-canary"
    with pytest.raises(UnreadableSecretError):
        unseal(sealed, place=PLACE)
    with pytest.raises(UnreadableSecretError):
        reencrypt(sealed)


def test_secrets_from_the_secret_key_stay_readable_with_other_keys(settings):
    sealed = seal("sk-canary", place=PLACE)
    settings.ENCRYPTION_KEYS = [NEW]
    assert unseal(sealed, place=PLACE) == "sk-canary"


def test_the_error_for_a_wrong_key_contains_no_stored_value(settings):
    sealed = seal("sk-canary", place=PLACE)
    settings.SECRET_KEY = "another-" + "c" * 40
    with pytest.raises(UnreadableSecretError) as failed:
        unseal(sealed, place=PLACE)
    assert "BATON_ENCRYPTION_KEYS" in str(failed.value)
    assert sealed not in str(failed.value)
