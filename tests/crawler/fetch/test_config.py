"""What the operator may set for the door."""

import pytest

from crawler.errors import ConfigurationError
from crawler.fetch.config import ConnectRule, FetchConfig, build_user_agent, parse_connect_to


def test_connect_rules_are_read_in_order_and_the_first_fit_wins() -> None:
    rules = parse_connect_to(" api.test=127.0.0.2:9, *.test=127.0.0.1:8800 ,b.example=[::1]:1,")

    config = FetchConfig(user_agent="x", connect_to=rules)
    assert config.connect_rule("api.test") == ConnectRule("api.test", "127.0.0.2", 9)
    assert config.connect_rule("a.b.test") == ConnectRule("*.test", "127.0.0.1", 8800)
    assert config.connect_rule("b.example") == ConnectRule("b.example", "::1", 1)
    assert config.connect_rule("test") is None
    assert config.connect_rule("b.example.org") is None


def test_no_rules_are_no_rules() -> None:
    assert parse_connect_to("") == ()


@pytest.mark.parametrize(
    "text",
    [
        "a.test",
        "a.test=",
        "a.test=127.0.0.1",
        "a.test=127.0.0.1:",
        "a.test=127.0.0.1:x",
        "a.test=127.0.0.1:0",
        "a.test=127.0.0.1:65536",
        "=127.0.0.1:80",
        "a.test=localhost:80",
        "a.test=10.0.0.1:80",
        "a.test=93.184.216.34:80",
        "a.test=0.0.0.0:80",
        "a.test=[::]:80",
        "a.test=127.0.0.1:80;b.test=10.0.0.1:80",
    ],
)
def test_a_rule_that_leads_anywhere_but_loopback_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"loopback|numeric address"):
        parse_connect_to(text)


def test_the_user_agent_names_us_and_the_contact_page() -> None:
    agent = build_user_agent(" https://Example.org:9999/crawler#top ")

    assert "FocusWeb/" in agent
    assert "+https://example.org:9999/crawler)" in agent


@pytest.mark.parametrize(
    "contact", ["", "   ", "me@example.org", "mailto:me@example.org", "http://"]
)
def test_nobody_crawls_without_a_contact_page(contact: str) -> None:
    with pytest.raises(ConfigurationError, match="contact page"):
        build_user_agent(contact)
