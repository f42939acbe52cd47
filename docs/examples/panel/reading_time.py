"""Says on the page about a page how long reading it takes."""

from crawler.text.tokens import tokenize
from focusweb.hookspecs import hookimpl
from topics.pages.blocks import Line

WORDS_A_MINUTE = 230


class ReadingTime:
    """The stored text, at a usual speed."""

    name = "reading_time"

    def heading(self):
        return "Reading time"

    def lines(self, topic, harvest):
        n_words = len(tokenize(harvest.page.text))
        minutes = max(1, round(n_words / WORDS_A_MINUTE))
        return [Line(f"{minutes} min", note=f"{n_words} words")]


@hookimpl
def page_panels():
    return [ReadingTime()]
