"""What a reader does with many found pages at once: mark, tag, save as a file."""

import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from crawler.models import Harvest
from tests.topics.search.conftest import Library
from tests.topics.search.test_search_screen import search_for, titles


def press(client: Client, do: str, **said: object) -> str:
    values = {"q": "processor", "without": "处理器", "do": do} | said
    return client.post(reverse("search_bulk"), values, follow=True).content.decode()


def marked(condition: str) -> set[str]:
    return set(titles(search_for(condition)))


def key_of(title: str) -> int:
    return Harvest.objects.get(url__page__title=title).pk


def test_chosen_pages_are_starred_hidden_and_tagged_and_back(
    client: Client, computing: Library, ada: User
) -> None:
    client.force_login(ada)
    chosen = [key_of("Memory"), key_of("Compilers")]

    assert "2 pages changed." in press(client, "star", pick=chosen)
    press(client, "tag", pick=chosen, tags="Later, 硬件")
    press(client, "tag", pick=[key_of("Memory")], tags="later, third")
    html = press(client, "hide", pick=[key_of("Memory")])

    assert marked("is:starred") == marked("tag:硬件") == {"Memory", "Compilers"}
    assert marked("tag:third") == marked("is:hidden") == {"Memory"}
    assert 'value="unstar"' in html, "each result shows its marks"
    press(client, "unstar", pick=chosen)
    press(client, "show", pick=chosen)
    assert marked("is:starred") == marked("is:hidden") == set()
    assert marked("tag:later") == {"Memory", "Compilers"}


def test_all_pages_found_can_be_marked_at_once(
    client: Client, computing: Library, ada: User
) -> None:
    client.force_login(ada)

    assert "3 pages changed." in press(client, "read", all="1")

    assert marked("is:read") == {"Processor", "Memory", "Compilers"}


def test_tags_that_were_cut_are_not_cut_in_silence(
    client: Client, computing: Library, ada: User
) -> None:
    client.force_login(ada)

    assert "not all tags as you typed" in press(client, "tag", all="1", tags="y" * 50)
    assert "not all tags as you typed" not in press(client, "tag", all="1", tags="later")

    assert marked(f"tag:{'y' * 40}") == marked("tag:later") == {"Processor", "Memory", "Compilers"}


def test_chosen_pages_can_be_saved_as_a_file(client: Client, computing: Library, ada: User) -> None:
    client.force_login(ada)

    exported = json.loads(press(client, "json", pick=[key_of("Memory")]))

    assert [page["title"] for page in exported["pages"]] == ["Memory"]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ({"do": "star"}, "Choose at least one page first."),
        ({"do": "star", "pick": "x"}, "Choose at least one page first."),
        ({"do": "tag", "all": "1", "tags": " ,"}, "Write a tag first."),
        ({"do": "star", "all": "1", "q": "a OR"}, "The search cannot be run now."),
    ],
)
def test_nothing_is_changed_without_pages_or_tags(
    client: Client, computing: Library, ada: User, said: dict[str, str], answer: str
) -> None:
    client.force_login(ada)

    assert answer in press(client, **said)
    assert marked("is:starred") == set()


def test_pages_of_others_cannot_be_marked(
    client: Client, computing: Library, make_user: Callable[[str], User]
) -> None:
    client.force_login(make_user("bob"))

    assert "Choose at least one page first." in press(client, "star", pick=[key_of("Memory")])
    assert client.post(reverse("search_bulk"), {"q": "a", "do": "explode"}).status_code == 404
