"""The page about a page: the parts of its score in numbers, and its path from a seed."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from crawler.api.ranking import (
    CONTENT_WEIGHTS,
    DENSITY_HALF,
    RELEVANCE_WEIGHTS,
    absolute_content,
    density_value,
)
from crawler.models import Harvest, Page
from tests.topics.factories import Scene, explanation
from tests.topics.views.conftest import LOCAL, get
from topics.pages.paths import MAX_HOPS


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

    itself, density = CONTENT_WEIGHTS
    least, relevance = RELEVANCE_WEIGHTS
    worth = f"({itself} + {density} · x⁴/({DENSITY_HALF} + x⁴))"
    assert f"Content: ({least} + {relevance} · relevance⁶) · {worth}." in html
    assert "over what is typical of the topic (0.100):" in html


@pytest.mark.parametrize(
    ("relevance", "kept", "said"),
    [
        (0.9, True, "Content: (0.1 + 0.9 · relevance⁶)"),
        (0.2, False, "A page that is not kept is not scored again."),
        (0.2, True, "Content: as scored last."),
    ],
)
def test_the_formula_stands_only_where_the_content_was_scored_by_it(
    as_ann: Client, now_scene: Scene, relevance: float, kept: bool, said: str
) -> None:
    """A rating may lower the relevance of a page that is not kept; its score stays."""
    explained = explanation()
    counted = absolute_content(0.9, density_value(0.2, 0.1))
    explained["content"] |= {"by": "value", "density": 0.2, "typical": 0.1, "counted": counted}
    harvest = now_scene.page(
        "https://new.test/left", "Page", explanation=explained, relevance=relevance, kept=kept
    )

    html = get(as_ann, f"{LOCAL}pages/{harvest.pk}/")

    assert said in html
    assert ("relevance⁶" in html) is (relevance == 0.9)
    assert ("is not scored again" in html) is not kept


@pytest.mark.parametrize(
    ("hours", "said"), [(1, "found by this run"), (3, "read again by this run")]
)
def test_a_page_is_said_to_be_found_by_the_run_that_saw_it_first(
    as_ann: Client, now_scene: Scene, hours: int, said: str
) -> None:
    """The run of a page is the last one that read it; this one began two hours ago."""
    seen = now_scene.now - timedelta(hours=hours)
    harvest = now_scene.page("https://new.test/seen", "Page", first_seen=seen)

    html = get(as_ann, f"{LOCAL}pages/{harvest.pk}/")

    assert f"{said}</a>" in html


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


@pytest.mark.parametrize(
    ("n_sites", "said"),
    [(50, []), (51, ["1 more site links here."]), (53, ["3 more sites link here."])],
)
def test_sites_that_have_no_room_are_counted(
    as_ann: Client, now_scene: Scene, n_sites: int, said: list[str]
) -> None:
    address = "https://new.test/linked"
    harvest = now_scene.page(address, "Page")
    for number in range(n_sites):
        source = f"https://site{number}.test/links"
        now_scene.entry(source)
        now_scene.link(source, address)

    html = get(as_ann, f"{LOCAL}pages/{harvest.pk}/")

    assert re.findall(r"\d+ more sites? links? here\.", html) == said


def test_age_reduces_the_score_by_the_date_that_the_topic_shows(
    as_ann: Client, now_scene: Scene
) -> None:
    published = now_scene.now - timedelta(days=2, hours=1)
    row = now_scene.page("https://dated.test/", "Dated", published=published)
    Page.objects.filter(pk=row.url_id).update(published=now_scene.now - timedelta(days=9))
    html = as_ann.get(f"/topics/chips/pages/{row.pk}/").content.decode()
    assert "age reduces the score to 49 %" in html
