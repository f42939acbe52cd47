"""Which URLs a crawl for pages need not ask for."""

from urllib.parse import urlsplit

#: Endings of files that are never an HTML page. The server has the last word on the rest.
_FILE_ENDINGS = frozenset(
    "7z aac apk avi avif bin bmp bz2 css csv deb dmg doc docx eot epub exe flac flv gif gz ico "
    "iso jar jpeg jpg js json m4a m4v mkv mov mp3 mp4 mpeg mpg msi odp ods odt ogg ogv otf pdf "
    "pkg png ppt pptx ps rar rpm rtf svg swf tar tgz tif tiff ttf wav webm webp wma wmv woff "
    "woff2 xls xlsx xz zip".split()
)


def is_worth_fetching(url: str) -> bool:
    """False if the path ends like a picture, archive or other file that is no page."""
    path = urlsplit(url).path
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() not in _FILE_ENDINGS or "." not in name
