"""What a feed says of a page is clean text and a web address."""

import pytest

from tests import databases
from tests.topics.factories import Scene, explanation
from tests.topics.feeds.conftest import Add
from topics.feeds.addresses import renew_address
from topics.feeds.entries import MAX_TITLE, entries_of, public_why, safe_link
from topics.feeds.items import current_items
from topics.models import Thumb
from topics.pages.rows import shown_pages

HOME = "https://watch.test/topics/chips/"


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://a.test/x?y=1#z", "https://a.test/x?y=1#z"),
        ("http://a.test:8000/", "http://a.test:8000/"),
        ("https://[2001:db8::1]/a[b]", "https://[2001:db8::1]/a%5Bb%5D"),
        ('https://a.test/a b|c^`{}"<>\\', "https://a.test/a%20b%7Cc%5E%60%7B%7D%22%3C%3E%5C"),
        ("https://a.test/电网", "https://a.test/%E7%94%B5%E7%BD%91"),
        ("https://a.test/100%?q=%zz%41", "https://a.test/100%25?q=%25zz%41"),
        ("javascript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("ftp://a.test/", ""),
        ("//a.test/", ""),
        ("https://", ""),
        ("", ""),
    ],
)
def test_only_web_addresses_are_links(url: str, link: str) -> None:
    assert safe_link(url) == link


def test_an_entry_has_the_two_sentences_and_the_reason(scene: Scene, add: Add) -> None:
    add("a.test/", "A title", text="A CPU has a cache. It is fast.\nSomething else.")
    feed = renew_address("topic", scene.topic, scene.now)

    entry = entries_of(current_items(feed, scene.now), scene.now, home=HOME)[0]

    assert "A CPU has a cache." in entry.extract
    assert entry.why.startswith("Mentions")
    assert (entry.title, entry.link, entry.site) == ("A title", "https://a.test/", "a.test")


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("\x01\x0b Two\nlines\t\x85", "Two lines"),
        # PostgreSQL stores another character for NUL.
        ("x\x00y", "x\ufffdy" if databases.SERVER else "xy"),
        ("a\u202eb\u2066c\u200f", "abc"),
        ("\ufffe\uffff\ufdd0x", "x"),
        ("", "https://a.test/"),
        ("\u202e\x0b", "https://a.test/"),
        ("<b>]]></b> & co", "<b>]]></b> & co"),
        ("x" * 300, "x" * 300),
    ],
)
def test_titles_are_cleaned(scene: Scene, add: Add, title: str, shown: str) -> None:
    page = add("a.test/", "t")
    page.page.title = title
    page.page.save()
    feed = renew_address("topic", scene.topic, scene.now)

    entry = entries_of(current_items(feed, scene.now), scene.now, home=HOME)[0]

    assert entry.title == shown
    assert len(entry.title) <= MAX_TITLE


def test_a_page_that_has_no_web_address_leads_to_its_topic(scene: Scene, add: Add) -> None:
    page = add("a.test/")
    page.url.url = "javascript:alert(1)"
    page.url.save()
    feed = renew_address("topic", scene.topic, scene.now)

    assert entries_of(current_items(feed, scene.now), scene.now, home=HOME)[0].link == HOME


def test_strangers_do_not_read_what_the_owner_rated_or_ruled(scene: Scene, add: Add) -> None:
    page = add("a.test/", relevance=0.1, explanation=explanation(site={"rule": "raise"}))
    keys = {"user": scene.topic.owner, "topic": scene.topic}
    Thumb.objects.create(url=page.url, value=1, created=scene.now, **keys)
    row = shown_pages(scene.crawl, [page], scene.now)[0]

    assert "its site was raised" in row.why
    assert "you" not in public_why(row)
    assert public_why(row).startswith("Mentions")
