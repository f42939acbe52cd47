"""Lines that stand inside an article and are not of it."""

import pytest

from crawler.page.article.article_labels import is_label, is_remark
from crawler.page.parse import parse_page

PROSE = (
    "<p>The regional operator connected a battery of forty megawatts to the grid on Monday, which"
    " stores wind power at night and gives it back when the kettles boil.</p>" * 4
)


def shown(markup: str) -> str:
    return parse_page(f"<article>{markup}</article>".encode(), "http://a.test/x").text


@pytest.mark.parametrize(
    "line",
    [
        "(Credit: Ada Grid)",
        "Crédits photos : Ada",
        "Beitragsbild: Ada, Ausriss.",
        "图片来源：新华",
        "The battery at night. | © Ada Grid",
        "Quelle: Netzamt",
        "Abbildung: Die Anlage",
        "Was this article helpful?",
        "War der Artikel nützlich?",
        "Möchten Sie den Artikel teilen?",
        "Do you want to be informed? Sign up here",
        "Get the latest news here.",
        "Les opinions exprimées n'engagent que leurs auteurs.",
        "(Noch keine Bewertungen)",
        "¡Mira lo que tiene nuestro canal!",
        "Aktualisiert am 17.01.2021.",
        "扫码关注我们",
        "Published: 3 April 2020, 12:35",
        "Created 03-10-2004 2:20pm",
        "Publié le 3 avril 2020",
        "(Stand: 05. Februar 2020)",
        "News date : 04/21/2022",
        "发布时间：2020-04-03 12:35",
        "更新于 2020年4月3日",
        "Print recipe",
        "Rezept drucken",
        "[czytaj więcej]",
        "展开全文",
        "- Mehr anzeigen -",
        "Load more",
        "If you are already a subscriber, log in.",
    ],
)
def test_credits_prompts_and_small_print_are_not_of_the_article(line: str) -> None:
    assert is_remark(line)
    assert line not in shown(f"<h1>Grid</h1>{PROSE}<p>{line}</p>{PROSE}")


@pytest.mark.parametrize(
    "line",
    [
        "Source code is read more often than it is written.",
        "Photos of the plant are rare.",
        "The image shows the plant at night.",
        "Bilder zeigen die Anlage bei Nacht.",
        "Subscribers pay for power at night.",
        "The app follows the load.",
        "Quellen im Gebirge",
        "Er teilt den Artikel in zwei Abschnitte.",
        "The plant was updated on Monday.",
        "Published in 2003, the book sold well.",
        "Stand 2020 war die Anlage noch neu.",
        "Stand der Technik ist ein Akku mit 40 Megawatt, der Wind speichert.",
        "Posted letters took 3 days! They came by boat.",
        "Print costs more than power.",
        "Contact with water stops the plant.",
        "Kontakt mit Wasser stoppt die Anlage.",
        "2020年4月3日发布的电池能用40年。",
        "Show more of the plant to those who pay.",
        "Date palms of 12 metres stand beside the plant and give it shade!",
    ],
)
def test_sentences_with_such_words_are_of_the_article(line: str) -> None:
    assert not is_remark(line)
    assert not is_label(line)
    assert line in shown(f"<h1>Grid</h1>{PROSE}<p>{line}</p>{PROSE}")


def test_a_long_paragraph_is_no_remark_whatever_it_says() -> None:
    long = "<p>" + "The plant was new, and if you liked this you had to see it. " * 6 + "</p>"

    assert shown(f"<h1>Grid</h1>{PROSE}{long}").count("if you liked this") == 6


@pytest.mark.parametrize(
    "label",
    [
        "Pressekontakt:",
        "Kontakt",
        "Ansprechpartnerin für Medien",
        "Media contact",
        "Contact:",
        "- Anzeige -",
        "Keep reading",
        "Weitere aktuelle Themen",
        "媒体联系",
        "» Related articles",
    ],
)
def test_what_follows_a_label_goes_up_to_the_next_prose(label: str) -> None:
    text = shown(f"<h1>Grid</h1>{PROSE}<p>{label}</p><p>Ada Grid</p><p>Tel. 12345</p>{PROSE}")

    assert "Ada Grid" not in text
    assert "Tel. 12345" not in text
    assert text.count("forty megawatts") == 8


def test_a_label_at_the_end_announces_nothing() -> None:
    text = shown(f"<h1>Grid</h1><p>Three parts:</p>{PROSE}<p>Mehr Themen:</p>")

    assert "Mehr Themen" not in text
    assert "Three parts:" in text


@pytest.mark.parametrize(
    "name",
    ["rssSummary", "legend", "news-letter-section", "kommentarModul", "editorial-disclosure"],
)
def test_elements_that_name_a_part_of_the_frame_are_dropped(name: str) -> None:
    other = "Another text of the site, long enough to pass for prose, and not about the plant. " * 3
    text = shown(f"<h1>Grid</h1>{PROSE}<div class={name}><p>{other}</p></div>{PROSE}")

    assert "Another text" not in text


@pytest.mark.parametrize(
    ("name", "is_dropped"),
    [
        ("has-ads", False),
        ("with-sidebar", False),
        ("no-share", False),
        ("section--ads", False),
        ("js-section--has-ads", False),
        ("ads", True),
        ("ads--large", True),
        ("gas-ads", True),
    ],
)
def test_what_an_element_has_or_has_not_does_not_name_it(name: str, is_dropped: bool) -> None:
    part = "This part of the text has advertisements beside it, and is of the article, though. " * 3
    text = shown(f"<h1>Grid</h1>{PROSE}<div class={name}><p>{part}</p></div>{PROSE}")

    assert ("This part" not in text) is is_dropped
