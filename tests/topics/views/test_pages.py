"""What a signed-in person sees of topics, runs and pages."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from crawler.api.ranking import CONTENT_WEIGHTS, DENSITY_HALF, RELEVANCE_WEIGHTS
from crawler.models import FrontierEntry, Harvest, Page, Run, Site
from tests.topics.factories import Scene, explanation, scene_of, tight, topic_of
from tests.topics.views.conftest import LOCAL, get, write_status
from topics.models import Topic
from topics.pages.paths import MAX_HOPS


@pytest.fixture
def now_scene(ann: User) -> Scene:
    """A topic whose pages are fresh at the time of the test."""
    scene = scene_of(ann, now=timezone.now())
    scene.entry("https://portal.test/")
    scene.entry("https://hub.test/links", "https://portal.test/")
    scene.page("https://notes.test/cache", "Cache <lines>", "https://hub.test/links")
    scene.page(
        "https://portal.test/cpu",
        "电脑 CPU",
        "https://portal.test/",
        score=0.31,
        published=scene.now - timedelta(days=2),
    )
    scene.entry("https://portal.test/private/x", "https://portal.test/", "robots_forbidden")
    scene.link("https://hub.test/links", "https://notes.test/cache")
    return scene


def test_the_topic_list_shows_state_fresh_pages_and_harvest(
    as_ann: Client, now_scene: Scene
) -> None:
    html = get(as_ann, "")
    assert "Computing 计算机" in html
    assert ">2</a>" in html  # fresh pages
    assert "28 %" in html  # 11 of 40, rounded
    assert "watching" in html


def test_a_quiet_topic_does_not_look_broken(as_ann: Client, now_scene: Scene) -> None:
    Harvest.objects.update(baseline=True)
    day = f"{now_scene.run.ended:%Y-%m-%d}"
    html = get(as_ann, "")
    assert f"since {day}" in html
    assert '<a href="/topics/chips/">0</a>' in html
    assert '<a href="/topics/chips/known/">2</a>' in html
    assert f"Watching since {day}" in get(as_ann, LOCAL)


@pytest.mark.parametrize(
    ("stop_reason", "sentence"),
    [("nothing_reachable", "Every URL that the run tried failed."), ("budget", "")],
)
def test_a_run_that_saw_nothing_is_reported_where_the_topic_is(
    as_ann: Client, now_scene: Scene, stop_reason: str, sentence: str
) -> None:
    Run.objects.update(stop_reason=stop_reason)
    link = f'<a class="bad" href="/topics/chips/runs/{now_scene.run.pk}/">{sentence}'
    assert (link in tight(get(as_ann, ""))) is bool(sentence)
    assert (link in tight(get(as_ann, LOCAL))) is bool(sentence)


@pytest.mark.parametrize(("minutes", "is_trouble"), [(59, False), (61, True)])
def test_that_all_rests_is_no_trouble_within_the_hour_after_a_look(
    as_ann: Client, now_scene: Scene, minutes: int, *, is_trouble: bool
) -> None:
    ended = now_scene.run.ended
    assert ended is not None
    then = ended + timedelta(minutes=minutes)
    now_scene.crawl.runs.create(started=then, ended=then, n_pages=9, stop_reason="all_rest")

    assert ("Nothing to fetch" in get(as_ann, "")) is is_trouble
    assert ("Nothing to fetch" in get(as_ann, LOCAL)) is is_trouble


def test_a_run_that_saw_nothing_is_not_where_watching_begins(
    as_ann: Client, now_scene: Scene
) -> None:
    began, crawl = now_scene.run.ended, now_scene.crawl
    assert began is not None
    early = began - timedelta(days=3)
    crawl.runs.create(started=early, ended=early, n_pages=9, stop_reason="no_contact")
    # Sites of the run that saw what was there are not new, though that one came before.
    Site.objects.update(first_seen=began - timedelta(minutes=1))

    assert crawl.baseline_end() == began
    assert "new site" not in get(as_ann, LOCAL)


def test_without_topics_the_list_says_what_to_do(as_ann: Client) -> None:
    assert "No topic yet" in get(as_ann, "")


def test_the_topic_page_lists_fresh_pages_best_first(as_ann: Client, now_scene: Scene) -> None:
    html = get(as_ann, LOCAL)
    assert html.index("Cache &lt;lines&gt;") < html.index("电脑 CPU")
    assert "2 new pages in the last 30 days" in html


def test_each_page_says_why_it_is_there_and_how_it_was_reached(
    as_ann: Client, now_scene: Scene
) -> None:
    html = get(as_ann, LOCAL)
    why = "Mentions CPU, cache; 3 sites link to it; relevance 0.71 (threshold 0.50)."
    assert why in html
    page = Harvest.objects.get(url__url="https://notes.test/cache")
    assert f'hx-get="/{LOCAL}pages/{page.pk}/path"' in html
    html = get(as_ann, f"{LOCAL}pages/{page.pk}/path")
    assert "2 clicks from a seed" in html
    assert html.index(">https://portal.test/</a>") < html.index(">https://hub.test/links</a>")


def test_a_page_very_far_from_its_seed_is_said_to_be_further_away_than_the_steps_shown(
    as_ann: Client, now_scene: Scene
) -> None:
    made = [f"https://deep.test/{number}" for number in range(MAX_HOPS + 5)]
    for parent, address in zip([None, *made], made[:-1], strict=False):
        now_scene.entry(address, parent)
    page = now_scene.page(made[-1], "Deep", parent=made[-2])

    html = get(as_ann, f"{LOCAL}pages/{page.pk}/path")

    assert f"more than {MAX_HOPS - 1} clicks from a seed" in html
    assert "A seed of this topic." not in html


def test_an_unknown_date_is_called_unknown(as_ann: Client, now_scene: Scene) -> None:
    html = get(as_ann, LOCAL)
    assert html.count("date unknown") == 1
    assert "2\xa0days ago" in html


def test_links_that_leave_tell_nobody_where_from(as_ann: Client, now_scene: Scene) -> None:
    page = Harvest.objects.get(url__url="https://notes.test/cache")
    paths = (LOCAL, f"{LOCAL}runs/{now_scene.run.pk}/reasons/gone", f"{LOCAL}pages/{page.pk}/path")
    html = "".join(get(as_ann, path) for path in paths)
    leaving = re.findall(r'<a\s[^>]*href="https://[^>]*>', html)
    assert len(leaving) == 5
    assert all('rel="noopener noreferrer"' in tag for tag in leaving)


def test_only_sites_found_after_the_first_run_count_as_new(
    as_ann: Client, now_scene: Scene
) -> None:
    assert "new site" not in get(as_ann, LOCAL)
    fresh = now_scene.now - timedelta(minutes=5)
    now_scene.url("https://young.test/a", seen=fresh)
    now_scene.page("https://young.test/a", "Young", "https://portal.test/", first_seen=fresh)
    Run.objects.update(fetched=F("fetched") + 1)
    html = get(as_ann, LOCAL)
    assert html.count('<span class="mark new">new site</span>') == 1
    assert "the site is new." in html


def test_the_page_shows_the_parts_that_sum_to_its_score(as_ann: Client, now_scene: Scene) -> None:
    page = Harvest.objects.get(url__url="https://notes.test/cache")
    html = get(as_ann, f"{LOCAL}pages/{page.pk}/")
    for number in ("0.350", "0.120", "0.470", "0.70", "0.30"):
        assert number in html, number
    assert "hub.test" in html  # in-linking site
    assert "<p>Second line.</p>" in html


@pytest.mark.parametrize(
    ("relevance", "said"),
    [
        (0.71, "a relevance of 0.71. The threshold is 0.50."),
        (0.502, "a relevance of 0.50. The threshold is 0.50."),
        (0.493, "a relevance of 0.49. The threshold is 0.50."),
        (0.497, "a relevance of 0.497. The threshold is 0.500."),
    ],
)
def test_a_relevance_below_the_threshold_is_seen_to_be_below(
    as_ann: Client, now_scene: Scene, relevance: float, said: str
) -> None:
    page = now_scene.page("https://new.test/near", "Page", relevance=relevance, kept=False)

    assert said in get(as_ann, f"{LOCAL}pages/{page.pk}/")


def test_the_standing_of_a_page_leads_to_where_it_is_reported(
    as_ann: Client, now_scene: Scene
) -> None:
    explained = explanation(content=0.279)
    explained["content"] |= {"counted": 0.93, "by": "standing"}
    harvest = now_scene.page(
        "https://new.test/standing", "Page", explanation=explained, score=0.629
    )

    page = as_ann.get(f"/topics/chips/pages/{harvest.pk}/").content.decode()

    assert '<a href="#relevance">Content</a>' in page
    assert "this one was more relevant than 93 % of kept pages." in page
    assert "0.930" in page and "0.279" in page


def test_the_page_says_the_weights_that_the_ranker_gives_to_the_content(
    as_ann: Client, now_scene: Scene
) -> None:
    explained = explanation()
    explained["content"] |= {"by": "value", "density": 0.2, "typical": 0.1}
    harvest = now_scene.page("https://new.test/weights", "Page", explanation=explained)

    html = get(as_ann, f"{LOCAL}pages/{harvest.pk}/")

    itself, density, key_terms = CONTENT_WEIGHTS
    least, relevance = RELEVANCE_WEIGHTS
    worth = f"({itself} + {density} · x⁴/({DENSITY_HALF} + x⁴) + {key_terms} · 0.40)"
    assert f"Content: ({least} + {relevance} · relevance⁶) · {worth}." in html
    assert "over what is typical of the topic (0.100):" in html


@pytest.mark.parametrize(
    ("votes", "linked", "said"),
    [
        (1.25, True, "The page counts 1.25 votes."),
        (0.0, True, "The page counts 0.00 votes."),
        (0.9, False, "The page counts 0.90 votes."),
        (0.0, False, ""),
        (None, True, ""),  # Scored before votes were stored.
    ],
)
def test_votes_are_said_of_each_page_that_has_links_or_is_young(
    as_ann: Client, now_scene: Scene, votes: float | None, *, linked: bool, said: str
) -> None:
    explained = explanation()
    if votes is not None:
        explained["link"]["votes"] = votes
    address = "https://new.test/votes"
    harvest = now_scene.page(address, "Page", explanation=explained)
    if linked:
        now_scene.link("https://hub.test/links", address)

    html = get(as_ann, f"{LOCAL}pages/{harvest.pk}/")

    assert ("No article of another site" in html) is not linked
    assert re.findall(r"The page counts \S+ votes\.", html) == ([said] if said else [])


def test_stored_text_is_shown_as_text(as_ann: Client, now_scene: Scene) -> None:
    evil = '</div><script>alert("x")</script>'
    page = now_scene.page("https://evil.test/", evil, text=evil)
    html = get(as_ann, f"{LOCAL}pages/{page.pk}/") + get(as_ann, LOCAL)
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in html


def test_the_run_page_gives_every_reason_a_sentence_and_its_addresses(
    as_ann: Client, now_scene: Scene
) -> None:
    html = get(as_ann, f"{LOCAL}runs/{now_scene.run.pk}/")
    assert "The site&#x27;s robots.txt asks not to fetch this page." in html
    assert "page limit." in html
    listed = get(as_ann, f"{LOCAL}runs/{now_scene.run.pk}/reasons/robots_forbidden")
    assert "https://portal.test/private/x" in listed
    assert "1 of 2 URLs" in listed


# minutes between the visit of a seed and the beginning of a run: below 0 the run visited it
@pytest.mark.parametrize(("minutes", "said"), [(-1, False), (5, True), (59, True), (61, False)])
def test_a_run_says_that_seeds_rested_if_they_did(
    as_ann: Client, now_scene: Scene, minutes: int, *, said: bool
) -> None:
    ended = now_scene.run.ended
    assert ended is not None
    started = ended + timedelta(minutes=5)
    FrontierEntry.objects.filter(url__url="https://portal.test/").delete()
    now_scene.entry("https://portal.test/")
    seed = FrontierEntry.objects.filter(url__url="https://portal.test/")
    seed.update(ended=started - timedelta(minutes=minutes))
    run = Run.objects.create(
        crawl=now_scene.crawl,
        started=started,
        ended=started,
        n_pages=9,
        stop_reason="frontier_empty",
    )
    assert (
        "Seeds are checked at most once an hour" in get(as_ann, f"{LOCAL}runs/{run.pk}/")
    ) is said


def test_kept_pages_of_a_run_are_listed(as_ann: Client, now_scene: Scene) -> None:
    assert "Cache &lt;lines&gt;" in get(as_ann, f"{LOCAL}runs/{now_scene.run.pk}/kept")


def test_progress_says_when_it_has_ended(as_ann: Client, now_scene: Scene) -> None:
    path = f"{LOCAL}runs/{now_scene.run.pk}/live"
    assert "data-ended" in get(as_ann, path)
    Run.objects.update(ended=None, stop_reason="")
    assert "data-ended" not in get(as_ann, path)


# What the run row says, whether the worker is up, and what the empty page must say.
EMPTY = [
    ({"ended": None, "stop_reason": ""}, True, "appear here as soon as they are ranked"),
    ({"ended": None, "stop_reason": ""}, False, "Nothing is being fetched"),
    ({"stop_reason": "frontier_empty"}, True, "relevance threshold of 0.50"),
    ({"stop_reason": "nothing_reachable"}, True, "Every URL that the run tried failed."),
    ({"stop_reason": "no_contact"}, True, "FOCUSWEB_CONTACT_URL"),
]


@pytest.mark.parametrize(("run", "up", "said"), EMPTY)
def test_an_empty_topic_says_which_cause_holds(
    as_ann: Client,
    ann: User,
    data_folder: Path,
    run: dict[str, Any],
    up: bool,
    said: str,
) -> None:
    scene_of(ann, now=timezone.now(), **run)
    write_status(data_folder, "up" if up else "down")
    assert said in get(as_ann, LOCAL)


def test_a_topic_that_never_ran_says_so(as_ann: Client, ann: User, data_folder: Path) -> None:
    topic_of(ann)
    write_status(data_folder)
    html = tight(get(as_ann, LOCAL))
    assert "has not been crawled yet. The first run starts automatically within a minute." in html
    assert 'data-live="/topics/chips/fresh"' in html  # shown as soon as it does
    assert "starts within a minute" in get(as_ann, "")
    Topic.objects.update(active=False)
    html = get(as_ann, LOCAL)
    assert "has not been crawled yet. The topic is off" in tight(html)
    assert "data-live" not in html


def test_a_topic_with_queries_but_no_search_engine_says_so(
    as_ann: Client, ann: User, data_folder: Path, settings: Settings
) -> None:
    settings.SEARXNG_URL = ""
    topic_of(ann, seeds="", queries="cpu cache")
    write_status(data_folder)
    assert "no search gets its seed queries" in get(as_ann, LOCAL)


def test_old_pages_are_not_fresh(as_ann: Client, ann: User, data_folder: Path) -> None:
    scene = scene_of(ann, now=timezone.now())
    scene.page("https://a.test/", "Old", first_seen=scene.now - timedelta(days=99))
    write_status(data_folder)
    html = tight(get(as_ann, LOCAL))
    assert "Nothing new yet." in html
    assert "1 known page, best first" in html
    assert ">Old</a>" in html


def test_age_reduces_the_score_by_the_date_that_the_topic_shows(
    as_ann: Client, now_scene: Scene
) -> None:
    published = now_scene.now - timedelta(days=2, hours=1)
    row = now_scene.page("https://dated.test/", "Dated", published=published)
    Page.objects.filter(pk=row.url_id).update(published=now_scene.now - timedelta(days=9))
    html = as_ann.get(f"/topics/chips/pages/{row.pk}/").content.decode()
    assert "age reduces the score to 49 %" in html


def test_after_a_while_only_the_window_counts(as_ann: Client, now_scene: Scene) -> None:
    Harvest.objects.update(baseline=True)
    began = now_scene.now - timedelta(days=31)
    Run.objects.update(started=began, ended=began)
    assert "Nothing new in the last 30 days." in get(as_ann, LOCAL)


def test_pages_of_the_first_run_are_a_link_below_the_news(as_ann: Client, now_scene: Scene) -> None:
    for number in range(11):
        now_scene.page(f"https://a.test/{number}", f"Known {number}", score=0.9, baseline=True)
    html = tight(get(as_ann, LOCAL))
    assert "2 new pages" in html
    assert f'<a href="/{LOCAL}known/">All 11 known pages</a>' in html
    assert html.index("电脑 CPU") < html.index("known pages") and "Known 0" not in html
    assert "Known 10" in get(as_ann, f"{LOCAL}known/")


def test_a_new_user_sees_the_pages_of_the_first_run(as_ann: Client, now_scene: Scene) -> None:
    Harvest.objects.update(baseline=True)
    html = get(as_ann, LOCAL)
    assert "电脑 CPU" in html
    assert "2 known pages" in html


def test_pages_speak_chinese_to_a_chinese_browser(as_ann: Client, now_scene: Scene) -> None:
    html = get(as_ann, LOCAL, "zh-CN,zh;q=0.9")
    assert '<html lang="zh-hans">' in html
    assert "提到 CPU、cache；有 3 个网站链接到它；相关度 0.71（阈值 0.50）。" in html


def test_the_language_can_be_switched(as_ann: Client) -> None:
    as_ann.post("/language/", {"language": "zh-hans", "next": "/"})
    assert '<html lang="zh-hans">' in get(as_ann, "")


@pytest.mark.parametrize(
    ("unchanged", "shown"), [(0, "25 %"), (30, "100 %"), (40, "–")], ids=["none", "most", "all"]
)
def test_the_harvest_rate_leaves_out_what_had_not_changed(
    as_ann: Client, now_scene: Scene, unchanged: int, shown: str
) -> None:
    now_scene.crawl.runs.update(fetched=40, kept=10, reasons={"unchanged": unchanged})

    for path in (f"{LOCAL}runs/", f"{LOCAL}runs/{now_scene.run.pk}/", ""):
        assert f">{shown}<" in get(as_ann, path), path


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_pdf_file_is_marked_on_lists_and_on_its_page(
    as_ann: Client, now_scene: Scene, language: str
) -> None:
    mark = '<span class="mark">PDF</span>'
    harvest = Harvest.objects.get(url__url="https://notes.test/cache")
    assert mark not in get(as_ann, LOCAL, language)
    Page.objects.filter(pk=harvest.url_id).update(flags="charset_guessed,pdf")

    assert get(as_ann, LOCAL, language).count(mark) == 1
    assert mark in get(as_ann, f"{LOCAL}pages/{harvest.pk}/", language)
