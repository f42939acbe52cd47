"""What a reader does with pages, and which pages a list shows."""

import re
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crawler.models import Harvest, Page, Story
from focusweb.database_faults import last_fault
from tests import databases
from tests.topics.factories import Scene, explanation, scene_of, tight
from topics.models import Reading, ReadingTag, Visit

TOPIC = "/topics/chips/"
#: Most queries of a page of a user; session and user are among them.
MAX_QUERIES = 40


@pytest.fixture
def news(ann: User) -> Scene:
    """A topic with three news and a known page, fresh at the time of the test."""
    scene = scene_of(ann, now=timezone.now())
    scene.entry("https://portal.test/")
    scene.page("https://notes.test/cache", "Cache lines", text="A cache line is what a CPU reads.")
    scene.page(
        "https://portal.test/cpu", "电脑 CPU", score=0.31, published=scene.now - timedelta(days=2)
    )
    young = scene.now - timedelta(minutes=5)
    scene.url("https://young.test/a", seen=young)
    explained = explanation(judge={"matched": [{"term": "thread", "share": 0.6, "via": ""}]})
    explained["content"]["matched"] = []
    scene.page("https://young.test/a", "Young", score=0.2, first_seen=young, explanation=explained)
    scene.page("https://old.test/", "Book", baseline=True, score=0.9)
    Page.objects.filter(url__url__contains="portal").update(language="zh")
    return scene


def listed(client: Client, query: str = "") -> list[str]:
    """The titles that the topic's page lists, known pages below the news left out."""
    html = tight(client.get(f"{TOPIC}{query}").content.decode()).split('<details class="rest"')[0]
    rows = html.split("<li id=")[1:]
    return [row.split("<h3><a", 1)[1].split(">", 1)[1].split("</a>")[0] for row in rows]


def mark(client: Client, title: str, **form: str) -> Any:
    page = Harvest.objects.get(url__page__title=title)
    return client.post(f"{TOPIC}pages/{page.pk}/mark", form)


@databases.sqlite_only
def test_a_topic_is_read_while_nothing_can_be_written(as_ann: Client, news: Scene) -> None:
    listed(as_ann)
    Visit.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = ON")
        try:
            titles = listed(as_ann)
        finally:
            cursor.execute("PRAGMA query_only = OFF")
            last_fault.note("")

    assert set(titles) == {"Cache lines", "电脑 CPU", "Young"}
    assert not Visit.objects.exists()


def test_a_title_opens_the_article_and_the_line_below_names_site_and_age(
    as_ann: Client, news: Scene
) -> None:
    html = tight(as_ann.get(TOPIC).content.decode())
    assert '<a href="https://notes.test/cache" rel="noopener noreferrer" data-open>' in html
    assert '<span class="site">notes.test</span>' in html
    assert "3\xa0hours ago" in html


def test_a_page_of_the_demo_web_opens_within_focusweb(as_ann: Client, news: Scene) -> None:
    news.page("http://chips.demo.test/guides/what-a-cpu-does.html", "What a CPU does")
    path = "/demo/chips.demo.test/guides/what-a-cpu-does.html"
    assert f'<a href="{path}"' in tight(as_ann.get(TOPIC).content.decode())
    answer = as_ann.get(path)
    assert answer.status_code == 200
    assert b'href="/demo/chips.demo.test/"' in answer.content
    assert as_ann.get("/demo/chips.demo.test/").status_code == 200


def test_the_page_about_a_page_opens_the_demo_web_within_focusweb_too(
    as_ann: Client, news: Scene
) -> None:
    guide = "http://chips.demo.test/guides/what-a-cpu-does.html"
    page = news.page(guide, "What a CPU does")
    for source in ("http://portal.demo.test/", "http://chips.demo.test/"):
        news.entry(source)
        news.link(source, guide)
    html = as_ann.get(f"{TOPIC}pages/{page.pk}/").content.decode()
    assert '<a class="url" href="/demo/portal.demo.test/"' in html
    assert '<a href="/demo/chips.demo.test/guides/what-a-cpu-does.html"' in html.split("panels")[1]
    assert 'href="http://' not in html


@pytest.mark.parametrize("path", ["/demo/chips.demo.test/none", "/demo/none.test/", "/demo/x/%2e"])
def test_what_is_not_in_the_demo_web_is_not_found(as_ann: Client, path: str) -> None:
    assert as_ann.get(path).status_code == 404


def test_the_demo_web_is_shown_to_people_who_are_signed_in(client: Client, db: None) -> None:
    answer = client.get("/demo/chips.demo.test/")
    assert answer.headers["Location"].startswith("/login/")


def test_one_short_line_says_what_speaks_for_a_page(as_ann: Client, news: Scene) -> None:
    html = tight(as_ann.get(TOPIC).content.decode())
    assert "<span>3 sites link here</span><span>via CPU, cache</span>" in html
    assert html.count('<span class="mark new">new site</span>') == 1


def test_why_opens_in_place_with_the_parts_of_the_score(as_ann: Client, news: Scene) -> None:
    html = tight(as_ann.get(TOPIC).content.decode())
    why = html.split('<details class="why">')[1].split("</dl>")[0]
    assert "Mentions" in why
    assert 'value="0.350"' in why and "0.35</dd>" in why
    assert 'value="0.470"' in why


@pytest.mark.parametrize(
    ("do", "field", "undo"), [("read", "read", "unread"), ("star", "starred", "unstar")]
)
def test_a_mark_is_set_and_taken_back(
    as_ann: Client, news: Scene, do: str, field: str, undo: str
) -> None:
    assert mark(as_ann, "Cache lines", do=do).status_code == 302
    assert getattr(Reading.objects.get(), field)
    mark(as_ann, "Cache lines", do=undo)
    assert not getattr(Reading.objects.get(), field)


def test_a_script_gets_the_buttons_anew(as_ann: Client, news: Scene) -> None:
    page = Harvest.objects.get(url__page__title="Cache lines")
    answer = as_ann.post(
        f"{TOPIC}pages/{page.pk}/mark", {"do": "star"}, headers={"HX-Request": "true"}
    )
    html = tight(answer.content.decode())
    assert html.startswith(f'<div class="marks" id="marks-{page.pk}">')
    assert 'value="unstar"' in html and 'aria-pressed="true"' in html


@pytest.mark.parametrize(("kind", "given"), [("mark", {"do": "star"}), ("thumb", {"value": "up"})])
def test_buttons_that_came_anew_lead_back_to_the_list(
    as_ann: Client, news: Scene, kind: str, given: dict[str, str]
) -> None:
    page = Harvest.objects.get(url__page__title="Cache lines")
    headers = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{TOPIC}?show=unread"}
    html = as_ann.post(f"{TOPIC}pages/{page.pk}/{kind}", given, headers=headers).content.decode()
    assert f'name="next" value="{TOPIC}?show=unread"' in html


@pytest.mark.parametrize("place", ["x", "00:00", "https://evil.test/", "//evil.test/", ""])
def test_buttons_lead_nowhere_but_to_a_path_of_focusweb(
    as_ann: Client, news: Scene, place: str
) -> None:
    page = Harvest.objects.get(url__page__title="Cache lines")

    marked = mark(as_ann, "Cache lines", do="star", next=place)
    rated = as_ann.post(f"{TOPIC}pages/{page.pk}/thumb", {"value": "up", "next": place})
    ruled = as_ann.post(f"{TOPIC}sites/{page.url.site_id}/rule", {"rule": "raise", "next": place})

    assert [answer.headers["Location"] for answer in (marked, rated, ruled)] == [
        TOPIC,
        f"{TOPIC}pages/{page.pk}/",
        TOPIC,
    ]


def test_a_hidden_page_leaves_the_lists_and_can_be_shown_again(as_ann: Client, news: Scene) -> None:
    mark(as_ann, "Cache lines", do="dull")
    assert listed(as_ann) == ["Young", "电脑 CPU"]
    assert listed(as_ann, "?show=hidden") == ["Cache lines"]
    mark(as_ann, "Cache lines", do="show")
    assert "Cache lines" in listed(as_ann)


def test_a_hidden_known_page_leaves_the_lists_and_can_be_shown_again(
    as_ann: Client, news: Scene
) -> None:
    lists = (f"{TOPIC}known/", f"{TOPIC}?known=1")
    assert all("Book" in as_ann.get(path).content.decode() for path in lists)

    mark(as_ann, "Book", do="seen")

    assert not any("Book" in as_ann.get(path).content.decode() for path in lists)
    html = tight(as_ann.get(lists[0]).content.decode())
    assert f'<a href="{TOPIC}?show=hidden">1 page that you hid</a>' in html
    assert "This topic has no known pages but those that you hid." in html
    assert listed(as_ann, "?show=hidden") == ["Book"]
    mark(as_ann, "Book", do="show")
    html = as_ann.get(lists[0]).content.decode()
    assert "Book" in html and "that you hid" not in html


def test_a_story_of_which_a_page_was_hidden_is_no_known_page(as_ann: Client, news: Scene) -> None:
    story = Story.objects.create(crawl=news.crawl, first_seen=news.now)
    news.page("https://other.test/", "Same book", baseline=True, score=0.8, story=story)
    Harvest.objects.filter(url__page__title="Book").update(story=story)
    mark(as_ann, "Book", do="dull")

    assert "Same book" not in as_ann.get(f"{TOPIC}known/").content.decode()


def test_the_first_known_pages_of_a_topic_without_news_leave_out_hidden_ones(
    as_ann: Client, news: Scene
) -> None:
    Harvest.objects.update(baseline=True)
    assert listed(as_ann)[0] == "Book"
    mark(as_ann, "Book", do="dull")

    assert listed(as_ann) == ["Cache lines", "电脑 CPU", "Young"]
    assert 'href="?show=hidden"' in as_ann.get(TOPIC).content.decode()


def test_a_topic_whose_pages_are_all_hidden_says_so(as_ann: Client, news: Scene) -> None:
    for title in ("Book", "Cache lines", "电脑 CPU", "Young"):
        mark(as_ann, title, do="dull")

    html = tight(as_ann.get(TOPIC).content.decode())
    assert "You hid every page that was listed here." in html
    assert f'<a href="{TOPIC}?show=hidden">Show hidden pages</a>' in html
    assert "No relevant pages found" not in html


def test_hiding_and_starring_change_no_score(as_ann: Client, news: Scene) -> None:
    before = list(Harvest.objects.order_by("pk").values_list("score", "relevance"))
    mark(as_ann, "Cache lines", do="poor")
    mark(as_ann, "Young", do="star")
    assert list(Harvest.objects.order_by("pk").values_list("score", "relevance")) == before


def test_a_page_keeps_its_note_and_tags(as_ann: Client, news: Scene) -> None:
    mark(as_ann, "Young", do="note", note=" read <again> ", tags="GPU, gpu， 缓存,,")
    html = as_ann.get(TOPIC).content.decode()
    assert "read &lt;again&gt;" in html
    assert 'value="gpu, 缓存"' in html
    assert listed(as_ann, "?tag=缓存") == ["Young"]


def test_a_tag_that_is_longer_in_lower_case_is_cut_to_its_column(
    as_ann: Client, news: Scene
) -> None:
    mark(as_ann, "Young", do="note", tags="İ" * 40)
    assert ReadingTag.objects.get().name == "i̇" * 20


@pytest.mark.parametrize(
    ("tags", "is_cut"),
    [
        (",".join("abcdefghij"), False),
        (",".join("abcdefghijk"), True),
        ("x" * 40, False),
        ("x" * 41, True),
        ("A,a;" * 20, False),
    ],
)
def test_who_types_too_many_or_too_long_tags_is_told(
    as_ann: Client, news: Scene, tags: str, is_cut: bool
) -> None:
    mark(as_ann, "Young", do="note", tags=tags)

    html = as_ann.get(TOPIC).content.decode()
    assert ("at most 10 tags of 40 characters each" in html) is is_cut
    assert ("Saved." in html) is not is_cut


@pytest.mark.parametrize("do", ["", "explode"])
def test_an_unknown_mark_is_refused(as_ann: Client, news: Scene, do: str) -> None:
    assert mark(as_ann, "Young", do=do).status_code == 400
    assert not Reading.objects.exists()


# the query string, and the pages of the list
@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("", ["Cache lines", "Young", "电脑 CPU"]),
        ("?order=newest", ["Young", "Cache lines", "电脑 CPU"]),
        ("?order=score", ["Cache lines", "电脑 CPU", "Young"]),
        ("?order=day", ["Cache lines", "Young"]),
        ("?order=nonsense&show=nonsense&since=never", ["Cache lines", "Young", "电脑 CPU"]),
        ("?show=unread", ["Cache lines", "电脑 CPU"]),
        ("?show=starred", ["Book"]),
        ("?new=1", ["Young"]),
        ("?site=portal.test", ["电脑 CPU"]),
        ("?language=zh", ["电脑 CPU"]),
        ("?term=Threads", ["Young"]),
        ("?known=1&order=score", ["Book", "Cache lines", "电脑 CPU", "Young"]),
        ("?site=portal.test&new=1", []),
    ],
)
def test_the_address_says_what_is_listed_and_how(
    as_ann: Client, news: Scene, query: str, titles: list[str]
) -> None:
    mark(as_ann, "Young", do="read")
    mark(as_ann, "Book", do="star")
    # Publishers' dates count before the moment of finding.
    Page.objects.filter(title="电脑 CPU").update(published=news.now - timedelta(days=2))
    assert listed(as_ann, query) == titles


@pytest.mark.parametrize(
    ("query", "label", "can_be_marked"),
    [
        ("", "Unread (2)", True),
        ("?show=unread", "Unread (2)", True),
        ("?order=day", "Unread (1)", True),
        ("?site=portal.test", "Unread (1)", True),
        ("?site=young.test", "Unread", False),
        ("?known=1", "Unread (3)", True),
        ("?term=Threads", "Unread", False),
        # The link leads from here to the news, of which the list says nothing.
        ("?show=starred", "Unread", True),
        ("?show=hidden", "Unread", False),
    ],
)
def test_the_link_to_unread_pages_counts_what_it_leads_to(
    as_ann: Client, news: Scene, query: str, label: str, *, can_be_marked: bool
) -> None:
    mark(as_ann, "Young", do="read")
    mark(as_ann, "Book", do="star")
    Page.objects.filter(title="电脑 CPU").update(published=news.now - timedelta(days=2))

    html = tight(as_ann.get(f"{TOPIC}{query}").content.decode())

    assert re.findall(r">\s*(Unread\b[^<]*?)\s*</a>", html) == [label]
    assert ("Mark all as read" in html) is can_be_marked


def test_a_day_limits_the_list_in_the_zone_of_the_topic(as_ann: Client, news: Scene) -> None:
    # The page was published two days ago to the hour: on the day before yesterday.
    day = news.now.astimezone(ZoneInfo(news.topic.zone)).date() - timedelta(days=1)
    assert "电脑 CPU" not in listed(as_ann, f"?since={day}")
    assert "Cache lines" in listed(as_ann, f"?since={day}")


def test_a_list_without_pages_says_how_to_get_them_back(as_ann: Client, news: Scene) -> None:
    html = as_ann.get(f"{TOPIC}?site=none.test").content.decode()
    assert "No page fits these filters." in html
    assert "Remove all filters" in html


def test_all_pages_of_a_list_can_be_marked_as_read(as_ann: Client, news: Scene) -> None:
    mark(as_ann, "Young", do="star")
    as_ann.post(f"{TOPIC}read", {"new": "1"})
    assert Reading.objects.exclude(read=None).get().starred
    as_ann.post(f"{TOPIC}read")
    assert Reading.objects.exclude(read=None).count() == 3
    assert listed(as_ann, "?show=unread") == []


def test_the_page_says_what_is_new_since_the_last_visit(as_ann: Client, news: Scene) -> None:
    assert "since your last visit" not in as_ann.get(TOPIC).content.decode()
    Visit.objects.update(latest=news.now - timedelta(hours=1))
    html = tight(as_ann.get(TOPIC).content.decode())
    assert "1 since your last visit (1\xa0hour ago)" in html
    assert html.count("new since your last visit") == 1


def test_a_visit_goes_on_while_the_page_updates_itself(as_ann: Client, news: Scene) -> None:
    Visit.objects.create(
        user=news.topic.owner, topic=news.topic, latest=news.now - timedelta(minutes=20)
    )
    as_ann.get(f"{TOPIC}fresh")
    visit = Visit.objects.get()
    assert visit.before is None
    assert visit.latest >= news.now


def test_marks_are_a_persons_own(as_ann: Client, news: Scene, bob: User) -> None:
    url = Harvest.objects.get(url__page__title="Cache lines").url
    Reading.objects.create(
        user=bob, topic=news.topic, url=url, hidden="dull", changed=timezone.now()
    )
    assert "Cache lines" in listed(as_ann)


def test_the_reader_shows_the_stored_article_alone(as_ann: Client, news: Scene) -> None:
    page = Harvest.objects.get(url__page__title="Cache lines")
    html = tight(as_ann.get(f"{TOPIC}pages/{page.pk}/read").content.decode())
    assert "<h1>Cache lines</h1>" in html
    assert "<p>A cache line is what a CPU reads.</p>" in html
    assert 'href="https://notes.test/cache"' in html


@pytest.mark.parametrize("query", ["", "?show=unread&order=newest", "?tag=x"])
def test_the_page_asks_the_database_seldom(as_ann: Client, news: Scene, query: str) -> None:
    as_ann.get(TOPIC)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        as_ann.get(f"{TOPIC}{query}")
    assert len(queries) <= MAX_QUERIES, "\n".join(one["sql"][:160] for one in queries)


def test_the_heading_in_chinese_has_a_chinese_comma(as_ann: Client, news: Scene) -> None:
    as_ann.get(TOPIC)
    Visit.objects.update(latest=news.now - timedelta(hours=1))
    html = as_ann.get(TOPIC, headers={"accept-language": "zh-hans"}).content.decode()
    assert "个新网页，其中 1 个是上次访问（1\xa0小时前）之后新增的" in tight(html)
