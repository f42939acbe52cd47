"""Words too common to say what a text is about, Chinese and English."""

import stopwordsiso

# The English list is a union of many and also holds nouns that people follow:
# a topic "computer systems" or "fire research" must keep its words.
_SUBJECT_WORDS = """
    act area areas arpa bill biol case cases computer copy date face fact facts fire free goods
    group groups help homepage html http information interest interests invention key keys line
    man member members men microsoft mill mine mug net netscape novel null number numbers open
    order orders page pages part parts problem problems research ring room rooms section sections
    self shell state states system test text thought thoughts tip value volume web webpage
    website width word words work works world year years zero
"""
# It also holds every country code, "ai", "tv" and "cd" among them; of two
# letters only these are words too common to matter.
_SHORT_WORDS = """
    ah am an as at be by co do et ex go he hi if in is it la ll me my no of oh ok on or re so
    to up us ve we ye
"""


def load_stop_words() -> frozenset[str]:
    """Return the stop words of both languages, lower case, without subject words."""
    words: set[str] = stopwordsiso.stopwords(["zh", "en"])
    short = frozenset(_SHORT_WORDS.split())
    common = {w for w in words if len(w) != 2 or not w.isascii() or not w.isalpha() or w in short}
    return frozenset(common) - frozenset(_SUBJECT_WORDS.split())


STOP_WORDS = load_stop_words()
