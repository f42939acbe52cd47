"""What the meta and link elements of a page's head say."""

import re
from collections.abc import Mapping
from typing import Final

from crawler.page.collected import Collected
from crawler.page.robots_meta import OUR_NAMES, read_directives

_MAX_META_CHARS = 1000
_MAX_DATE_CHARS = 100
_MAX_DATES = 20
_REFRESH = re.compile(r"\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"']+)", re.I)
_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json")

#: Meta names and properties that say when a page was published, the surest first; spelled
#: with :, ., - or _ alike.
DATE_METAS: Final = """
    article:published_time article:published datepublished og:article:published_time
    bytedance:published_time weibo:article:create_at weibo:article:create_time publishdate
    publish_date publish_time published_time published_date published_at published date_published
    pubdate pub_date pubtime firstpublishedtime first_published originalpublicationdate
    article:post_date article_date_original rnews:datepublished rbpubdate
    shareaholic:article_published_time vr:published_time displaydate
    sailthru.date parsely-pub-date citation_publication_date
    citation_online_date citation_date og:release_date og:pubdate og:publish_date
    dc.date.issued dcterms.issued dc.issued prism.publicationdate
    dcterms.created dc.date.created dc.created date.created article.created
    dc.date dcterms.date date
""".split()
#: From this one on they may as well say when it was made or changed.
FIRST_VAGUE_META: Final = DATE_METAS.index("dc.date")
#: Those that say when it was last changed.
_CHANGE_METAS: Final = """
    article:modified_time article:modified og:updated_time og:article:modified_time datemodified
    last-modified lastmod modified modified_date date_modified dc.date.modified dcterms.modified
    dc.modified dateupdate updated_time
""".split()
_CLUES: Final = {
    "og:title": "title",
    "twitter:title": "title",
    "og:site_name": "site_name",
    "application-name": "site_name",
    "author": "author",
    "article:author": "author",
    "og:article:author": "author",
    "parsely-author": "author",
    "sailthru.author": "author",
    "dc.creator": "author",
    "dcterms.creator": "author",
    "citation_author": "author",
    "byl": "author",
    "og:image": "picture",
    "og:image:url": "picture",
    "twitter:image": "picture",
    "twitter:image:src": "picture",
}
_MARKS = str.maketrans("", "", " :._-")
_DATE_RANKS: Final = {name.translate(_MARKS): rank for rank, name in enumerate(DATE_METAS)}
_CHANGE_NAMES: Final = frozenset(name.translate(_MARKS) for name in _CHANGE_METAS)


def read_meta(found: Collected, attributes: Mapping[str, str]) -> str:
    """Keep what a meta element says; the target of a refresh is returned, "" for none."""
    name = attributes.get("name", "").strip().lower()
    content = attributes.get("content", "")
    if name in OUR_NAMES:
        noindex, nofollow = read_directives(content)
        found.noindex |= noindex
        found.nofollow |= nofollow
    elif name in ("description", "keywords"):
        found.meta_texts.append(content[:_MAX_META_CHARS])
    elif "http-equiv" in attributes:
        return _read_equivalent(found, attributes["http-equiv"].lower(), content)
    elif content:
        _read_clue(found, attributes, content)
        _read_date(found, attributes, content)
    return ""


def _read_clue(found: Collected, attributes: Mapping[str, str], content: str) -> None:
    """Keep what is said of the article's title, author, picture and site; the first counts."""
    for kind in ("property", "name"):
        clue = _CLUES.get(attributes.get(kind, "").strip().lower())
        if clue and not getattr(found.head, clue):
            setattr(found.head, clue, content[:_MAX_META_CHARS])


def _read_equivalent(found: Collected, header: str, content: str) -> str:
    if header == "refresh":
        match = _REFRESH.match(content)
        return match[1] if match else ""
    if header == "content-language":
        found.language = found.language or content
    return ""


def _read_date(found: Collected, attributes: Mapping[str, str], content: str) -> None:
    metas = found.clues.metas
    for kind in ("property", "name", "itemprop"):
        name = attributes.get(kind, "").lower().translate(_MARKS)
        rank = _DATE_RANKS.get(name)
        if rank is not None and content and len(metas) < _MAX_DATES:
            metas.append((rank, content[:_MAX_DATE_CHARS]))
            return
        if name in _CHANGE_NAMES and not found.clues.changed:
            found.clues.changed = content[:_MAX_DATE_CHARS]


def read_link(found: Collected, attributes: Mapping[str, str]) -> None:
    """Keep a link element's canonical address or feed."""
    rel = attributes.get("rel", "").lower().split()
    href = attributes.get("href", "")
    if "canonical" in rel and not found.canonical:
        found.canonical = href
    elif "alternate" in rel and attributes.get("type", "").strip().lower() in _FEED_TYPES:
        found.feeds.append(href)
