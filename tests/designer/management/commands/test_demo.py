"""Steps of the demo command."""

import socket

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError

from designer.management.commands import demo


def test_a_used_port_is_reported():
    with socket.socket() as used:
        used.bind((demo.HOST, 0))
        used.listen()
        with pytest.raises(CommandError, match="in use by another program"):
            demo.require_free_port(used.getsockname()[1])


@pytest.mark.parametrize("port", [-1, 65536])
def test_an_impossible_port_is_reported(port):
    with pytest.raises(CommandError, match=f"There is no port {port}"):
        demo.require_free_port(port)


def test_the_data_folder_is_created(tmp_path):
    demo.require_writable(tmp_path / "new" / "data")
    assert (tmp_path / "new" / "data").is_dir()


def test_a_file_in_place_of_the_data_folder_is_reported(tmp_path):
    file = tmp_path / "data"
    file.write_text("")
    with pytest.raises(CommandError, match="set BATON_DATA_DIR"):
        demo.require_writable(file)


@pytest.mark.django_db
def test_a_user_is_created_once_without_a_password():
    user = demo.find_or_create_user("ada")
    assert not user.has_usable_password()
    assert demo.find_or_create_user("ada") == user
    assert User.objects.count() == 1


@pytest.mark.django_db
def test_the_sample_of_the_local_model_is_created_once(user):
    pipeline = demo.find_or_create_local_sample(user)
    assert pipeline.name == "Customer support (local model)"
    assert demo.find_or_create_local_sample(user) == pipeline
