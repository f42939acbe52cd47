"""The form of a new topic: what to follow, and where to start."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from topics.forms.topic import ZoneField
from topics.rules.validators import canonical_seeds, validate_zone
from topics.rules.zones import UTC_NAME
from topics.runs.wish import MAX_TERM_CHARS, MAX_TERMS, SuggestedTerm, Wish, written_seeds

MAX_PLACES = 200_000


class WishForm(forms.Form):
    """What a person wants to follow. `suggested` are the terms that are offered."""

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

    def __init__(self, *args: Any, suggested: list[SuggestedTerm], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        terms = self.fields["terms"]
        assert isinstance(terms, forms.MultipleChoiceField)
        terms.choices = [(one.text, _told(one)) for one in suggested]
        terms.initial = [one.text for one in suggested]
        if not self.is_bound:
            zone = self.fields["zone"]
            assert isinstance(zone, ZoneField)
            zone.offer_own()
        self.fields["places"].help_text = (
            _("Optional: the search engine finds starting pages. You can paste URLs of your own.")
            if settings.SEARXNG_URL
            else _("Paste URLs of sites, pages or feeds. An OPML or bookmark file works too.")
        )

    def clean_words(self) -> str:
        """Refuse a wish without a letter or digit."""
        words = " ".join(self.cleaned_data["words"].split())
        if not any(character.isalnum() for character in words):
            raise ValidationError(_("Write what you want to follow, in a few words."))
        return words

    def clean_places(self) -> str:
        """Spell the places as they are stored; name every line that is not a URL."""
        seeds = canonical_seeds(written_seeds(self.cleaned_data["places"]))
        if not seeds and not settings.SEARXNG_URL:
            raise ValidationError(
                _("Add at least one URL to start from: no search engine is set up.")
            )
        return seeds

    def clean_zone(self) -> str:
        """Refuse what is not a time zone."""
        zone = self.cleaned_data["zone"] or UTC_NAME
        validate_zone(zone)
        return str(zone)

    def wish(self) -> Wish:
        """What the person wants; only for a valid form."""
        given = self.cleaned_data
        terms = list(dict.fromkeys(text[:MAX_TERM_CHARS] for text in given["terms"]))
        return Wish(given["words"], terms[: 2 * MAX_TERMS], given["places"], given["zone"])


def _told(one: SuggestedTerm) -> str:
    if not one.source:
        return one.text
    return _("%(term)s (from %(ontology)s)") % {"term": one.text, "ontology": one.source}
