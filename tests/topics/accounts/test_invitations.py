"""Accounts by invitation: a signed link that works once and expires."""

import re
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.topics.delivery.post_office import PostOffice
from tests.topics.factories import person
from topics.accounts.invitations import (
    MAX_AGE,
    InvitationUsedError,
    accept,
    find_invitation,
    invite,
    link_of,
)
from topics.forms.accounts import JoinForm
from topics.models import AddressProof, Invitation

FORM = {"username": "dora", "password1": "quiet heron 7", "password2": "quiet heron 7"}


@pytest.fixture
def staff(db: None) -> User:
    return person("staff", is_staff=True)


@pytest.fixture
def as_staff(client: Client, staff: User) -> Client:
    client.force_login(staff)
    return client


def path_of(link: str) -> str:
    found = re.search(r"/join/\S+/", link)
    assert found
    return found[0]


def test_a_copied_link_makes_one_account(as_staff: Client) -> None:
    assert as_staff.post("/invitations/", {"email": ""}).status_code == 302
    html = as_staff.get("/invitations/").content.decode()
    # A screen reader says which one the button withdraws.
    assert 'Withdraw<span class="unseen">: whoever has the link</span>' in html
    path = path_of(html)
    guest = Client()
    assert guest.get(path).status_code == 200
    answer = guest.post(path, FORM)
    assert answer.headers["Location"] == "/"
    assert guest.get("/account/").status_code == 200
    dora = User.objects.get(username="dora")
    assert not dora.is_staff and not dora.is_superuser
    assert Invitation.objects.get().used_by == dora
    again = Client().post(path, FORM | {"username": "fred"})
    assert again.status_code == 410
    assert not User.objects.filter(username="fred").exists()


def test_a_mailed_link_proves_the_address(as_staff: Client, staff: User, post: PostOffice) -> None:
    as_staff.post("/invitations/", {"email": "dora@reader.test"})
    [letter] = post.letters()
    assert letter.recipients == ("dora@reader.test",)
    message = message_from_bytes(letter.content, _class=EmailMessage, policy=SMTP)
    assert message["Subject"] == "An invitation to FocusWeb"
    assert Client().post(path_of(message.get_content()), FORM).status_code == 302
    dora = User.objects.get(username="dora")
    assert dora.email == "dora@reader.test"
    assert AddressProof.objects.of(dora).confirmed().exists()


def test_a_mail_that_is_refused_leaves_the_link_to_copy(as_staff: Client, post: PostOffice) -> None:
    html = as_staff.post("/invitations/", {"email": "unknown@reader.test"}, follow=True)
    assert "could not be sent" in html.content.decode()
    assert "/join/" in html.content.decode()


def test_nobody_is_invited_by_an_address_that_no_mail_can_have(
    as_staff: Client, post: PostOffice
) -> None:
    assert as_staff.post("/invitations/", {"email": "ann@א1.test"}).status_code == 422
    assert not Invitation.objects.exists()


def test_a_link_expires(staff: User) -> None:
    now = timezone.now()
    old = invite(staff, "", now - MAX_AGE - timedelta(seconds=1))
    answer = Client().post(path_of(link_of(old)), FORM)
    assert answer.status_code == 410
    assert not User.objects.filter(username="dora").exists()


def test_of_two_at_once_one_gets_the_account(staff: User) -> None:
    now = timezone.now()
    invitation = invite(staff, "", now)
    first, second = JoinForm(FORM), JoinForm(FORM | {"username": "fred"})
    assert first.is_valid() and second.is_valid()
    accept(invitation, first, now)
    with pytest.raises(InvitationUsedError):
        accept(invitation, second, now)
    assert not User.objects.filter(username="fred").exists()


class AnotherJoins:
    """Checks passwords; meanwhile another person joins with the same name."""

    def validate(self, password: str, user: User | None = None) -> None:
        User.objects.get_or_create(username=FORM["username"])

    def get_help_text(self) -> str:
        return ""


def test_of_two_who_join_with_one_name_the_second_chooses_another(
    staff: User, settings: LazySettings
) -> None:
    path = path_of(link_of(invite(staff, "", timezone.now())))
    settings.AUTH_PASSWORD_VALIDATORS = [{"NAME": f"{__name__}.AnotherJoins"}]

    second = Client().post(path, FORM)

    assert second.status_code == 422
    assert "A user with that username already exists." in second.content.decode()
    assert Client().post(path, FORM | {"username": "fred"}).status_code == 302
    assert set(User.objects.values_list("username", flat=True)) == {"staff", "dora", "fred"}


@pytest.mark.parametrize("token", ["1", "1:forged", "2:AAAA", "x"])
def test_a_forged_link_leads_nowhere(staff: User, token: str) -> None:
    invite(staff, "", timezone.now())
    assert find_invitation(token) is None
    assert Client().get(f"/join/{token}/").status_code == 404


def test_a_withdrawn_invitation_leads_nowhere(as_staff: Client, staff: User) -> None:
    invitation = invite(staff, "", timezone.now())
    as_staff.post(f"/invitations/{invitation.pk}/cancel")
    assert Client().get(path_of(link_of(invitation))).status_code == 404


def test_a_weak_password_is_refused(staff: User) -> None:
    path = path_of(link_of(invite(staff, "", timezone.now())))
    weak = FORM | {"password1": "dora", "password2": "dora"}
    assert Client().post(path, weak).status_code == 422
    assert not User.objects.filter(username="dora").exists()
