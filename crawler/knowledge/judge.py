"""What a judge is: it says how likely a fetched page is on topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.page.parsed import PageTerms


@dataclass(frozen=True, slots=True)
class Example:
    """A page that somebody labelled.

    Attributes
    ----------
    good : bool
        On topic, or a bad example.
    weight : float
        Trust, > 0: seeds 1, pages given by hand more.
    page : int
        Number of the stored page; 0 if it is not stored.
    answers : bool
        It answers a question: the crawler chose the page, not the person.
    url : str
        URL of the stored page, or "".
    """

    terms: PageTerms
    good: bool = True
    weight: float = 1.0
    page: int = 0
    answers: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """The pages a judge may learn from.

    Attributes
    ----------
    frequencies : DocumentFrequencies
        Pages seen, and how many of them hold each term.
    examples : sequence of Example
        Pages that show what the topic is, all of them good: seeds, and what was given by hand.
    background : sequence of PageTerms
        Unlabelled pages: first some that the crawl itself fetched, many of which may be on topic,
        then pages of any subject.
    n_fetched : int
        How many of them the crawl itself fetched.
    memories : mapping of str to bytes
        What judges keep of what the crawl brought, by the judge's name.
    rated : sequence of Example
        Pages with a rating, answers to questions, and bad examples. `crawler.knowledge.feedback`
        adds their effect to the relevance. Of judges only `focus` uses them: pages answered with
        yes become examples.
    """

    frequencies: DocumentFrequencies
    examples: Sequence[Example] = ()
    background: Sequence[PageTerms] = ()
    n_fetched: int = 0
    memories: Mapping[str, bytes] = field(default_factory=dict)
    rated: Sequence[Example] = ()


@dataclass(frozen=True, slots=True)
class MatchedTerm:
    """A topic term found on a page.

    Attributes
    ----------
    term : str
        As the page's tokens spell it.
    share : float
        Its part of the verdict; shares need not sum to the relevance.
    via : str
        The concept it came through, or "" for a term of the topic itself.
    """

    term: str
    share: float
    via: str = ""


@dataclass(frozen=True, slots=True)
class SectionEffect:
    """What the section of a site that a page lies in changes of its relevance.

    Attributes
    ----------
    path : str
        The section, without a scheme: a site or a folder of one.
    n_pages : int
        Pages of the crawl in it.
    mean, mean_of_all : float
        Mean relevance, by their text alone, of these pages and of all pages of the crawl.
    change : float
        What is added to the page's log-odds, in [-0.3, 1].
    """

    path: str
    n_pages: int
    mean: float
    mean_of_all: float
    change: float


@dataclass(frozen=True, slots=True)
class TitleEffect:
    """What the kind of thing that a page's title names changes of its relevance.

    Attributes
    ----------
    kind, chinese_kind : str
        What the title and the topic's examples have in common, such as "aquatic bird", and the
        nearest kind that has a Chinese name, such as "鸟"; "" if there is none.
    change : float
        What is added to the page's log-odds, > 0.
    """

    kind: str
    chinese_kind: str
    change: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of one page.

    Attributes
    ----------
    relevance : float
        In [0, 1].
    matched : tuple of MatchedTerm
        The strongest topic terms on the page, strongest first.
    note : str
        "" or why the verdict is weak: "too_little" (nothing to go on),
        "required_missing", "excluded_present".
    section : SectionEffect or None
        What the section of its site has changed of `relevance`.
    title : TitleEffect or None
        What its title has raised of it.
    """

    relevance: float
    matched: tuple[MatchedTerm, ...] = field(default_factory=tuple)
    note: str = ""
    section: SectionEffect | None = None
    title: TitleEffect | None = None


class Judge(Protocol):
    """A judge that has been built for one topic.

    Attributes
    ----------
    topic_terms : frozenset of str
        The tokens that count as the topic's own in the content value [P2 eq. 7].
    """

    topic_terms: frozenset[str]

    def judge(self, page: PageTerms) -> Verdict:
        """Say how likely the page is on topic."""


@dataclass(frozen=True, slots=True)
class JudgeUpdate:
    """What a judge keeps of the pages that came in.

    Attributes
    ----------
    judge : str
        Registered name of the judge that will read it.
    memory : bytes
        Packed by that judge.
    is_news : bool
        The judge is to be built anew.
    """

    judge: str
    memory: bytes
    is_news: bool


@runtime_checkable
class AdaptiveJudgeProtocol(Protocol):
    """A judge that learns from what the crawl brings, interval by interval."""

    #: Its registered name.
    name: str

    def learn(self, pages: Sequence[tuple[PageTerms, float]], memory: bytes) -> JudgeUpdate:
        """Add pages, with the relevance each was given, to what was kept before."""


@runtime_checkable
class ProbabilityJudge(Protocol):
    """A judge that says whether its relevance is a probability."""

    #: Its relevance has log-odds to which evidence can be added.
    gives_probability: bool


@runtime_checkable
class OrderingJudge(Protocol):
    """A judge that says something else to the strategy than of what is kept."""

    def order_relevance(self, page: PageTerms) -> float | None:
        """Relevance without what the judge believes of the crawl as a whole; None if the same."""


@runtime_checkable
class RaisingJudge(Protocol):
    """A judge that wants pages for more than it judges them by."""

    def raised(self, page: PageTerms, relevance: float) -> float:
        """Return what the strategy goes by, at least the relevance that the page was given."""


@runtime_checkable
class LeavingOutJudge(Protocol):
    """A judge that can say what it would without one of its examples."""

    def left_out(self, example: Example) -> float | None:
        """Relevance of an example as if it was none; None if it is none."""


def without_own_answer(judge: Judge, training_set: TrainingSet) -> dict[int, float]:
    """Relevance of the answered pages that a judge learnt from, as if it did not know that answer.

    Answers correct a judge by where it is wrong, and of what it learnt from it seems right.

    Returns
    -------
    dict of int to float
        By the number of the stored page.
    """
    if not isinstance(judge, LeavingOutJudge):
        return {}
    answers = [example for example in training_set.rated if example.answers]
    found = {example.page: judge.left_out(example) for example in answers}
    return {page: relevance for page, relevance in found.items() if relevance is not None}


def gives_probability(judge: Judge) -> bool:
    """True for a judge whose relevance is a probability; that of others may be a cosine."""
    return isinstance(judge, ProbabilityJudge) and judge.gives_probability


class JudgeKind(Protocol):
    """One way to judge, registered by name."""

    name: str

    def build(
        self, profile: TopicProfile, settings: CrawlSettings, training_set: TrainingSet
    ) -> Judge:
        """Make a judge for a topic from the present settings and training set."""
