"""Crafted pages, feeds and sitemaps (rows P of the threat list), and what each costs.

    python -m tests.limits.hostile_inputs

reads each in a parse child, as a crawl does, and prints its time, what this process and the
child grew by, and what became of it; the slowest and the largest come last.
"""

import gzip
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from crawler.errors import ParseError
from crawler.sandbox.parse_pool import ParsePool
from tests.limits import hostile_pdfs

URL = "http://hostile.test/page"
MIB = 1 << 20
#: What the door lets through.
MOST_BYTES = 10 * MIB


@dataclass(frozen=True, slots=True)
class Hostile:
    """An input: its row, what it is, its bytes, where it came from."""

    row: str
    name: str
    body: Callable[[], bytes]
    url: str = URL
    content_type: str = "text/html"


def html(text: str) -> Callable[[], bytes]:
    return lambda: text.encode("utf-8", "surrogatepass")


def repeated(
    unit: str, n_bytes: int = MOST_BYTES, before: str = "", after: str = ""
) -> Callable[[], bytes]:
    """As often as fits into so many bytes."""
    return lambda: (before + unit * ((n_bytes - 100) // len(unit.encode())) + after).encode()


def numbered(unit: str, n: int, before: str = "", after: str = "") -> Callable[[], bytes]:
    """With each number in the place of %d."""
    return lambda: (before + "".join(unit.replace("%d", str(i)) for i in range(n)) + after).encode()


def feed(items: str) -> str:
    return (
        f'<?xml version="1.0"?><rss version="2.0"><channel><title>f</title>{items}</channel></rss>'
    )


ITEM = "<item><title>t %d</title><link>http://hostile.test/%d</link></item>"
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BOMB = f'<!DOCTYPE x [<!ENTITY l0 "lol">{LAUGHS}]>'
OUTSIDE = (
    '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">'
    '<!ENTITY % p SYSTEM "http://127.0.0.1:8999/dtd"> %p;]>'
)
XINCLUDE = (
    '<x xmlns:xi="http://www.w3.org/2001/XInclude">'
    '<xi:include href="file:///etc/passwd" parse="text"/></x>'
)
MAP = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
INDEX = MAP.replace("urlset", "sitemapindex")
MXSS = (
    "<math><mtext><table><mglyph><style><!--</style>"
    "<img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>"
    "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>"
    "<noscript><p title='</noscript><script>alert(1)</script>'>"
    "<template><script>alert(1)</script></template><!-- unclosed <p>words of the page"
)

INPUTS = (
    Hostile("P1", "50,000 attributes", numbered(" a%d=1", 50_000, "<p>before<p", ">text")),
    Hostile("P1", "a million links", numbered("<a href=/%d>x", 700_000, "<p>before")),
    Hostile("P1", "1.4 million tiny tags", repeated("<b>x</b>", before="<p>before")),
    *(
        Hostile(
            "P2", f"nesting {n}", html("<p>before" + "<div>" * n + "text" + "</div>" * n + "after")
        )
        for n in (300, 5_000, 100_000)
    ),
    Hostile("P3", "10 MB text node", repeated("word ", before="<p>before ")),
    Hostile("P3", "10 MB comment", repeated("c", before="<p>before<!--", after="--><p>after")),
    Hostile("P3", "10 MB attribute", repeated("c", before="<p>before<p title='", after="'>after")),
    Hostile("P4", "nothing", html("")),
    Hostile("P4", "blanks", html(" \n\t" * 1000)),
    Hostile("P4", "a comment alone", html("<!-- -->")),
    Hostile("P4", "NULs", html("<p>be\0fore\0</p>" + "\0" * 1000)),
    Hostile("P4", "invalid UTF-8", lambda: b"<p>before \xff\xfe\xc0\x80\xed\xa0\x80 after"),
    Hostile(
        "P4", "lone surrogates", html("<title>\ud800 t</title><p>before \udfff &#xD800; after")
    ),
    Hostile("P4", "two marks", lambda: b"\xef\xbb\xbf\xff\xfe<p>before"),
    Hostile("P4", "UTF-16 without a mark", lambda: "<p>before 电网 after".encode("utf-16-le")),
    *(
        Hostile(
            "P5",
            f"charset {label[:20]}",
            html("<p>before"),
            content_type=f"text/html; charset={label}",
        )
        for label in ("utf-7", "idna", "undefined", "unicode_escape", "x" * 50_000)
    ),
    Hostile(
        "P5",
        "header, meta and mark disagree",
        lambda: b"\xef\xbb\xbf<meta charset=big5><p>before",
        content_type="text/html; charset=gbk",
    ),
    Hostile(
        "P6",
        "one bad href in 1,000",
        numbered("<a href=/%d>link %d</a> ", 1000, "<p>before<a href='http://[::1'>x</a>"),
    ),
    Hostile(
        "P7",
        "links that are none",
        html(
            "<p>before"
            + "".join(
                f"<a href='{x}'>x</a>"
                for x in (
                    "javascript:alert(1)",
                    "mailto:a@b",
                    "tel:1",
                    "blob:x",
                    "\1\2",
                    "/" + "a" * 100_000,
                )
            )
        ),
    ),
    Hostile(
        "P7",
        "9 MB of data: URL",
        repeated("A", 9 * MIB, "<p>before<a href='data:text/html;base64,", "'>x</a>"),
    ),
    Hostile(
        "P8",
        "entity bomb in a feed",
        html(
            feed("<item><title>&l9;</title><link>/next</link></item>").replace(
                "<rss", BOMB + "<rss"
            )
        ),
        content_type="application/rss+xml",
    ),
    Hostile(
        "P8",
        "outside entities in a feed",
        html(
            feed("<item><title>&e;</title><link>http://hostile.test/1</link></item>").replace(
                "<rss", OUTSIDE + "<rss"
            )
        ),
        content_type="application/rss+xml",
    ),
    Hostile(
        "P8",
        "entity bomb in a sitemap",
        html(f"{BOMB}{MAP[21:]}<url><loc>http://hostile.test/&l9;</loc></url></urlset>"),
        content_type="text/xml",
    ),
    Hostile(
        "P8",
        "XInclude in a page",
        html(f"<p>before{XINCLUDE}"),
        content_type="application/xhtml+xml",
    ),
    Hostile(
        "P9",
        "100,000 items",
        numbered(ITEM, 80_000, feed("").partition("</channel>")[0], "</channel></rss>"),
        content_type="application/rss+xml",
    ),
    Hostile(
        "P9",
        "200 KB of <!--",
        repeated("<!--", 200_000, feed("").partition("</channel>")[0]),
        content_type="application/rss+xml",
    ),
    Hostile(
        "P9",
        "wrong encoding, strange dates, javascript:",
        html(
            feed(
                "".join(
                    f"<item><title>t</title><link>{link}</link><pubDate>{date}</pubDate></item>"
                    for link, date in (
                        ("javascript:alert(1)", "Mon, 01 Jan 10000 00:00:00 GMT"),
                        ("http://hostile.test/1", "-0001-01-01"),
                        ("http://hostile.test/1", "Mon, 01 Jan 2024 00:00:00 +99999999"),
                    )
                )
            ).replace('"1.0"', '"1.0" encoding="utf-16"')
        ),
        content_type="application/rss+xml",
    ),
    Hostile(
        "P10",
        "an index that names itself",
        html(f"{INDEX}<sitemap><loc>{URL}</loc></sitemap></sitemapindex>"),
        content_type="text/xml",
    ),
    Hostile(
        "P10",
        "100,001 addresses",
        numbered("<url><loc>http://hostile.test/%d</loc></url>", 100_001, MAP, "</urlset>"),
        content_type="text/xml",
    ),
    Hostile(
        "P10",
        "another host's addresses",
        html(
            f"{MAP}<url><loc>http://victim.test/a</loc></url><url><loc>http://hostile.test/a</loc></url></urlset>"
        ),
        content_type="text/xml",
    ),
    Hostile(
        "P10",
        "a gzip bomb",
        lambda: gzip.compress(bytes(200 * MIB)),
        url="http://hostile.test/sitemap.xml.gz",
        content_type="application/gzip",
    ),
    *(
        Hostile("P11", f"1 MB of {name}", repeated(unit, MIB, "<p>before "))
        for name, unit in (
            ("one Han character", "电"),
            ("1.", "1."),
            ("a", "a"),
            ("unassigned characters", "\U000e0fff"),
            ("emoji sequences", "👩‍👩‍👧‍👦"),
            ("direction overrides", "\u202e\u202dx"),
            ("combining marks", "\u0301\u0316"),
        )
    ),
    Hostile(
        "P13",
        "PDF, ZIP and HTML at once",
        lambda: b"%PDF-1.4\nPK\x03\x04<html><title>t</title><p>before",
    ),
    Hostile(
        "P13",
        "an SVG document",
        html(
            "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script><text>before</text></svg>"
        ),
        content_type="image/svg+xml",
    ),
    Hostile(
        "P13",
        "a frameset",
        html(
            "<frameset><frame src=//evil.test/a>"
            "<noframes>before <a href=/b>b</a></noframes></frameset>"
        ),
    ),
    Hostile(
        "P13",
        "a base elsewhere",
        html(
            "<base href='//evil.test/'><p>before <a href=x>x</a><base href='javascript:alert(1)'>"
        ),
    ),
    Hostile(
        "P14",
        "markup that changes when read again",
        html(f"<title>{MXSS[:60]}</title><p>before{MXSS}"),
    ),
    *(
        Hostile("P15", name, body, "http://hostile.test/a.pdf", "application/pdf")
        for name, body in hostile_pdfs.FILES.items()
    ),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """What an input cost: seconds, MiB this process and the child grew by, and its end.

    `text` is how the page's text begins.
    """

    seconds: float
    worker_mib: float
    child_mib: float
    end: str
    text: str = ""


def read(pool: ParsePool, given: Hostile) -> Cost:
    """Read an input as a crawl would, and measure it."""
    body = given.body()
    _forget_peaks(pool)
    before, before_children = _peak_mib("self"), _peaks_mib(pool)
    text, started = "", time.monotonic()
    try:
        page = pool.parse(body, given.url, given.content_type)
        text = page.text[:100]
        end = f"{len(page.text)} characters, {len(page.links)} links, {' '.join(page.flags) or '-'}"
    except ParseError as error:
        end = f"{error.reason}: {error.detail}"[:60]
    seconds = time.monotonic() - started
    grown, grown_child = _peak_mib("self") - before, _peaks_mib(pool) - before_children
    return Cost(seconds, grown, grown_child, end, text)


def _peak_mib(process: int | str) -> float:
    rows = Path(f"/proc/{process}/status").read_text("ascii").splitlines()
    peaks = [row.split()[1] for row in rows if row.startswith("VmHWM:")]
    return int(peaks[0]) / 1024 if peaks else 0.0


def _peaks_mib(pool: ParsePool) -> float:
    """The largest child's; 0 while there is none."""
    peaks = []
    for pid in pool.child_pids():
        try:
            peaks.append(_peak_mib(pid))
        except OSError:
            continue  # It has just ended.
    return max(peaks, default=0.0)


def _forget_peaks(pool: ParsePool) -> None:
    """Let the kernel measure from now on."""
    for process in ("self", *pool.child_pids()):
        Path(f"/proc/{process}/clear_refs").write_text("5", "ascii")


def lines() -> Iterator[str]:
    """What is printed."""
    costs = []
    with ParsePool(1) as pool:
        pool.parse(b"<p>warm", URL)
        for given in INPUTS:
            cost = read(pool, given)
            costs.append((cost, given))
            yield (
                f"{given.row:4}{given.name[:44]:45}{cost.seconds:6.2f} s"
                f"  worker +{cost.worker_mib:.0f}  child +{cost.child_mib:.0f} MiB  {cost.end}"
            )
    slowest = max(costs, key=lambda row: row[0].seconds)
    largest = max(costs, key=lambda row: row[0].worker_mib)
    yield f"slowest: {slowest[0].seconds:.2f} s, {slowest[1].row} {slowest[1].name}"
    yield f"largest: +{largest[0].worker_mib:.0f} MiB, {largest[1].row} {largest[1].name}"


if __name__ == "__main__":
    for line in lines():
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
