"""What suggested terms rest on: articles of the topic, against other pages."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User

from crawler.models import Page
from crawler.models.web import pack_links, pack_terms
from crawler.page.page_terms import text_terms
from crawler.page.parsed import StoredLinks
from tests.topics.factories import Scene, scene_of
from topics.profile.evidence import MANY, MIN_OTHERS, Evidence, TopicArticle, evidence_of


def article(text: str, site: str) -> TopicArticle:
    terms = text_terms(text)
    return TopicArticle(text, terms, frozenset(terms.vocabulary), site)


def evidence(others: str = "", n_others: int = MIN_OTHERS, *, n_sites: int = 2) -> Evidence:
    """Six articles on turbines; those of the first site all say its name."""
    articles = [
        article(f"turbine generator {'courier' * (n % n_sites == 0)}", f"s{n % n_sites}.test")
        for n in range(MANY)
    ]
    return Evidence(articles, [text_terms(others)] * n_others)


@pytest.mark.parametrize(
    ("token", "others", "supported"),
    [
        ("turbin", "", True),
        ("turbin", "turbine", False),
        ("courier", "", False),
        ("football", "football", False),
    ],
)
def test_a_term_is_on_two_sites_and_rarer_elsewhere(
    token: str, others: str, *, supported: bool
) -> None:
    assert evidence(others).supports([token]) is supported


def test_few_other_pages_say_nothing() -> None:
    assert evidence("turbine", MIN_OTHERS - 1).supports(["turbin"])


@pytest.mark.parametrize(("n_holding", "supported"), [(2, False), (3, True)])
def test_a_term_is_on_a_tenth_of_many_articles(n_holding: int, *, supported: bool) -> None:
    articles = [article("turbine rotor", f"s{n}.test") for n in range(n_holding)]
    articles += [article("turbine", f"t{n}.test") for n in range(30 - n_holding)]
    assert Evidence(articles, []).supports(["rotor"]) is supported


def test_one_example_that_a_person_gave_is_enough() -> None:
    found = evidence()
    example = replace(article("onion", "soup.test"), is_example=True)
    assert Evidence([*found.articles, example], found.others).supports(["onion"])
    seed = replace(example, is_example=False)
    assert not Evidence([*found.articles, seed], found.others).supports(["onion"])


def test_a_topic_of_one_site_needs_two_pages_only() -> None:
    assert evidence(n_sites=1).supports(["courier"])


def test_of_few_articles_each_word_counts() -> None:
    few = Evidence([article("turbine", "a.test"), article("courier", "a.test")], [])
    assert few.supports(["courier"])
    assert not few.supports(["football"])
    assert not few.supports([])


def test_a_word_that_is_repeated_says_more() -> None:
    found = Evidence([article("turbine turbine helps", "a.test")], []).repetitions()
    assert found == {"turbin": 3.0, "help": 2.0}


@pytest.fixture
def scene(ann: User) -> Scene:
    return scene_of(ann)


def link_to(scene: Scene, source: str, *anchors: tuple[str, str]) -> None:
    """State on a page that it links to others, each with a text within its article."""
    links = StoredLinks(
        targets=[scene.url(target).pk for target, _ in anchors],
        anchors=[text for _, text in anchors],
        blocks=[0] * len(anchors),
        spans=[(0, 1)],
    )
    Page.objects.filter(url=scene.url(source)).update(packed_links=pack_links(links))


@pytest.mark.parametrize("name", ["", "index.html"])
@pytest.mark.parametrize(("below", "is_read"), [(3, False), (2, True)])
def test_a_front_page_is_no_article(scene: Scene, name: str, below: int, *, is_read: bool) -> None:
    root = "https://plant.test/guide/"
    scene.page(root + name, "Guide")
    pages = [(f"{root}{n}.html", "a page") for n in range(below)]
    link_to(scene, root + name, *pages, (root + name, "itself"), ("https://plant.test/", "home"))
    assert bool(evidence_of(scene.topic, scene.crawl).articles) is is_read


def test_words_of_link_texts_alone_are_not_an_articles(scene: Scene) -> None:
    page = "https://plant.test/turbine"
    scene.page(page, "Turbine", text="See the Courier. The turbine turns; a blade bends.")
    link_to(scene, page, ("https://courier.test/", "the Courier"), ("https://x.test/", "turbine"))
    [found] = evidence_of(scene.topic, scene.crawl).articles
    assert "courier" not in found.words
    assert {"turbin", "blade"} <= found.words


def test_kept_pages_show_the_topic_and_others_do_not(scene: Scene) -> None:
    scene.page("https://a.test/1", "Kept")
    scene.page("https://a.test/2", "Left", kept=False)
    terms = text_terms("football league")
    Page.objects.filter(title="Left").update(packed_terms=pack_terms(terms))
    found = evidence_of(scene.topic, scene.crawl)
    assert [one.text.splitlines()[0] for one in found.articles] == ["Kept"]
    assert [list(page.vocabulary) for page in found.others] == [list(terms.vocabulary)]
