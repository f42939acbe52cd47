# ruff: noqa: E501 (markup and texts as they are read)
"""A second set of dated pages, written before the code was run on any of them.

What sites write in their templates: blogs, newspapers, agencies, forums, shops of words.
Each has the date a careful reader would give it at `NOW`; "" where it does not say.
"""

from datetime import UTC, datetime

from tests.crawler.page.dated_pages import DatedPage

NOW = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)

_BODY = (
    "<p>The turbine stood still for a week before anybody asked why. A bearing had run dry, and the"
    " spare part came by ship.</p><p>In May 2019 the same had happened at the other end of the"
    " valley; the report of 4 June 2019 named the same supplier.</p>"
)
_BODY_ZH = (
    "<p>风机停了一个星期才有人问起原因。轴承缺油，备件是用船运来的。</p>"
    "<p>2019年5月山谷另一头也出过同样的事，2019年6月4日的报告点了同一家供应商的名。</p>"
)


def _en(
    top: str = "", head: str = "", end: str = "", title: str = "The turbine that stood still"
) -> str:
    return (
        f"<!doctype html><html lang=en><head><title>{title} | Ridge Courier</title>{head}</head><body>"
        f"<header><a href=/>Ridge Courier</a><a href=/wind>Wind</a></header><main><h1>{title}</h1>"
        f"{top}{_BODY}{end}</main><footer>&copy; 2009-2026 Ridge Courier</footer></body></html>"
    )


def _zh(top: str = "", head: str = "", end: str = "", title: str = "停了一周的风机") -> str:
    return (
        f"<!doctype html><html lang=zh-CN><head><meta charset=utf-8><title>{title}-山脊日报</title>{head}"
        f"</head><body><div class=top><a href=/>首页</a> <a href=/wind>风电</a></div><div class=main>"
        f"<h1>{title}</h1>{top}{_BODY_ZH}{end}</div><div class=foot>Copyright © 2009-2026 山脊日报"
        f" 备案号12345678</div></body></html>"
    )


def _ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


_E, _Z = "https://ridge.test/wind/turbine-stood-still", "https://shanji.test/wind/90817.html"

ENGLISH = [
    DatedPage(
        "wordpress meta",
        _E,
        _en(
            head='<meta property="article:published_time" content="2026-11-18T07:12:00+00:00">'
            '<meta property="article:modified_time" content="2026-11-20T07:12:00+00:00">'
        ),
        "2026-11-18T07:12",
    ),
    DatedPage(
        "yoast graph",
        _E,
        _en(
            head=_ld(
                '{"@context":"https://schema.org","@graph":[{"@type":"WebSite","name":"R"},'
                '{"@type":"WebPage","datePublished":"2026-10-03T22:15:00+02:00",'
                '"dateModified":"2026-11-01T10:00:00+02:00"}]}'
            )
        ),
        "2026-10-03T20:15",
    ),
    DatedPage(
        "posted on entry-meta",
        _E,
        _en(
            '<div class="entry-meta">Posted on <a href="/x">'
            '<time class="entry-date published" datetime="2026-09-30T18:00:00-05:00">'
            'September 30, 2026</time></a> by <a href="/a">Ann</a></div>'
        ),
        "2026-09-30T23:00",
    ),
    DatedPage(
        "hugo",
        _E,
        _en(
            '<p><time datetime="2026-08-14 00:00:00 +0000 UTC">Aug 14, 2026</time> · 4 min read</p>'
        ),
        "2026-08-14",
    ),
    DatedPage("jekyll path", "https://ridge.test/2026/07/09/turbine.html", _en(), "2026-07-09"),
    DatedPage(
        "newspaper dateline",
        _E,
        _en("<p class=byline>By Ann Miller<br>Tuesday 17 November 2026</p>"),
        "2026-11-17",
    ),
    DatedPage("uk short month", _E, _en("<span class=date>5 Nov 2026</span>"), "2026-11-05"),
    DatedPage("us slashes", _E, _en("<span class=date>Published 11/19/2026</span>"), "2026-11-19"),
    DatedPage(
        "published then updated",
        _E,
        _en("<p>Published: 2 October 2026 | Updated: 19 November 2026</p>"),
        "2026-10-02",
    ),
    DatedPage("only updated", _E, _en("<p>Last updated: 19 November 2026</p>"), ""),
    DatedPage("ago", _E, _en("<span class=meta>6 hours ago</span>"), "2026-11-22T03:30"),
    DatedPage("days ago", _E, _en("<span class=meta>Ann · 3 days ago</span>"), "2026-11-19T09:30"),
    DatedPage("yesterday", _E, _en("<span class=meta>Yesterday</span>"), "2026-11-21"),
    DatedPage("iso in text", _E, _en("<div>Date: 2026-11-03</div>"), "2026-11-03"),
    DatedPage("no date", _E, _en(), ""),
    DatedPage("no date but numbers", "https://ridge.test/item/20261399", _en(), ""),
    DatedPage(
        "dublin core",
        _E,
        _en(head='<meta name="DC.date.issued" content="2026-06-11">'),
        "2026-06-11",
    ),
    DatedPage(
        "itemprop",
        _E,
        _en('<meta itemprop="datePublished" content="2026-05-02T10:00:00Z">'),
        "2026-05-02T10:00",
    ),
    DatedPage(
        "parsely",
        _E,
        _en(head='<meta name="parsely-pub-date" content="2026-04-28T12:00:00Z">'),
        "2026-04-28T12:00",
    ),
    DatedPage(
        "citation date",
        _E,
        _en(head='<meta name="citation_publication_date" content="2025/12/01">'),
        "2025-12-01",
    ),
    DatedPage(
        "news list below",
        _E,
        _en(
            "<p class=d>Nov 10, 2026</p>",
            end="<ul><li>Nov 20, 2026 <a href=/1>Other</a></li><li>Nov 19, 2026 <a href=/2>More</a></li></ul>",
        ),
        "2026-11-10",
    ),
    DatedPage(
        "comments dated later",
        _E,
        _en(
            "<time datetime=2026-11-01>1 November 2026</time>",
            end='<div class=comments><p>Bob, <time datetime="2026-11-05">5 November 2026</time>: nice</p></div>',
        ),
        "2026-11-01",
    ),
    DatedPage("event page", _E, _en("<p>Event date: 14 March 2027, town hall</p>"), ""),
    DatedPage(
        "future meta",
        _E,
        _en(head='<meta property="article:published_time" content="2031-01-01T00:00:00Z">'),
        "",
    ),
    DatedPage(
        "year zero",
        _E,
        _en(head='<meta property="article:published_time" content="0001-01-01T00:00:00Z">'),
        "",
    ),
    DatedPage(
        "year ten thousand",
        _E,
        _en(head=_ld('{"@type":"Article","datePublished":"10000-01-01"}')),
        "",
    ),
    DatedPage(
        "negative year",
        _E,
        _en(head=_ld('{"@type":"Article","datePublished":"-0001-11-30T00:00:00Z"}')),
        "",
    ),
    DatedPage("ordinal", _E, _en("<p>Written on the 3rd of November, 2026</p>"), "2026-11-03"),
    DatedPage("dotted", _E, _en("<p class=datum>09.11.2026</p>"), "2026-11-09"),
    DatedPage(
        "unix in ld",
        _E,
        _en(head=_ld('{"@type":"BlogPosting","datePublished":"1763800000"}')),
        "2025-11-22T08:26:40",
    ),
    DatedPage(
        "rfc 822 meta",
        _E,
        _en(head='<meta name="pubdate" content="Sat, 14 Nov 2026 16:05:00 GMT">'),
        "2026-11-14T16:05",
    ),
    DatedPage("month day time", _E, _en("<p>Nov. 12, 2026, 3:40 p.m.</p>"), "2026-11-12T15:40"),
]
CHINESE = [
    DatedPage(
        "正文上方",
        _Z,
        _zh("<div class=info>2026-11-19 08:30 来源：山脊日报</div>"),
        "2026-11-19T00:30",
    ),
    DatedPage("发布时间", _Z, _zh("<p>发布时间：2026年11月15日 作者：王芳</p>"), "2026-11-15"),
    DatedPage(
        "发布与更新", _Z, _zh("<p>发布时间：2026-10-08 更新时间：2026-11-20</p>"), "2026-10-08"
    ),
    DatedPage("仅更新", _Z, _zh("<p>最后更新：2026年11月20日</p>"), ""),
    DatedPage("小时前", _Z, _zh("<span class=time>3小时前</span>"), "2026-11-22T06:30"),
    DatedPage("分钟前", _Z, _zh("<span class=time>25分钟前</span>"), "2026-11-22T09:05"),
    DatedPage(
        "天前", _Z, _zh("<span class=time>5天前</span> <span>阅读 1204</span>"), "2026-11-17T09:30"
    ),
    DatedPage("昨天", _Z, _zh("<span class=time>昨天 21:14</span>"), "2026-11-21T13:14"),
    DatedPage("前天", _Z, _zh("<span class=time>前天</span>"), "2026-11-20"),
    DatedPage("刚刚", _Z, _zh("<span class=time>刚刚</span>"), "2026-11-22T09:30"),
    DatedPage("路径八位", "https://shanji.test/20261107/a81.html", _zh(), "2026-11-07"),
    DatedPage(
        "政府路径", "https://shanji.test/xxgk/202610/t20261016_90817.html", _zh(), "2026-10-16"
    ),
    DatedPage("路径月日", "https://shanji.test/2026-09/28/c_1129.htm", _zh(), "2026-09-28"),
    DatedPage("日期斜线", _Z, _zh("<p>日期：2026/8/6</p>"), "2026-08-06"),
    DatedPage("点分隔", _Z, _zh("<p>2026.07.21 | 风电</p>"), "2026-07-21"),
    DatedPage("汉字数字", _Z, _zh("<p>二〇二六年六月十八日</p>"), "2026-06-18"),
    DatedPage("无年", _Z, _zh("<p>11月9日 10:20</p>"), "2026-11-09T02:20"),
    DatedPage("无年跨年", _Z, _zh("<p>12月30日</p>"), "2025-12-30"),
    DatedPage("无日期", _Z, _zh(), ""),
    DatedPage(
        "百度 meta",
        _Z,
        _zh(head='<meta name="PubDate" content="2026-05-13 14:02">'),
        "2026-05-13T06:02",
    ),
    DatedPage(
        "publishdate", _Z, _zh(head='<meta name="publishdate" content="2026-04-01">'), "2026-04-01"
    ),
    DatedPage(
        "linked data",
        _Z,
        _zh(
            head=_ld(
                '{"@type":"NewsArticle","headline":"风机","datePublished":"2026-03-22T09:00:00+08:00"}'
            )
        ),
        "2026-03-22T01:00",
    ),
    DatedPage(
        "time 元素",
        _Z,
        _zh('<time datetime="2026-02-14T20:00:00+08:00">2月14日</time>'),
        "2026-02-14T12:00",
    ),
    DatedPage("发表于", _Z, _zh("<em>发表于 2026-1-25 18:03:11</em>"), "2026-01-25T10:03:11"),
    DatedPage(
        "列表在下",
        _Z,
        _zh(
            "<p>2026-11-02</p>",
            end="<ul><li><a href=/1>别的</a> 2026-11-21</li><li><a href=/2>更多</a> 2026-11-20</li></ul>",
        ),
        "2026-11-02",
    ),
    DatedPage("截止日期", _Z, _zh("<p>报名截止：2026年12月1日</p>"), ""),
    DatedPage("成立于", _Z, _zh("<p>公司成立于2011年3月5日</p>"), ""),
    DatedPage("将来", _Z, _zh("<p>发布时间：2036年11月15日</p>"), ""),
    DatedPage(
        "繁体", "https://fengdian.test/a/1", _zh("<p>發佈時間：2026年11月1日</p>"), "2026-11-01"
    ),
    DatedPage("周前", _Z, _zh("<span>2周前</span>"), "2026-11-08T09:30"),
    DatedPage("时间在作者后", _Z, _zh("<p>记者 李雷 2026年10月30日 07:45</p>"), "2026-10-29T23:45"),
    DatedPage("星期", _Z, _zh("<p>2026年11月20日 星期五</p>"), "2026-11-20"),
]
PAGES = [*ENGLISH, *CHINESE]
