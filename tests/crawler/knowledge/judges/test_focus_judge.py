"""The judge that learns from examples against the background."""

import random
from collections.abc import Sequence
from dataclasses import replace
from math import log
from statistics import fmean

import pytest

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, Judge, OrderingJudge, TrainingSet
from crawler.knowledge.judges.cosine_judge import CosineJudge
from crawler.knowledge.judges.focus_judge import FocusJudge
from crawler.knowledge.judges.focus_kind import FocusKind
from crawler.knowledge.judges.focus_learning import MIN_BACKGROUND, learn
from crawler.knowledge.page_matrix import PageMatrix, relevances
from crawler.knowledge.profile import CrawlSettings, TopicProfile, WeightedTerm
from crawler.page.parse import parse_page
from crawler.page.parsed import PageTerms
from crawler.text.tokens import tokenize
from tests.crawler.knowledge.judged_pages import (
    OTHER_WORDS,
    SOLAR_WORDS,
    other_page,
    page_of,
    solar_examples,
    solar_page,
    training_set_of,
)

SOLAR = TopicProfile("solar")
ROOF = page_of("rooftop watt cell rooftop football coach league goal")


def judge_of(training_set: TrainingSet, profile: TopicProfile = SOLAR) -> Judge:
    return FocusKind().build(profile, CrawlSettings(), training_set)


def relevance(training_set: TrainingSet, page: PageTerms) -> float:
    return judge_of(training_set).judge(page).relevance


@pytest.mark.parametrize("n_links", [0, 40, 120])
def test_a_menu_before_an_article_does_not_move_its_relevance(n_links: int) -> None:
    training_set = training_set_of(*solar_examples(5), n_background=80)
    rng = random.Random(5)
    article = "".join(
        f"<p>The {' '.join(rng.choices(SOLAR_WORDS, k=12))}, and"
        f" the {' '.join(rng.choices(OTHER_WORDS, k=6))}, as it is said.</p>"
        for _ in range(6)
    )
    menu = "".join(f"<li><a href=/{n}>{rng.choice(OTHER_WORDS)} {n}</a>" for n in range(n_links))

    bare = parse_page(article.encode(), "http://a.test/").terms
    framed = parse_page(f"<ul>{menu}</ul>{article}".encode(), "http://a.test/").terms

    assert relevance(training_set, bare) > 0.5
    assert relevance(training_set, framed) == pytest.approx(relevance(training_set, bare), abs=0.02)


@pytest.mark.parametrize("n_hidden", [0, 6, 20])
def test_relevance_is_a_probability_whatever_the_background_hides(n_hidden: int) -> None:
    judge = judge_of(training_set_of(*solar_examples(5), n_hidden=n_hidden, n_background=80))
    rng = random.Random(7)

    on = [judge.judge(solar_page(rng)).relevance for _ in range(40)]
    off = [judge.judge(other_page(rng)).relevance for _ in range(40)]

    assert sum(on) / 40 > 0.5 > 0.15 > sum(off) / 40


def test_without_enough_background_the_cosine_judge_speaks() -> None:
    few = judge_of(training_set_of(*solar_examples(), n_background=MIN_BACKGROUND - 1))
    enough = judge_of(training_set_of(*solar_examples(), n_background=MIN_BACKGROUND))

    assert isinstance(few, CosineJudge)
    assert isinstance(enough, FocusJudge)


def page_with_own_words(n: int) -> PageTerms:
    """A page that shares a few words with others and says many that no other page says."""
    shared = random.Random(n).choices(OTHER_WORDS, k=4)
    return page_of(" ".join([*shared, *(f"own{n}x{m}" for m in range(30))]))


def first_crawl(name: str, seeds: Sequence[PageTerms], *, n_others: int = 0) -> Judge:
    """The judge after a crawl of 60 pages from some seeds."""
    pages = [page_with_own_words(n) for n in range(60 + n_others)]
    frequencies = DocumentFrequencies()
    frequencies.add([*pages[:60], *seeds])
    found = TrainingSet(frequencies, [Example(seed) for seed in seeds], pages, n_fetched=60)
    return judge_of(found, TopicProfile(name))


UNLIKE = [page_of(" ".join(OTHER_WORDS[:24])), page_of(" ".join(OTHER_WORDS[24:]))]
ALIKE = [page_of(" ".join(OTHER_WORDS[n : n + 30])) for n in (0, 5)]


@pytest.mark.parametrize("name", ["quuxotronics", "violin"])
def test_a_first_crawl_with_few_words_of_the_topic_keeps_only_what_is_like_a_seed(
    name: str,
) -> None:
    judge = first_crawl(name, UNLIKE)

    pages = [page_with_own_words(n) for n in range(60)]
    kept = [page for page in pages if judge.judge(page).relevance >= 0.5]

    assert isinstance(judge, CosineJudge)
    assert all(name in page.vocabulary for page in kept)
    assert judge.judge(UNLIKE[0]).relevance >= 0.5


@pytest.mark.parametrize(
    ("name", "seeds", "n_others"),
    [
        ("quuxotronics", ALIKE, 0),
        (" ".join(OTHER_WORDS[::3]), UNLIKE, 0),
        ("quuxotronics", UNLIKE, MIN_BACKGROUND),
    ],
)
def test_likeness_to_seeds_counts_if_they_are_alike_or_words_or_other_crawls_support_it(
    name: str, seeds: list[PageTerms], n_others: int
) -> None:
    assert isinstance(first_crawl(name, seeds, n_others=n_others), FocusJudge)


@pytest.mark.parametrize(
    "examples", [[], [Example(PageTerms())], [Example(page_of("opera"), good=False)]]
)
def test_without_a_good_example_the_cosine_judge_speaks(examples: list[Example]) -> None:
    assert isinstance(judge_of(training_set_of(*examples)), CosineJudge)


def test_an_example_raises_pages_like_it_and_a_bad_one_teaches_nothing() -> None:
    seeds = solar_examples()
    training_set = training_set_of(*seeds)
    plain = relevance(training_set, ROOF)

    def with_example(good: bool) -> float:
        return relevance(replace(training_set, examples=[*seeds, Example(ROOF, good, 2.0)]), ROOF)

    assert with_example(good=True) > plain == with_example(good=False)


def test_a_term_that_only_the_background_has_never_counts_for_the_topic() -> None:
    examples = [Example(page_of("solar panel inverter photovoltaic silicon module"))]
    training_set = training_set_of(*examples, n_background=80, n_hidden=30)
    given = set(examples[0].terms.vocabulary)

    weights = learn(SOLAR, training_set).weights

    assert {term for term, weight in weights.items() if weight > 1e-9} <= given
    assert len(weights) > len(given) + 20


def test_the_surest_pages_still_differ() -> None:
    judge = judge_of(training_set_of(*solar_examples(5), n_background=100))
    sure = judge.judge(page_of("solar panel photovoltaic inverter module cell")).relevance
    surer = judge.judge(page_of("solar panel photovoltaic inverter module cell sunlight")).relevance

    assert sure < surer < 1


def test_learning_takes_hidden_topic_pages_out_of_the_background() -> None:
    """A crawl's background is what it fetched, and much of that is on topic."""
    training_set = training_set_of(*solar_examples(5), n_background=80, n_hidden=24)
    model = learn(SOLAR, training_set)

    assert all(model.weights[term] > 0 for term in ("panel", "photovolta", "silicon"))
    assert relevance(training_set, solar_page(random.Random(8))) > 0.5


def crawled_library(n_on: int, n_off: int) -> TrainingSet:
    """Examples beside what a crawl fetched: so many solar pages, and others."""
    rng = random.Random(11)
    fetched = [solar_page(rng) for _ in range(n_on)] + [other_page(rng) for _ in range(n_off)]
    examples = solar_examples(5)
    frequencies = DocumentFrequencies()
    frequencies.add([*fetched, *(example.terms for example in examples)])
    return TrainingSet(frequencies, examples, fetched, n_fetched=len(fetched))


@pytest.mark.parametrize("n_on", [20, 60, 100])
def test_a_good_crawl_does_not_hide_the_topic_from_its_judge(n_on: int) -> None:
    judge = judge_of(crawled_library(n_on, 200 - n_on))
    rng = random.Random(12)

    on = [judge.judge(solar_page(rng)).relevance for _ in range(40)]
    off = [judge.judge(other_page(rng)).relevance for _ in range(40)]

    assert sum(relevance > 0.5 for relevance in on) >= 34
    assert sum(relevance > 0.5 for relevance in off) <= 2


def with_others(training_set: TrainingSet, n_others: int) -> TrainingSet:
    """The same beside pages of other crawls."""
    rng = random.Random(3)
    others = [other_page(rng) for _ in range(n_others)]
    training_set.frequencies.add(others)
    return replace(training_set, background=[*training_set.background, *others])


@pytest.mark.parametrize(("n_on", "n_others"), [(150, 0), (170, 0), (150, 100), (200, 100)])
def test_a_crawl_that_brings_nearly_only_the_topic_does_not_hide_it(
    n_on: int, n_others: int
) -> None:
    judge = judge_of(with_others(crawled_library(n_on, 200 - n_on), n_others))
    rng = random.Random(12)

    on = [judge.judge(solar_page(rng)).relevance for _ in range(40)]
    off = [judge.judge(other_page(rng)).relevance for _ in range(40)]

    assert sum(relevance > 0.5 for relevance in on) >= 34
    assert sum(relevance > 0.5 for relevance in off) <= 4


def test_one_example_unlike_the_others_does_not_make_all_pages_relevant() -> None:
    """A front page given as a seed, say."""
    rng, frequencies = random.Random(11), DocumentFrequencies()

    def page(n_solar: int) -> PageTerms:
        words = rng.choices(SOLAR_WORDS, k=n_solar) + rng.choices(OTHER_WORDS, k=40 - n_solar)
        return page_of(" ".join(words))

    fetched = [page(8) for _ in range(140)] + [page(0) for _ in range(60)]
    examples = [*(Example(page(8)) for _ in range(9)), Example(page(0))]
    frequencies.add([*fetched, *(example.terms for example in examples)])
    judge = judge_of(with_others(TrainingSet(frequencies, examples, fetched, len(fetched)), 100))

    assert sum(judge.judge(page(8)).relevance > 0.5 for _ in range(40)) >= 36
    assert sum(judge.judge(page(0)).relevance > 0.5 for _ in range(40)) <= 2


def in_chinese(page: PageTerms) -> PageTerms:
    """The same page, in words that no English page has."""
    return replace(page, language="zh", vocabulary=[f"zh{word}" for word in page.vocabulary])


@pytest.mark.parametrize("n_others", [0, 100])
def test_a_language_with_one_example_is_judged_nearly_like_the_one_with_nine(n_others: int) -> None:
    rng, frequencies = random.Random(11), DocumentFrequencies()
    own = ["solar", "panel", "silicon", "inverter", "module"]
    words = [*own, *(f"zh{tokenize(word)[0]}" for word in own)]
    profile = TopicProfile("solar", terms=tuple(map(WeightedTerm, words)))
    fetched = [solar_page(rng) for _ in range(60)] + [other_page(rng) for _ in range(60)]
    fetched += [in_chinese(solar_page(rng)) for _ in range(20)]
    fetched += [in_chinese(other_page(rng)) for _ in range(100)]
    examples = [*solar_examples(9), Example(in_chinese(solar_page(rng)))]
    frequencies.add([*fetched, *(example.terms for example in examples)])
    training_set = with_others(TrainingSet(frequencies, examples, fetched, len(fetched)), n_others)
    judge = judge_of(training_set, profile)

    pages = [solar_page(rng) for _ in range(40)]
    english = [judge.judge(page).relevance for page in pages]
    chinese = [judge.judge(in_chinese(page)).relevance for page in pages]
    off = [judge.judge(in_chinese(other_page(rng))).relevance for _ in range(40)]

    assert isinstance(judge, FocusJudge)
    # Without offsets the Chinese pages had .1 to .7, the English ones .97.
    assert fmean(english) - fmean(chinese) < 0.2
    assert fmean(off) < 0.02
    matrix = PageMatrix.of([in_chinese(page) for page in pages])
    assert relevances(judge, matrix).tolist() == pytest.approx(chinese, abs=1e-6)


def test_where_all_is_on_topic_the_topics_own_words_are_enough() -> None:
    """Without pages of other crawls there is no other background."""
    training_set = crawled_library(190, 10)
    judge, rng = judge_of(training_set), random.Random(12)
    on, off = [solar_page(rng) for _ in range(40)], [other_page(rng) for _ in range(40)]
    words = CosineJudge(SOLAR, TrainingSet(training_set.frequencies))
    by_words = [words.judge(page).relevance for page in on]
    found = [judge.judge(page).relevance for page in on]

    assert sum(relevance > 0.5 for relevance in by_words) >= 15
    assert all(one >= least for one, least in zip(found, by_words, strict=True))
    assert sum(judge.judge(page).relevance > 0.5 for page in off) <= 2
    assert relevances(judge, PageMatrix.of(on)).tolist() == pytest.approx(found, abs=1e-6)


def test_where_nothing_is_off_topic_likeness_to_the_examples_decides() -> None:
    """Against the few pages that may be off topic, chance would decide."""
    rng = random.Random(5)
    fetched = [solar_page(rng) for _ in range(2 * MIN_BACKGROUND)]
    frequencies = DocumentFrequencies({"en": 10 * len(fetched)})
    frequencies.add(fetched)
    training_set = TrainingSet(frequencies, solar_examples(10), fetched, n_fetched=len(fetched))
    model = learn(SOLAR, training_set)
    judge = judge_of(training_set)

    assert model.bias == 0
    assert min(model.weights.values()) >= 0
    assert sum(judge.judge(solar_page(rng)).relevance > 0.5 for _ in range(40)) >= 36
    assert judge.judge(other_page(rng)).relevance < 0.5


def test_the_order_of_fetched_pages_does_not_matter() -> None:
    training_set = crawled_library(50, 50)
    turned = replace(training_set, background=training_set.background[::-1])
    page = solar_page(random.Random(13))

    assert relevance(turned, page) == pytest.approx(relevance(training_set, page), abs=1e-3)


@pytest.mark.parametrize(
    ("n_fetched", "n_others", "speaks"),
    [
        (2 * MIN_BACKGROUND - 2, 0, CosineJudge),
        (2 * MIN_BACKGROUND, 0, FocusJudge),
        (MIN_BACKGROUND, MIN_BACKGROUND // 2, FocusJudge),
    ],
)
def test_of_fetched_pages_half_counts_as_background(
    n_fetched: int, n_others: int, speaks: type[Judge]
) -> None:
    training_set = training_set_of(*solar_examples(), n_background=n_fetched + n_others)

    assert isinstance(judge_of(replace(training_set, n_fetched=n_fetched)), speaks)


def test_the_crawl_order_does_not_go_by_the_share_of_topic_pages() -> None:
    judge, rng = judge_of(crawled_library(150, 50)), random.Random(12)
    on, off = [solar_page(rng) for _ in range(20)], [other_page(rng) for _ in range(20)]
    assert isinstance(judge, OrderingJudge)

    for_order = [judge.order_relevance(page) or 0.0 for page in on]

    assert fmean(for_order) < fmean(judge.judge(page).relevance for page in on)
    assert fmean(for_order) > 5 * fmean(judge.order_relevance(page) or 0.0 for page in off)


def test_the_crawl_order_goes_by_terms_alone_and_agrees_with_the_judge() -> None:
    judge = judge_of(with_others(crawled_library(20, 180), 100))
    page = solar_page(random.Random(12))
    assert isinstance(judge, OrderingJudge)

    assert judge.order_relevance(page) == pytest.approx(judge.judge(page).relevance, abs=0.05)
    by_terms = learn(SOLAR, crawled_library(20, 180)).unadjusted
    assert by_terms is not None and by_terms.latent is None


def test_what_a_rule_forbids_is_nothing_to_the_crawl_order_either() -> None:
    profile = replace(SOLAR, terms=(*SOLAR.terms, WeightedTerm("solar", excluded=True)))
    judge = FocusKind().build(profile, CrawlSettings(), crawled_library(150, 50))
    assert isinstance(judge, OrderingJudge)

    assert judge.order_relevance(solar_page(random.Random(12))) == 0.0


def test_a_title_that_names_the_kind_of_thing_of_the_examples_raises_a_page() -> None:
    names = ("Owl", "Penguin", "Albatross", "Heron", "Eagle")
    examples = [
        replace(one, terms=replace(one.terms, title=name))
        for one, name in zip(solar_examples(len(names)), names, strict=True)
    ]
    training_set = training_set_of(*examples)
    judge = FocusKind().build(SOLAR, CrawlSettings(), training_set)
    page = other_page(random.Random(5))
    pages = [replace(page, title=title) for title in ("Sparrow", "Spain", "", "qwertzuiop")]

    alone = [judge.judge(page).relevance for page in pages]

    assert isinstance(judge, FocusJudge)
    sparrow, spain, untitled, unknown = alone
    assert sparrow > spain
    assert sparrow > untitled == unknown
    assert relevances(judge, PageMatrix.of(pages)).tolist() == pytest.approx(alone, abs=1e-6)
    effect = judge.judge(pages[0]).title
    assert effect is not None
    assert (effect.kind, effect.chinese_kind) == ("bird", "鸟")
    assert effect.change == pytest.approx(log(sparrow / (1 - sparrow) * (1 - untitled) / untitled))
    assert [judge.judge(page).title for page in pages[1:]] == [None] * 3
