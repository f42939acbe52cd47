"""A number that no row can have names no row; it makes no page fail."""

import pytest
from django.test import Client

from tests.topics.factories import Scene
from topics.views.row_numbers import row_numbers

#: Too large for a column, too long for Python, and not ASCII.
NUMBERS = ["9" * 30, "9" * 5000, "٣"]


def test_only_what_can_be_the_number_of_a_row_is_one() -> None:
    assert row_numbers(["7", "07", "", "-1", "x", "²", *NUMBERS]) == [7, 7]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/search/chosen", {"q": "cache", "do": "star", "pick": "{}"}),
        ("/topics/chips/questions", {"do": "answer", "page-{}": "yes"}),
        ("/topics/chips/concepts/", {"concept": "{}"}),
        ("/alerts/seen", {"alert": "{}", "event": "{}"}),
    ],
)
def test_no_form_fails_over_such_a_number(
    as_ann: Client, scene: Scene, path: str, fields: dict[str, str], number: str
) -> None:
    sent = {name.format(number): value.format(number) for name, value in fields.items()}

    assert as_ann.post(path, sent).status_code < 500


@pytest.mark.parametrize("number", NUMBERS)
def test_a_rule_on_a_search_of_such_a_number_is_a_rule_on_none(
    as_ann: Client, scene: Scene, number: str
) -> None:
    assert as_ann.get("/alerts/rules/new", {"search": number}).status_code == 200


def test_an_answer_may_write_the_number_of_a_page_with_zeros(as_ann: Client, scene: Scene) -> None:
    page = scene.page("https://a.test/", "A")

    answer = as_ann.post("/topics/chips/questions", {"do": "answer", f"page-0{page.pk}": "yes"})

    assert answer.status_code == 302
