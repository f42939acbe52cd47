"""Pages that say their date in the head, or do not say it."""

from tests.crawler.page.dated_pages import EN, ZH, DatedPage, chinese, english, linked

PAGES = [
    DatedPage(
        "json-ld article",
        EN,
        english(head=linked('{"@type":"NewsArticle","datePublished":"2026-11-20T09:00:00Z"}')),
        "2026-11-20 09:00",
    ),
    DatedPage(
        "json-ld graph with the site and the page",
        EN,
        english(
            head=linked(
                '{"@context":"https://schema.org","@graph":['
                '{"@type":"WebSite","datePublished":"2011-01-01"},'
                '{"@type":"WebPage","datePublished":"2026-10-02T08:00:00+02:00"},'
                '{"@type":"Article","datePublished":"2026-10-01T08:00:00+02:00"}]}'
            )
        ),
        "2026-10-01 06:00",
    ),
    DatedPage(
        "json-ld of an article with dated comments",
        EN,
        english(
            head=linked(
                '{"@type":["BlogPosting"],"comment":[{"@type":"Comment","datePublished":"2026-11-21"}],'
                '"datePublished":"2026-05-04"}'
            )
        ),
        "2026-05-04",
    ),
    DatedPage(
        "json-ld that is not quite json",
        EN,
        english(head=linked('{"@type":"Article","datePublished": "2026-05-04",}')),
        "2026-05-04",
    ),
    DatedPage(
        "json-ld of a product says nothing of the page",
        EN,
        english(head=linked('{"@type":"Product","name":"Panel","releaseDate":"2026-05-04"}')),
        "",
    ),
    DatedPage(
        "json-ld lies in the future, the meta does not",
        EN,
        english(
            head=linked('{"@type":"Article","datePublished":"2027-05-04"}')
            + '<meta property="article:published_time" content="2026-11-01">'
        ),
        "2026-11-01",
    ),
    DatedPage(
        "json-ld beats a meta date that is the build's",
        EN,
        english(
            head='<meta name="date" content="2026-11-22">'
            + linked('{"@type":"Article","datePublished":"2024-02-29"}')
        ),
        "2024-02-29",
    ),
    DatedPage(
        "json-ld of a page of questions",
        EN,
        english(
            head=linked(
                '{"@type":"QAPage","mainEntity":{"@type":"Question","dateCreated":"2025-07-07T07:00Z",'
                '"acceptedAnswer":{"@type":"Answer","dateCreated":"2026-01-01"}}}'
            )
        ),
        "2025-07-07 07:00",
    ),
    DatedPage(
        "json-ld with Baidu's own words",
        ZH,
        chinese(
            head=linked(
                '{"@context":"https://ziyuan.baidu.com/contexts/cambrian.jsonld",'
                '"title":"屋顶上的电","pubDate":"2026-11-19T08:30:00"}'
            )
        ),
        "2026-11-19 00:30",
    ),
    DatedPage(
        "json-ld in Chinese without a zone",
        ZH,
        chinese(head=linked('{"@type":"NewsArticle","datePublished":"2026-11-20 20:00:00"}')),
        "2026-11-20 12:00",
    ),
    DatedPage(
        "open graph",
        EN,
        english(
            head='<meta property="article:published_time" content="2026-11-18T23:15:00-05:00">'
            '<meta property="article:modified_time" content="2026-11-21T00:00:00Z">'
        ),
        "2026-11-19 04:15",
    ),
    DatedPage(
        "only a modified time",
        EN,
        english(
            head='<meta property="article:modified_time" content="2026-11-21T00:00:00Z">'
            '<meta name="last-modified" content="2026-11-21">'
        ),
        "",
    ),
    DatedPage(
        "Dublin Core",
        EN,
        english(head='<meta name="DC.date.issued" content="2025-12-24">'),
        "2025-12-24",
    ),
    DatedPage(
        "a paper's meta",
        EN,
        english(head='<meta name="citation_publication_date" content="2024/03/15">'),
        "2024-03-15",
    ),
    DatedPage(
        "meta itemprop",
        EN,
        english(head='<meta itemprop="datePublished" content="2026-08-09T10:11:12Z">'),
        "2026-08-09 10:11:12",
    ),
    DatedPage(
        "meta pubdate as a number",
        EN,
        english(head='<meta name="pubdate" content="20260809">'),
        "2026-08-09",
    ),
    DatedPage(
        "meta of year zero, text right",
        EN,
        english(
            "<p>Published 9 August 2026</p>",
            head='<meta name="date" content="0001-01-01T00:00:00Z">',
        ),
        "2026-08-09",
    ),
    DatedPage(
        "meta of the year 10000",
        EN,
        english(head='<meta name="date" content="10000-01-01T00:00:00Z">'),
        "",
    ),
    DatedPage(
        "meta of a Chinese portal",
        ZH,
        chinese(
            head='<meta name="weibo: article:create_at" content="x">'
            '<meta name="publishdate" content="2026-11-21 18:06">'
        ),
        "2026-11-21 10:06",
    ),
    DatedPage(
        "meta property in Chinese with words",
        ZH,
        chinese(head='<meta property="og:release_date" content="2026年11月02日 08:00">'),
        "2026-11-02 00:00",
    ),
]
