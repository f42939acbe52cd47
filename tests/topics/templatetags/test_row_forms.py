"""A form that is filled in for a row is the form that its template renders for it."""

import pytest
from django.template import Context
from django.test import RequestFactory
from django.utils import translation
from django_htmx.middleware import HtmxDetails

from tests.topics.factories import person, scene_of
from topics.pages.reading import Marks
from topics.templatetags.ontology_tags import thumb_buttons
from topics.templatetags.reading_tags import mark_buttons
from topics.templatetags.row_forms import NUMBER, ROW, TEXT, render_form
from topics.templatetags.site_tags import site_buttons

pytestmark = pytest.mark.django_db

TITLES = ["Cache & <b>lines</b>", "{text} {{ title }} {0}", f"\"{TEXT}' {NUMBER} {ROW} {{% url %}}"]


def test_the_forms_of_each_row_are_those_that_their_templates_render() -> None:
    scene = scene_of(person())
    pages = [scene.page(f"https://{n}.test/", title) for n, title in enumerate(TITLES)]
    request = RequestFactory().get("/topics/chips/", {"term": "a{b}"})
    request.htmx = HtmxDetails(request)  # type: ignore[attr-defined]  # as the middleware does
    values = {"topic": scene.topic, "request": request, "csrf_token": "t{0}k"}
    context = Context(values | {"marks": {}, "thumbs": {}, "site_rules": {}})
    # Equal to no marks, and rendered for the row alone.
    marked = Context(values | {"marks": {page.url_id: Marks() for page in pages}})

    for page, title in zip(pages, TITLES, strict=True):
        row, site = {"harvest_pk": page.pk, "title": title, "thumb": 0}, page.url.site
        assert mark_buttons(context, page) == mark_buttons(marked, page)
        assert thumb_buttons(context, page) == render_form(
            context, "topics/_thumbs.html", {"topic": scene.topic, **row}
        )
        assert site_buttons(context, site, page.pk) == render_form(
            context,
            "topics/_site_rule.html",
            {"topic": scene.topic, "site": site, "row": page.pk, "rule": ""},
        )


def test_forms_are_of_the_request_that_shows_them() -> None:
    scene = scene_of(person())
    page = scene.page("https://a.test/", "A page")

    def shown(path: str, token: str) -> str:
        request = RequestFactory().get(path, {"term": 'a"b'})
        request.htmx = HtmxDetails(request)  # type: ignore[attr-defined]  # as the middleware does
        values = {"topic": scene.topic, "request": request, "csrf_token": token}
        return thumb_buttons(Context(values | {"thumbs": {}}), page)

    first, second = shown("/topics/chips/", "one"), shown("/search/", "two")

    assert 'value="one"' in first and 'value="/topics/chips/?term=a%22b"' in first
    assert second == first.replace("/topics/chips/?", "/search/?").replace('"one"', '"two"')


def test_forms_of_one_language_are_not_shown_in_another() -> None:
    scene = scene_of(person())
    page = scene.page("https://a.test/", "A page")
    request = RequestFactory().get("/topics/chips/")
    request.htmx = HtmxDetails(request)  # type: ignore[attr-defined]  # as the middleware does
    context = Context({"topic": scene.topic, "request": request, "thumbs": {}})

    english = thumb_buttons(context, page)
    with translation.override("zh-hans"):
        chinese = thumb_buttons(context, page)

    assert "Not relevant" in english
    assert "Not relevant" not in chinese and "不相关" in chinese
