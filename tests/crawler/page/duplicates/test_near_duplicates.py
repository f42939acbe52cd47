import random
from functools import cache
from html import escape
from itertools import combinations, permutations
from types import ModuleType

import numpy as np
import pytest

from crawler.page.duplicates.fingerprint import simhash
from crawler.page.duplicates.near_duplicates import (
    MAX_COMPARED,
    MAX_FIRSTS,
    SAME_TITLE,
    StoryFeatures,
    StoryGroups,
    is_same_story,
    title_likeness,
)
from crawler.page.duplicates.shingles import Shingles
from crawler.page.parse import parse_page
from crawler.page.parsed import PageTerms
from tests.crawler.page import more_stories, stories


@cache
def shingles_of(page: stories.StoryFeatures) -> Shingles:
    """Those of the page as parsed, its lines as paragraphs."""
    lines = "".join(f"<p>{escape(line)}</p>" for line in page.text.split("\n"))
    markup = f"<title>{escape(page.title)}</title><main>{lines}</main>"
    terms = parse_page(markup.encode(), "http://a.test/", "text/html; charset=utf-8").terms
    return Shingles(lambda: terms)


def features_of(key: int, page: stories.StoryFeatures) -> StoryFeatures:
    return StoryFeatures.of(key, page.title, simhash(page.text), shingles=shingles_of(page))


def f1(n_right: int, n_wrong: int, n_missed: int) -> float:
    return 2 * n_right / (2 * n_right + n_wrong + n_missed)


def test_labelled_pairs_are_distinguished_in_both_languages() -> None:
    pairs = stories.labelled_pairs()
    verdicts = [
        (is_same_story(features_of(1, one), features_of(2, other)), same)
        for one, other, same in pairs
    ]

    assert sum(same for *_, same in pairs) >= 300
    assert sum(not same for *_, same in pairs) >= 300
    n_right = verdicts.count((True, True))
    assert f1(n_right, verdicts.count((True, False)), verdicts.count((False, True))) >= 0.95


def test_pairs_written_before_the_code_was_asked_are_distinguished_as_well() -> None:
    pairs = more_stories.labelled_pairs()
    verdicts = [
        (is_same_story(features_of(1, one), features_of(2, other)), same)
        for one, other, same in pairs
    ]
    n_right = verdicts.count((True, True))

    assert sum(same for *_, same in pairs) >= 300
    assert f1(n_right, verdicts.count((True, False)), verdicts.count((False, True))) >= 0.98


def all_pages(seed: int) -> dict[int, stories.StoryFeatures]:
    """Every labelled page once, in an order of chance."""
    pages = {page: None for one, other, _ in stories.labelled_pairs() for page in (one, other)}
    order = list(pages)
    random.Random(seed).shuffle(order)
    return dict(enumerate(order))


@pytest.mark.parametrize("seed", range(5))
def test_groups_are_as_good_as_pairs_in_any_order(seed: int) -> None:
    pages = all_pages(seed)
    stories_so_far = StoryGroups()
    groups = {key: stories_so_far.place(features_of(key, page)) for key, page in pages.items()}

    verdicts = [
        (groups[one] == groups[other], pages[one].story == pages[other].story)
        for one, other in combinations(pages, 2)
    ]
    n_right = verdicts.count((True, True))
    assert f1(n_right, verdicts.count((True, False)), verdicts.count((False, True))) >= 0.9


def test_a_page_once_placed_never_moves() -> None:
    pages = all_pages(1)
    groups = StoryGroups()
    half = dict(list(pages.items())[: len(pages) // 2])

    before = {key: groups.place(features_of(key, page)) for key, page in half.items()}
    for key, page in pages.items():
        if key not in half:
            groups.place(features_of(key, page))
    after = {key: groups.place(features_of(key, page)) for key, page in half.items()}

    assert after == before
    assert all(first <= key for key, first in before.items() if first in half)


FIRST, OWN = 0x0F0F_3C3C_5555_99AA, 0x1234_5678_9ABC_DEF0
ALL_OTHER = FIRST ^ 0xFFFF_FFFF
TITLE = "Solar cells on every roof of the valley - Beta"


@pytest.mark.parametrize(
    ("title", "site", "own", "group"),
    [
        (TITLE, "beta.test", OWN, 1),
        (TITLE, "beta.test", OWN ^ 0b111, 1),
        (TITLE, "beta.test", OWN ^ 0xFFFF, 3),
        (TITLE, "beta.test", 0, 3),
        (TITLE, "gamma.test", OWN, 3),
        (TITLE, "", OWN, 3),
        ("Wind power on every ridge of the valley - Beta", "beta.test", OWN, 3),
    ],
    ids=["moved", "edited", "next report", "unknown", "other site", "no site", "other title"],
)
def test_what_moved_is_known_by_its_own_page_in_whichever_group(
    title: str, site: str, own: int, group: int
) -> None:
    groups = StoryGroups()
    groups.place(StoryFeatures.of(1, "Solar cells on every roof - Alpha", FIRST, "alpha.test"))
    reprint = StoryFeatures.of(2, TITLE, FIRST ^ 1, "beta.test", own_fingerprint=OWN)
    assert groups.place(reprint) == 1

    moved = StoryFeatures.of(3, title, ALL_OTHER, site, own_fingerprint=own)

    assert groups.place(moved) == group


def test_pages_of_hardly_any_text_are_alike_to_nothing() -> None:
    groups = StoryGroups()
    pages = [StoryFeatures.of(key, "Sign in to read on", 0) for key in range(3)]

    assert [groups.place(page) for page in pages] == [0, 1, 2]


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        ("Roof power for all - Grid Week", "Roof power for all | energy.example", 1.0, 1.0),
        ("屋顶上的太阳能电站_村网", "屋頂上的太陽能電站｜山嶺日報", 1.0, 1.0),
        ("ROOF POWER FOR ALL", "Roof power, for all!", 1.0, 1.0),
        ("Report for week 31", "Report for week 32", 0.0, 0.0),
        ("News", "News", 0.0, 0.0),
        ("", "", 0.0, 0.0),
        ("Roof power for all", "Soup with onions and bread", 0.0, 0.2),
        (
            "Solar power",
            "Why the town by the sea gave up on solar power after forty years",
            0.0,
            0.3,
        ),
    ],
)
def test_title_likeness_leaves_out_site_names_and_minds_numbers(
    one: str, other: str, low: float, high: float
) -> None:
    likeness = title_likeness(StoryFeatures.of(1, one, 1), StoryFeatures.of(2, other, 1))

    assert low <= likeness <= high
    assert likeness == title_likeness(StoryFeatures.of(2, other, 1), StoryFeatures.of(1, one, 1))


def text(first: int, last: int) -> Shingles:
    """Of a text that shares its words from `first` to `last` with others made so."""
    words = [f"word{number}" for number in range(first, last)]
    terms = page_terms_of(words)
    return Shingles(lambda: terms)


def page_terms_of(words: list[str]) -> PageTerms:
    sequence = np.arange(len(words), dtype="<u2").tobytes()
    return PageTerms("en", words, sequence, b"\1" * len(words))


ROOF = "Roof power for all of us"


@pytest.mark.parametrize(
    ("n_bits", "title", "words", "same"),
    [
        (24, ROOF, (0, 200), True),
        (25, ROOF, (0, 200), False),
        (24, f"Breaking: {ROOF} - Beta", (100, 300), True),
        (24, ROOF, (150, 350), False),
        (18, f"{ROOF} tomorrow", (40, 240), True),
        (18, f"{ROOF} tomorrow", (100, 300), False),
        (24, "Roof power for nobody at all", (0, 200), False),
        (18, f"{ROOF} tomorrow", (0, 60), True),
        (3, "Another headline entirely here", (0, 200), True),
        (3, "Another headline entirely here", (0, 60), False),
        (3, "Another headline entirely here", (100, 300), False),
        (4, "Another headline entirely here", (0, 200), False),
        (3, f"{ROOF}, part 2", (0, 200), False),
        (0, ROOF, (200, 400), False),
    ],
)
def test_two_sites_tell_one_story_if_their_texts_share_enough_for_their_titles(
    n_bits: int, title: str, words: tuple[int, int], *, same: bool
) -> None:
    fingerprint = 0x0123_4567_89AB_CDEF
    one = StoryFeatures.of(1, ROOF, fingerprint, "a.test", shingles=text(0, 200))
    other = StoryFeatures.of(
        2, title, fingerprint ^ ((1 << n_bits) - 1), "b.test", shingles=text(*words)
    )

    assert is_same_story(one, other) is same
    assert is_same_story(other, one) is same


@pytest.mark.parametrize(("n_bits", "same"), [(3, True), (4, False)])
def test_where_texts_are_unknown_only_near_fingerprints_count(n_bits: int, *, same: bool) -> None:
    one = StoryFeatures.of(1, ROOF, 0xCAFE_CAFE, "a.test", shingles=text(0, 200))
    other = StoryFeatures.of(2, ROOF, 0xCAFE_CAFE ^ ((1 << n_bits) - 1), "b.test")

    assert is_same_story(one, other) is same


def test_an_article_on_a_part_of_a_subject_is_no_copy_of_the_one_on_all_of_it() -> None:
    one = StoryFeatures.of(1, "Internet", 0xCAFE_CAFE, "a.test", shingles=text(0, 5000))
    other = StoryFeatures.of(
        2, "Internet Explorer", 0xCAFE_CAF0, "b.test", shingles=text(4000, 9000)
    )

    assert title_likeness(one, other) == 1.0
    assert not is_same_story(one, other)


def test_neighbours_in_a_manual_of_one_site_are_stories_of_their_own() -> None:
    one = StoryFeatures.of(1, "TwipsPerPixelX function", 7, "a.test", shingles=text(0, 40))
    other = StoryFeatures.of(2, "TwipsPerPixelY function", 7, "a.test", shingles=text(20, 60))

    assert title_likeness(one, other) > SAME_TITLE
    assert not is_same_story(one, other)


@pytest.mark.parametrize(
    ("n_bits", "title", "same"),
    [
        (3, "Roof power for all of us", True),
        (12, "Roof power for all of us", True),
        (13, "Roof power for all of us", False),
        (3, "Roof power for all of us now", True),
        (4, "Roof power for all of us now", False),
        (3, "Another headline entirely here", False),
    ],
)
def test_pages_of_one_site_must_agree_in_both(n_bits: int, title: str, *, same: bool) -> None:
    fingerprint = 0x0123_4567_89AB_CDEF
    one = StoryFeatures.of(1, "Roof power for all of us", fingerprint, "a.test")
    other = StoryFeatures.of(2, title, fingerprint ^ ((1 << n_bits) - 1), "a.test")

    assert is_same_story(one, other) is same


@pytest.mark.parametrize(
    ("own_bits", "all_bits", "title", "same"),
    [
        (0, 64, "Roof power for all of us", True),
        (8, 64, "Roof power for all of us", True),
        (9, 0, "Roof power for all of us", False),
        (0, 4, "Roof power for all of us now", False),
        (64, 3, "Roof power for all of us now", True),
        (0, 0, "Another headline entirely here", False),
        (0, 0, "News", False),
    ],
)
def test_under_the_very_same_title_counts_what_pages_say_themselves(
    own_bits: int, all_bits: int, title: str, *, same: bool
) -> None:
    prints = 0x0123_4567_89AB_CDEF, 0x0BAD_CAFE_0BAD_CAFE
    first = "News" if title == "News" else "Roof power for all of us"
    one = StoryFeatures.of(1, first, prints[0], "a.test", own_fingerprint=prints[1])
    changed = prints[0] ^ ((1 << all_bits) - 1), prints[1] ^ ((1 << own_bits) - 1)
    other = StoryFeatures.of(2, title, changed[0], "a.test", own_fingerprint=changed[1])

    assert is_same_story(one, other) is same


@pytest.mark.parametrize(("n_bits", "same"), [(12, True), (13, False)])
def test_a_page_stored_before_is_compared_by_all_of_its_text(n_bits: int, *, same: bool) -> None:
    before = StoryFeatures.of(1, "Roof power for all of us", 0xCAFE_CAFE, "a.test")
    changed = 0xCAFE_CAFE ^ ((1 << n_bits) - 1)
    now = StoryFeatures.of(2, "Roof power for all of us", changed, "a.test", own_fingerprint=0xBAD)

    assert is_same_story(before, now) is same
    assert is_same_story(now, before) is same


@pytest.mark.parametrize("shared", ["title and site", "text", "title"])
def test_pages_that_share_much_are_compared_with_a_bounded_number(shared: str) -> None:
    rng, groups, n_pages = random.Random(1), StoryGroups(), 5 * MAX_COMPARED
    for key in range(n_pages):
        letters = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=30))
        title = letters if shared == "text" else "Roof power for all of us"
        site = f"{key}.test" if shared == "title" else "a.test"
        fingerprint = 7 if shared == "text" else rng.getrandbits(64)
        own = rng.getrandbits(64)
        groups.place(StoryFeatures.of(key, title, fingerprint, site, own_fingerprint=own))

    assert 0 < groups.n_compared <= 2 * MAX_COMPARED * n_pages


@pytest.mark.parametrize("labelled", [stories, more_stories], ids=["first", "second"])
def test_no_page_that_tells_the_same_is_ruled_out_unread(labelled: ModuleType) -> None:
    pages = {page: None for one, other, _ in labelled.labelled_pairs() for page in (one, other)}
    versions = [features_of(key, page) for key, page in enumerate(pages)]
    n_same = 0
    for one, other in permutations(versions, 2):
        if is_same_story(one, other):
            groups = StoryGroups()
            groups.begin(other)
            assert groups.place(one) == other.key
            n_same += 1

    assert n_same >= 300


def test_the_latest_groups_are_known_and_older_ones_are_not() -> None:
    rng, groups = random.Random(1), StoryGroups()
    pages = [StoryFeatures.of(key, "", rng.getrandbits(64)) for key in range(MAX_FIRSTS + 1)]
    for page in pages:
        groups.begin(page)

    def copy(key: int) -> StoryFeatures:
        return StoryFeatures.of(-1 - key, "", pages[key].fingerprint)

    for key in (1, 2, MAX_FIRSTS):
        assert groups.place(copy(key)) == key
    assert groups.place(copy(0)) == -1
