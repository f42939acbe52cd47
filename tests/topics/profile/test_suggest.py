"""Suggested terms, each with where it comes from."""

from collections.abc import Mapping

import pytest
from django.contrib.auth.models import User
from django.utils.translation import override

from crawler.crawl import manager
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.models import Page, Run
from tests.crawler.crawl.test_crawl_loop import crawl as crawl_all
from tests.crawler.web import PaperWeb
from tests.topics.factories import NOON, Scene, topic_of
from tests.topics.profile.judged_pages import of_subject
from tests.topics.profile.judged_pages import pages as pages
from tests.topics.profile.test_ontologies import read
from topics.models import Topic, TopicTerm
from topics.profile import concepts, examples, feedback, ontologies
from topics.profile.crawl import save_crawl
from topics.profile.suggest import Suggestion, SuggestionOrigin, suggestions


def by_origin(topic: Topic, origin: SuggestionOrigin) -> list[str]:
    return [found.text for found in suggestions(topic) if found.origin is origin]


def test_a_new_topic_gets_ideas_from_the_ontology_alone(ann: User) -> None:
    ontologies.save_ontology(read(), "Machines", NOON, owner=None)
    topic = topic_of(ann, name="Laptops")
    assert Suggestion("笔记本", SuggestionOrigin.ONTOLOGY, "laptop") in suggestions(topic)


def test_a_suggestion_names_concepts_in_the_language_of_the_reader(ann: User) -> None:
    machines = ontologies.save_ontology(read(), "Machines", NOON, owner=None)[0]
    topic = topic_of(ann, name="Laptops")
    for concept in concepts.find_concepts("电脑", [machines]):
        concepts.attach(topic, concept)

    with override("zh-hans"):
        via = {found.via for found in suggestions(topic)}

    assert {"笔记本", "电脑 → 处理器"} <= via and "laptop" not in via


def test_an_attached_concept_suggests_what_is_near_it(ann: User) -> None:
    machines = ontologies.save_ontology(read(), "Machines", NOON, owner=None)[0]
    topic = topic_of(ann, name="x")
    for concept in concepts.find_concepts("电脑", [machines]):
        concepts.attach(topic, concept)
    assert Suggestion("CPU", SuggestionOrigin.ONTOLOGY, "computer → CPU") in suggestions(topic)


def test_good_pages_suggest_the_words_that_tell_them_apart(pages: Scene, ann: User) -> None:
    text = "Onions make the broth sweet. Broth boils."
    examples.add_text(pages.topic, text, NOON, good=True)
    feedback.apply_labels(pages.topic, NOON)
    found = by_origin(pages.topic, SuggestionOrigin.EXAMPLES)
    assert {"broth", "onions"} <= set(found)
    assert "cache" not in found


def test_bad_pages_suggest_nothing(pages: Scene, ann: User) -> None:
    feedback.set_thumb(pages.topic, ann, of_subject(1), -1, NOON)
    assert not {"soup", "onion", "broth"} & set(by_origin(pages.topic, SuggestionOrigin.EXAMPLES))


def test_key_words_come_from_both_languages(pages: Scene) -> None:
    text = "智能电网的调度与储能。The turbine hall holds a turbine."
    examples.add_text(pages.topic, text, NOON, good=True)
    feedback.apply_labels(pages.topic, NOON)
    found = {s.text for s in suggestions(pages.topic)}
    assert {"电网", "turbine"} <= found


@pytest.mark.parametrize("own", ["broth", "Broths", "ＢＲＯＴＨ"])
def test_what_the_topic_says_already_is_not_suggested(pages: Scene, own: str) -> None:
    TopicTerm.objects.create(topic=pages.topic, text=own)
    examples.add_text(pages.topic, "Broth boils. Broth cools.", NOON, good=True)
    feedback.apply_labels(pages.topic, NOON)
    assert "broth" not in [s.text.lower() for s in suggestions(pages.topic)]


ARTICLES = {
    "turbine": "The turbine of a hydro plant turns slowly. A turbine blade bends the water, and "
    "the generator behind the turbine turns its motion into current for the grid.",
    "governor": "A governor keeps the speed of the generator. When load leaves the grid, the "
    "governor closes the gate, and the generator slows down until the frequency is right again.",
    "水库": "水库的水位决定发电机的出力。汛期水库放水，水轮机满负荷运行，"
    "电网调度把多余的电送往远方。",
}
MENU = """<nav><ul><li><a href="/">Homepage</a><li><a href="/club">Newsletter Courier</a><li>
<a href="/links">友情链接</a></ul></nav>"""
FOOTER = """<footer>Newsletter Courier appears on Fridays, unless the editor is on a mountain.
<a href="/imprint">Imprint</a> 业余时间 关于本站 友情链接</footer>"""


def test_phrases_and_capitals_are_kept_and_verbs_are_not_suggested(ann: User) -> None:
    parts = (
        "The tidal turbine of {n} waits for the tide. Near a tidal turbine the DNV waits, too.",
        "Its owner waits for a tidal turbine, and the DNV helps with the tidal turbine of {n}.",
    )
    web = {
        f"http://{n}.test/": f"<title>Page of {n}</title><article><p>{' '.join(parts)}</p>"
        f"<p>In {n} the keel waits.</p></article>".format(n=n)
        for n in ("orkney", "skye", "mull", "iona", "jura", "islay")
    }

    found = suggested_from(web, ann, written=True).split(", ")

    assert "tidal turbine" in found
    assert "DNV" in found
    assert "waits" not in found


def suggested_from(web: Mapping[str, str], owner: User, *, written: bool = False) -> str:
    """Crawl a web for a topic; the words it then suggests, in lower case or as they are written."""
    topic = topic_of(owner, name="hydro power", seeds="\n".join(web), judge="cosine", threshold=0.0)
    board = DatabaseBlackboard(
        Run.objects.create(crawl=save_crawl(topic, NOON), started=NOON, n_pages=9)
    )
    manager.start(board, list(web), NOON)
    crawl_all(board, PaperWeb(dict(web)))
    texts = [one.text for one in suggestions(topic)]
    return ", ".join(texts) if written else " ".join(texts).lower()


def test_words_of_menus_and_footers_are_not_suggested(ann: User) -> None:
    web = {
        f"http://plant.test/{name}": f"<title>{name}</title>{MENU}<article><h1>{name}</h1>"
        f"<p>{text}</p><p>{text}</p></article>{FOOTER}"
        for name, text in ARTICLES.items()
    }

    found = suggested_from(web, ann)

    assert Page.objects.count() == len(web)
    assert "generator" in found and "水库" in found
    for word in ("homepage", "newsletter", "courier", "friday", "editor", "mountain", "imprint"):
        assert word not in found
    for word in ("友情", "链接", "业余", "本站"):
        assert word not in found


def test_words_of_feeds_are_not_suggested(ann: User) -> None:
    article, feed = "http://plant.test/turbine", "http://plant.test/feed.xml"
    web = {
        article: f"<title>turbine</title><article><p>{ARTICLES['turbine']}</p></article>",
        feed: """<?xml version="1.0"?><rss version="2.0"><channel><title>Plant</title><item>
            <title>Whittling spoons</title><link>http://plant.test/turbine</link>
            <description>Whittling, a hobby for the garden.</description></item></channel></rss>""",
    }

    found = suggested_from(web, ann)

    assert "Whittling" in Page.objects.get(url__url=feed).text
    assert "generator" in found
    assert "whittling" not in found
    assert "garden" not in found
