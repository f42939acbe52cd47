"""At the end of a run the sections of sites move the relevance of the pages in them."""

import random
from dataclasses import asdict, replace

import pytest

from crawler.crawl.blackboard import Blackboard
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.judging.context import build_context, make_judge
from crawler.judging.rescore import rejudge
from crawler.judging.training import load_sections
from crawler.knowledge.judge import SectionEffect
from crawler.models import Crawl, Harvest
from crawler.page.parse import parse_page
from crawler.page.parsed import PageTerms
from crawler.replay.memory_blackboard import MemoryBlackboard
from focusweb.clock import utc_now
from tests.crawler.conftest import MakeBoard, make_run
from tests.crawler.crawl.test_crawl_loop import crawl
from tests.crawler.knowledge.judged_pages import OTHER_WORDS, SOLAR_WORDS
from tests.crawler.web import PROFILE, SEED, SETTINGS, PaperWeb

FOCUS = replace(SETTINGS, judge="focus", n_pages=300)
SOLAR, MIXED = "http://big.test/solar/", "http://big.test/mixed/"


def web_pages() -> dict[str, str]:
    """A seed that links to a site: one folder is about solar power, of the other hardly a page."""
    rng = random.Random(5)

    def text(n_solar: int, n_other: int) -> str:
        words = [*rng.choices(SOLAR_WORDS, k=n_solar), *rng.choices(OTHER_WORDS, k=n_other)]
        return " ".join(rng.sample(words, len(words)))

    pages = {f"{SOLAR}{n}.html": text(25 if n % 4 else 8, 40) for n in range(32)}
    pages |= {f"{MIXED}{n}.html": text(0 if n % 4 else 8, 40) for n in range(56)}
    links = " ".join(f'<a href="{url}">page</a>' for url in pages)
    pages[SEED] = text(60, 30) + links
    return {url: f"<title>Page</title><p>{body}</p>" for url, body in pages.items()}


PAGES = web_pages()


def terms_of(url: str) -> PageTerms:
    return parse_page(PAGES[url].encode(), url, "text/html").terms


def stored(board: Blackboard) -> dict[str, float]:
    """Relevance of each fetched page."""
    if isinstance(board, MemoryBlackboard):
        postings = board.harvests.values()
        return {p.claim.url: p.verdict.relevance for p in postings if p.verdict}
    return dict(Harvest.objects.values_list("url__url", "relevance"))


def test_what_the_judge_says_is_moved_by_the_section(make_board: MakeBoard) -> None:
    board = make_board(FOCUS)

    crawl(board, PaperWeb(PAGES), slice_pages=40)

    judge, sections = make_judge(PROFILE, FOCUS, board.training_set()), board.sections()
    moved = {SOLAR: 0, MIXED: 0}
    for url, relevance in stored(board).items():
        said = judge.judge(terms_of(url))
        assert relevance == pytest.approx(sections.verdict(url, said).relevance, abs=1e-6)
        if url.startswith(SOLAR) and 0.1 < said.relevance < 0.9:
            moved[SOLAR] += relevance > said.relevance + 0.01
        if url.startswith(MIXED) and 0.1 < said.relevance < 0.9:
            moved[MIXED] += relevance < said.relevance - 0.01
    assert min(moved.values()) >= 4


def test_a_page_of_the_next_run_is_moved_by_what_is_known_of_its_section(
    make_board: MakeBoard,
) -> None:
    board = make_board(FOCUS)
    context = build_context(board)

    crawl(board, PaperWeb(PAGES), slice_pages=40)

    after = build_context(board, context)
    page = terms_of(f"{SOLAR}4.html")
    said = after.judge.judge(page).relevance
    assert after.verdict(f"{SOLAR}new.html", page).relevance > said
    assert after.verdict("http://new.test/page.html", page).relevance == said


def test_a_judge_whose_relevance_is_no_probability_is_not_moved(make_board: MakeBoard) -> None:
    board = make_board(replace(FOCUS, judge="cosine"))

    crawl(board, PaperWeb(PAGES), slice_pages=40)

    judge = make_judge(PROFILE, replace(FOCUS, judge="cosine"), board.training_set())
    for url, relevance in stored(board).items():
        assert relevance == pytest.approx(judge.judge(terms_of(url)).relevance, abs=1e-6)
    assert board.sections().effect(f"{SOLAR}4.html") is None


@pytest.fixture
def crawled(db: None) -> Crawl:
    """A crawl in tables whose run is over."""
    run = make_run(FOCUS)
    crawl(DatabaseBlackboard(run), PaperWeb(PAGES), slice_pages=40)
    return run.crawl


def assert_sections_are_named(crawl: Crawl) -> None:
    sections = load_sections(crawl)
    rows = list(Harvest.objects.kept().values_list("url__url", "explanation"))

    assert rows
    for url, explanation in rows:
        effect, named = sections.effect(url), explanation["judge"]["section"]
        if effect is None:
            assert named is None
            continue
        assert (named["path"], named["n_pages"]) == (effect.path, effect.n_pages)
        assert named["change"] == pytest.approx(effect.change)


def test_the_explanation_names_the_section(crawled: Crawl) -> None:
    assert_sections_are_named(crawled)


def test_the_figures_of_a_section_are_of_the_last_run(crawled: Crawl) -> None:
    # As if a run before had found fewer pages, and each page been given nearly the same relevance.
    for page in Harvest.objects.kept():
        page.explanation["judge"]["section"] = asdict(SectionEffect("big.test", 7, 0.4, 0.3, 0.1))
        page.judge_relevance = (page.judge_relevance or 0.0) + 0.0001
        page.save()

    rejudge(crawled, utc_now(), anew=True)

    assert_sections_are_named(crawled)


def test_another_judge_forgets_the_sections(crawled: Crawl) -> None:
    crawled.describe(crawled.profile, replace(crawled.settings, judge="cosine"))
    crawled.save()

    rejudge(crawled, utc_now())

    assert load_sections(crawled).effect(f"{SOLAR}4.html") is None
    explained = Harvest.objects.kept().values_list("explanation", flat=True)
    assert {explanation["judge"]["section"] for explanation in explained} == {None}
