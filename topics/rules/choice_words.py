"""What the built-in strategies, judges and rankings do, each in a few words."""

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

_WORDS: Final = {
    "strategies": {
        "focus": gettext_noop("learns which links lead to relevant pages; the usual one"),
        "breadth_first": gettext_noop("nearest to a seed first"),
        "random": gettext_noop("in no order; for comparisons"),
        "best_first": gettext_noop("links of relevant pages, with the topic's words, first"),
        "fish_search": gettext_noop("follows relevant pages, gives up where it finds none"),
        "shark_search": gettext_noop("relevance of earlier pages, anchor text and its context"),
        "pagerank": gettext_noop("pages with most weight of links first"),
        "hits": gettext_noop("pages that good lists link to first"),
        "ontology": gettext_noop("first paper: links with enough of the topic's concepts"),
        "viterbi": gettext_noop("second paper: by layers; pages hand on their weight"),
        "adaptive": gettext_noop("third paper: adapts to what the crawl finds"),
        "genetic": gettext_noop("fourth paper: genetic algorithm"),
    },
    "judges": {
        "focus": gettext_noop("learns from seeds, examples and answers; the usual one"),
        "cosine": gettext_noop("similarity of words, rare words count more"),
        "adaptive": gettext_noop("third paper: the threshold moves during the crawl"),
        "content": gettext_noop("second paper: topic terms among the key terms"),
        "overlap": gettext_noop("fourth paper: shared words"),
        "ontology": gettext_noop("first paper: shared concepts"),
    },
    "rankers": {
        "absolute": gettext_noop("relevance and density of topic terms; the usual one"),
        "paper": gettext_noop("second paper: share of key terms that are topic terms"),
        "standing": gettext_noop("percentiles among the kept pages"),
    },
}


def choice_words(hook: str, name: str) -> str:
    """Return what a built-in part does; "" for one of a plugin."""
    words = _WORDS[hook].get(name, "")
    return _(words) if words else ""


def choice_label(hook: str, name: str) -> str:
    """Return a part by its name, and what it does."""
    words = choice_words(hook, name)
    return _("%(name)s: %(words)s") % {"name": name, "words": words} if words else name
