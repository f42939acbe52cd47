"""Lines that stand inside an article and are not of it."""

import pytest

from crawler.page.article_labels import is_label, is_remark
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
        "(Credit: Ada Grid)", "Crédits photos : Ada", "Beitragsbild: Ada, Ausriss.",
        "图片来源：新华",
        "The battery at night. | © Ada Grid", "Quelle: Netzamt", "Abbildung: Die Anlage",
        "Was this article helpful?", "War der Artikel nützlich?", "Möchten Sie den Artikel teilen?",
        "Do you want to be informed? Sign up here", "Get the latest news here.",
        "Les opinions exprimées n'engagent que leurs auteurs.", "(Noch keine Bewertungen)",
        "¡Mira lo que tiene nuestro canal!", "Aktualisiert am 17.01.2021.", "扫码关注我们",
    ],
)  # fmt: skip
def test_credits_prompts_and_small_print_are_not_of_the_article(line: str) -> None:
    assert is_remark(line)
    assert line not in shown(f"<h1>Grid</h1>{PROSE}<p>{line}</p>{PROSE}")


@pytest.mark.parametrize(
    "line",
    [
        "Source code is read more often than it is written.", "Photos of the plant are rare.",
        "The image shows the plant at night.", "Bilder zeigen die Anlage bei Nacht.",
        "Subscribers pay for power at night.", "The app follows the load.", "Quellen im Gebirge",
        "Er teilt den Artikel in zwei Abschnitte.", "The plant was updated on Monday.",
    ],
)  # fmt: skip
def test_sentences_with_such_words_are_of_the_article(line: str) -> None:
    assert not is_remark(line)
    assert not is_label(line)
    assert line in shown(f"<h1>Grid</h1>{PROSE}<p>{line}</p>{PROSE}")


def test_a_long_paragraph_is_no_remark_whatever_it_says() -> None:
    long = "<p>" + "The plant was new, and if you liked this you had to see it. " * 6 + "</p>"

    assert shown(f"<h1>Grid</h1>{PROSE}{long}").count("if you liked this") == 6


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
