"""What the search page offers beside the pages: names, facets, orders, spellings, files."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from crawler.models import Concept, Crawl, Harvest, Label, Page
from tests.topics.search.conftest import NOON, Library
from topics.models import Reading, Topic
from topics.pages.search_screen import (
    QuerySuggestion,
    SearchAnswer,
    SearchOrder,
    read_request,
    search_pages,
)
from topics.search.outbox import drain_all
from topics.search.store import IndexStore


def search_for(text: str, **said: str) -> SearchAnswer:
    topics = list(Topic.objects.select_related("crawl").order_by("pk"))
    without = [said.pop("without")] if "without" in said else []
    return search_pages(read_request(text, without=without, **said), topics)


def titles(answer: SearchAnswer) -> list[str]:
    assert answer.found is not None, answer.error
    return [page.harvest.page.title for page in answer.found.pages]


def test_other_names_are_searched_and_shown_and_can_be_switched_off(computing: Library) -> None:
    both, one = search_for("processor"), search_for("processor", without="处理器")

    assert set(titles(both)) == {"Processor", "Memory", "Compilers", "处理器"}
    assert titles(both)[0] == "Processor"
    assert [(name.text, name.is_on) for name in both.names] == [("处理器", True)]
    assert set(titles(one)) == {"Processor", "Memory", "Compilers"}
    assert [(name.text, name.is_on) for name in one.names] == [("处理器", False)]


def test_what_is_excluded_has_no_other_names(computing: Library) -> None:
    assert titles(search_for("缓存 -processor")) == ["处理器"]


def test_facets_count_pages_and_lead_to_that_many(computing: Library) -> None:
    answer = search_for("processor")
    counted = {value.condition: value.count for facet in answer.facets for value in facet.values}

    assert counted["topic:chips"] == counted["topic:code"] == 2
    assert counted["lang:zh"] == 1
    assert counted["after:7d"] == 3
    for condition, count in counted.items():
        narrowed = search_for(f"{answer.base} {condition}")
        assert narrowed.found is not None
        assert narrowed.found.total == count, condition


def padded(text: str, length: int) -> str:
    """The query with an exclusion that makes it as long as wanted."""
    return f'{text} -"{"x" * (length - len(text) - 4)}"'


@pytest.mark.parametrize("length", [240, 248, 249, 256])
def test_no_facet_leads_to_a_query_that_is_too_long(computing: Library, length: int) -> None:
    answer = search_for(padded("processor", length))

    assert answer.found is not None
    conditions = [value.condition for facet in answer.facets for value in facet.values]
    assert bool(conditions) is (length < 249), "lang:zh and a space need 8 characters"
    for condition in conditions:
        assert search_for(f"{answer.base} {condition}").found is not None, condition


def test_no_facet_leads_to_a_query_of_too_many_conditions(computing: Library) -> None:
    assert search_for("processor" + " -a" * 30).facets
    full = search_for("processor" + " -a" * 31)
    assert (full.facets, full.error) == ([], "")


def test_facets_and_scores_are_of_the_topics_searched(
    computing: Library, store: IndexStore, make_user: Callable[[str], User]
) -> None:
    foreign = computing.crawl("secret", make_user("eve"))
    computing.page(foreign, "a", "Processor", "The processor reads its cache.", score=0.95)
    drain_all(60, store)
    topics = list(Topic.objects.filter(owner__username="ada").select_related("crawl"))

    answer = search_pages(read_request("processor", order=SearchOrder.SCORE), topics)

    assert titles(answer)[-1] == "Processor", "0.3, and not 0.95 as the topic of another person"
    conditions = {value.condition for facet in answer.facets for value in facet.values}
    assert {"topic:chips", "topic:code"} <= conditions and "topic:secret" not in conditions


@pytest.fixture
def processor_in_both(computing: Library) -> Page:
    """The page Processor, with the score .3 in chips; the topic code gives it .8."""
    page = Page.objects.get(title="Processor")
    code = Crawl.objects.get(key="code")
    Harvest.objects.create(crawl=code, url=page.url, kept=True, score=0.8, first_seen=NOON)
    return page


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("processor", "code"),
        ("processor topic:chips", "chips"),
        ("score:<0.4", "chips"),
        ("score:<0.4 OR score:0.35..0.4", "chips"),
        ("topic:chips -is:read", "chips"),
        ("processor is:starred", "chips"),
        ("processor OR is:starred", "code"),
    ],
)
def test_a_page_is_shown_as_a_topic_sees_it_for_which_the_conditions_hold(
    processor_in_both: Page, ada: User, text: str, topic: str
) -> None:
    chips = Topic.objects.get(slug="chips")
    marks = {"starred": NOON, "changed": NOON}
    Reading.objects.create(topic=chips, user=ada, url=processor_in_both.url, **marks)

    found = search_for(text).found

    assert found is not None
    shown = {str(page.title): page.topic.slug for page in found.pages if page.topic}
    assert shown["Processor"] == topic


def test_topics_without_the_conditions_are_not_offered(processor_in_both: Page) -> None:
    answer = search_for("seen:30d topic:chips")

    topics = [facet for facet in answer.facets if facet.name == "Topic"]
    assert topics == []
    assert titles(answer) == ["Memory", "Processor"]


def test_all_that_was_found_is_marked_in_the_topic_that_was_searched(
    client: Client, processor_in_both: Page, ada: User
) -> None:
    client.force_login(ada)

    client.post(reverse("search_bulk"), {"q": "topic:chips score:<0.4", "all": "1", "do": "star"})

    assert [one.topic.slug for one in Reading.objects.exclude(starred=None)] == ["chips"]


def test_a_condition_joins_alternatives_as_a_whole(computing: Library) -> None:
    assert search_for("memory OR 缓存").base == "(memory OR 缓存)"


@pytest.mark.parametrize(
    ("order", "first"),
    [("relevance", "Processor"), ("score", "Memory"), ("odd", "Processor")],
)
def test_the_order_is_the_readers(computing: Library, order: str, first: str) -> None:
    assert titles(search_for("processor", order=order))[0] == first


def test_the_newest_come_first(computing: Library) -> None:
    assert titles(search_for("processor", order=SearchOrder.NEWEST))[-1] == "Compilers"


def test_facts_alone_are_ordered_by_score(computing: Library) -> None:
    assert titles(search_for("seen:30d")) == ["Memory", "处理器", "Compilers", "Processor"]


@pytest.mark.parametrize("text", ["processer", "procesor cache"])
def test_a_misspelt_word_is_a_question_and_never_replaced(computing: Library, text: str) -> None:
    answer = search_for(text)

    assert titles(answer) == []
    assert [one.label for one in answer.meant] == ["processor"]
    assert search_for(answer.meant[0].query).found is not None


def test_a_spelling_that_makes_a_query_too_long_is_not_offered(computing: Library) -> None:
    answer = search_for(padded("procesor", 256))

    assert (answer.error, answer.meant) == ("", [])


def test_a_word_that_pages_hold_is_not_questioned(computing: Library) -> None:
    assert search_for("processors").meant == []
    assert search_for("compilers").meant == []


def test_a_word_that_is_found_in_another_form_is_questioned_only_for_one_letter(
    computing: Library, store: IndexStore
) -> None:
    code = Topic.objects.get(slug="code").crawl
    assert code is not None
    text = "A process has its own memory. The order is complete, the compiler says."
    computing.page(code, "e", "Process", text)
    drain_all(60, store)

    # "complete" differs from it in more than one letter.
    assert titles(search_for("compile")) == ["Compilers", "Process"]
    assert search_for("compile").meant == []
    # It has the stem of "process", but is nearer to another word.
    assert titles(search_for("processer")) == ["Process"]
    assert [one.label for one in search_for("processer").meant] == ["processor"]


def test_an_offered_query_finds_as_many_pages_as_it_says(computing: Library) -> None:
    [meant] = search_for("procesor").meant
    [without_french] = search_for("processor lang:fr").relaxed

    for offered in (meant, without_french):
        found = search_for(offered.query).found
        assert found is not None
        assert (found.total, offered.count) == (4, 4)


def test_a_plural_has_the_other_names_of_its_concept(computing: Library) -> None:
    answer = search_for("processors")

    assert [name.text for name in answer.names] == ["处理器"]
    assert sorted(titles(answer)) == sorted(titles(search_for("processor")))


def test_another_name_of_several_chinese_words_stands_for_them_side_by_side(
    computing: Library, store: IndexStore
) -> None:
    code = Topic.objects.get(slug="code").crawl
    assert code is not None
    computing.page(code, "e", "别的", "中央的单元怎样处理。")
    computing.page(code, "f", "单元", "中央处理单元。")
    concept = Concept.objects.get()
    Label.objects.create(concept=concept, text="中央处理单元")
    drain_all(60, store)

    found = titles(search_for("processor"))

    assert "单元" in found
    assert "别的" not in found


def test_common_words_that_leave_little_can_be_left_out(computing: Library) -> None:
    answer = search_for("what does a processor do")

    assert titles(answer) == []
    assert answer.shorter is not None
    assert (answer.shorter.label, answer.shorter.query) == ("what, does, a, do", "processor")
    assert search_for("processor cache").shorter is None
    assert search_for("what does").shorter is None
    assert search_for("a processor").shorter == QuerySuggestion("a", "processor", 4)


def test_an_extract_does_not_repeat_the_title(computing: Library, store: IndexStore) -> None:
    code = Topic.objects.get(slug="code").crawl
    assert code is not None
    computing.page(code, "e", "Caches - Notes", "Caches\nA row of caches waits.")
    computing.page(code, "f", "Caches", "Caches")
    drain_all(60, store)
    answer = search_for("caches waits OR title:caches")
    assert answer.found is not None

    shown = {page.harvest.page.title: list(map(str, page.fragments)) for page in answer.found.pages}

    assert shown == {"Caches - Notes": ["A row of caches waits."], "Caches": ["Caches"]}


def test_an_empty_answer_says_which_condition_removed_everything(computing: Library) -> None:
    answer = search_for("memory lang:zh")

    assert titles(answer) == []
    assert [(one.label, one.query, one.count) for one in answer.relaxed] == [
        ("memory", "lang:zh", 1),
        ("lang:zh", "memory", 1),
    ]


def test_conditions_that_find_nothing_even_alone_are_named(computing: Library) -> None:
    answer = search_for("memory lang:fr is:starred")

    assert (answer.relaxed, answer.without_results) == ([], ["lang:fr", "is:starred"])
    assert search_for("memory lang:zh").without_results == []


def test_each_condition_can_be_taken_away(computing: Library) -> None:
    answer = search_for("memory -(cache OR 缓存) lang:en")

    assert [(part.label, part.query) for part in answer.parts] == [
        ("memory", "-(cache OR 缓存) lang:en"),
        ("-(cache OR 缓存)", "memory lang:en"),
        ("lang:en", "memory -(cache OR 缓存)"),
    ]
    assert search_for("memory -cache").parts[0].label == "-cache", "exclusions alone find nothing"


def test_a_query_of_words_and_alternatives_is_shown_as_it_was_read(computing: Library) -> None:
    assert search_for("memory cache OR 缓存").reading == "(memory cache) OR 缓存"
    assert search_for("memory OR 缓存").reading == ""


def test_the_page_shows_names_facets_orders_and_files(
    client: Client, computing: Library, ada: User
) -> None:
    client.force_login(ada)

    html = client.get(reverse("search"), {"q": "processor", "order": "score"}).content.decode()

    for link in (
        "?q=processor&amp;order=score&amp;without=%E5%A4%84%E7%90%86%E5%99%A8",
        "?q=processor+topic%3Achips&amp;order=score",
        "?q=processor&amp;order=newest",
        "/search/export?q=processor&amp;order=score&amp;format=csv",
    ):
        assert link in html


def test_a_file_holds_the_pages_in_order(client: Client, computing: Library, ada: User) -> None:
    Page.objects.filter(title="Memory").update(title="=HYPERLINK(1)")
    client.force_login(ada)

    def file(kind: str) -> str:
        said = {"q": "seen:30d", "format": kind}
        return client.get(reverse("search_export"), said).content.decode()

    rows = list(csv.DictReader(io.StringIO(file("csv").removeprefix("\ufeff"))))
    assert [row["title"] for row in rows] == ["'=HYPERLINK(1)", "处理器", "Compilers", "Processor"]
    assert json.loads(file("json"))["pages"][0]["url"].endswith("/b")
    assert "- [处理器](https://pages.test/c), pages.test, 20" in file("md")


@pytest.mark.parametrize("said", [{"q": "a OR"}, {"q": "a", "format": "exe"}, {"q": ""}])
def test_a_file_of_a_broken_search_is_refused(
    client: Client, computing: Library, ada: User, said: dict[str, str]
) -> None:
    client.force_login(ada)

    assert client.get(reverse("search_export"), said).status_code == 400
