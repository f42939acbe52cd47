"""PDF files as pages: text, title, links, date and language."""

from datetime import UTC, datetime

import pytest

from crawler.errors import ParseError
from crawler.page.dates.publishing_date import find_published
from crawler.page.parse import parse_page
from crawler.page.parsed import STRONG, ParsedPage
from crawler.page.pdf.pdf_lines import MAX_PAGES
from crawler.page.pdf.pdf_pages import created_date, is_pdf
from crawler.reasons import Reason
from tests.crawler.page.pdf_files import LATIN_FONT, Link, Text, paper, pdf_file, stream, text_pdf

URL = "http://papers.test/solar.pdf"
NOW = datetime(2026, 11, 22, tzinfo=UTC)
#: Each says something else, as otherwise its lines would be taken for heads and feet.
PARAGRAPHS = [
    f"Experiment {name} shows that a solar cell turns the sunlight of its place into electricity."
    f" The efficiency of {name} at low illumination depends on the thickness of every layer of"
    f" the cell, and on what happens between {name} and its neighbours on the roof of the house."
    for name in (
        "Amber Birch Cedar Dogwood Elder Fir Ginkgo Hazel Ivy Juniper Kapok Larch Maple Neem Oak"
        " Pine Quince Rowan Spruce Teak Ulmus Viburnum Willow Xylia Yew Zelkova"
    ).split()
]
CHINESE = [
    f"实验{name}表明太阳能电池把阳光转化为电能，{name}在低照度下的效率取决于每一层的厚度，"
    f"也取决于{name}与相邻器件之间界面处的复合。我们由此得出结论，光伏发电的成本可以继续下降。"
    for name in "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥金木水火土日月星天地玄黄宇宙洪荒"
]


def parsed(body: bytes, url: str = URL, robots_header: str = "") -> ParsedPage:
    return parse_page(body, url, "application/pdf", robots_header)


def lines_of(*texts: str, size: float = 10) -> list[Text]:
    """One below the other."""
    return [Text(60, 700 - 12 * row, text, size) for row, text in enumerate(texts)]


def test_a_paper_of_two_columns_is_read_paragraph_by_paragraph() -> None:
    page = parsed(paper(PARAGRAPHS))

    assert page.title == "Layered solar cells at low light"
    assert page.text.split("\n") == [page.title, *PARAGRAPHS]
    assert (page.language, page.charset, page.flags) == ("en", "", ["pdf"])
    assert page.terms.language == "en"
    assert page.fingerprint and page.own_fingerprint


def test_a_chinese_paper_without_its_font_is_read() -> None:
    page = parsed(paper(CHINESE, ["弱光下的叠层太阳能电池"], width=22, head="太阳能学报 第 12 卷"))

    assert page.title == "弱光下的叠层太阳能电池"
    assert page.text.split("\n") == [page.title, *CHINESE]
    assert page.language == "zh"
    assert "太阳能" in page.terms.vocabulary


def test_heads_and_page_numbers_that_repeat_are_left_out() -> None:
    page = parsed(paper(PARAGRAPHS, head="Ann Author et al. / Solar Studies"))

    assert "Author" not in page.text
    assert not any(line.isdigit() for line in page.text.split("\n"))


@pytest.mark.parametrize("number", ["7", "- 7 -", "iv", "Page 1", "第 1 页"])
def test_a_line_that_is_the_whole_page_is_kept_unless_it_is_a_number(number: str) -> None:
    body = text_pdf([[*lines_of("Solar cells", "make electricity"), Text(290, 30, number, 8)]])

    assert ("\n" + number in parsed(body).text) is (number in ("Page 1", "第 1 页"))


def test_pages_that_only_repeat_each_other_keep_their_text() -> None:
    page = parsed(text_pdf([lines_of("Solar cells are sold here")] * 3))

    assert page.text == "\n".join(["Solar cells are sold here"] * 3)


def test_words_divided_at_the_end_of_a_line_come_together() -> None:
    lines = lines_of(
        "The characteri-",
        "sation of low-light cells needs a low-",
        "light source, in the labs of Hahn-",
        "Meitner as well as in the field-",
        "work of others, by IN-",
        "ES and UNIFAQ.",
    )
    page = parsed(text_pdf([lines]))

    assert page.text == (
        "The characterisation of low-light cells needs a low-light source, in the labs of"
        " Hahn-Meitner as well as in the fieldwork of others, by INES and UNIFAQ."
    )


def test_a_paragraph_goes_on_in_the_next_column_and_on_the_next_page() -> None:
    first = [
        Text(60, 60, "Solar cells are made"),
        Text(320, 700, "of silicon and"),
        Text(320, 688, "turn the"),
    ]
    second = [Text(60, 720, "light of the sun"), Text(60, 708, "into electricity.")]
    page = parsed(text_pdf([first, second]))

    assert page.text == (
        "Solar cells are made of silicon and turn the light of the sun into electricity."
    )


def test_items_of_a_list_stay_apart() -> None:
    items = ["• One cell,", "• Two cells, of which", "  one is broken.", "• Three cells."]
    page = parsed(text_pdf([[Text(60, 760, "Cells of the roof", 16), *lines_of(*items)]]))

    assert page.text.split("\n")[1:] == [
        "• One cell,",
        "• Two cells, of which one is broken.",
        "• Three cells.",
    ]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("", "Solar cells of the north"),
        ("untitled", "Solar cells of the north"),
        ("(anonymous)", "Solar cells of the north"),
        ("Microsoft Word - solar.doc", "Solar cells of the north"),
        ("paper_v3_final", "Solar cells of the north"),
        ("S0038-092X(26)00123-4", "Solar cells of the north"),
        ("Solar cells of the north.pdf", "Solar cells of the north"),
        ("Paper title, use style of the conference", "Solar cells of the north"),
        ("Solar Cells of the North: a Report", "Solar Cells of the North: a Report"),
        ("²»ÖªµÀ", "Solar cells of the north"),
    ],
)
def test_the_title_is_what_the_file_says_if_its_text_agrees(said: str, expected: str) -> None:
    lines = [
        Text(60, 740, "Solar cells of the north", 20),
        *lines_of("A report on roofs of many lands."),
    ]

    assert parsed(text_pdf([lines], info={"Title": said})).title == expected


def test_a_title_of_two_lines_is_one_and_text_beside_the_page_is_none() -> None:
    lines = [
        Text(30, 200, "arXiv:2601.00001v1 [cs.IR] 1 Jan 2026", 22, upwards=True),
        Text(60, 760, "Solar cells", 18),
        Text(60, 738, "of the north", 18),
        Text(60, 718, "Ann Author", 12),
        *lines_of("We have looked at many a roof."),
    ]
    page = parsed(text_pdf([lines]))

    assert page.title == "Solar cells of the north"
    assert page.terms.tag_classes()[0] == STRONG


def test_where_nothing_stands_out_the_first_line_is_the_title() -> None:
    page = parsed(text_pdf([lines_of("Letter to the editor.", "  Solar cells are good.")]))

    assert page.title == "Letter to the editor."


def test_the_files_own_title_stands_where_the_text_has_none_that_is_larger() -> None:
    page = parsed(text_pdf([lines_of("Dear editor, cells are good.")], info={"Title": "A letter"}))

    assert page.title == "A letter"


def test_links_are_areas_of_the_page_and_addresses_in_the_text() -> None:
    lines = lines_of(
        "Data are in our archive",
        "of cells.",
        "See https://code.test/cells for the code",
        "and write to ann@papers.test.",
    )
    archive = Link("http://data.test/archive#a", (112, 695, 400, 710))
    page = parsed(
        text_pdf([lines], links=[archive, Link("javascript:alert(1)", (60, 680, 90, 695))])
    )

    assert [(link.url, link.anchor) for link in page.links] == [
        ("http://data.test/archive", "our archive"),
        ("https://code.test/cells", "https://code.test/cells"),
    ]
    assert "data" in page.blocks[page.links[0].block]
    assert page.links[0].tokens


def test_a_link_on_nothing_is_a_link_without_words() -> None:
    picture = Link("http://data.test/", (60, 100, 90, 130))
    page = parsed(text_pdf([lines_of("Solar cells")], links=[picture]))

    assert [(link.url, link.anchor) for link in page.links] == [("http://data.test/", "")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("D:20260303120000+08'00'", "2026-03-03T12:00:00+08:00"),
        ("D:20260303120000Z", "2026-03-03T12:00:00Z"),
        ("D:20260303120000-05", "2026-03-03T12:00:00-05:00"),
        ("20260303120000", "2026-03-03T12:00:00"),
        ("D:20260303", "2026-03-03"),
        ("D:2026", ""),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_dates_of_pdf_are_read(text: str, expected: str) -> None:
    assert created_date(text) == expected


@pytest.mark.parametrize(
    ("byline", "url", "created", "expected"),
    [
        ("", URL, "D:20260303120000+08'00'", datetime(2026, 3, 3, 4, tzinfo=UTC)),
        ("Published 5 May 2025", URL, "D:20260303", datetime(2025, 5, 5, tzinfo=UTC)),
        ("", "http://papers.test/2024/06/07/a.pdf", "D:20260303", datetime(2024, 6, 7, tzinfo=UTC)),
        ("", URL, "D:19700101000000Z", None),
        ("", URL, "D:20990101000000Z", None),
        ("", URL, "D:20269999", None),
        ("", URL, "", None),
    ],
)
def test_the_date_is_the_texts_or_the_urls_else_when_the_file_was_made(
    byline: str, url: str, created: str, expected: datetime | None
) -> None:
    lines = [Text(60, 740, "Solar cells of the north", 20), *lines_of(byline or "A report.")]
    page = parsed(text_pdf([lines], info={"CreationDate": created}), url)

    assert find_published(page, NOW) == expected
    assert [hint.place for hint in page.date_hints].count("file") == (created_date(created) != "")


def test_when_a_file_was_changed_is_no_date() -> None:
    page = parsed(text_pdf([lines_of("Solar cells")], info={"ModDate": "D:20260303"}))

    assert find_published(page, NOW) is None


def test_the_language_is_that_of_the_text_or_what_the_file_says() -> None:
    french = "Les cellules solaires transforment la lumiere du soleil en electricite"

    assert parsed(text_pdf([lines_of(french)], language="fr-FR")).language == "fr"
    assert parsed(text_pdf([lines_of(CHINESE[0][:30])], language="en")).language == "zh"


def test_subject_and_keywords_count_as_words_of_the_page() -> None:
    page = parsed(text_pdf([lines_of("Cells")], info={"Subject": "sun", "Keywords": "perovskite"}))

    assert {"sun", "perovskit"} <= set(page.terms.vocabulary)
    assert "perovskite" not in page.text


def test_what_the_server_asks_of_crawlers_holds_for_pdf_files() -> None:
    page = parsed(text_pdf([lines_of("Cells")]), robots_header="noindex")

    assert page.noindex


def test_only_the_first_pages_are_read_and_the_page_says_so() -> None:
    pages = [lines_of(f"{word} cells of the roof") for word in numbered(MAX_PAGES + 1)]
    page = parsed(text_pdf(pages))

    assert page.text.count("cells of the roof") == MAX_PAGES
    assert page.flags == ["pdf", "text_cut"]


def numbered(n: int) -> list[str]:
    """So many different words; numbers would make a running head of them."""
    letters = "abcdefghij"
    return ["x" + "".join(letters[int(digit)] for digit in str(place)) for place in range(n)]


WHOLE = text_pdf([lines_of("Solar cells make electricity")])


@pytest.mark.parametrize(
    "body",
    [
        WHOLE.replace(b"startxref\n", b"startxref\n9"),
        WHOLE.replace(b"xref\n0 ", b"xxxx\n0 "),
        b"\xef\xbb\xbf\n" + WHOLE,
        WHOLE + b"\n<!-- a server's remark -->" * 20,
        WHOLE.replace(b"/Root 1 0 R", b"/Prev 15/Root 1 0 R"),
    ],
    ids=["wrong place", "no table", "something before", "something behind", "a loop of tables"],
)
def test_a_slightly_broken_file_is_read(body: bytes) -> None:
    assert parsed(body).text == "Solar cells make electricity"


PICTURE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>"
SCANNED = pdf_file(
    [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        PICTURE,
        stream(b"0 0 9 9 re f"),
    ]
)
LOCK = b"/ID[<00><00>]/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -44/O<%s>/U<%s>>>" % (
    b"01" * 32,
    b"02" * 32,
)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (SCANNED, Reason.PDF_WITHOUT_TEXT),
        (text_pdf([[Text(60, 700, "12 | 34")]]), Reason.PDF_WITHOUT_TEXT),
        (text_pdf([lines_of("Solar cells")], trailer=LOCK), Reason.PDF_ENCRYPTED),
        (b"%PDF-1.7\nthat is all", Reason.PDF_UNREADABLE),
        (WHOLE[: len(WHOLE) // 2], Reason.PDF_UNREADABLE),
        (pdf_file([b"<</Type/Catalog>>"]), Reason.PDF_UNREADABLE),
    ],
    ids=["scanned", "numbers", "encrypted", "nothing", "half", "no pages"],
)
def test_a_file_that_gives_nothing_says_why(body: bytes, reason: Reason) -> None:
    with pytest.raises(ParseError) as caught:
        parsed(body)

    assert caught.value.reason is reason
    assert caught.value.detail


def test_the_error_of_one_file_is_not_given_for_the_next() -> None:
    with pytest.raises(ParseError):
        parsed(text_pdf([lines_of("Solar cells")], trailer=LOCK))

    with pytest.raises(ParseError) as caught:
        parsed(pdf_file([b"<</Type/Catalog>>"]))

    assert caught.value.reason is Reason.PDF_UNREADABLE


def test_scripts_and_attachments_are_not_read() -> None:
    actions = (
        b"/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>/Names<</EmbeddedFiles<</Names[(a)"
        b"<</Type/Filespec/F(a.txt)/EF<</F 6 0 R>>>>]>>>>"
    )
    body = pdf_file(
        [
            b"<</Type/Catalog/Pages 2 0 R%s>>" % actions,
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R"
            b"/Resources<</Font<</L 4 0 R>>>>>>",
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
            stream(b"BT /L 10 Tf 60 700 Td (Solar cells) Tj ET"),
            stream(b"a secret attachment"),
        ]
    )

    assert parsed(body).text == "Solar cells"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (WHOLE, True),
        (b"\r\n%PDF-1.4", True),
        (b"<html><p>%PDF-1.4 is how they begin", False),
        (b"<!DOCTYPE html>%PDF-1.4", False),
        (b" " * 2000 + b"%PDF-1.4", False),
        (b"", False),
    ],
)
def test_a_pdf_file_is_known_by_its_first_bytes(body: bytes, expected: bool) -> None:
    assert is_pdf(body) is expected


def test_text_that_a_damaged_file_places_nowhere_is_read() -> None:
    flat = b"700 0.0000000000000000000000000000000001 0 0 0 0 cm BT /L 1 Tf 60 0 1 0 0 0 Tm"
    page = (
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R"
        b"/Resources<</Font<</L 3 0 R>>>>>>"
    )
    body = pdf_file(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 2/Kids[4 0 R 5 0 R]>>",
            LATIN_FONT,
            page % 6,
            page % 7,
            stream(flat + b"(Flat cells) Tj ET"),
            stream(b"BT /L 10 Tf 60 700 Td (Solar cells) Tj ET"),
        ]
    )

    assert parsed(body).text.split() == ["Flat", "cells", "Solar", "cells"]
