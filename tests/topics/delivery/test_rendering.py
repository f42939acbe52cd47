"""The mail of an issue: two parts, honest headers, never too long, the same bytes for ever."""

import re
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP

import msgspec
import pytest
from django.utils.html import escape
from pytest_django import Settings

from crawler.models import Page, Run, Story
from tests.topics.delivery.issues import DAY, digest_of, news, work
from tests.topics.delivery.post_office import PostOffice
from tests.topics.factories import NOON, Scene
from topics.delivery.mail_preview import mail_parts
from topics.delivery.mime import html_bytes
from topics.delivery.rendering import MAX_HTML_BYTES, IssueItem, message_id
from topics.models import DigestIssue

CHINESE = "智能电网调度：从储能到特高压输电的一天，以及它对城市用电高峰的影响"


def parsed(issue: DigestIssue | None) -> EmailMessage:
    assert issue is not None
    return message_from_bytes(bytes(issue.message), _class=EmailMessage, policy=SMTP)


@pytest.fixture
def issue(scene: Scene, post: PostOffice) -> DigestIssue:
    """A day's issue with an English and a Chinese page, of sites new to the topic."""
    Run.objects.update(ended=NOON - 3 * DAY)
    story = Story.objects.create(crawl=scene.crawl, first_seen=NOON)
    news(scene, "Cache <lines> & pipes", score=0.9, published=NOON - 2 * DAY, story=story)
    news(scene, "a copy", score=0.5, site="copy.test", story=story)
    news(scene, CHINESE, score=0.4)
    issue = work(digest_of(scene), NOON)
    assert issue is not None
    return issue


def test_both_parts_tell_all_of_each_page(issue: DigestIssue) -> None:
    mail = mail_parts(bytes(issue.message))
    for part in (mail.text, mail.html):
        assert "2 days ago (2026-04-29)" in part.replace("\xa0", " ")
        assert "date unknown, first seen 3 hours ago (2026-05-01)" in part.replace("\xa0", " ")
        assert "also at copy.test" in part
        assert "new site" in part
        assert "Mentions CPU, cache; 3 sites link to it" in part
        assert CHINESE in part
        assert "https://watch.focus.test/topics/chips/digest/" in part
        assert "This issue covers" not in part
    assert "1. Cache <lines> & pipes\r\n" in mail.text
    assert "Cache &lt;lines&gt; &amp; pipes" in mail.html


def test_both_parts_give_the_extract_before_the_reason(scene: Scene, post: PostOffice) -> None:
    text = (
        "Nobody came to the fair at all that day.\nA computer <b>keeps</b> what it read in a cache."
    )
    news(scene, "Caches", text=text)
    Page.objects.update(language="fr", line_kinds="pp", flags="no_article")
    issue = work(digest_of(scene), NOON)
    assert issue is not None
    mail = mail_parts(bytes(issue.message))

    extract = "A computer <b>keeps</b> what it read in a cache."
    assert mail.text.index(extract) < mail.text.index("Mentions CPU, cache")
    assert f'<div lang="fr">{escape(extract)}' in mail.html
    assert mail.html.index(escape(extract)) < mail.html.index("Mentions CPU, cache")
    assert "Nobody came" not in mail.text + mail.html
    assert "[front page or list]" in mail.text and "[front page or list]" in mail.html


def test_an_issue_frozen_before_extracts_can_be_read() -> None:
    shown = {"title": "Old", "url": "https://a.test/", "site": "a.test", "why": "It fits."}
    page = msgspec.convert(shown | {"first_seen": NOON}, IssueItem)

    assert (page.extract, page.lang, page.has_article) == ("", "", True)


def test_headers_are_those_of_a_machine_that_means_well(issue: DigestIssue) -> None:
    mail = parsed(issue)
    assert mail["From"] == "FocusWeb <watch@focus.test>"
    assert mail["To"] == "ann@reader.test"
    assert mail["Date"].datetime == NOON
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["List-Id"] == f"<digest-{issue.digest_id}.focusweb.focus.test>"
    assert mail["Message-ID"] == issue.message_id
    assert re.fullmatch(
        rf"<digest-{issue.digest_id}-20260501-0800\.[0-9a-f]{{16}}@focus\.test>", issue.message_id
    )
    assert mail.defects == []
    assert mail.get_content_type() == "multipart/alternative"
    parts = list(mail.iter_parts())
    assert [part.get_content_type() for part in parts] == ["text/plain", "text/html"]
    assert {part["Content-Language"] for part in parts} == {"en"}
    raw = bytes(issue.message)
    assert raw.isascii()
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert max(len(line) for line in raw.split(b"\r\n")) <= 998


def test_a_list_is_named_in_plain_letters_however_long_the_domain(
    scene: Scene, post: PostOffice, settings: Settings
) -> None:
    domain = "watch.a-department-with-a-name.of-a-rather-long-organisation.example.org"
    settings.MAIL_FROM = f"watch@{domain}"
    news(scene)
    digest = digest_of(scene)
    issue = work(digest, NOON)
    assert issue is not None
    assert f"List-Id: <digest-{digest.pk}.focusweb.{domain}>".encode() in bytes(issue.message)


def test_a_chinese_mail_is_chinese_throughout(scene: Scene, post: PostOffice) -> None:
    scene.topic.name = "人工智能与" * 20
    scene.topic.save()
    news(scene, CHINESE, published=NOON - DAY)
    issue = work(digest_of(scene, language="zh-hans"), NOON)
    mail = mail_parts(bytes(issue.message)) if issue else None
    assert issue is not None
    assert mail is not None
    assert mail.subject == issue.subject == f"{scene.topic.name}：1 个新网页"
    assert '<html lang="zh-Hans">' in mail.html
    assert {part["Content-Language"] for part in parsed(issue).iter_parts()} == {"zh-Hans"}
    for part in (mail.text, mail.html):
        assert "中关注了" in part
        assert "提到 CPU" in part
        assert not re.search(r"\b(new|page|date|found|because|first)\b", part)
    head = bytes(issue.message).split(b"\r\n\r\n")[0]
    assert max(len(line) for line in head.split(b"\r\n")) <= 78


def test_a_mail_in_traditional_chinese_is_that_throughout(scene: Scene, post: PostOffice) -> None:
    news(scene, CHINESE, published=NOON - DAY)
    issue = work(digest_of(scene, language="zh-hant"), NOON)
    assert issue is not None
    mail = mail_parts(bytes(issue.message))
    assert mail.subject.endswith("：1 個新網頁")
    assert '<html lang="zh-Hant">' in mail.html
    assert {part["Content-Language"] for part in parsed(issue).iter_parts()} == {"zh-Hant"}


def test_names_of_topics_put_nothing_into_headers(scene: Scene, post: PostOffice) -> None:
    scene.topic.name = "a\r\nBcc: everybody@the.test"
    scene.topic.save()
    news(scene)
    mail = parsed(work(digest_of(scene), NOON))
    assert mail["Bcc"] is None
    assert mail["Subject"] == "a Bcc: everybody@the.test: 1 new page"


def test_fifty_chinese_pages_fit(scene: Scene, post: PostOffice) -> None:
    why = {"matched": [{"term": "特高压输电", "via": "电力系统"}] * 5, "relevance": 0.7}
    for number in range(50):
        page = news(scene, f"{CHINESE}{number}", text=CHINESE * 9, site=f"站{number}.test")
        page.explanation["judge"] |= why
        page.save()
    issue = work(digest_of(scene, language="zh-hans", max_items=50), NOON)
    assert issue is not None
    assert issue.items.count() == 50
    assert 20_000 < html_bytes(parsed(issue)) <= MAX_HTML_BYTES


def test_what_has_no_room_in_the_mail_is_not_reported(scene: Scene, post: PostOffice) -> None:
    for number in range(50):
        news(scene, CHINESE, site=f"b{number}.test/{'c' * 1900}", score=1 - number / 100)
    digest = digest_of(scene, max_items=50)
    issue = work(digest, NOON)
    assert issue is not None
    n_reported = issue.items.count()
    assert 20 < n_reported < 50
    assert html_bytes(parsed(issue)) <= MAX_HTML_BYTES
    assert issue.n_more == 50 - n_reported
    assert f"{issue.n_more} more on the topic" in mail_parts(bytes(issue.message)).html
    tomorrow = work(digest, NOON + DAY)
    assert tomorrow is not None
    assert tomorrow.items.count() > 0


def test_a_mail_asks_for_nothing_from_the_network(issue: DigestIssue) -> None:
    html = mail_parts(bytes(issue.message)).html
    assert not re.search(r"<(img|link|script|iframe|style|object|video|form)\b|url\(|@import", html)
    assert set(re.findall(r'(src|href|background)="(?!https?://)', html)) == set()


def test_after_an_outage_the_mail_says_what_it_covers(scene: Scene, post: PostOffice) -> None:
    digest = digest_of(scene, covered_until=NOON)
    news(scene, first_seen=NOON + DAY)
    issue = work(digest, NOON + 3 * DAY)
    mail = mail_parts(bytes(issue.message)) if issue else None
    assert mail is not None
    assert "This issue covers 3 days." in mail.text
    assert "This issue covers 3 days." in mail.html


def test_another_installation_has_other_names(issue: DigestIssue, settings: Settings) -> None:
    before = message_id(issue)
    settings.SECRET_KEY = "another"
    assert message_id(issue) != before


def test_a_sender_with_a_chinese_name_and_domain_is_written_right(
    scene: Scene, post: PostOffice, settings: Settings
) -> None:
    settings.MAIL_FROM = "观察者 <watch@例子.test>"
    news(scene)
    mail = parsed(work(digest_of(scene), NOON))
    assert mail["From"] == "观察者 <watch@xn--fsqu00a.test>"
    [letter] = post.letters()
    assert letter.sender == "watch@xn--fsqu00a.test"


def test_a_moment_in_a_mail_is_of_the_digests_zone(scene: Scene, post: PostOffice) -> None:
    news(scene, published=NOON - timedelta(hours=20))
    issue = work(digest_of(scene, zone="Asia/Tokyo", covered_until=NOON - DAY), NOON)
    assert issue is not None
    assert "2026-05-01" in mail_parts(bytes(issue.message)).text
