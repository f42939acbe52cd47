"""Pages that say their date in the text."""

from tests.crawler.page.dated_pages import EN, ZH, DatedPage, chinese, english

PAGES = [
    DatedPage("English byline", EN, english("<p>Ann Lee | November 9, 2026</p>"), "2026-11-09"),
    DatedPage(
        "English byline with a clock",
        EN,
        english("<div>Posted on Mon 9 Nov 2026 at 4:30 pm by Ann</div>"),
        "2026-11-09 16:30",
    ),
    DatedPage(
        "byline above the title",
        EN,
        english().replace("<h1>", "<p>Monday, 9 November 2026</p><h1>", 1),
        "2026-11-09",
    ),
    DatedPage("hours ago", EN, english("<p>5 hours ago</p>"), "2026-11-21 20:30"),
    DatedPage("yesterday", EN, english("<p>Yesterday, by Ann</p>"), "2026-11-21"),
    DatedPage("dotted", EN, english("<p>Ann Lee, 09.11.2026</p>"), "2026-11-09"),
    DatedPage("either of two days", EN, english("<p>Ann Lee, 09/11/2026</p>"), ""),
    DatedPage("clear from its day", EN, english("<p>Ann Lee, 11/19/2026</p>"), "2026-11-19"),
    DatedPage("ISO", EN, english("<p>2026-11-09 · 4 min read</p>"), "2026-11-09"),
    DatedPage("no date at all", EN, english(), ""),
    DatedPage(
        "a sentence is no byline",
        EN,
        english("<p>The roof was finished on 9 November 2026.</p>"),
        "",
    ),
    DatedPage(
        "an event's day is not the page's",
        EN,
        english("<p>Event date: 9 November 2026, town hall</p>"),
        "",
    ),
    DatedPage("only updated, in text", EN, english("<p>Updated 21 November 2026</p>"), ""),
    DatedPage(
        "published and updated in text",
        EN,
        english("<p>Updated: 21 November 2026 | Published: 9 August 2026</p>"),
        "2026-08-09",
    ),
    DatedPage(
        "list of dated lines",
        "http://grid.test/news",
        english(
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
        EN,
        english("<p>Copyright 1 January 2026 Village Grid</p>"),
        "",
    ),
    DatedPage("中文 发布时间", ZH, chinese("<p>发布时间：2026年11月21日</p>"), "2026-11-21"),
    DatedPage(
        "中文 时分与来源",
        ZH,
        chinese("<p>2026年11月21日 10:20 来源：村网 作者：李安</p>"),
        "2026-11-21 02:20",
    ),
    DatedPage(
        "中文 横线",
        ZH,
        chinese("<div><span>2026-11-21 09:05:00</span><b>312</b></div>"),
        "2026-11-21 01:05",
    ),
    DatedPage("中文 小时前", ZH, chinese("<p>3小时前 村网</p>"), "2026-11-21 22:30"),
    DatedPage("中文 分钟前", ZH, chinese("<p>李安 · 25分钟前</p>"), "2026-11-22 01:05"),
    DatedPage("中文 昨天", ZH, chinese("<p>昨天 14:30</p>"), "2026-11-21 06:30"),
    DatedPage("中文 前天", ZH, chinese("<p>作者：李安 前天 08:00</p>"), "2026-11-20 00:00"),
    DatedPage("中文 刚刚", ZH, chinese("<p>刚刚</p>"), "2026-11-22 01:30"),
    DatedPage("中文 没有年", ZH, chinese("<p>11月20日 18:00 李安</p>"), "2026-11-20 10:00"),
    DatedPage("中文 去年的月日", ZH, chinese("<p>12月20日 李安</p>"), "2025-12-20"),
    DatedPage("中文 月日与时间", ZH, chinese("<p>11-20 18:00 村网</p>"), "2026-11-20 10:00"),
    DatedPage("中文 数字", ZH, chinese("<p>二〇二六年十一月九日</p>"), "2026-11-09"),
    DatedPage("中文 星期", ZH, chinese("<p>2026年11月9日 周一 下午3:05</p>"), "2026-11-09 07:05"),
    DatedPage(
        "中文 发布与更新",
        ZH,
        chinese("<p>更新时间：2026-11-21 发布时间：2025-06-01</p>"),
        "2025-06-01",
    ),
    DatedPage("中文 只有更新", ZH, chinese("<p>更新于 2026-11-21 10:00</p>"), ""),
    DatedPage("中文 没有日期", ZH, chinese(), ""),
    DatedPage("中文 截止日期", ZH, chinese("<p>报名截止：2026年11月20日</p>"), ""),
    DatedPage("中文 句子", ZH, chinese("<p>这座屋顶在2026年11月9日完工。</p>"), ""),
    DatedPage("中文 今天天气", ZH, chinese("<p>今天天气晴朗适合发电</p>"), ""),
    DatedPage(
        "中文 列表",
        "http://cunwang.test/news/",
        chinese(
            title="新闻",
            byline="".join(
                f'<li><a href="/a/{day}.html">第{day}条新闻的标题</a> 2026-11-{day}</li>'
                for day in range(11, 20)
            ),
        ),
        "",
    ),
]
