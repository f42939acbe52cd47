"""Starts each run at the addresses in a text file."""

from django.conf import settings

from crawler.sources.base import Found, each_once
from focusweb.hookspecs import hookimpl

FILE = "reading-list.txt"


class ReadingList:
    """One address a line, in a file of the data folder."""

    name = "reading_list"

    def find(self, inquiry):
        file = settings.DATA_DIR / FILE
        if not file.exists():
            return Found(problems=(f"there is no {file}",))
        return Found(each_once(file.read_text("utf-8").split()))


@hookimpl
def sources():
    return [ReadingList()]
