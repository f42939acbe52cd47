"""What pages made for the tests of dates consist of, and what a careful reader says of them."""

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


PROSE = """<p>The array on the school roof was wired in a single weekend by two neighbours
and a retired electrician, who had done the same on his own house the year before.</p>
<p>In 2019 the village had no battery at all; on 3 March 2021 the first one arrived, and since
then the lights have stayed on through every storm but one.</p>"""
PROSE_ZH = """<p>屋顶上的光伏板由两位邻居和一位退休电工在一个周末装好，
他前一年刚在自己家里装过同样的一套。</p>
<p>2019年村里还没有一块电池，2021年3月3日第一块电池运到，此后除了一次暴雨，灯一直亮着。</p>"""


def english(byline: str = "", head: str = "", after: str = "", title: str = "Roof power") -> str:
    return (
        f'<html lang="en"><head><title>{title} - Village Grid</title>{head}</head><body>'
        '<nav><a href="/">Home</a> <a href="/news">News</a> <a href="/about">About</a></nav>'
        f"<article><h1>{title}</h1>{byline}{PROSE}</article>{after}"
        "<footer><p>© 2011-2026 Village Grid</p></footer></body></html>"
    )


def chinese(byline: str = "", head: str = "", after: str = "", title: str = "屋顶上的电") -> str:
    return (
        f'<html lang="zh-CN"><head><title>{title}_村网</title>{head}</head><body>'
        '<div class="nav"><a href="/">首页</a> <a href="/news">新闻</a></div>'
        f'<div class="content"><h1>{title}</h1>{byline}{PROSE_ZH}</div>{after}'
        '<div class="foot"><p>版权所有 © 2011-2026 村网</p></div></body></html>'
    )


def linked(data: str) -> str:
    return f'<script type="application/ld+json">{data}</script>'


EN, ZH = "http://grid.test/roof-power", "http://cunwang.test/a/81723.html"
