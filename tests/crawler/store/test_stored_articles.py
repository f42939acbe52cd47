"""What is stored of a page is its article, and what else it says of itself."""

from datetime import timedelta

import pytest

from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.models import Harvest, Page
from crawler.models.web import READER_VERSION
from tests.crawler.conftest import make_run
from tests.crawler.crawl.test_crawl_loop import crawl
from tests.crawler.store.test_baseline import look
from tests.crawler.web import NOON, SEED, PaperWeb

pytestmark = pytest.mark.django_db

PROSE = "".join(
    f"<p>Solar cells {part} turn the light of the sun into electricity, and a panel holds many.</p>"
    for part in ("one", "two", "three", "four")
)
PAGE = f"""<html><head><title>Solar cells | Hub</title><meta name="author" content="Ann Lee">
<meta property="og:image" content="/cells.png"></head><body>
<nav class="menu"><a href="/about">About our gossip</a></nav>
<article><h1>Solar cells</h1>{PROSE}<pre>if sun:
    charge()</pre></article><footer>Imprint of the gossip</footer></body></html>"""
ENDS = "".join(f'<li><a href="/{n}">Solar cells, part {n}</a></li>' for n in range(40))
FRONT = f"<html><title>Solar cells</title><body><ul>{ENDS}</ul></body></html>"


def test_an_article_is_stored_with_its_author_picture_and_kinds_of_lines() -> None:
    crawl(DatabaseBlackboard(make_run()), PaperWeb({SEED: PAGE}))
    page = Page.objects.get(url__url=SEED)

    assert (page.title, page.byline) == ("Solar cells", "Ann Lee")
    assert page.picture == f"{SEED}cells.png"
    assert page.line_kinds == "hppppcc"
    assert page.text.endswith("if sun:\n    charge()")
    assert "gossip" not in page.text
    assert not {"gossip", "imprint"} & {*page.terms.vocabulary}
    assert page.has_article and page.reader_version == READER_VERSION


def test_a_list_of_links_is_stored_as_one_until_it_is_an_article() -> None:
    run = make_run()
    crawl(DatabaseBlackboard(run), PaperWeb({SEED: FRONT}))
    assert not Page.objects.get(url__url=SEED).has_article
    look(run.crawl, {SEED: PAGE}, NOON + timedelta(days=1))

    page = Page.objects.get(url__url=SEED)
    assert page.has_article and page.byline == "Ann Lee"
    assert Harvest.objects.get(url=page.pk).relevance > 0
