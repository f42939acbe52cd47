"""The first places of a list: the best, with room for new sites."""

import random

import pytest

from crawler.ranking.new_site_slots import Candidate, first_ranked, with_reserved


def ranked(sites: str) -> list[Candidate]:
    """One candidate a letter, the letter its site; capitals are new sites."""
    return [Candidate(key, site, site.isupper()) for key, site in enumerate(sites)]


def names_of(candidates: list[Candidate]) -> str:
    return "".join(str(one.site) for one in candidates)


# best first, places, per site, who wins them
@pytest.mark.parametrize(
    ("sites", "n_places", "per_site", "expected"),
    [
        ("", 10, None, ""),
        ("abc", 0, None, ""),
        ("abc", 10, None, "abc"),
        ("abcdefghijkN", 10, None, "abcdefghiN"),
        ("abcdefghijkNM", 10, None, "abcdefghNM"),
        ("abcdefghijkNMK", 10, None, "abcdefghNM"),
        ("aNMKdefghijk", 10, None, "aNMKdefghi"),
        ("abcdN", 5, None, "abcdN"),
        ("abcdeN", 5, None, "abcdN"),
        ("abN", 1, None, "N"),
        ("aaaab", 4, 3, "aaab"),
        ("aaaaa", 4, 3, "aaa"),
        ("aaaaaNNNN", 5, 2, "aaNN"),
        ("abcdefghNNNNNNNNNN", 10, 3, "abcdefghNN"),
    ],
)
def test_the_first_places(sites: str, n_places: int, per_site: int | None, expected: str) -> None:
    assert names_of(first_ranked(ranked(sites), n_places, per_site=per_site)) == expected


def test_all_others_follow_in_their_order() -> None:
    assert names_of(with_reserved(ranked("abcdefghijkNMlm"))) == "abcdefghNMijklm"


def test_new_sites_have_their_share_of_any_list_and_nobody_is_lost() -> None:
    chance = random.Random(1)
    for _ in range(300):
        candidates = ranked("".join(chance.choices("abcdefNM", k=chance.randrange(60))))
        n_places = chance.randrange(1, 30)
        ordered = with_reserved(candidates, n_places)
        n_new = sum(one.new_site for one in candidates)
        n_first = sum(one.new_site for one in ordered[:n_places])

        assert sorted(one.key for one in ordered) == list(range(len(candidates)))
        assert n_first >= min(n_new, 0.2 * n_places)


@pytest.mark.parametrize(
    ("n_places", "share", "per_site"), [(-1, 0.2, None), (5, 1.1, None), (5, 0.2, 0)]
)
def test_impossible_numbers_are_refused(n_places: int, share: float, per_site: int | None) -> None:
    with pytest.raises(ValueError, match=str(n_places)):
        first_ranked(ranked("ab"), n_places, share=share, per_site=per_site)
