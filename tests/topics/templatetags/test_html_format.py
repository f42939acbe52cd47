"""HTML made of a form and values says what Django's own functions say."""

import pytest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy

from topics.templatetags.html_format import fill, fill_each

VALUES = ["<b>&\"'", mark_safe("<b>&</b>"), 7, None, 0.5, gettext_lazy("Home"), "{0} {x}"]


@pytest.mark.parametrize("value", VALUES)
def test_a_value_is_escaped_unless_it_is_html(value: object) -> None:
    filled = fill("<i>{}</i> {{}} {x}", value, x=value)

    assert filled == format_html("<i>{}</i> {{}} {x}", value, x=value)
    assert isinstance(filled, SafeString)


def test_each_row_is_filled() -> None:
    rows = [(value, number) for number, value in enumerate(VALUES)]

    filled = fill_each(", ", "<i>{} {}</i>", rows)

    assert filled == format_html_join(", ", "<i>{} {}</i>", rows)
    assert isinstance(filled, SafeString)
