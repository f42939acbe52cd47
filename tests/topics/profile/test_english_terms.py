"""Nouns and phrases that several articles use."""

from crawler.page.page_terms import text_terms
from topics.profile.english_terms import EnglishTerms
from topics.profile.evidence import TopicArticle


def read(*texts: str, is_example: bool = False) -> EnglishTerms:
    return EnglishTerms.read(
        TopicArticle(text, text_terms(text), frozenset(), is_example=is_example) for text in texts
    )


TEXTS = (
    "The branch predictor guesses. A branch predictor of a CPU helps.",
    "With a branch predictor the CPU waits for a branch. It waits on the CPU.",
)


def test_a_phrase_of_two_articles_is_found() -> None:
    terms = read(*TEXTS)
    assert terms.phrases() == {("branch", "predictor"): 3}
    assert terms.written("branch", "predictor") == "branch predictor"
    assert terms.written("cpu") == "CPU"
    assert terms.written("gpu") == ""


def test_a_phrase_of_one_article_is_found_in_an_example_alone() -> None:
    assert not read(TEXTS[0]).phrases()
    assert read(TEXTS[0], is_example=True).phrases()


def test_verbs_are_not_nouns() -> None:
    nouns = read(*TEXTS).nouns
    assert {"branch", "predictor", "cpu"} <= nouns
    assert not {"wait", "guess", "help"} & nouns


def test_a_part_that_stands_in_a_longer_phrase_alone_is_left_out() -> None:
    text = "the solid state disk of a solid state disk"
    assert list(read(text, text).phrases()) == [("solid", "state", "disk")]
