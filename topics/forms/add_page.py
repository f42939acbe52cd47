"""The form that adds a page from elsewhere to a topic."""

from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from topics.models import Topic
from topics.rules.validators import canonical_seeds

#: A topic that does not exist yet.
NEW: Final = "+"
SEED: Final = "seed"
EXAMPLE: Final = "example"


class AddPageForm(forms.Form):
    """The page, a topic of the person's, and what the page is for it."""

    url = forms.CharField(label=_lazy("URL"), max_length=2048)
    topic = forms.ChoiceField(label=_lazy("Topic"))
    use = forms.ChoiceField(
        label=_lazy("Use it as"),
        choices=[
            (SEED, _lazy("a starting page: runs come back to it and follow its links")),
            (EXAMPLE, _lazy("an example: pages like it are relevant")),
        ],
        initial=SEED,
        widget=forms.RadioSelect,
    )

    def __init__(self, user: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._topics = Topic.objects.visible_to(user)
        topic = self.fields["topic"]
        assert isinstance(topic, forms.ChoiceField)
        named = [(one.slug, one.name) for one in self._topics]
        topic.choices = [*named, (NEW, _("A new topic"))]

    def clean_url(self) -> str:
        """Refuse what no crawl can fetch."""
        return canonical_seeds(self.cleaned_data["url"]).partition("\n")[0]

    def chosen_topic(self) -> Topic | None:
        """Return the topic that was chosen; None for a new one."""
        return self._topics.filter(slug=self.cleaned_data["topic"]).first()
