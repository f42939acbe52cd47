"""The crawler's tables, and how to read their packed columns."""

from crawler.models import (
    Assignment,
    Concept,
    Crawl,
    FrontierEntry,
    Harvest,
    IndexOutbox,
    Label,
    Link,
    Ontology,
    Page,
    Relation,
    Run,
    Site,
    Source,
    Story,
    Url,
)
from crawler.models.bulk import chunks, places
from crawler.models.bulk import insert as insert_rows
from crawler.models.bulk import select as select_rows
from crawler.models.crawls import HarvestQuerySet, RunQuerySet
from crawler.models.frontier import is_copy
from crawler.models.values import load_value, save_value
from crawler.models.web import READER_VERSION, pack_terms, pack_text, unpack_terms, unpack_text
from crawler.strategies.link_notes import SHARE, unpack_notes
