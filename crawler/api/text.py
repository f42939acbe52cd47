"""Text to tokens, as pages, topics and queries are compared."""

from crawler.text.fold import HAN, fold
from crawler.text.keywords import chinese_keywords
from crawler.text.noun_phrases import noun_phrases
from crawler.text.noun_table import MAKE_NOUN_TABLE, is_noun_table_made
from crawler.text.segment import cut_han
from crawler.text.tokens import surface_tokens, tokenize
