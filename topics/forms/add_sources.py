"""The form that adds seeds to a topic: typed, pasted, or from a list that another program wrote."""

from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.core.files import File
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from crawler.api.pages import decode
from topics.models import Topic
from topics.rules.validators import canonical_seeds

MAX_CHARS: Final = 200_000
MAX_FILE_BYTES: Final = 900_000


class AddSourcesForm(forms.Form):
    """Addresses, or lists of them: an OPML file of a feed reader, bookmarks of a browser.

    Attributes
    ----------
    new : list of str
        Of a valid form: the addresses that are not seeds of the topic yet, as they are stored.
    n_known : int
        How many of the others were given.
    """

    places = forms.CharField(
        label=_lazy("URLs or a list of them"),
        required=False,
        max_length=MAX_CHARS,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_lazy(
            "URLs of sites, pages or feeds. The content of an OPML or bookmark file works too."
        ),
    )
    file = forms.FileField(label=_lazy("OPML or bookmark file"), required=False)

    def __init__(self, topic: Topic, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._topic = topic
        self.new: list[str] = []
        self.n_known = 0

    def clean_places(self) -> str:
        """Spell the addresses as they are stored; name every one that cannot be used."""
        return canonical_seeds(self.cleaned_data["places"])

    def clean_file(self) -> str:
        """Read the addresses of a file."""
        file: File[bytes] | None = self.cleaned_data["file"]
        if file is None:
            return ""
        if (file.size or 0) > MAX_FILE_BYTES:
            raise ValidationError(_("The file is too large for a list of URLs."))
        return canonical_seeds(_text_of(file.read()))

    def clean(self) -> None:
        """Find what is new. Refuse an empty form, and more seeds than a topic may have."""
        if self.errors:
            return
        given = [*self.cleaned_data["places"].split(), *self.cleaned_data["file"].split()]
        known = set(self._topic.seeds.split())
        self.new = [url for url in dict.fromkeys(given) if url not in known]
        self.n_known = len(set(given) & known)
        if not given:
            raise ValidationError(_("Type or paste a URL, or choose a file."))
        canonical_seeds("\n".join([self._topic.seeds, *self.new]))

    def save(self) -> None:
        """Add what is new to the topic's seeds."""
        self._topic.add_seeds(self.new)


def _text_of(content: bytes) -> str:
    """Return the text of a file: Windows programs write UTF-16, and Chinese ones GBK."""
    try:
        return content.decode("utf-8-sig")  # even if it declares another encoding
    except UnicodeDecodeError:
        text, _charset, _is_guess = decode(content, "")
        return text
