"""The account page: who a person is and how they read."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.topics.delivery.post_office import PostOffice
from topics.models import Preferences

FORM = {"name": "Ann", "email": "", "language": "zh-hans", "zone": "Asia/Shanghai"}
OTHER = FORM | {"email": "ann@reader.test"}


def test_language_and_zone_hold_at_once_and_at_the_next_sign_in(as_ann: Client, ann: User) -> None:
    assert as_ann.post("/account/", FORM).status_code == 302
    assert "时区" in as_ann.get("/account/").content.decode()
    again = Client()
    again.force_login(ann)
    html = again.get("/account/", headers={"accept-language": "en"}).content.decode()
    assert '<html lang="zh-hans">' in html
    assert 'value="Asia/Shanghai"' in html
    ann.refresh_from_db()
    assert (ann.first_name, ann.email) == ("Ann", "")


def test_another_address_needs_the_password(as_ann: Client, ann: User) -> None:
    ann.set_password("correct horse")
    ann.save()
    as_ann.force_login(ann)
    for given in ("", "wrong"):
        refused = as_ann.post("/account/", OTHER | {"password": given})
        assert refused.status_code == 422
        assert "The password is not correct" in refused.content.decode()
        ann.refresh_from_db()
        assert ann.email == ""
    assert as_ann.post("/account/", OTHER | {"password": "correct horse"}).status_code == 302
    ann.refresh_from_db()
    assert ann.email == "ann@reader.test"
    assert as_ann.post("/account/", OTHER | {"name": "Anna"}).status_code == 302


def test_a_new_address_gets_the_link_that_confirms_it(
    as_ann: Client, ann: User, post: PostOffice
) -> None:
    ann.set_password("correct horse")
    ann.save()
    as_ann.force_login(ann)
    given = OTHER | {"password": "correct horse", "language": "en"}
    html = as_ann.post("/account/", given, follow=True).content.decode()
    assert "A link was sent to ann@reader.test" in html
    [letter] = post.letters()
    assert letter.recipients == ("ann@reader.test",)
    as_ann.post("/account/", given | {"name": "Anna", "password": ""})
    assert len(post.letters()) == 1


def test_a_mistyped_address_is_named_once(as_ann: Client) -> None:
    refused = as_ann.post("/account/", FORM | {"email": "ann@"}, headers={"accept-language": "en"})
    assert refused.content.decode().count("Enter a valid email address.") == 1


@pytest.mark.parametrize("domain", [f"{'中' * 60}.test", "א1.test"])
def test_an_address_to_which_no_mail_can_go_is_refused(
    as_ann: Client, ann: User, post: PostOffice, domain: str
) -> None:
    ann.set_password("correct horse")
    ann.save()
    as_ann.force_login(ann)
    given = FORM | {"email": f"ann@{domain}", "password": "correct horse", "language": "en"}
    refused = as_ann.post("/account/", given, headers={"accept-language": "en"})
    assert refused.status_code == 422
    assert "Enter a valid email address." in refused.content.decode()
    ann.refresh_from_db()
    assert ann.email == ""


@pytest.mark.parametrize(
    "change", [{"zone": "Mars/Phobos"}, {"language": "tlh"}, {"email": "nowhere"}]
)
def test_what_is_not_known_is_refused(as_ann: Client, change: dict[str, str]) -> None:
    assert as_ann.post("/account/", FORM | change).status_code == 422
    assert not Preferences.objects.exists()


def test_the_language_buttons_hold_at_the_next_sign_in(as_ann: Client, ann: User) -> None:
    as_ann.post("/language/", {"language": "zh-hant", "next": "/account/"})
    assert Preferences.objects.get().language == "zh-hant"
    assert '<html lang="zh-hant">' in as_ann.get("/account/").content.decode()
    as_ann.post("/language/", {"language": "none", "next": "/"})
    assert Preferences.objects.get().language == "zh-hant"


def test_strangers_choose_a_language_too(client: Client, db: None) -> None:
    client.post("/language/", {"language": "zh-hans", "next": "/login/"})
    assert '<html lang="zh-hans">' in client.get("/login/").content.decode()
    assert not Preferences.objects.exists()
