"""Marks between parts that a template puts together follow the language."""

import pytest
from django.template import Context, Template
from django.utils import translation


@pytest.mark.parametrize(
    ("language", "shown"),
    [("en", "read: pages"), ("zh-hans", "read：pages"), ("zh-hant", "read：pages")],
)
def test_a_colon_is_of_the_reader_s_language(language: str, shown: str) -> None:
    with translation.override(language):
        made = Template("{% load punctuation %}read{% colon %}pages").render(Context())
    assert made == shown
