"""Regular expressions: what they match, what is refused, and how long they take."""

import random
import re
import time

import pytest

from topics.search.pattern_states import PatternError
from topics.search.patterns import LinearPattern


@pytest.mark.parametrize(
    ("pattern", "text", "is_in"),
    [
        ("gr[ae]y", "a grey cat", True),
        ("^a.c$", "abc", True),
        ("^a.c$", "abcd", False),
        (r"\bgrid\b", "the grid.", True),
        (r"\bgrid\b", "gridlock", False),
        (r"\d{4}-\d{2}", "on 2026-11-03", True),
        (r"\d{4}-\d{2}", "on 202-11-03", False),
        ("(ab|cd){2}", "xcdaby", True),
        ("电网|电力", "国家电力公司", True),
        (r"a\/b\.html?", "https://x.test/a/b.htm", True),
        ("[^a-z]", "abc", False),
        (r"[\d.-]+$", "v1.2-3", True),
        ("x{0}y", "y", True),
        ("", "", True),
    ],
)
def test_a_pattern_matches_anywhere_in_a_text(pattern: str, text: str, is_in: bool) -> None:
    assert LinearPattern(pattern).is_in(text) is is_in


def test_case_counts_unless_it_is_ignored() -> None:
    assert not LinearPattern("GPU[a-f]").is_in("gpuB")
    assert LinearPattern("GPU[a-f]", ignore_case=True).is_in("gpuB")
    assert LinearPattern("[^a]", ignore_case=True).is_in("A") is False


@pytest.mark.parametrize(
    ("pattern", "position"),
    [
        ("a(b", 1),
        ("a)b", 1),
        ("[ab", 0),
        ("[]", 0),
        ("[b-a]", 1),
        ("*a", 0),
        ("a**", 2),
        ("a{3,2}", 1),
        ("a{x}", 1),
        (r"(a)\1", 3),
        (r"\p", 0),
        ("(?=a)", 0),
        ("(?i)a", 0),
        ("a\\", 1),
    ],
)
def test_what_is_not_supported_is_refused_where_it_stands(pattern: str, position: int) -> None:
    with pytest.raises(PatternError) as caught:
        LinearPattern(pattern)

    assert (caught.value.position, caught.value.is_large) == (position, False)


@pytest.mark.parametrize(
    "pattern", ["a{101}", "(a{50}){50}", "(" * 21 + "a" + ")" * 21, "ab" * 400]
)
def test_a_large_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError) as caught:
        LinearPattern(pattern)

    assert caught.value.is_large


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a*)*b", "(a|a)*b", "(a|aa)+$b", "(x{0,40}){0,3}y"])
def test_no_text_makes_a_pattern_slow(pattern: str) -> None:
    started = time.process_time()

    assert not LinearPattern(pattern).is_in("a" * 2500 + "x" * 2500)

    assert time.process_time() - started < 1


def test_patterns_of_chance_match_what_those_of_python_match() -> None:
    rng = random.Random(1)
    n_compared = 0
    for _ in range(1500):
        pattern, ignored = _pattern(rng, 0), rng.random() < 0.3
        ours = LinearPattern(pattern, ignore_case=ignored)
        theirs = re.compile(pattern, re.IGNORECASE if ignored else 0)
        for _ in range(4):
            text = "".join(rng.choice("abcABx1 é-") for _ in range(rng.randrange(8)))
            assert ours.is_in(text) is bool(theirs.search(text)), (pattern, text)
            n_compared += 1
    assert n_compared == 6000


def _pattern(rng: random.Random, depth: int) -> str:
    kind = rng.randrange(10) if depth < 4 else 0
    if kind < 4:
        atoms = ["a", "b", "x", ".", r"\d", r"\w", "[ab]", "[^a]", "[a-c]", r"\b", "^", "$", "é"]
        return rng.choice(atoms)
    one, other = _pattern(rng, depth + 1), _pattern(rng, depth + 1)
    if kind < 6:
        return one + other
    if kind < 8:
        return f"({one}|{other})"
    return f"(?:{one})" + rng.choice(["", "*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,2}", "*?"])
