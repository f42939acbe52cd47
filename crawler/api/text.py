"""Text to tokens, as pages, topics and queries are compared; the table of nouns."""

from crawler.text.fold import HAN, fold
from crawler.text.keywords import chinese_keywords
from crawler.text.noun_phrases import noun_phrases
from crawler.text.noun_table import MAKE_NOUN_TABLE, must_make_noun_table
from crawler.text.segment import cut_han
from crawler.text.tokens import surface_tokens, tokenize
