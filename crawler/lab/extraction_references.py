"""Other extractors to compare with; each is there if its package is installed."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

from crawler.lab.extraction import Extractor, ExtractorOutput, GoldPage
from crawler.page.charset.decoding import decode
from crawler.page.collect import Collector
from crawler.page.flat_scan import scan_flat


def all_text(page: GoldPage) -> ExtractorOutput:
    """Return everything between the tags of a page."""
    collector = Collector()
    scan_flat(decode(page.body, "")[0], collector)
    found = collector.close()
    return ExtractorOutput("\n".join(found.segments), found.title.strip())


def _resiliparse(module: Any) -> Extractor:
    def extract(page: GoldPage) -> ExtractorOutput:
        markup = decode(page.body, "")[0]
        return ExtractorOutput(module.extract_plain_text(markup, main_content=True))

    return extract


def _trafilatura(module: Any) -> Extractor:
    def extract(page: GoldPage) -> ExtractorOutput:
        found = module.bare_extraction(
            decode(page.body, "")[0],
            url=page.url,
            fast=True,
            include_comments=False,
            with_metadata=True,
        )
        if found is None:
            return ExtractorOutput("", "", "")
        return ExtractorOutput(found.text or "", found.title or "", found.date or "")

    return extract


def _htmldate(module: Any) -> Extractor:
    def extract(page: GoldPage) -> ExtractorOutput:
        markup = decode(page.body, "")[0]
        return ExtractorOutput(
            date=module.find_date(markup, url=page.url, original_date=True) or ""
        )

    return extract


_PACKAGES: Final[Mapping[str, tuple[str, Callable[[Any], Extractor]]]] = {
    "resiliparse": ("resiliparse.extract.html2text", _resiliparse),
    "trafilatura": ("trafilatura", _trafilatura),
    "htmldate": ("htmldate", _htmldate),
}


def reference_extractors() -> dict[str, Extractor]:
    """Return the extractors that can be used here, by name."""
    found: dict[str, Extractor] = {"all": all_text}
    for name, (module, make) in _PACKAGES.items():
        try:
            found[name] = make(import_module(module))
        except ImportError:
            continue  # A reference only: its row is left out.
    return found
