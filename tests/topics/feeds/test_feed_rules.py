"""The rules by which feeds are checked find what is wrong."""

import json
from typing import Any

import pytest

from tests.topics.feeds.feed_rules import broken_rules

ATOM = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><id>urn:uuid:1</id>
<updated>2026-05-01T12:00:00Z</updated><author><name>F</name></author>
<link rel="self" href="https://f.test/a"/><link rel="alternate" href="https://f.test/"/>
<entry><title>E</title><id>urn:uuid:2</id><updated>2026-05-01T12:00:00+08:00</updated>
<link href="https://a.test/"/><summary type="html">&lt;p&gt;x</summary></entry></feed>"""
GUID = '<guid isPermaLink="false">urn:uuid:2</guid>'
RSS = f"""<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>T</title><link>https://f.test/</link>
<description>D</description><ttl>15</ttl>
<lastBuildDate>Fri, 01 May 2026 12:00:00 +0000</lastBuildDate>
<item><title>E</title><link>https://a.test/</link>{GUID}
<pubDate>Fri, 01 May 2026 12:00:00 +0000</pubDate></item></channel></rss>"""
ITEM: dict[str, Any] = {"id": "1", "content_text": "x", "date_published": "2026-05-01T12:00:00Z"}
JSON: dict[str, Any] = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "T",
    "items": [ITEM],
}


@pytest.mark.parametrize(
    ("kind", "text"), [("atom", ATOM), ("rss", RSS), ("json", json.dumps(JSON))]
)
def test_a_valid_feed_breaks_no_rule(kind: str, text: str) -> None:
    assert broken_rules(kind, text) == []


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("<title>T</title>", "", "feed: exactly one title"),
        ("<id>urn:uuid:1</id>", "", "feed: exactly one id"),
        ("<id>urn:uuid:2</id>", "<id>two words</id>", "the id is not a URI"),
        ("urn:uuid:2", "javascript", "the id is not a URI"),
        ("<author><name>F</name></author>", "", "an author, as the feed has none"),
        ("<name>F</name>", "", "exactly one name"),
        ("2026-05-01T12:00:00Z", "Friday", "not a date of RFC 3339"),
        ('rel="self"', 'rel="alternate"', "one link to itself"),
        ('rel="self"', 'rel="alternate"', "one alternate link"),
        ('<link href="https://a.test/"/>', "", "content or an alternate link"),
        ('href="https://a.test/"', 'href="https://a.test/a b"', "a link is not a URI"),
        ('href="https://a.test/"', 'href="https://a.test/%zz"', "a link is not a URI"),
        ("&lt;p&gt;x", "<p>x</p>", "must not have elements"),
        ("</entry>", "</entry><entry><title>E</title><id>urn:uuid:2</id></entry>", "several"),
        ("<title>E</title>", "<title>E\x0b</title>", "not well-formed"),
        ("<title>E</title>", "<title>E]]></title>", "not well-formed"),
        ("http://www.w3.org/2005/Atom", "http://example.org", "the root is not atom:feed"),
    ],
)
def test_a_broken_atom_feed_is_found(old: str, new: str, rule: str) -> None:
    assert old in ATOM
    assert rule in "\n".join(broken_rules("atom", ATOM.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ('version="2.0"', 'version="0.9"', "version 2.0"),
        ("<description>D</description>", "", "channel: exactly one description"),
        ("<link>https://f.test/</link>", "", "channel: exactly one link"),
        ("<title>E</title>", "", "a title or a description"),
        ("https://a.test/", "a b", "the link is not a URI"),
        ('isPermaLink="false"', "", "a permanent link is a URL"),
        ("Fri, 01 May 2026 12:00:00 +0000</pub", "yesterday</pub", "not a date of RFC 822"),
        ("<ttl>15", "<ttl>soon", "ttl is a number"),
        ("<item>", "<item><author>Ann</author>", "the author is a mail address"),
        ("</item>", f"</item><item><title>x</title>{GUID}</item>", "several"),
        ("</channel>", "", "not well-formed"),
    ],
)
def test_a_broken_rss_feed_is_found(old: str, new: str, rule: str) -> None:
    assert old in RSS
    assert rule in "\n".join(broken_rules("rss", RSS.replace(old, new)))


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"version": "https://jsonfeed.org/version/1"}, "$.version"),
        ({"title": 5}, "$.title"),
        ({"items": None}, "$.items"),
        ({"items": [{"content_text": "x"}]}, "'id' is a required"),
        ({"items": [{"id": 5, "content_text": "x"}]}, "$.items[0].id"),
        ({"items": [{"id": "1"}]}, "$.items[0]"),
        ({"items": [ITEM, ITEM]}, "id of several items"),
        ({"items": [ITEM | {"url": "javascript:alert(1)"}]}, "$.items[0].url"),
        ({"items": [ITEM | {"date_published": "1 May"}]}, "date_published"),
        ({"items": [ITEM | {"authors": [{}]}]}, "authors"),
        ({"home_page_url": "/"}, "home_page_url"),
    ],
)
def test_a_broken_json_feed_is_found(change: dict[str, Any], rule: str) -> None:
    assert rule in "\n".join(broken_rules("json", json.dumps(JSON | change)))


def test_what_is_not_json_is_found() -> None:
    assert "not JSON" in broken_rules("json", "{")[0]
