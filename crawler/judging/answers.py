"""What the parts of plugins may answer: of the right type, and no longer than can be stored.

A check may raise, too: `crawler.judging.guarded` counts that as a failure of the part.
"""

import math
from typing import Any, Final

import msgspec

from crawler.knowledge.judge import JudgeUpdate, Verdict
from crawler.problems import MAX_DETAIL
from crawler.ranking.score import PageScore
from crawler.ranking.scorers import MAX_SHARE, Opinion
from crawler.strategies.base import Integration, Rating
from crawler.strategies.link_notes import pack_notes

#: Of what is stored with each page or URL: a verdict, a score, the note of a rating.
MAX_STORED_BYTES: Final = 64 * 1024
#: Of the memory of a strategy or judge, which a crawl stores once.
MAX_MEMORY_BYTES: Final = 64 * 1024 * 1024
#: Of the topic's terms that a judge names.
MAX_TOPIC_TERMS: Final = 1_000_000


def is_judge(answer: Any) -> bool:
    """True for a judge: its terms, and a function that judges."""
    terms = answer.topic_terms
    return (
        isinstance(terms, frozenset)
        and len(terms) <= MAX_TOPIC_TERMS
        and all(isinstance(term, str) for term in terms)
        and callable(answer.judge)
    )


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and 0.0 <= value <= 1.0


def _can_be_stored(answer: Any, kind: Any) -> bool:
    """True if every field has its type, and all together are not too long.

    A field of another type would only be found out when the whole batch is written.
    """
    packed = msgspec.json.encode(answer, enc_hook=float)
    if len(packed) > MAX_STORED_BYTES:
        raise ValueError(f"{len(packed)} bytes are more than the {MAX_STORED_BYTES} that fit")
    msgspec.json.decode(packed, type=kind)
    return isinstance(answer, kind)


def is_verdict(answer: Any) -> bool:
    """True for a verdict that can be stored with a page."""
    return (
        isinstance(answer, Verdict)
        and _is_share(answer.relevance)
        and len(answer.note) <= MAX_DETAIL
        and _can_be_stored(answer, Verdict)
    )


def is_judge_update(answer: Any) -> bool:
    """True for what a judge keeps of the pages that came in."""
    return isinstance(answer, JudgeUpdate) and is_memory(answer.memory)


def is_score(answer: Any) -> bool:
    """True for a score that can be stored with a page."""
    return (
        isinstance(answer, PageScore)
        and _is_share(answer.value)
        and _can_be_stored(answer, PageScore)
    )


def is_opinion(answer: object) -> bool:
    """True for an opinion, or none."""
    return answer is None or (
        type(answer) is Opinion
        and type(answer.share) in (int, float)
        and -MAX_SHARE <= answer.share <= MAX_SHARE
        and type(answer.reason) is str
        and 0 < len(answer.reason) <= MAX_DETAIL
        and answer.reason.isprintable()
    )


def is_memory(answer: Any) -> bool:
    """True for bytes that can be stored with a crawl."""
    if isinstance(answer, bytes) and len(answer) > MAX_MEMORY_BYTES:
        raise ValueError(f"a memory of {len(answer)} bytes is more than {MAX_MEMORY_BYTES}")
    return isinstance(answer, bytes)


def is_rating(answer: Any) -> bool:
    """True for a rating that can be stored with a URL."""
    # What cannot be packed would only be found out when the whole batch is written.
    return (
        isinstance(answer, Rating)
        and math.isfinite(answer.priority)
        and len(pack_notes(answer)) <= MAX_STORED_BYTES
    )


def is_integration(answer: Any) -> bool:
    """True for what a strategy learns of a batch."""
    return (
        isinstance(answer, Integration)
        and is_memory(answer.state)
        and are_keys(list(answer.ratings))
        and all(map(is_rating, answer.ratings.values()))
    )


def are_keys(answer: Any) -> bool:
    """True for a list of numbers of URLs."""
    return isinstance(answer, list) and all(isinstance(key, int) for key in answer)
