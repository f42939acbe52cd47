"""Example pages by address: fetched once, with a crawl's manners, and learnt from."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User

from crawler.crawl.collector import FetchOutcome
from crawler.messages import Batch
from crawler.models import Page, Site
from crawler.models.web import READER_VERSION, pack_terms, unpack_terms
from crawler.page.page_terms import text_terms
from crawler.reasons import Reason
from crawler.store.labels import load_labels
from tests.crawler.store.test_baseline import look
from tests.crawler.web import NOON, PAGES, PaperWeb
from tests.topics.factories import topic_of
from topics.errors import TopicError
from topics.models import ExamplePage, Topic
from topics.profile import examples
from topics.profile.crawl import save_crawl
from topics.profile.feedback import apply_labels

CELLS = "http://solar.test/cells"


@pytest.fixture
def topic(ann: User) -> Topic:
    topic = topic_of(ann)
    save_crawl(topic, NOON)
    return topic


def fetch(failing: Mapping[str, Reason] | None = None, after: timedelta = timedelta()) -> bool:
    return examples.fetch_waiting(PaperWeb(PAGES, failing), "me", lambda: NOON + after)


def test_an_address_waits_until_it_is_fetched(topic: Topic) -> None:
    example = examples.add_url(topic, CELLS, NOON, good=False)
    assert example.state == "waiting"
    assert fetch()
    example.refresh_from_db()
    assert (example.state, example.title) == ("read", "Solar cells")
    assert topic.crawl is not None
    [label] = load_labels(topic.crawl)
    assert (label.good, label.decided) == (False, False)
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


def test_a_page_that_is_back_is_fetched_when_it_is_given_again(topic: Topic) -> None:
    examples.add_url(topic, CELLS, NOON, good=True)
    fetch({CELLS: Reason.GONE})

    example = examples.add_url(topic, CELLS, NOON, good=True)

    assert (example.state, example.reason) == ("waiting", "")
    assert fetch()
    assert ExamplePage.objects.get().state == "read"


@pytest.mark.parametrize("change", ["removed", "turned"])
def test_an_example_changed_while_it_is_fetched_stays_changed(topic: Topic, change: str) -> None:
    class SlowWeb(PaperWeb):
        """A person changes their mind meanwhile."""

        def answers(
            self, work: Batch, *, until: datetime, stopping: Callable[[], bool]
        ) -> Iterator[FetchOutcome]:
            if change == "removed":
                ExamplePage.objects.all().delete()
            else:
                examples.add_url(topic, CELLS, NOON, good=False)
            yield from super().answers(work, until=until, stopping=stopping)

    examples.add_url(topic, CELLS, NOON, good=True)

    examples.fetch_waiting(SlowWeb(), "me", lambda: NOON)

    left = list(ExamplePage.objects.values_list("good", "state"))
    assert left == ([] if change == "removed" else [(False, "read")])
    assert topic.crawl is not None
    assert [label.good for label in load_labels(topic.crawl)] == [good for good, _ in left]


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
        name="solar.test",
        domain="solar.test",
        first_seen=NOON,
        held_by="collector",
        held_until=NOON + timedelta(minutes=1),
    )
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


def read_whole(topic: Topic) -> ExamplePage:
    """An example that was read before articles were found."""
    return ExamplePage.objects.create(
        topic=topic,
        url=CELLS,
        title="Cells | Menu",
        created=NOON,
        state="read",
        packed_terms=pack_terms(text_terms("solar cells and the menu of the site")),
    )


def words_of(topic: Topic) -> set[str]:
    assert topic.crawl is not None
    return {word for row in load_labels(topic.crawl) for word in unpack_terms(row.terms).vocabulary}


def test_an_example_that_was_read_whole_is_read_again_once(topic: Topic) -> None:
    example = read_whole(topic)
    apply_labels(topic, NOON)
    assert "menu" in words_of(topic)

    assert fetch()
    example.refresh_from_db()

    assert (example.state, example.title) == ("read", "Solar cells")
    assert words_of(topic) and "menu" not in words_of(topic)
    assert not fetch()


def test_an_example_that_is_gone_when_it_is_read_again_stays_as_it_was(topic: Topic) -> None:
    example = read_whole(topic)

    assert fetch({CELLS: Reason.GONE})
    example.refresh_from_db()

    assert (example.state, example.title, example.reason) == ("read", "Cells | Menu", "")
    assert not fetch()


def test_new_examples_and_texts_come_before_those_that_are_read_again(topic: Topic) -> None:
    read_whole(topic)
    examples.add_text(topic, "solar cells", NOON, good=True)
    examples.add_url(topic, "http://solar.test/panels", NOON, good=True)

    assert fetch()
    assert not ExamplePage.objects.filter(state="waiting").exists()
    assert ExamplePage.objects.outdated().count() == 1
    assert fetch() and not fetch()


def test_an_example_learns_the_article_of_a_page_that_is_stored_whole(topic: Topic) -> None:
    assert topic.crawl is not None
    look(topic.crawl, {CELLS: PAGES[CELLS]}, NOON, [CELLS])
    whole = pack_terms(text_terms("solar cells and the menu of the site"))
    Page.objects.update(packed_terms=whole, reader_version=None)
    examples.add_url(topic, CELLS, NOON, good=True)

    assert fetch(after=timedelta(hours=1)) and not fetch()
    assert words_of(topic) and "menu" not in words_of(topic)

    Page.objects.update(reader_version=READER_VERSION)
    apply_labels(topic, NOON)
    assert [row.page for row in load_labels(topic.crawl)] == [Page.objects.get().pk]
