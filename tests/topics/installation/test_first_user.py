"""The first user is made once, with a random password."""

import pytest
from django.contrib.auth import authenticate, get_user_model

from topics.installation.first_user import NAME, ensure_first_user, new_password

pytestmark = pytest.mark.django_db


def test_the_first_user_can_sign_in_with_the_password_that_is_returned() -> None:
    password = ensure_first_user()

    user = authenticate(username=NAME, password=password)
    assert user is not None
    assert user.is_superuser


def test_no_second_user_is_made() -> None:
    ensure_first_user()

    assert ensure_first_user() is None
    assert get_user_model().objects.count() == 1


def test_an_existing_user_keeps_the_door_closed() -> None:
    get_user_model().objects.create_user("ann", password="x")

    assert ensure_first_user() is None
    assert not get_user_model().objects.filter(username=NAME).exists()


def test_passwords_differ_and_are_long() -> None:
    passwords = {new_password() for _ in range(50)}

    assert len(passwords) == 50
    assert min(map(len, passwords)) == 23
