"""The digest's pages: settings, what became of it, the mail itself, sending again."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from crawler.models import Harvest, Story
from focusweb.mail_server import MailServer
from tests.topics.delivery.rules_and_channels import channel_of
from tests.topics.factories import Scene, person, prove, scene_of, tight
from topics.delivery import ledger
from topics.models import Digest, DigestIssue, SavedSearch, Topic

PAGE = "/topics/chips/digest/"
FORM = {
    "active": "on",
    "frequency": "daily",
    "at": "08:00",
    "weekdays": "",
    "zone": "Asia/Shanghai",
    "language": "en",
    "max_items": "20",
    "skip_empty": "on",
}


@pytest.fixture
def scene(ann: User) -> Scene:
    """Ann's topic with a page that is news today."""
    scene = scene_of(ann, now=timezone.now())
    story = Story.objects.create(crawl=scene.crawl, first_seen=scene.now)
    scene.page("https://notes.test/cache", "Cache <lines>", story=story)
    return scene


@pytest.fixture
def digest(scene: Scene) -> Digest:
    """Ann's digest, of which one issue was kept as a file."""
    digest = Digest(topic=scene.topic, at=scene.now.time(), covered_until=scene.now)
    digest.next_due = scene.now
    digest.save()
    ledger.process_digest(digest.pk, timezone.now)
    return digest


def issue_path(digest: Digest, name: str = "digest_issue") -> str:
    return reverse(name, args=["chips", digest.issues.get().pk])


def test_a_digest_is_set_up_by_one_form(as_ann: Client, scene: Scene) -> None:
    assert "Set up" in as_ann.get(PAGE).content.decode()
    assert not Digest.objects.exists()

    answer = as_ann.post(PAGE, FORM, follow=True)

    digest = Digest.objects.get(topic=scene.topic)
    assert f"{digest.next_due:%H:%M}" == "00:00"
    assert digest.next_due > timezone.now()
    html = answer.content.decode()
    assert "Where is my digest?" in html
    due = f"{digest.next_due:%Y-%m-%d} 08:00 Asia/Shanghai (00:00 UTC)"
    assert f"The next issue is due {due}" in html


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("at", "", "This field is required"),
        ("at", "25:00", "Enter a valid time"),
        ("zone", "Mars/Base", "Mars/Base"),
        ("weekdays", "someday", "someday"),
        ("max_items", "51", "less than or equal to 50"),
        ("max_items", "0", "greater than or equal to 1"),
        ("frequency", "weekly", "at least one day"),
    ],
)
def test_what_makes_no_sense_is_refused(
    as_ann: Client, scene: Scene, field: str, value: str, error: str
) -> None:
    answer = as_ann.post(PAGE, FORM | {field: value})
    assert answer.status_code == 422
    assert error in answer.content.decode()
    assert not Digest.objects.exists()


def test_the_zone_is_chosen_from_a_list_or_written_by_hand(as_ann: Client, scene: Scene) -> None:
    html = as_ann.get(PAGE).content.decode()
    assert 'list="id_zone_zones"' in html
    assert '<option value="Asia/Shanghai">' in html

    as_ann.post(PAGE, FORM | {"zone": "new york"})

    assert Digest.objects.get().zone == "America/New_York"
    # What was chosen, be it UTC, stays.
    assert "data-own-zone" in html
    assert "data-own-zone" not in as_ann.get(PAGE).content.decode()
    refused = as_ann.post(PAGE, FORM | {"at": ""}).content.decode()
    assert "data-own-zone" not in refused


def test_a_pause_a_minimum_and_the_parts_are_set_by_the_form(as_ann: Client, scene: Scene) -> None:
    until = timezone.localdate() + timedelta(days=9)
    extra = {"paused_until": until.isoformat(), "min_items": "3", "besides": ["terms", "changes"]}

    html = tight(as_ann.post(PAGE, FORM | extra, follow=True).content.decode())

    digest = Digest.objects.get()
    assert (digest.min_items, digest.besides, digest.paused_until) == (3, "changes, terms", until)
    assert digest.next_due.astimezone(digest.schedule().zone).date() == until
    assert f"This digest is paused until {until.isoformat()}." in html
    refused = as_ann.post(PAGE, FORM | {"min_items": "21"})
    assert "The minimum must not be above the maximum." in refused.content.decode()


def test_fewer_pages_than_the_minimum_are_announced(as_ann: Client, scene: Scene) -> None:
    html = as_ann.post(PAGE, FORM | {"look": "1", "min_items": "3"}).content.decode()

    assert "fewer pages than the minimum" in html


def test_days_of_a_weekly_digest_are_ticked(as_ann: Client, scene: Scene) -> None:
    as_ann.post(PAGE, FORM | {"frequency": "weekly", "weekdays": ["thu", "mon"]})
    digest = Digest.objects.get()
    assert digest.weekdays == "mon, thu"
    assert digest.next_due.weekday() in (0, 3)
    html = as_ann.get(PAGE).content.decode()
    assert re.findall(r'value="([a-z]{3})"[^>]* checked', html) == ["mon", "thu"]
    look = as_ann.post(
        PAGE, FORM | {"look": "1", "frequency": "weekly", "weekdays": ["sat", "sun"]}
    )
    assert "weekdays=sat&amp;weekdays=sun" in look.content.decode()


def test_days_of_other_words_are_ticked_too(as_ann: Client, digest: Digest) -> None:
    Digest.objects.update(weekdays="周二 Friday")
    html = as_ann.get(PAGE).content.decode()
    assert re.findall(r'value="([a-z]{3})"[^>]* checked', html) == ["tue", "fri"]


def test_switched_on_again_it_covers_what_comes_from_then(
    as_ann: Client, scene: Scene, digest: Digest
) -> None:
    Digest.objects.update(active=False, covered_until=scene.now - timedelta(days=90))
    as_ann.post(PAGE, FORM)
    digest.refresh_from_db()
    assert digest.covered_until >= scene.now


def test_a_changed_digest_keeps_what_it_covers(
    as_ann: Client, scene: Scene, digest: Digest
) -> None:
    since = scene.now - timedelta(days=2)
    Digest.objects.update(covered_until=since)
    as_ann.post(PAGE, FORM | {"at": "09:00"})
    digest.refresh_from_db()
    assert digest.covered_until == since


GETS = [
    *("topic_digest", "digest_preview", "digest_preview_mail"),
    *("digest_issue", "digest_issue_mail", "digest_issue_file"),
]
POSTS = ["digest_test", "digest_issue_again", "digest_issue_came"]


def path_of(name: str, digest: Digest) -> str:
    return (
        issue_path(digest, name)
        if name.startswith("digest_issue")
        else reverse(name, args=["chips"])
    )


@pytest.mark.parametrize("name", GETS)
def test_looking_changes_nothing(as_ann: Client, digest: Digest, name: str) -> None:
    before = list(DigestIssue.objects.values()), list(Digest.objects.values())
    assert as_ann.get(path_of(name, digest)).status_code == 200
    assert (list(DigestIssue.objects.values()), list(Digest.objects.values())) == before


@pytest.mark.parametrize("name", POSTS)
def test_nothing_is_sent_by_looking(as_ann: Client, digest: Digest, name: str) -> None:
    assert as_ann.get(path_of(name, digest)).status_code == 405


@pytest.mark.parametrize("who", ["bob", "root"])
@pytest.mark.parametrize("name", [*GETS, *POSTS])
def test_other_peoples_digests_do_not_exist(
    client: Client, digest: Digest, name: str, who: str
) -> None:
    client.force_login(person(who, is_superuser=who == "root"))
    send = client.post if name in POSTS else client.get
    assert send(path_of(name, digest)).status_code == 404


@pytest.mark.parametrize("name", [name for name in [*GETS, *POSTS] if "issue" in name])
def test_an_issue_of_another_topic_is_not_found(as_ann: Client, digest: Digest, name: str) -> None:
    scene_of(digest.topic.owner, "other")
    path = path_of(name, digest).replace("/chips/", "/other/")
    send = as_ann.post if name in POSTS else as_ann.get
    assert send(path).status_code == 404


@pytest.mark.parametrize("name", ["digest_preview_mail", "digest_issue_mail"])
def test_a_mail_is_shown_as_it_is_and_can_do_nothing(
    as_ann: Client, digest: Digest, name: str
) -> None:
    answer = as_ann.get(path_of(name, digest))
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "sandbox allow-popups" in policy
    assert "script-src" not in policy
    assert "frame-ancestors 'self'" in policy
    assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"


def test_the_preview_has_the_pages_the_next_issue_would_tell(
    as_ann: Client, scene: Scene, digest: Digest
) -> None:
    html = tight(as_ann.get(f"{PAGE}preview/").content.decode())
    assert "There is nothing new. No e-mail would be sent." in html
    digest.issues.all().delete()
    html = as_ann.get(f"{PAGE}preview/").content.decode()
    assert "Computing 计算机: 1 new page" in html
    assert "1. Cache &lt;lines&gt;" in html
    assert "Cache &lt;lines&gt;" in as_ann.get(f"{PAGE}preview/mail").content.decode()


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_a_new_digest_is_in_the_language_of_the_pages(
    as_ann: Client, scene: Scene, language: str
) -> None:
    html = as_ann.get(PAGE, headers={"accept-language": language}).content.decode()
    assert f'<option value="{language}" selected>' in html


def test_a_digest_is_looked_at_before_it_is_saved(as_ann: Client, scene: Scene) -> None:
    answer = as_ann.post(PAGE, FORM | {"look": "1", "language": "zh-hans"})
    html = tight(answer.content.decode())
    assert "uses the settings above" in html
    assert "Computing 计算机：1 个新网页" in html
    assert "frame-src 'self'" in answer.headers["Content-Security-Policy"]
    mail_path = html.partition('<iframe class="mail" src="')[2].partition('"')[0]
    mail = as_ann.get(mail_path.replace("&amp;", "&")).content.decode()
    assert '<html lang="zh-Hans">' in mail
    assert "Cache &lt;lines&gt;" in mail
    assert not Digest.objects.exists()


@pytest.mark.parametrize("name", ["also_topics", "searches", "channels"])
def test_a_number_that_no_row_can_have_is_refused(
    as_ann: Client, scene: Scene, ann: User, name: str
) -> None:
    scene_of(ann, "second")
    channel_of(ann)
    SavedSearch.objects.create(owner=ann, name="s", query="a", created=scene.now)
    assert as_ann.post(PAGE, FORM | {name: str(2**63)}).status_code == 422


@pytest.mark.parametrize(
    ("day", "zone"), [("0001-01-01", "Asia/Shanghai"), ("9999-12-31", "America/New_York")]
)
def test_a_pause_until_a_day_that_no_calendar_has_is_refused(
    as_ann: Client, scene: Scene, day: str, zone: str
) -> None:
    form = FORM | {"paused_until": day, "zone": zone, "frequency": "weekly", "weekdays": ["thu"]}

    answer = as_ann.post(PAGE, form)

    assert answer.status_code == 422
    assert "Enter a day from 2000 to 2099." in answer.content.decode()


def test_what_came_while_a_digest_was_off_is_not_in_its_preview(
    as_ann: Client, scene: Scene
) -> None:
    Topic.objects.update(fresh_days=30)
    Harvest.objects.update(first_seen=scene.now - timedelta(days=5))
    digest = Digest(topic=scene.topic, at=scene.now.time(), active=False)
    digest.covered_until = scene.now - timedelta(days=9)
    digest.next_due = scene.now
    digest.save()

    look = as_ann.post(PAGE, FORM | {"look": "1"})

    assert look.context["look"].n_news == 0
    as_ann.post(PAGE, FORM)
    assert as_ann.get(f"{PAGE}preview/").context["look"].n_news == 0


def test_a_saved_digest_is_looked_at_with_other_settings(as_ann: Client, digest: Digest) -> None:
    before = list(Digest.objects.values())
    html = as_ann.post(PAGE, FORM | {"look": "1", "max_items": "7"}).content.decode()
    assert "uses the settings above" in html
    assert 'value="7"' in html
    assert list(Digest.objects.values()) == before


def test_what_makes_no_sense_is_not_looked_at(as_ann: Client, scene: Scene) -> None:
    answer = as_ann.post(PAGE, FORM | {"look": "1", "zone": "Mars/Base"})
    assert answer.status_code == 422
    assert "iframe" not in answer.content.decode()
    assert as_ann.get(f"{PAGE}preview/mail?zone=Mars/Base").status_code == 404


def test_without_a_digest_there_is_a_look_too(as_ann: Client, scene: Scene) -> None:
    html = as_ann.get(f"{PAGE}preview/").content.decode()
    assert "1. Cache &lt;lines&gt;" in html
    assert "Set up" in html
    assert "Send a test" not in html


def test_where_nothing_is_new_the_look_is_an_example(as_ann: Client, scene: Scene) -> None:
    Harvest.objects.update(baseline=True)
    html = as_ann.get(f"{PAGE}preview/").content.decode()
    assert "this sample uses pages you already know." in html
    assert "This is what would be sent now." not in html
    assert "[Example] Computing 计算机: 1 new page" in html
    assert "Cache &lt;lines&gt;" in as_ann.get(f"{PAGE}preview/mail").content.decode()
    assert not DigestIssue.objects.exists()


def test_the_file_is_the_mail(as_ann: Client, digest: Digest) -> None:
    answer = as_ann.get(issue_path(digest, "digest_issue_file"))
    assert answer.content == bytes(digest.issues.get().message)
    assert answer.headers["Content-Type"] == "message/rfc822"
    assert answer.headers["Content-Disposition"].endswith('.eml"')


@pytest.mark.parametrize("state", DigestIssue.State.values)
def test_an_issue_of_each_state_is_shown(
    as_ann: Client, digest: Digest, settings: Settings, state: str
) -> None:
    settings.MAIL_SERVER = MailServer("127.0.0.1", 9)
    prove(digest.topic.owner, "ann@reader.test")
    now = timezone.now()
    DigestIssue.objects.update(state=state, problem="550 no", not_before=now, ended=now)
    html = as_ann.get(issue_path(digest)).content.decode()
    assert ("Send again" in html) is (state in ("uncertain", "failed"))
    assert as_ann.get(PAGE).status_code == 200


def test_an_uncertain_issue_is_sent_again_by_a_person(
    as_ann: Client, digest: Digest, settings: Settings
) -> None:
    settings.MAIL_SERVER = MailServer("127.0.0.1", 9)
    prove(digest.topic.owner, "ann@reader.test")
    DigestIssue.objects.update(state="uncertain", recipient="ann@reader.test")
    assert "may not have been sent" in as_ann.get(PAGE).content.decode()

    as_ann.post(issue_path(digest, "digest_issue_again"))

    assert digest.issues.get().state == "rendered"
    answer = as_ann.post(issue_path(digest, "digest_issue_again"), follow=True)
    assert "cannot be sent again" in answer.content.decode()


def test_without_a_mail_server_or_an_address_the_buttons_say_so(
    as_ann: Client, digest: Digest, settings: Settings
) -> None:
    test = f"{PAGE}test"
    assert "No mail server is set" in as_ann.post(test, follow=True).content.decode()
    again = as_ann.post(issue_path(digest, "digest_issue_again"), follow=True).content.decode()
    assert "mail server or a confirmed address is missing" in again
    settings.MAIL_SERVER = MailServer("127.0.0.1", 9)
    assert "Enter one first" in as_ann.post(test, follow=True).content.decode()
    assert digest.issues.get().state == "filed"


def test_a_person_may_say_that_it_has_come(as_ann: Client, digest: Digest) -> None:
    came = issue_path(digest, "digest_issue_came")
    as_ann.post(came)
    assert digest.issues.get().state == "filed"
    DigestIssue.objects.update(state="uncertain")
    assert "I received it" in as_ann.get(issue_path(digest)).content.decode()
    assert "Marked as sent." in as_ann.post(came, follow=True).content.decode()
    assert digest.issues.get().state == "sent"
