"""The form that imports a topic."""

from __future__ import annotations

from django import forms
from django.core.files import File
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from topics.topic_file import MAX_BUNDLE_BYTES


class TopicFileForm(forms.Form):
    """A topic file, and whether it may replace a topic."""

    file = forms.FileField(label=gettext_lazy("file"), max_length=None)
    replace = forms.BooleanField(
        label=gettext_lazy("replace my topic of the same short name"), required=False
    )

    def clean_file(self) -> File[bytes]:
        file: File[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > MAX_BUNDLE_BYTES:
            raise forms.ValidationError(_("The file is too large for a topic."))
        return file
