"""The form of a new topic: what to follow, and where to start."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from crawler.api.profiles import TopicProfile
from crawler.api.runs import find_unreachable
from crawler.api.text import tokenize
from topics.forms.searches import SearchesField, SearchesForm
from topics.forms.topic import ZoneField, offer_own_zone
from topics.reasons import reason_sentence
from topics.rules.validators import read_seeds, validate_zone
from topics.rules.zones import UTC_NAME
from topics.runs.new_topic import MAX_TERM_CHARS, MAX_TERMS, SuggestedTerm, TopicDraft, typed_terms
from topics.runs.start_stop import why_not
from topics.runs.topic_templates import TopicTemplate

MAX_PLACES = 200_000


class NewTopicForm(SearchesForm):
    """What a person wants to follow.

    Parameters
    ----------
    suggested : list of SuggestedTerm
        The terms that are offered.
    card : TopicTemplate, optional
        The template that the person started from.
    """

    words = forms.CharField(
        label=_lazy("What do you want to follow?"),
        max_length=120,
        error_messages={"required": _lazy("Write what you want to follow, in a few words.")},
    )
    terms = forms.MultipleChoiceField(
        label=_lazy("Terms"), required=False, widget=forms.CheckboxSelectMultiple
    )
    places = forms.CharField(
        label=_lazy("Where to start"),
        required=False,
        max_length=MAX_PLACES,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    zone = ZoneField(initial=UTC_NAME, required=False)

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        suggested: Sequence[SuggestedTerm],
        card: TopicTemplate | None = None,
        **kwargs: Any,
    ) -> None:
        if data is not None and not {"terms", "offered"} & data.keys():
            # A user who has not seen the terms has not rejected them.
            data = data.copy()
            data.setlist("terms", [one.text for one in suggested if not one.source])
        super().__init__(data, **kwargs)
        self.card, self.suggested = card, suggested
        #: Seeds that could not be fetched just now, each with why.
        self.doubts: list[str] = []
        self._seeds: list[str] = []
        terms, searches = self.fields["terms"], self.fields["searches"]
        assert isinstance(terms, forms.MultipleChoiceField)
        assert isinstance(searches, SearchesField)
        terms.choices = [(one.text, _labelled(one)) for one in suggested]
        terms.initial = [one.text for one in suggested]
        searches.offer(next((one.text for one in suggested if not one.source), ""))
        if card:
            searches.initial = list(card.searches)
            self.fields["words"].widget.attrs["placeholder"] = card.example
        if not self.is_bound:
            offer_own_zone(self)
        self.fields["places"].help_text = _(
            "URLs of sites, pages or feeds. The content of an OPML or bookmark file works too."
        )

    def clean_words(self) -> str:
        """Refuse words without a letter or digit."""
        words = " ".join(self.cleaned_data["words"].split())
        if not any(character.isalnum() for character in words):
            raise ValidationError(_("Write what you want to follow, in a few words."))
        return words

    def clean_places(self) -> str:
        """Spell the places as they are stored; name every one that is not a URL."""
        self._seeds, errors = read_seeds(self.cleaned_data["places"])
        if errors:
            raise ValidationError(errors)
        return "\n".join(self._seeds)

    def clean_zone(self) -> str:
        """Refuse what is not a time zone."""
        zone = self.cleaned_data["zone"] or UTC_NAME
        validate_zone(zone)
        return str(zone)

    def clean(self) -> None:
        """Refuse a topic that could not start; name seeds that cannot be fetched now."""
        given = self.cleaned_data
        # The judges count no word that is on every page, and no letter that stands alone.
        if "words" in given and not any(map(tokenize, (given["words"], *given.get("terms", ())))):
            message = _("“%(words)s” has only words that are too common or too short. Add another.")
            self.add_error("words", message % {"words": given["words"]})
        if self.errors.keys() & {"places", "search_urls"}:
            # The other seeds are tried now, so that none of their mistakes is named only later.
            self._name_doubts()
            return
        seeds = self._seeds
        profile = TopicProfile(
            name=given.get("words", ""),
            seeds=tuple(seeds),
            queries=tuple(typed_terms(given.get("words", "a"))),
            searches=tuple(self.lines()),
        )
        if not seeds and not profile.searches and not settings.SEARXNG_URL:
            self.add_error("places", _("Add a URL to start from, or choose a search provider."))
        elif "words" not in self.errors and (refusal := why_not(profile)) is not None:
            self.add_error(None, str(refusal))
        elif "anyway" not in self.data:
            self._name_doubts()

    def _name_doubts(self) -> None:
        self.doubts = [
            _("%(name)s: %(words)s") % {"name": url, "words": reason_sentence(reason).what}
            for url, reason in find_unreachable(self._seeds).items()
        ]
        if self.doubts:
            self.add_error("places", ValidationError(self.doubts, code="doubt"))

    def focus_first_error(self) -> None:
        """Let the browser put the focus on the first field with an error."""
        field = next((self.fields[name] for name in self.fields if name in self.errors), None)
        if field is not None:
            field.widget.attrs["autofocus"] = True

    @property
    def has_only_doubts(self) -> bool:
        """True if nothing else is wrong than that seeds cannot be fetched now."""
        n_errors = len(self.errors.get("places", ()))
        return list(self.errors) == ["places"] and n_errors == len(self.doubts)

    def draft(self) -> TopicDraft:
        """Return what the person wants; only for a valid form."""
        given = self.cleaned_data
        terms = list(dict.fromkeys(text[:MAX_TERM_CHARS] for text in given["terms"]))
        return TopicDraft(
            words=given["words"],
            terms=terms[: 2 * MAX_TERMS],
            seeds=given["places"],
            zone=given["zone"],
            searches="\n".join(self.lines()),
            card=self.card,
        )


def _labelled(one: SuggestedTerm) -> str:
    if not one.source:
        return one.text
    return _("%(term)s (from %(ontology)s)") % {"term": one.text, "ontology": one.source}
