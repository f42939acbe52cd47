"""Which URLs a crawl for pages need not fetch."""

from functools import lru_cache

from crawler.page.url import MAX_REMEMBERED

#: Endings of files that are never an HTML page or a PDF file. The server has the last word on
#: the rest.
_FILE_ENDINGS = frozenset(
    "7z aac apk avi avif bin bmp bz2 css csv deb dmg doc docx eot epub exe flac flv gif gz ico "
    "iso jar jpeg jpg js json m4a m4v mkv mov mp3 mp4 mpeg mpg msi odp ods odt ogg ogv otf "
    "pkg png ppt pptx ps rar rpm rtf svg swf tar tgz tif tiff ttf wav webm webp wma wmv woff "
    "woff2 xls xlsx xz zip".split()
)


@lru_cache(maxsize=MAX_REMEMBERED)
def is_worth_fetching(url: str) -> bool:
    """False if the path of a canonical URL ends like a picture, archive or other no page."""
    head = url.partition("?")[0]
    name = head[head.find("/", 8) + 1 :].rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    return not stem or ending.lower() not in _FILE_ENDINGS
