"""The forms that bring ontologies in and attach their concepts."""

from __future__ import annotations

from django import forms
from django.core.files import File
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crawler.api.ontologies import MAX_ONTOLOGY_BYTES


class UploadForm(forms.Form):
    """A file with an ontology; what the file is called is only its name for want of another."""

    file = forms.FileField(label=gettext_lazy("file"), max_length=None, allow_empty_file=True)
    name = forms.CharField(
        label=gettext_lazy("name"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("empty for the name given in the file, or the file name"),
    )

    @property
    def file_title(self) -> str:
        """The file's name in words: "two_words.ttl" as "two words"."""
        name = str(self.cleaned_data["file"].name or "")
        return name.rpartition(".")[0].replace("_", " ").strip() or name

    def clean_file(self) -> File[bytes]:
        file: File[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > MAX_ONTOLOGY_BYTES:
            raise forms.ValidationError(
                _("The file has %(size)d MiB; the limit is %(limit)d MiB. Import a part of it.")
                % {"size": (file.size or 0) >> 20, "limit": MAX_ONTOLOGY_BYTES >> 20}
            )
        return file


class ConceptForm(forms.Form):
    """A concept, by one of its names."""

    name = forms.CharField(label=gettext_lazy("concept"), max_length=500)
