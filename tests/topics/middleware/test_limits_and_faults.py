"""A link to an address that only takes forms leads on."""

import pytest
from django.test import Client

from tests.topics.factories import Scene

PAGE = "/topics/chips/"


@pytest.mark.parametrize(
    ("path", "page"),
    [
        (f"{PAGE}sources/add", f"{PAGE}sources/"),
        (f"{PAGE}crawl", PAGE),
        (f"{PAGE}sites/1/rule", PAGE),
        ("/ontologies/upload", "/ontologies/"),
        ("/search/save", "/search/"),
    ],
)
def test_an_address_that_only_takes_forms_leads_to_the_page_with_the_form(
    as_ann: Client, scene: Scene, path: str, page: str
) -> None:
    answer = as_ann.get(path)
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert f'<a href="{page}">Open the page with the form</a>' in answer.content.decode()
