"""Words too common to say what a text is about, Chinese and English."""

import stopwordsiso

# The English list is a union of many and also holds nouns that people follow:
# a topic "computer systems" or "fire research" must keep its words.
_SUBJECT_WORDS = """
    area areas bill case cases computer face fact facts fire goods group groups help
    homepage information interest interests invention member members microsoft mill
    netscape novel number numbers order orders page pages problem problems reserved
    research room rooms section sections shell state states system text thought
    thoughts value volume web webpage website width word words work works world
"""


def load_stop_words() -> frozenset[str]:
    """Return the stop words of both languages, lower case, without subject words."""
    words: set[str] = stopwordsiso.stopwords(["zh", "en"])
    return frozenset(words) - frozenset(_SUBJECT_WORDS.split())


STOP_WORDS = load_stop_words()
