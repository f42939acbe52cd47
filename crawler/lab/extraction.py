"""How well the article is found on real pages whose article people marked."""

import gzip
import json
import random
import re
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median
from typing import Any, Final

from crawler.errors import CrawlError, FetchError, ParseError
from crawler.page.dates.publishing_date import find_published
from crawler.page.parse import parse_page
from crawler.page.url import canonical_url

GOLD_FILE: Final = "gold.jsonl"
#: A page whose gold does not name its URL is measured under this one.
NO_URL: Final = "http://page.invalid/"
_WORD = re.compile(r"\w+")
_MAX_RUN = 4
_N_RESAMPLED = 500


class ExtractionError(CrawlError):
    """The folder does not hold pages with gold as `read_gold` wants them."""


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page, and what people say of it; "" or nothing where they say nothing.

    Attributes
    ----------
    text : str
        The whole article.
    wanted, unwanted : list of str
        Segments of the article, and of the frame.
    date : str
        The day, ISO 8601.
    """

    id: str
    body: bytes
    url: str = NO_URL
    text: str = ""
    wanted: Sequence[str] = ()
    unwanted: Sequence[str] = ()
    title: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class ExtractorOutput:
    """What an extractor finds on a page: "" for nothing, None for what it does not look for."""

    text: str | None = None
    title: str | None = None
    date: str | None = None


Extractor = Callable[[GoldPage], ExtractorOutput]


@dataclass(slots=True)
class Extraction:
    """An extractor's figures; None where no page has gold for them.

    Attributes
    ----------
    precision, recall, f1 : float or None
        Of runs of words, means over the pages with a whole text; F1 of the means.
    f1_low, f1_high : float or None
        From the 2.5th to the 97.5th percentile of F1 over pages drawn again and again.
    wanted, unwanted : float or None
        Share of the segments that are in the extracted text.
    titles : float or None
        Share of the titles that are exactly right.
    dates, dates_said : float or None
        Share of days that are right, of all and of those said.
    ms_mean, ms_median : float
        CPU time of a page.
    """

    n_pages: int = 0
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    f1_low: float | None = None
    f1_high: float | None = None
    wanted: float | None = None
    unwanted: float | None = None
    titles: float | None = None
    dates: float | None = None
    dates_said: float | None = None
    ms_mean: float = 0.0
    ms_median: float = 0.0


def read_gold(folder: Path) -> list[GoldPage]:
    """Read ``gold.jsonl`` and ``pages/ID.html.gz`` of a folder; pages without gold count too.

    Raises
    ------
    ExtractionError
        If a file is missing or is not what it should be.
    """
    try:
        lines = (folder / GOLD_FILE).read_text(encoding="utf-8").splitlines()
        return [_gold_page(folder, json.loads(line)) for line in lines if line]
    except OSError as error:
        raise ExtractionError(f"{error.filename}: cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ExtractionError(f"{folder / GOLD_FILE}: {error!r}") from error


def _gold_page(folder: Path, gold: Mapping[str, Any]) -> GoldPage:
    file = folder / "pages" / f"{gold['id']}.html.gz"
    try:
        body = gzip.decompress(file.read_bytes())
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ExtractionError(f"{file}: damaged gzip data ({error})") from error
    return GoldPage(
        id=gold["id"],
        body=body,
        url=_canonical(gold.get("url") or ""),
        text=gold.get("text") or "",
        wanted=gold.get("with") or (),
        unwanted=gold.get("without") or (),
        title=(gold.get("title") or "").strip(),
        date=(gold.get("date") or "")[:10],
    )


def _canonical(url: str) -> str:
    try:
        return canonical_url(url)
    except FetchError:
        return NO_URL  # Some of the gold names files.


def own_extract(page: GoldPage) -> ExtractorOutput:
    """Return what `parse_page` finds; nothing on a page without text."""
    try:
        parsed = parse_page(page.body, page.url)
    except ParseError:
        return ExtractorOutput("", "", "")
    # The clock must not decide what a page of years ago says.
    published = find_published(parsed, datetime(2100, 1, 1, tzinfo=UTC))
    return ExtractorOutput(parsed.text, parsed.title, f"{published:%Y-%m-%d}" if published else "")


@dataclass(slots=True)
class _Tally:
    """Counts of one extractor while it goes over the pages."""

    overlaps: list[tuple[float, float]] = field(default_factory=list)
    wanted: list[bool] = field(default_factory=list)
    unwanted: list[bool] = field(default_factory=list)
    titles: list[bool] = field(default_factory=list)
    dates: list[bool] = field(default_factory=list)
    dates_said: list[bool] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)

    def add(self, page: GoldPage, found: ExtractorOutput) -> None:
        """Compare what was found on a page with its gold."""
        if found.text is not None:
            if page.text:
                self.overlaps.append(precision_and_recall(found.text, page.text))
            text = _folded(found.text)
            self.wanted += [_folded(segment) in text for segment in page.wanted]
            self.unwanted += [_folded(segment) in text for segment in page.unwanted]
        if page.title and found.title is not None:
            self.titles.append(found.title.strip() == page.title)
        if page.date and found.date is not None:
            self.dates.append(found.date == page.date)
            if found.date:
                self.dates_said.append(found.date == page.date)


def evaluate_extractor(
    extract: Extractor,
    pages: Sequence[GoldPage],
    *,
    seed: int = 0,
    progress: Callable[[], object] = lambda: None,
) -> Extraction:
    """Measure an extractor on all pages; one that raises ends the evaluation."""
    tally = _Tally()
    for page in pages:
        start = time.process_time()
        found = extract(page)
        tally.ms.append(1000 * (time.process_time() - start))
        tally.add(page, found)
        progress()
    low, high = _interval(tally.overlaps, random.Random(seed))
    precision, recall, f1 = _mean_overlap(tally.overlaps)
    return Extraction(
        n_pages=len(pages),
        precision=precision,
        recall=recall,
        f1=f1,
        f1_low=low,
        f1_high=high,
        wanted=_share(tally.wanted),
        unwanted=_share(tally.unwanted),
        titles=_share(tally.titles),
        dates=_share(tally.dates),
        dates_said=_share(tally.dates_said),
        ms_mean=fmean(tally.ms) if tally.ms else 0.0,
        ms_median=median(tally.ms) if tally.ms else 0.0,
    )


def precision_and_recall(found: str, wanted: str) -> tuple[float, float]:
    """Precision and recall of the runs of up to four words in a text; 0 for no runs."""
    have, want = _runs(found), _runs(wanted)
    n_shared = (have & want).total()
    return n_shared / max(have.total(), 1), n_shared / max(want.total(), 1)


def _runs(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return Counter(
        tuple(words[end - length : end])
        for end in range(1, len(words) + 1)
        for length in range(1, min(_MAX_RUN, end) + 1)
    )


def _mean_overlap(
    overlaps: Sequence[tuple[float, float]],
) -> tuple[float, float, float] | tuple[None, None, None]:
    if not overlaps:
        return None, None, None
    precision, recall = (fmean(values) for values in zip(*overlaps, strict=True))
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def _interval(
    overlaps: Sequence[tuple[float, float]], rng: random.Random
) -> tuple[float | None, float | None]:
    """The 95 % bootstrap interval of F1."""
    if not overlaps:
        return None, None
    drawn = (rng.choices(overlaps, k=len(overlaps)) for _ in range(_N_RESAMPLED))
    scores = sorted(_mean_overlap(sample)[2] or 0.0 for sample in drawn)
    return scores[_N_RESAMPLED // 40], scores[-1 - _N_RESAMPLED // 40]


def _share(values: Iterable[bool]) -> float | None:
    kept = list(values)
    return fmean(kept) if kept else None


def _folded(text: str) -> str:
    return " ".join(text.split())
