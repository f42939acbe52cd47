"""Fields of a query that read the tables: whose view of a page they use."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.contrib.auth.models import User

from crawler.models import Concept, Crawl, Harvest, Label, Ontology, Page, Run, Site, Story, Url
from tests.topics.search.conftest import NOON, Library
from topics.models import Alert, AlertMatch, AlertRule, PageChange, Reading, Thumb, Topic
from topics.pages.search_facts import Scope, resolve
from topics.pages.search_results import find_pages
from topics.search.errors import QueryError
from topics.search.outbox import drain_all
from topics.search.problems import QueryProblem
from topics.search.query import parse_query
from topics.search.store import IndexStore
from topics.search.tree import And, Ids, Node, Not


def found(text: str, *, now: datetime = NOON) -> set[str]:
    """The last parts of the addresses of the pages for which a fact holds."""
    scope = Scope(list(Topic.objects.select_related("crawl")), now, UTC)
    ids = ids_of(resolve(parse_query(text), scope).tree)
    return {
        url.rpartition("/")[2]
        for url in Url.objects.filter(pk__in=ids).values_list("url", flat=True)
    }


def ids_of(node: Node) -> set[int]:
    match node:
        case Ids(ids):
            return set(ids)
        case Not(part):
            return set(Page.objects.values_list("pk", flat=True)) - ids_of(part)
        case And(parts):
            return set.intersection(*map(ids_of, parts))
        case _:
            raise AssertionError(node)


@pytest.fixture
def two_topics(library: Library, ada: User) -> Library:
    power, chips = library.crawl("power", ada), library.crawl("chips", ada)
    a = library.page(power, "a", "Grid", score=0.8)
    library.page(power, "b", "Pylon", score=0.3)
    library.page(chips, "c", "Chip", score=0.6)
    Harvest.objects.create(crawl=chips, url=a.url, kept=True, score=0.1, first_seen=NOON)
    Page.objects.filter(pk=a.pk).update(language="zh-hant", flags="pdf,truncated", byline="Li")
    Harvest.objects.filter(url=a.url, crawl=power).update(published=NOON - timedelta(days=3))
    return library


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("site:pages.test", {"a", "b", "c"}),
        ("site:other.test", set()),
        ("topic:power", {"a", "b"}),
        ("主题：Chips", {"a", "c"}),
        ("topic:power score:>=0.8", {"a"}),
        ("topic:chips score:>0.5", {"c"}),
        ("score:0.3..0.6", {"b", "c"}),
        ("score:<0.3", {"a"}),
        ("lang:zh", {"a"}),
        ("has:pdf", {"a"}),
        ("has:author", {"a"}),
        ("has:date", {"a"}),
        ("has:image", set()),
        ("has:article", {"a", "b", "c"}),
        ("pub:2026-04", {"a"}),
        ("pub:3d", {"a"}),
        ("pub:2d", set()),
        ("pub:today", set()),
        ("seen:today", {"a", "b", "c"}),
        ("before:2026-05-01", {"a"}),
        ("after:2026-04-30", {"a", "b", "c"}),
        ("topic:power after:2026-04-30", {"b"}),
        ("topic:power -has:date", {"b"}),
        ("-has:date topic:chips", {"a", "c"}),
        ("is:relevant", set()),
        ("is:seed", set()),
        ("is:newsite", set()),
        ("pub:0001..9999", {"a"}),
        ("url:pages.test/", {"a", "b", "c"}),
        ("网址：PAGES.test/b", {"b"}),
        ("url:%", set()),
        ("url:_", set()),
        ("author:li", {"a"}),
        ("作者：ＬＩ", {"a"}),
        ("author:ann", set()),
        ("age:<2d", {"a", "b", "c"}),
        ("topic:power age:<2d", {"b"}),
        ("age:>2d", {"a"}),
        ("age:1h..5d", {"a"}),
        ("age:99999y", {"a", "b", "c"}),
        ("pub:thisweek", {"a"}),
        ("pub:lastweek", set()),
        ("pub:lastmonth", {"a"}),
        ("seen:本月", {"a", "b", "c"}),
        ("before:今年", set()),
        ("link:>0", set()),
        ("content:0..1", {"a", "b", "c"}),
        ("is:changed", set()),
        ("/^(grid|chip)$/i", {"a", "c"}),
        ("/^grid$/", set()),
        (r"/\/[bc]$/", {"b", "c"}),
        ("/pages/ -/grid/i", {"b", "c"}),
    ],
)
def test_a_fact_holds_for_pages(two_topics: Library, text: str, expected: set[str]) -> None:
    assert found(text) == expected


def test_the_address_may_be_typed_as_people_read_it(two_topics: Library) -> None:
    Url.objects.filter(url__endswith="/b").update(url="https://pages.test/%E7%94%B5%E7%BD%91")

    assert found("url:电网") == {"%E7%94%B5%E7%BD%91"}


def test_rule_finds_the_pages_that_a_rule_of_the_owner_sent(
    two_topics: Library, ada: User, make_user: Callable[[str], User]
) -> None:
    power, row = Topic.objects.get(slug="power"), Harvest.objects.get(url__url__endswith="/b")
    times = {"begins": NOON, "created": NOON}
    rule = AlertRule.objects.create(owner=ada, name="Grid now", **times)
    AlertRule.objects.create(owner=make_user("eve"), name="Mine", **times)
    alert = Alert.objects.create(topic=power, harvest=row, score=0.5, needed=0.1, fired=NOON)
    AlertMatch.objects.create(rule=rule, alert=alert, harvest=row, matched=NOON)

    assert found('rule:"grid NOW"') == {"b"}
    with pytest.raises(QueryError) as caught:
        found("rule:Mine")
    assert (caught.value.problem, caught.value.hint) == (
        QueryProblem.UNKNOWN_RULE,
        'rule:"Grid now"',
    )


def test_changed_are_watched_pages_whose_text_changed(two_topics: Library) -> None:
    PageChange.objects.create(
        topic=Topic.objects.get(slug="power"),
        url=Url.objects.get(url__endswith="/a"),
        found=NOON,
        packed_before=b"",
        packed_after=b"",
        n_inserted=9,
        n_deleted=0,
    )

    assert found("is:changed") == {"a"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("text:battery", {"both", "body"}),
        ("title:battery", {"both", "title"}),
        ("正文：电网", {"han"}),
        ('text:"battery storage"', {"body"}),
        ("battery -text:battery", {"title"}),
        ("text:batter*", {"both", "body"}),
    ],
)
def test_text_finds_words_of_the_text_and_not_of_the_title(
    library: Library, store: IndexStore, ada: User, query: str, expected: set[str]
) -> None:
    power = library.crawl("power", ada)
    library.page(power, "title", "Batteries", "Nothing of it.")
    library.page(power, "both", "A battery", "This battery lasts.")
    library.page(power, "body", "Storage", "The battery storage grows.")
    library.page(power, "han", "调度", "国家电网的消息")
    library.page(power, "head", "国家电网", "没有别的")
    drain_all(60, store=store)

    pages = find_pages(query, [power], store=store).pages

    assert {page.harvest.url.url.rpartition("/")[2] for page in pages} == expected


def test_facts_side_by_side_hold_for_one_topics_view(two_topics: Library) -> None:
    """The page has 0.8 in one topic and 0.1 in the other."""
    assert found("topic:chips score:>0.7") == set()
    assert found("topic:chips (score:>0.7)") == set()


def test_news_and_known_pages_are_distinguished(two_topics: Library) -> None:
    Harvest.objects.filter(url__url__endswith="/b").update(baseline=True)

    assert found("is:news") == {"a", "c"}
    assert found("is:known") == {"b"}


def test_thumbs_alerts_and_stories_are_states(two_topics: Library, ada: User) -> None:
    a, b, _ = Harvest.objects.filter(score__gt=0.2).order_by("url__url")
    power = Topic.objects.get(slug="power")
    Thumb.objects.create(user=ada, topic=power, url=a.url, value=1, created=NOON)
    Thumb.objects.create(user=ada, topic=power, url=b.url, value=-1, created=NOON)
    Alert.objects.create(topic=power, harvest=b, score=0.5, needed=0.1, fired=NOON)
    story = Story.objects.create(crawl=b.crawl, first_seen=NOON)
    Harvest.objects.filter(pk__in=[a.pk, b.pk]).update(story=story)

    assert found("is:relevant") == {"a"}
    assert found("is:irrelevant") == {"b"}
    assert found("is:alerted") == {"b"}
    assert found("is:dup") == {"a", "b"}
    assert found("topic:power -is:alerted") == {"a"}


def test_marks_of_the_reader_are_states(
    two_topics: Library, ada: User, make_user: Callable[[str], User]
) -> None:
    a, b, _ = Harvest.objects.filter(score__gt=0.2).order_by("url__url")
    power = Topic.objects.get(slug="power")
    mark = partial(Reading.objects.create, topic=power, changed=NOON)
    mark(user=ada, url=a.url, read=NOON, starred=NOON).tags.create(name="Later")
    mark(user=ada, url=b.url, hidden=Reading.Hidden.OLD)
    mark(user=make_user("bob"), url=b.url, read=NOON, starred=NOON)

    assert found("is:read") == {"a"}
    assert found("is:unread topic:power") == {"b"}
    assert found("is:starred") == {"a"}
    assert found("is:hidden") == {"b"}
    assert found("标签：later") == {"a"}


def test_a_new_site_is_one_first_seen_after_the_first_run(two_topics: Library) -> None:
    power = Crawl.objects.get(key="power")
    Run.objects.create(crawl=power, started=NOON, ended=NOON, n_pages=1, fetched=1)
    Site.objects.update(first_seen=NOON + timedelta(days=1))

    assert found("is:newsite", now=NOON + timedelta(days=2)) == {"a", "b"}
    assert found("is:newsite", now=NOON + timedelta(days=40)) == set()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("topic:nowhere", QueryProblem.UNKNOWN_TOPIC),
        ("a OR 主题：别处", QueryProblem.UNKNOWN_TOPIC),
    ],
)
def test_what_is_not_there_is_refused(
    two_topics: Library, text: str, problem: QueryProblem
) -> None:
    with pytest.raises(QueryError) as caught:
        found(text)

    assert caught.value.problem is problem
    assert text[caught.value.position :].startswith(caught.value.found)


def test_a_search_joins_words_and_facts(two_topics: Library, store: IndexStore) -> None:
    drain_all(60, store)

    def pages(text: str) -> list[str]:
        return [page.harvest.page.title for page in find_pages(text, None, store=store).pages]

    assert pages("grid OR topic:chips") == ["Grid", "Chip"]
    assert pages("grid topic:power") == ["Grid"]
    assert pages("grid -topic:chips") == []
    assert pages("topic:power -grid") == ["Pylon"]
    assert pages("(chip OR pylon) (score:>0.5 OR grid)") == ["Chip"]


def test_a_term_is_found_by_every_name_of_its_concept(
    library: Library, store: IndexStore, ada: User
) -> None:
    crawl = library.crawl("computing", ada)
    library.page(crawl, "a", "处理器")
    library.page(crawl, "b", "Central processing unit")
    library.page(crawl, "c", "Processing of a unit at a central place")
    ontology = Ontology.objects.create(slug="o", title="O", owner=ada, changed=NOON)
    concept = Concept.objects.create(ontology=ontology, iri="urn:cpu")
    for text in ("CPU", "处理器", "central processing unit"):
        Label.objects.create(concept=concept, text=text)
    drain_all(60, store)

    titles = {page.harvest.page.title for page in find_pages("term:cpu", None, store=store).pages}

    assert titles == {"处理器", "Central processing unit"}


def test_titles_weigh_more(library: Library, store: IndexStore, ada: User) -> None:
    crawl = library.crawl("office", ada)
    library.page(crawl, "a", "Python 脚本", "宏 宏 宏 宏 宏 宏 宏 宏")
    library.page(crawl, "b", "宏 - 帮助", "说明。" * 40)
    library.page(crawl, "c", "宏与脚本", "宏与脚本的说明。" * 40)
    library.page(crawl, "d", "宏", "说明。" * 40)
    drain_all(60, store)

    titles = [page.harvest.page.title for page in find_pages("宏", None, store=store).pages]

    assert set(titles[:2]) == {"宏", "宏 - 帮助"}
    assert titles[2] == "宏与脚本"
    for text in ("title:宏", "标题：宏"):
        found_pages = find_pages(text, None, store=store).pages
        assert {page.harvest.page.title for page in found_pages} == {"宏", "宏 - 帮助", "宏与脚本"}


def test_the_plural_of_capitals_is_the_same_word(
    library: Library, store: IndexStore, ada: User
) -> None:
    crawl = library.crawl("computing", ada)
    library.page(crawl, "a", "One", "A CPU and a PC.")
    library.page(crawl, "b", "Many", "CPUs and PCs.")
    drain_all(60, store)

    for text in ("CPU", "CPUs", "cpus", "PC", "PCs"):
        assert find_pages(text, None, store=store).total == 2, text
