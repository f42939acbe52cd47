"""Pages that say their date in the URL."""

from tests.crawler.page.dated_pages import DatedPage, chinese, english

PAGES = [
    DatedPage("URL of three parts", "http://grid.test/2026/11/09/roof/", english(), "2026-11-09"),
    DatedPage("URL of short parts", "http://grid.test/2026/1/9/roof", english(), "2026-01-09"),
    DatedPage("URL with dashes", "http://grid.test/2026-11-09-roof.html", english(), "2026-11-09"),
    DatedPage(
        "URL of a Chinese office",
        "http://gov.test/zw/202611/t20261109_5512.html",
        chinese(),
        "2026-11-09",
    ),
    DatedPage(
        "URL of a Chinese agency", "http://xin.test/2026-11/09/c_1128.htm", chinese(), "2026-11-09"
    ),
    DatedPage(
        "URL of a Chinese paper",
        "http://ren.test/n1/2026/1109/c1004.html",
        chinese(),
        "2026-11-09",
    ),
    DatedPage("URL of only a month", "http://grid.test/2026/11/roof", english(), ""),
    DatedPage("URL of an impossible day", "http://grid.test/2026/13/45/roof", english(), ""),
    DatedPage("URL of a day to come", "http://grid.test/2027/01/01/roof", english(), ""),
    DatedPage("URL with a long number", "http://grid.test/id/202611091234567", english(), ""),
    DatedPage(
        "URL and a date in the text that is another's",
        "http://grid.test/2026/11/09/roof",
        english(after="<p>Posted 1 January 2020</p>"),
        "2026-11-09",
    ),
]
