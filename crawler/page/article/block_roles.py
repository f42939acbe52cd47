"""What the tag and the attributes of a block element say it is: frame, article, or nothing."""

import re
from functools import lru_cache
from typing import Final

#: The element says that it is part of a page's frame, or that it holds the article.
NONE, FRAME, ARTICLE, BODY, ASIDE = 0, 1, 2, 3, 4

TAG_ROLES: Final = {
    **dict.fromkeys(
        ("nav", "footer", "aside", "button", "select", "menu", "dialog", "search"), FRAME
    ),
    "form": ASIDE,
    "figure": ASIDE,
    "article": ARTICLE,
    "main": ARTICLE,
}
_ROLE_ROLES: Final = {
    **dict.fromkeys(
        (
            "navigation",
            "banner",
            "contentinfo",
            "complementary",
            "search",
            "menu",
            "menubar",
            "dialog",
            "alertdialog",
            "toolbar",
            "tablist",
            "alert",
        ),
        FRAME,
    ),
    "main": ARTICLE,
    "article": ARTICLE,
}
_FRAME_WORDS = re.compile(
    r"(?:^|[\s_-])(?:"
    r"nav|navi|navbar|navigation|topnav|subnav|menu|menus|menubar|side-?bar\w*|foot|footer\w*"
    r"|comments?|commentlist|disqus|respond|repl(?:y|ies)"
    r"|related\w*|recommend\w*|most-?read|latest|popular|trending"
    r"|shar\w*|social\w*|breadcrumbs?|crumbs?|cookies?|consent|gdpr"
    r"|news-?letters?|disclosure|disclaimer|rss\w*|likes?|subscri\w+|sign-?up|login|adverts?|advertis\w+|ads?|adsense"
    r"|sponsor\w*|outbrain|taboola|pag(?:er|ination)|pagenav|taglist|tagcloud|cloud"
    r"|kommentar\w*|commentaires?|comentarios?|komentarz\w*|verwandt\w*|partage\w*|compartir"
    r"|werbung|anzeigen?|publicite|publicidad|reklama|legende?|bildunterschrift|bildnachweis"
    r"|masthead|copyright|toc|navbox|catlinks|editsection|noprint|hatnote|sr-only|screen-reader\w*"
    r")(?:$|[\s_-])",
    re.IGNORECASE,
)
_ASIDE_WORDS = re.compile(
    r"(?:^|[\s_-])(?:"
    r"menu\w*|side|sidebox|rail|discussion|read-?more|more|recent|teasers?|follow|privacy|register|promo\w*"
    r"|widgets?|tags?|modal|popup|overlay|banner|toolbar|tools|legal|skip\w*|rating|votes?"
    r"|byline|author\w*|bio|meta|metadata|postmeta|info|credits?|print|hidden|jump\w*|infobox|caption|figure"
    r")(?:$|[\s_-])",
    re.IGNORECASE,
)
#: What an element has beside it or in it, and which of several kinds it is of.
_HAS = re.compile(r"(?<![a-z])(?:has|no|with|without)-[\w-]+", re.IGNORECASE)
_HAS_WORDS: Final = ("has-", "no-", "with-", "without-")
_KIND = re.compile(r"--[\w-]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MAX_CHARS = 200


def block_role(
    tag: str, classes: str | None, name: str | None, role: str | None, prop: str | None
) -> int:
    """Return what a block element's tag, class, id, role and itemprop say of it."""
    known = _ROLE_ROLES.get(role.strip().lower(), 0) if role else 0
    known = known or TAG_ROLES.get(tag, 0)
    if known == FRAME:
        return known
    if prop and prop.strip().lower() == "articlebody":
        return BODY
    words = f"{classes or ''} {name or ''}"[:_MAX_CHARS]
    said = _role_of_words(words) if len(words) > 1 else NONE
    return FRAME if said == FRAME else known or said


# The pages of a site have the same classes. Keys are short, so a hostile page fills no memory.
@lru_cache(maxsize=4096)
def _role_of_words(words: str) -> int:
    """What classes and id say: `FRAME`, `ASIDE` or `NONE`."""
    # To look for these first takes a tenth of the patterns' time.
    if any(map(words.lower().__contains__, _HAS_WORDS)):
        words = _HAS.sub("", words)
    if not words.islower():
        words = _CAMEL.sub("-", words)
    if _FRAME_WORDS.search(words):
        return FRAME if _FRAME_WORDS.search(_KIND.sub("", words)) else ASIDE
    return ASIDE if _ASIDE_WORDS.search(words) else NONE
