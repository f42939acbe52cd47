"""Seeds are added from what is typed, pasted or uploaded, once the list was confirmed."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.topics.factories import Scene
from tests.topics.views.conftest import LOCAL, get
from topics.forms.add_sources import MAX_FILE_BYTES, AddSourcesForm
from topics.models import Topic
from topics.rules.validators import MAX_SEEDS

ADD = f"/{LOCAL}sources/add"
OPML = """<?xml version="1.0"?><opml version="2.0"><body>
<outline text="Grid" xmlUrl="https://grid.test/feed" htmlUrl="https://grid.test/"/>
<outline text="Old" xmlUrl="https://portal.test/"/></body></opml>"""


def send(client: Client, **values: object) -> tuple[int, str]:
    response = client.post(ADD, values)
    return response.status_code, response.content.decode()


def seeds() -> list[str]:
    return Topic.objects.get().seeds.split()


@pytest.mark.parametrize("as_file", [False, True])
def test_a_list_is_shown_before_it_is_added(as_ann: Client, scene: Scene, as_file: bool) -> None:
    before = seeds()
    given = SimpleUploadedFile("feeds.opml", b"\xef\xbb\xbf" + OPML.encode()) if as_file else OPML
    status, html = send(as_ann, **{"file" if as_file else "places": given})

    assert status == 200 and seeds() == before == ["https://portal.test/"]
    assert "1 new source." in html and "1 is in the list already." in html
    offered = re.findall(r'name="places" value="([^"]+)" checked', html)
    assert offered == ["https://grid.test/feed"]

    more = ["https://other.test/a", *offered]
    assert as_ann.post(ADD, {"places": more, "confirmed": "1"}).status_code == 302
    assert seeds() == [*before, *more]
    assert "2 sources added. The next runs check them." in get(as_ann, f"{LOCAL}sources/")


def test_sources_that_two_windows_add_at_once_are_all_kept(scene: Scene) -> None:
    forms = [
        AddSourcesForm(Topic.objects.get(), {"places": f"https://{name}.test/"})
        for name in ("one", "two")
    ]
    assert all(form.is_valid() for form in forms)

    for form in forms:
        form.save()

    assert seeds() == ["https://portal.test/", "https://one.test/", "https://two.test/"]


@pytest.mark.parametrize("encoding", ["utf-16", "gb18030"])
def test_a_file_in_the_encoding_of_its_program_is_read(
    as_ann: Client, scene: Scene, encoding: str
) -> None:
    text = OPML.replace("https://grid.test/feed", "https://grid.test/电网")
    text = text.replace("?>", f' encoding="{encoding}"?>')
    file = SimpleUploadedFile("feeds.opml", text.encode(encoding))

    status, html = send(as_ann, file=file)

    assert status == 200
    assert 'name="places" value="https://grid.test/%E7%94%B5%E7%BD%91" checked' in html


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "Type or paste a URL, or choose a file."),
        ({"places": "https://a.test/\nhtp:/nope"}, "Line 2"),
        ({"places": "ftp://a.test/"}, "Line 1"),
        ({"file": SimpleUploadedFile("a.opml", b"x" * (MAX_FILE_BYTES + 1))}, "too large"),
        ({"file": SimpleUploadedFile("a.opml", b"<opml><body/></opml>")}, "Line 1"),
        (
            {"places": "\n".join(f"https://a.test/{n}" for n in range(MAX_SEEDS))},
            f"the limit is {MAX_SEEDS}",
        ),
    ],
    ids=["nothing", "typing error", "scheme", "large file", "no address", "too many"],
)
def test_what_cannot_be_added_is_named(
    as_ann: Client, scene: Scene, values: dict[str, object], said: str
) -> None:
    status, html = send(as_ann, confirmed="1", **values)

    assert status == 422 and said in html
    assert seeds() == ["https://portal.test/"]


def test_without_anything_new_there_is_nothing_to_confirm(as_ann: Client, scene: Scene) -> None:
    _status, html = send(as_ann, places="portal.test")

    assert "0 new sources." in html and "confirmed" not in html
