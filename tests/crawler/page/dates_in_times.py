"""Pages that say their date in the body, in an element of its own."""

from tests.crawler.page.dated_pages import EN, ZH, DatedPage, chinese, english

PAGES = [
    DatedPage(
        "time under the title",
        EN,
        english('<p class="byline">By Ann · <time datetime="2026-11-17">17 November</time></p>'),
        "2026-11-17",
    ),
    DatedPage(
        "time with comments below",
        EN,
        english(
            '<time datetime="2026-11-02T07:00:00Z">2 Nov</time>',
            after='<section class="comments"><h2>Comments</h2>'
            '<p>Bo, <time datetime="2026-11-03">3 Nov</time>: fine</p>'
            '<p>Cy, <time datetime="2026-11-21">21 Nov</time>: so so</p></section>',
        ),
        "2026-11-02 07:00",
    ),
    DatedPage(
        "only comments have times",
        EN,
        english(
            after='<div class="comment-list"><p><time datetime="2026-11-03">3</time></p>'
            '<p><time datetime="2026-11-21">21</time></p></div>'
        ),
        "",
    ),
    DatedPage(
        "times of other articles in an aside",
        EN,
        english(
            after='<aside><h2>Latest</h2><p><time datetime="2026-11-21">21 Nov</time> Wind'
            '</p><p><time datetime="2026-11-20">20 Nov</time> Water</p></aside>'
        ),
        "",
    ),
    DatedPage(
        "updated after it was published",
        EN,
        english(
            '<p>Published <time datetime="2026-03-01">1 March</time>, updated '
            '<time datetime="2026-11-21">21 November</time></p>'
        ),
        "2026-03-01",
    ),
    DatedPage(
        "updated before published on the line",
        EN,
        english(
            '<p>Updated <time datetime="2026-11-21">21 November</time> · Published '
            '<time datetime="2026-03-01">1 March</time></p>'
        ),
        "2026-03-01",
    ),
    DatedPage(
        "only updated",
        EN,
        english('<p>Last updated: <time datetime="2026-11-21">21 November 2026</time></p>'),
        "",
    ),
    DatedPage(
        "marked time far below",
        EN,
        english(
            after="<p>Words</p>" * 12 + '<p>First on <time pubdate datetime="2025-01-31">31 '
            'January</time>, again on <time datetime="2026-02-01">1 February</time></p>'
        ),
        "2025-01-31",
    ),
    DatedPage(
        "microdata on a span",
        EN,
        english('<p>By Ann <span itemprop="datePublished">September 5, 2026</span></p>'),
        "2026-09-05",
    ),
    DatedPage(
        "a time without an attribute",
        EN,
        english("<p><time>5 September 2026</time></p>"),
        "2026-09-05",
    ),
    DatedPage(
        "a day to come in the text's time",
        EN,
        english('<p><time datetime="2026-12-24">24 December</time> is the next meeting</p>'),
        "",
    ),
    DatedPage(
        "list of posts with times",
        "http://grid.test/news",
        english(
            title="News",
            byline="".join(
                f'<div><h2><a href="/p{day}">Post {day}</a></h2>'
                f'<time datetime="2026-11-{day}">{day} Nov</time></div>'
                for day in range(11, 20)
            ),
        ),
        "",
    ),
    DatedPage(
        "Chinese time element",
        ZH,
        chinese('<p>来源：村网 <time datetime="2026-11-21T09:00:00+08:00">11月21日</time></p>'),
        "2026-11-21 01:00",
    ),
]
