import arxiv_abstract

from focusweb.testing import Response

ABSTRACT = "We print solar cells on paper. Their efficiency is 12 percent."
PAGE = f"""<!doctype html><title>[2604.00001] Paper solar cells</title>
<meta name="citation_title" content="Paper solar cells">
<meta name="citation_author" content="Lee, Ann"><meta name="citation_author" content="Li, Bo">
<meta name="citation_date" content="2026/04/28">
<p>arXiv is a free distribution service and an open-access archive for scholarly articles.</p>
<blockquote class="abstract"><span>Abstract:</span>{ABSTRACT}</blockquote>
<a href="/abs/2604.00002">next</a>"""
NEXT = "<title>Solar panels</title><p>A page on solar panels without an abstract.</p>"


def pages_of(crawled):
    return {row.url.url: row.page for row in crawled.topic.crawl.harvests.all()}


def test_the_abstract_alone_is_the_text(crawl, load_plugin, small_web):
    small_web.serve(
        "arxiv.test",
        {
            "/abs/2604.00001": Response(200, PAGE.encode()),
            "/abs/2604.00002": Response(200, NEXT.encode()),
        },
    )
    loaded = load_plugin(arxiv_abstract, host="arxiv.test")

    crawled = crawl("http://arxiv.test/abs/2604.00001")

    paper = pages_of(crawled)["http://arxiv.test/abs/2604.00001"]
    assert (paper.title, paper.byline) == ("Paper solar cells", "Lee, Ann; Li, Bo")
    assert paper.text == ABSTRACT
    assert paper.published.date().isoformat() == "2026-04-28"
    assert crawled.ends["http://arxiv.test/abs/2604.00002"] == "fetched"
    assert loaded.failures == []


def test_the_plugin_changes_nothing_else(assert_isolated):
    assert_isolated(arxiv_abstract)
