"""The forms of searches: the words, and the search providers."""

from typing import Any, Final
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from crawler.api.searches import LINK_STRATEGY, PLACE, Provider, known_providers
from focusweb.demo.server import SEARCH_HOST
from topics.models import Topic
from topics.rules.validators import validate_queries, validate_searches

#: What a search provider searches, in the reader's language.
SUBJECTS: Final[dict[str, Promise | str]] = {
    "encyclopaedia": _lazy("encyclopaedia"),
    "preprints": _lazy("preprints"),
    "publications": _lazy("publications"),
    "news": _lazy("news"),
    "forum": _lazy("forum"),
}


def provider_label(provider: Provider, words: str) -> SafeString:
    """Return a provider, and the URL of its request for some words."""
    return format_html(
        '{} <span class="quiet">{}</span> · <a href="{}" rel="noopener noreferrer">{}</a>'
        ' <span class="url quiet">{}</span>',
        provider.title,
        SUBJECTS[provider.subject],
        provider.terms,
        _("terms of use"),
        provider.address(words) if words else provider.template,
    )


def _choices(words: str) -> list[tuple[str, SafeString]]:
    return [(one.name, provider_label(one, words)) for one in known_providers().values()]


class SearchesField(forms.MultipleChoiceField):
    """Search providers to be ticked; `offer` shows their requests."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self) -> None:
        super().__init__(
            label=_lazy("Search providers"), required=False, choices=lambda: _choices("")
        )

    def offer(self, words: str) -> None:
        """Show the exact URLs for some words."""
        self.choices = _choices(words)


class SearchUrlsField(forms.CharField):
    """Searches that the person describes, one URL a line."""

    widget = forms.Textarea(attrs={"rows": 2})

    def __init__(self) -> None:
        super().__init__(
            label=_lazy("Other searches"),
            required=False,
            max_length=20_000,
            validators=[validate_searches],
            help_text=_lazy(
                "One URL per line, with {searchTerms} in place of the words. The answer may be "
                "RSS, Atom, JSON Feed, OpenSearch suggestions, or the JSON of a Discourse forum, "
                "such as https://forum.example.org/search.json?q={searchTerms}"
            ),
        )


def search_context() -> dict[str, bool]:
    """Return what the template of the searches needs in addition to its form."""
    host = urlsplit(settings.SEARXNG_URL).hostname
    return {"searxng": bool(host), "searxng_is_demo": host == SEARCH_HOST}


class SearchesForm(forms.Form):
    """Where to search for pages. `lines` joins both fields as a topic stores them."""

    searches = SearchesField()
    search_urls = SearchUrlsField()

    def lines(self) -> list[str]:
        """Names of the providers that were ticked, and the search URLs."""
        lines = [line.strip() for line in self.cleaned_data["search_urls"].splitlines()]
        return [*self.cleaned_data.get("searches", ()), *filter(None, lines)]


class TopicSearchesForm(SearchesForm):
    """The searches of a topic that exists."""

    field_order = ("queries",)

    queries = forms.CharField(
        label=capfirst(_lazy("seed queries")),
        required=False,
        max_length=20_000,
        validators=[validate_queries],
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_lazy("one search query per line"),
    )

    def __init__(self, topic: Topic, data: Any = None) -> None:
        stored = topic.search_list()
        initial = {
            "queries": topic.queries or topic.name,
            "searches": stored,
            "search_urls": "\n".join(line for line in stored if PLACE in line),
        }
        super().__init__(data, initial=initial)
        searches = self.fields["searches"]
        assert isinstance(searches, SearchesField)
        searches.offer(next(iter((topic.queries or topic.name).splitlines()), ""))
        self._topic = topic
        #: The strategy sends seeds to providers that know links.
        self.sends_seeds = topic.strategy == LINK_STRATEGY

    def save(self) -> None:
        """Store what the topic searches for, and where."""
        self._topic.queries = self.cleaned_data["queries"]
        self._topic.searches = "\n".join(self.lines())
        self._topic.save(update_fields=["queries", "searches"])
