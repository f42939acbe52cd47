"""Example pages by address: fetched once, with a crawl's manners, and learnt from."""

from collections.abc import Mapping
from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from crawler.agents.knowing import load_vouched
from crawler.models import Site
from crawler.reasons import Reason
from tests.crawler.agents.web import NOON, PAGES, PaperWeb
from tests.topics.factories import topic_of
from topics import examples, runs
from topics.errors import TopicError
from topics.models import ExamplePage, Topic

CELLS = "http://solar.test/cells"


@pytest.fixture
def topic(ann: User) -> Topic:
    topic = topic_of(ann)
    runs.save_crawl(topic, NOON)
    return topic


def fetch(failing: Mapping[str, Reason] | None = None) -> bool:
    return examples.fetch_waiting(PaperWeb(PAGES, failing), "me", lambda: NOON)


def test_an_address_waits_until_it_is_fetched(topic: Topic) -> None:
    example = examples.add_url(topic, CELLS, NOON, good=False)
    assert example.state == "waiting"
    assert fetch()
    example.refresh_from_db()
    assert (example.state, example.title) == ("read", "Solar cells")
    assert topic.crawl is not None
    [vouched] = load_vouched(topic.crawl)
    assert (vouched.good, vouched.decided) == (False, False)
    assert not fetch()


def test_redirects_are_followed(topic: Topic) -> None:
    examples.add_url(topic, "http://hub.test/moved", NOON, good=True)
    assert fetch()
    assert ExamplePage.objects.get().title == "Solar panels"


def test_a_page_that_is_gone_says_so_and_is_not_asked_again(topic: Topic) -> None:
    examples.add_url(topic, CELLS, NOON, good=True)
    assert fetch({CELLS: Reason.GONE})
    example = ExamplePage.objects.get()
    assert example.state == "failed" and example.why
    assert not fetch()


def test_what_may_pass_is_asked_again_after_the_others(topic: Topic) -> None:
    examples.add_url(topic, CELLS, NOON, good=True)
    examples.add_url(topic, "http://solar.test/panels", NOON, good=True)
    failing = {CELLS: Reason.SERVER_ERROR}
    assert fetch(failing) and fetch(failing)
    states = dict(ExamplePage.objects.values_list("url", "state"))
    assert states == {CELLS: "waiting", "http://solar.test/panels": "read"}
    assert fetch()
    assert not ExamplePage.objects.filter(state="waiting").exists()


def test_a_site_in_other_hands_is_left_alone(topic: Topic) -> None:
    Site.objects.create(
        name="solar.test", domain="solar.test", first_seen=NOON, held_by="collector",
        held_until=NOON + timedelta(minutes=1),
    )  # fmt: skip
    examples.add_url(topic, CELLS, NOON, good=True)
    assert not fetch()
    assert Site.objects.get().held_by == "collector"


def test_a_stopped_site_is_not_asked(topic: Topic) -> None:
    Site.objects.create(name="solar.test", domain="solar.test", first_seen=NOON, stopped=True)
    examples.add_url(topic, CELLS, NOON, good=True)
    assert fetch()
    assert ExamplePage.objects.get().reason == Reason.SITE_STOPPED


def test_the_site_is_given_back(topic: Topic) -> None:
    examples.add_url(topic, CELLS, NOON, good=True)
    fetch()
    assert Site.objects.get().held_by == ""


def test_there_is_an_end_to_examples(topic: Topic) -> None:
    ExamplePage.objects.bulk_create(
        ExamplePage(topic=topic, text="x", created=NOON) for _ in range(examples.MAX_EXAMPLES)
    )
    with pytest.raises(TopicError, match="at most 100 examples"):
        examples.add_url(topic, CELLS, NOON, good=True)
