"""Sentences of an article, and the two that say most about a topic."""

import pytest

from crawler.page.article.sentences import MAX_CHARS, choose_extract, split_sentences


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        (
            "One is here. Two is there! Is it? Yes.",
            ["One is here.", "Two is there!", "Is it?", "Yes."],
        ),
        (
            "Dr. Byron met Mr. B. Babbage. They spoke.",
            ["Dr. Byron met Mr. B. Babbage.", "They spoke."],
        ),
        ("It costs 3.50 at e.g. Port News. Fine.", ["It costs 3.50 at e.g. Port News.", "Fine."]),
        (
            "It came from the U.S. Navy in May. Later it left.",
            ["It came from the U.S. Navy in May.", "Later it left."],
        ),
        ('"Go!" she said. "Now." He went.', ['"Go!" she said.', '"Now."', "He went."]),
        ("No end here", ["No end here"]),
        ("第一句话。第二句话！第三句？", ["第一句话。", "第二句话！", "第三句？"]),
        ("他说：“好的。”然后走了。", ["他说：“好的。”", "然后走了。"]),
        (
            "电压为3.5伏。Next comes English. 又是中文……完",
            ["电压为3.5伏。", "Next comes English.", "又是中文……", "完"],
        ),
        ("", []),
        ("   ", []),
    ],
)
def test_a_line_is_split_into_sentences(line: str, sentences: list[str]) -> None:
    assert split_sentences(line) == sentences


FERRY = (
    "The town has a long and quiet history by the sea.\nTimes\n"
    "Its council met on Monday for many hours. A new electric ferry will cross the strait.\n"
    "ferry electric ferry electric ferry electric;\n"
    "Visitors like the seals on the beach very much. The batteries of the ferry charge at night."
)
WEIGHTS = {
    "ferri": 1.0,
    "ferry": 1.0,
    "electr": 0.8,
    "electric": 0.8,
    "batteri": 0.6,
    "battery": 0.6,
}


def test_the_sentences_about_the_topic_are_chosen_in_reading_order() -> None:
    assert choose_extract(FERRY, "phpcp", WEIGHTS) == (
        "A new electric ferry will cross the strait. … The batteries of the ferry charge at night."
    )


def test_sentences_that_follow_each_other_have_no_gap() -> None:
    text = "The electric ferry sails every day. Its batteries are charged at night on the pier."

    assert choose_extract(text, "p", WEIGHTS) == text


@pytest.mark.parametrize(
    ("text", "extract"),
    [
        (
            "电动渡轮每天往返于两岸之间的码头。渡轮的电池在夜里充电直到早晨。",
            "电动渡轮每天往返于两岸之间的码头。渡轮的电池在夜里充电直到早晨。",
        ),
        (
            "船长说：“电动渡轮每天往返两岸。”渡轮的电池在夜里充电直到早晨。",
            "船长说：“电动渡轮每天往返两岸。”渡轮的电池在夜里充电直到早晨。",
        ),
        (
            "电动渡轮每天往返于两岸之间的码头。游客喜欢在海边看海豹晒着太阳。渡轮的电池在夜里慢慢充电。",
            "电动渡轮每天往返于两岸之间的码头。……渡轮的电池在夜里慢慢充电。",
        ),
        (
            "电动渡轮每天往返于两岸之间的码头。The 渡轮 is charged at night on the pier.",
            "电动渡轮每天往返于两岸之间的码头。 The 渡轮 is charged at night on the pier.",
        ),
    ],
)
def test_chinese_sentences_are_joined_without_a_blank(text: str, extract: str) -> None:
    assert choose_extract(text, "p", {"渡轮": 1.0}) == extract


def test_the_beginning_of_a_chinese_article_has_no_blank_between_its_sentences() -> None:
    text = "电动渡轮每天往返于两岸之间的码头。渡轮的电池在夜里充电直到早晨。"

    assert choose_extract(text, "p", {"tax": 1.0}) == text


def test_a_chinese_sentence_that_is_cut_has_one_ellipsis_before_the_next() -> None:
    long = f"渡轮{'每天往返于两岸之间的码头' * 20}。"
    extract = choose_extract(f"{long}渡轮的电池在夜里充电直到早晨。", "p", {"渡轮": 1.0})

    assert extract.endswith("…渡轮的电池在夜里充电直到早晨。")
    assert "……" not in extract


def test_a_sentence_that_is_cut_has_one_ellipsis_before_the_next() -> None:
    words = " ".join(["The ferry batteries charge and"] * 20)
    lines = [f"{words} stop.", "Seen from the shore nothing moves at all.", words + " start."]
    extract = choose_extract("\n".join(lines), "ppp", {"ferry": 1.0, "batteri": 1.0})
    assert extract.count("…") == 2
    assert "… …" not in extract


def test_without_a_term_the_first_paragraph_begins_the_extract() -> None:
    extract = choose_extract(FERRY, "phpcp", {"tax": 1.0, "ferri": -1.0})

    assert extract.startswith("The town has a long and quiet history by the sea.")


def test_one_sentence_is_enough() -> None:
    text = "The council met on Monday for many hours. The electric ferry sails at noon."

    assert choose_extract(text, "p", WEIGHTS) == "The electric ferry sails at noon."


def test_chinese_sentences_are_chosen_by_their_words() -> None:
    text = (
        "小镇历史悠久，风景也十分优美宜人。电池储能电站今天正式接入本地区电网。市民们爱在海边散步。"
    )

    assert choose_extract(text, "p", {"电池": 1.0, "电网": 1.0}) == (
        "电池储能电站今天正式接入本地区电网。"
    )


@pytest.mark.parametrize("word", ["ferry ", "渡轮"])
def test_an_extract_is_never_long(word: str) -> None:
    text = f"{word * 900}. {word * 900}。{word * 5}"

    extract = choose_extract(text, "p", {"ferri": 1.0, "ferry": 1.0, "渡轮": 1.0})

    assert "…" in extract
    assert len(extract) <= MAX_CHARS + 10


def test_kinds_that_do_not_fit_count_as_paragraphs() -> None:
    assert choose_extract("A short line", "", {}) == "A short line"
    assert choose_extract("", "", WEIGHTS) == ""
