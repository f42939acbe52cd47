"""URLs, and what a parsed page consists of."""

from crawler.page.article.article_text import CODE, HEADING, PARAGRAPH
from crawler.page.article.sentences import choose_extract
from crawler.page.charset.decoding import decode
from crawler.page.clean import clean_line
from crawler.page.lists.reading_lists import is_reading_list, read_reading_list
from crawler.page.page_terms import text_terms
from crawler.page.parsed import NO_ARTICLE, PDF, PageTerms, is_listing
from crawler.page.url import canonical_url, host_of, is_front_page, site_of
