"""The form with which an owner publishes a topic."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from topics.models import Newspaper


class NewspaperForm(forms.ModelForm):  # type: ignore[type-arg]  # no generic at run time
    """The address of a topic's public page, and whether search engines may list it."""

    class Meta:
        model = Newspaper
        fields = ("name", "indexed")

    def __init__(self, newspaper: Newspaper, data: Any = None) -> None:
        super().__init__(data, instance=newspaper)
        self.fields["name"].help_text = gettext_lazy(
            "letters, digits, hyphens; whoever knows the address can read the page"
        )
        # Django's own sentence speaks of a “slug”.
        self.fields["name"].error_messages["invalid"] = gettext_lazy(
            "Use the letters a to z, digits and hyphens only."
        )

    def clean_name(self) -> str:
        """Compare and store addresses in small letters."""
        return str(self.cleaned_data["name"]).lower()
