"""Pages made for these tests, each with the date a careful reader would give it."""

from dataclasses import dataclass
from datetime import UTC, datetime

#: When all of them were fetched.
NOW = datetime(2026, 11, 22, 1, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class DatedPage:
    """A page, where it stood, and when it was published: "" if it does not say."""

    name: str
    url: str
    markup: str
    published: str

    @property
    def moment(self) -> datetime | None:
        """The label as a moment."""
        return (
            datetime.fromisoformat(self.published).replace(tzinfo=UTC) if self.published else None
        )


_PROSE = """<p>The array on the school roof was wired in a single weekend by two neighbours
and a retired electrician, who had done the same on his own house the year before.</p>
<p>In 2019 the village had no battery at all; on 3 March 2021 the first one arrived, and since
then the lights have stayed on through every storm but one.</p>"""
_PROSE_ZH = """<p>屋顶上的光伏板由两位邻居和一位退休电工在一个周末装好，
他前一年刚在自己家里装过同样的一套。</p>
<p>2019年村里还没有一块电池，2021年3月3日第一块电池运到，此后除了一次暴雨，灯一直亮着。</p>"""


def _english(byline: str = "", head: str = "", after: str = "", title: str = "Roof power") -> str:
    return (
        f'<html lang="en"><head><title>{title} - Village Grid</title>{head}</head><body>'
        '<nav><a href="/">Home</a> <a href="/news">News</a> <a href="/about">About</a></nav>'
        f"<article><h1>{title}</h1>{byline}{_PROSE}</article>{after}"
        "<footer><p>© 2011-2026 Village Grid</p></footer></body></html>"
    )


def _chinese(byline: str = "", head: str = "", after: str = "", title: str = "屋顶上的电") -> str:
    return (
        f'<html lang="zh-CN"><head><title>{title}_村网</title>{head}</head><body>'
        '<div class="nav"><a href="/">首页</a> <a href="/news">新闻</a></div>'
        f'<div class="content"><h1>{title}</h1>{byline}{_PROSE_ZH}</div>{after}'
        '<div class="foot"><p>版权所有 © 2011-2026 村网</p></div></body></html>'
    )


def _linked(data: str) -> str:
    return f'<script type="application/ld+json">{data}</script>'


_EN, _ZH = "http://grid.test/roof-power", "http://cunwang.test/a/81723.html"

_IN_HEADS = [
    DatedPage(
        "json-ld article",
        _EN,
        _english(head=_linked('{"@type":"NewsArticle","datePublished":"2026-11-20T09:00:00Z"}')),
        "2026-11-20 09:00",
    ),
    DatedPage(
        "json-ld graph with the site and the page",
        _EN,
        _english(
            head=_linked(
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
        _EN,
        _english(
            head=_linked(
                '{"@type":["BlogPosting"],"comment":[{"@type":"Comment","datePublished":"2026-11-21"}],'
                '"datePublished":"2026-05-04"}'
            )
        ),
        "2026-05-04",
    ),
    DatedPage(
        "json-ld that is not quite json",
        _EN,
        _english(head=_linked('{"@type":"Article","datePublished": "2026-05-04",}')),
        "2026-05-04",
    ),
    DatedPage(
        "json-ld of a product says nothing of the page",
        _EN,
        _english(head=_linked('{"@type":"Product","name":"Panel","releaseDate":"2026-05-04"}')),
        "",
    ),
    DatedPage(
        "json-ld lies in the future, the meta does not",
        _EN,
        _english(
            head=_linked('{"@type":"Article","datePublished":"2027-05-04"}')
            + '<meta property="article:published_time" content="2026-11-01">'
        ),
        "2026-11-01",
    ),
    DatedPage(
        "json-ld beats a meta date that is the build's",
        _EN,
        _english(
            head='<meta name="date" content="2026-11-22">'
            + _linked('{"@type":"Article","datePublished":"2024-02-29"}')
        ),
        "2024-02-29",
    ),
    DatedPage(
        "json-ld of a page of questions",
        _EN,
        _english(
            head=_linked(
                '{"@type":"QAPage","mainEntity":{"@type":"Question","dateCreated":"2025-07-07T07:00Z",'
                '"acceptedAnswer":{"@type":"Answer","dateCreated":"2026-01-01"}}}'
            )
        ),
        "2025-07-07 07:00",
    ),
    DatedPage(
        "json-ld with Baidu's own words",
        _ZH,
        _chinese(
            head=_linked(
                '{"@context":"https://ziyuan.baidu.com/contexts/cambrian.jsonld",'
                '"title":"屋顶上的电","pubDate":"2026-11-19T08:30:00"}'
            )
        ),
        "2026-11-19 00:30",
    ),
    DatedPage(
        "json-ld in Chinese without a zone",
        _ZH,
        _chinese(head=_linked('{"@type":"NewsArticle","datePublished":"2026-11-20 20:00:00"}')),
        "2026-11-20 12:00",
    ),
    DatedPage(
        "open graph",
        _EN,
        _english(
            head='<meta property="article:published_time" content="2026-11-18T23:15:00-05:00">'
            '<meta property="article:modified_time" content="2026-11-21T00:00:00Z">'
        ),
        "2026-11-19 04:15",
    ),
    DatedPage(
        "only a modified time",
        _EN,
        _english(
            head='<meta property="article:modified_time" content="2026-11-21T00:00:00Z">'
            '<meta name="last-modified" content="2026-11-21">'
        ),
        "",
    ),
    DatedPage(
        "Dublin Core",
        _EN,
        _english(head='<meta name="DC.date.issued" content="2025-12-24">'),
        "2025-12-24",
    ),
    DatedPage(
        "a paper's meta",
        _EN,
        _english(head='<meta name="citation_publication_date" content="2024/03/15">'),
        "2024-03-15",
    ),
    DatedPage(
        "meta itemprop",
        _EN,
        _english(head='<meta itemprop="datePublished" content="2026-08-09T10:11:12Z">'),
        "2026-08-09 10:11:12",
    ),
    DatedPage(
        "meta pubdate as a number",
        _EN,
        _english(head='<meta name="pubdate" content="20260809">'),
        "2026-08-09",
    ),
    DatedPage(
        "meta of year zero, text right",
        _EN,
        _english(
            "<p>Published 9 August 2026</p>",
            head='<meta name="date" content="0001-01-01T00:00:00Z">',
        ),
        "2026-08-09",
    ),
    DatedPage(
        "meta of the year 10000",
        _EN,
        _english(head='<meta name="date" content="10000-01-01T00:00:00Z">'),
        "",
    ),
    DatedPage(
        "meta of a Chinese portal",
        _ZH,
        _chinese(
            head='<meta name="weibo: article:create_at" content="x">'
            '<meta name="publishdate" content="2026-11-21 18:06">'
        ),
        "2026-11-21 10:06",
    ),
    DatedPage(
        "meta property in Chinese with words",
        _ZH,
        _chinese(head='<meta property="og:release_date" content="2026年11月02日 08:00">'),
        "2026-11-02 00:00",
    ),
]

_IN_TIMES = [
    DatedPage(
        "time under the title",
        _EN,
        _english('<p class="byline">By Ann · <time datetime="2026-11-17">17 November</time></p>'),
        "2026-11-17",
    ),
    DatedPage(
        "time with comments below",
        _EN,
        _english(
            '<time datetime="2026-11-02T07:00:00Z">2 Nov</time>',
            after='<section class="comments"><h2>Comments</h2>'
            '<p>Bo, <time datetime="2026-11-03">3 Nov</time>: fine</p>'
            '<p>Cy, <time datetime="2026-11-21">21 Nov</time>: so so</p></section>',
        ),
        "2026-11-02 07:00",
    ),
    DatedPage(
        "only comments have times",
        _EN,
        _english(
            after='<div class="comment-list"><p><time datetime="2026-11-03">3</time></p>'
            '<p><time datetime="2026-11-21">21</time></p></div>'
        ),
        "",
    ),
    DatedPage(
        "times of other articles in an aside",
        _EN,
        _english(
            after='<aside><h2>Latest</h2><p><time datetime="2026-11-21">21 Nov</time> Wind'
            '</p><p><time datetime="2026-11-20">20 Nov</time> Water</p></aside>'
        ),
        "",
    ),
    DatedPage(
        "updated after it was published",
        _EN,
        _english(
            '<p>Published <time datetime="2026-03-01">1 March</time>, updated '
            '<time datetime="2026-11-21">21 November</time></p>'
        ),
        "2026-03-01",
    ),
    DatedPage(
        "updated before published on the line",
        _EN,
        _english(
            '<p>Updated <time datetime="2026-11-21">21 November</time> · Published '
            '<time datetime="2026-03-01">1 March</time></p>'
        ),
        "2026-03-01",
    ),
    DatedPage(
        "only updated",
        _EN,
        _english('<p>Last updated: <time datetime="2026-11-21">21 November 2026</time></p>'),
        "",
    ),
    DatedPage(
        "marked time far below",
        _EN,
        _english(
            after="<p>Words</p>" * 12 + '<p>First on <time pubdate datetime="2025-01-31">31 '
            'January</time>, again on <time datetime="2026-02-01">1 February</time></p>'
        ),
        "2025-01-31",
    ),
    DatedPage(
        "microdata on a span",
        _EN,
        _english('<p>By Ann <span itemprop="datePublished">September 5, 2026</span></p>'),
        "2026-09-05",
    ),
    DatedPage(
        "a time without an attribute",
        _EN,
        _english("<p><time>5 September 2026</time></p>"),
        "2026-09-05",
    ),
    DatedPage(
        "a day to come in the text's time",
        _EN,
        _english('<p><time datetime="2026-12-24">24 December</time> is the next meeting</p>'),
        "",
    ),
    DatedPage(
        "list of posts with times",
        "http://grid.test/news",
        _english(
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
        _ZH,
        _chinese('<p>来源：村网 <time datetime="2026-11-21T09:00:00+08:00">11月21日</time></p>'),
        "2026-11-21 01:00",
    ),
]

_IN_URLS = [
    DatedPage("URL of three parts", "http://grid.test/2026/11/09/roof/", _english(), "2026-11-09"),
    DatedPage("URL of short parts", "http://grid.test/2026/1/9/roof", _english(), "2026-01-09"),
    DatedPage("URL with dashes", "http://grid.test/2026-11-09-roof.html", _english(), "2026-11-09"),
    DatedPage(
        "URL of a Chinese office",
        "http://gov.test/zw/202611/t20261109_5512.html",
        _chinese(),
        "2026-11-09",
    ),
    DatedPage(
        "URL of a Chinese agency", "http://xin.test/2026-11/09/c_1128.htm", _chinese(), "2026-11-09"
    ),
    DatedPage(
        "URL of a Chinese paper",
        "http://ren.test/n1/2026/1109/c1004.html",
        _chinese(),
        "2026-11-09",
    ),
    DatedPage("URL of only a month", "http://grid.test/2026/11/roof", _english(), ""),
    DatedPage("URL of an impossible day", "http://grid.test/2026/13/45/roof", _english(), ""),
    DatedPage("URL of a day to come", "http://grid.test/2027/01/01/roof", _english(), ""),
    DatedPage("URL with a long number", "http://grid.test/id/202611091234567", _english(), ""),
    DatedPage(
        "URL and a date in the text that is another's",
        "http://grid.test/2026/11/09/roof",
        _english(after="<p>Posted 1 January 2020</p>"),
        "2026-11-09",
    ),
]

_IN_TEXTS = [
    DatedPage("English byline", _EN, _english("<p>Ann Lee | November 9, 2026</p>"), "2026-11-09"),
    DatedPage(
        "English byline with a clock",
        _EN,
        _english("<div>Posted on Mon 9 Nov 2026 at 4:30 pm by Ann</div>"),
        "2026-11-09 16:30",
    ),
    DatedPage(
        "byline above the title",
        _EN,
        _english().replace("<h1>", "<p>Monday, 9 November 2026</p><h1>", 1),
        "2026-11-09",
    ),
    DatedPage("hours ago", _EN, _english("<p>5 hours ago</p>"), "2026-11-21 20:30"),
    DatedPage("yesterday", _EN, _english("<p>Yesterday, by Ann</p>"), "2026-11-21"),
    DatedPage("dotted", _EN, _english("<p>Ann Lee, 09.11.2026</p>"), "2026-11-09"),
    DatedPage("either of two days", _EN, _english("<p>Ann Lee, 09/11/2026</p>"), ""),
    DatedPage("clear from its day", _EN, _english("<p>Ann Lee, 11/19/2026</p>"), "2026-11-19"),
    DatedPage("ISO", _EN, _english("<p>2026-11-09 · 4 min read</p>"), "2026-11-09"),
    DatedPage("no date at all", _EN, _english(), ""),
    DatedPage(
        "a sentence is no byline",
        _EN,
        _english("<p>The roof was finished on 9 November 2026.</p>"),
        "",
    ),
    DatedPage(
        "an event's day is not the page's",
        _EN,
        _english("<p>Event date: 9 November 2026, town hall</p>"),
        "",
    ),
    DatedPage("only updated, in text", _EN, _english("<p>Updated 21 November 2026</p>"), ""),
    DatedPage(
        "published and updated in text",
        _EN,
        _english("<p>Updated: 21 November 2026 | Published: 9 August 2026</p>"),
        "2026-08-09",
    ),
    DatedPage(
        "list of dated lines",
        "http://grid.test/news",
        _english(
            title="News",
            byline="".join(
                f'<p><a href="/p{day}">Post {day}</a></p><p>{day} November 2026</p>'
                for day in range(11, 20)
            ),
        ),
        "",
    ),
    DatedPage(
        "copyright is no date",
        _EN,
        _english("<p>Copyright 1 January 2026 Village Grid</p>"),
        "",
    ),
    DatedPage("中文 发布时间", _ZH, _chinese("<p>发布时间：2026年11月21日</p>"), "2026-11-21"),
    DatedPage(
        "中文 时分与来源",
        _ZH,
        _chinese("<p>2026年11月21日 10:20 来源：村网 作者：李安</p>"),
        "2026-11-21 02:20",
    ),
    DatedPage(
        "中文 横线",
        _ZH,
        _chinese("<div><span>2026-11-21 09:05:00</span><b>312</b></div>"),
        "2026-11-21 01:05",
    ),
    DatedPage("中文 小时前", _ZH, _chinese("<p>3小时前 村网</p>"), "2026-11-21 22:30"),
    DatedPage("中文 分钟前", _ZH, _chinese("<p>李安 · 25分钟前</p>"), "2026-11-22 01:05"),
    DatedPage("中文 昨天", _ZH, _chinese("<p>昨天 14:30</p>"), "2026-11-21 06:30"),
    DatedPage("中文 前天", _ZH, _chinese("<p>作者：李安 前天 08:00</p>"), "2026-11-20 00:00"),
    DatedPage("中文 刚刚", _ZH, _chinese("<p>刚刚</p>"), "2026-11-22 01:30"),
    DatedPage("中文 没有年", _ZH, _chinese("<p>11月20日 18:00 李安</p>"), "2026-11-20 10:00"),
    DatedPage("中文 去年的月日", _ZH, _chinese("<p>12月20日 李安</p>"), "2025-12-20"),
    DatedPage("中文 月日与时间", _ZH, _chinese("<p>11-20 18:00 村网</p>"), "2026-11-20 10:00"),
    DatedPage("中文 数字", _ZH, _chinese("<p>二〇二六年十一月九日</p>"), "2026-11-09"),
    DatedPage("中文 星期", _ZH, _chinese("<p>2026年11月9日 周一 下午3:05</p>"), "2026-11-09 07:05"),
    DatedPage(
        "中文 发布与更新",
        _ZH,
        _chinese("<p>更新时间：2026-11-21 发布时间：2025-06-01</p>"),
        "2025-06-01",
    ),
    DatedPage("中文 只有更新", _ZH, _chinese("<p>更新于 2026-11-21 10:00</p>"), ""),
    DatedPage("中文 没有日期", _ZH, _chinese(), ""),
    DatedPage("中文 截止日期", _ZH, _chinese("<p>报名截止：2026年11月20日</p>"), ""),
    DatedPage("中文 句子", _ZH, _chinese("<p>这座屋顶在2026年11月9日完工。</p>"), ""),
    DatedPage("中文 今天天气", _ZH, _chinese("<p>今天天气晴朗适合发电</p>"), ""),
    DatedPage(
        "中文 列表",
        "http://cunwang.test/news/",
        _chinese(
            title="新闻",
            byline="".join(
                f'<li><a href="/a/{day}.html">第{day}条新闻的标题</a> 2026-11-{day}</li>'
                for day in range(11, 20)
            ),
        ),
        "",
    ),
]

PAGES = [*_IN_HEADS, *_IN_TIMES, *_IN_URLS, *_IN_TEXTS]
