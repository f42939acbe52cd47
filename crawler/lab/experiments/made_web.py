"""A small labelled web, made up from a seed: for experiments where no snapshot is at hand."""

import random
from pathlib import Path

from crawler.replay.snapshot import LabelRow, Snapshot, SnapshotPage, SnapshotTopic

N_TOPICS, PAGES_PER_TOPIC, N_OTHERS, N_HOSTS = 6, 50, 500, 25
N_SEEDS, N_LINKS, N_WORDS = 5, 10, 80
#: Chance that a link of a topic's page stays in the topic, and that a word is the topic's.
STAYS, SPEAKS = 0.45, 0.3
_SYLLABLES = "ba do ke li mu na po ri su ta ve zo cha fen gor hin jal kor".split()


def make_topic_web(seed: int = 0) -> Snapshot:
    """Make pages of six topics among many others, linked more within topics than between.

    Every topic has words of its own that its pages use beside common ones, and pages on
    several hosts. Anchors hold words of the page they lead to, so that strategies have
    something to go by, yet never the label.
    """
    rng = random.Random(seed)
    common = _words(rng, 400)
    own = [_words(rng, 40) for _ in range(N_TOPICS)]
    topic_of = [n // PAGES_PER_TOPIC for n in range(N_TOPICS * PAGES_PER_TOPIC)]
    subjects: list[int | None] = [*topic_of, *([None] * N_OTHERS)]
    words = [_page_words(rng, common, own[s] if s is not None else common) for s in subjects]
    hosts = [_host(rng, subject) for subject in subjects]
    urls = [f"http://{host}/{number}" for number, host in enumerate(hosts)]
    members = [[n for n, s in enumerate(subjects) if s == t] for t in range(N_TOPICS)]
    pages = {}
    for number, subject in enumerate(subjects):
        targets = [
            rng.choice(members[subject])
            if subject is not None and rng.random() < STAYS
            else rng.randrange(len(subjects))
            for _ in range(N_LINKS)
        ]
        html = _html(rng, words[number], [(urls[t], words[t]) for t in targets])
        key = urls[number].partition("://")[2]
        pages[key] = SnapshotPage(urls[number], hosts[number], words[number][0], html.encode())
    keys = list(pages)
    labels = {keys[n]: frozenset({own[s][0]}) for n, s in enumerate(subjects) if s is not None}
    topics = tuple(
        SnapshotTopic(
            own[t][0],
            tuple(keys[n] for n in rng.sample(members[t], N_SEEDS)),
            PAGES_PER_TOPIC,
            PAGES_PER_TOPIC,
            {},
        )
        for t in range(N_TOPICS)
    )
    tree = tuple(LabelRow(words[0], "", words[0]) for words in own)
    return Snapshot(Path("made-web"), pages, (), labels, topics, tree)


def _words(rng: random.Random, n_words: int) -> list[str]:
    return ["".join(rng.choices(_SYLLABLES, k=3)) for _ in range(n_words)]


def _page_words(rng: random.Random, common: list[str], own: list[str]) -> list[str]:
    return [rng.choice(own if rng.random() < SPEAKS else common) for _ in range(N_WORDS)]


def _host(rng: random.Random, subject: int | None) -> str:
    # A topic lives on a few hosts more than on others.
    number = rng.randrange(N_HOSTS) if subject is None or rng.random() < 0.5 else 3 * subject
    return f"site{number}.test"


def _html(rng: random.Random, words: list[str], links: list[tuple[str, list[str]]]) -> str:
    parts = [f"<!DOCTYPE html><html lang=en><title>{words[0]}</title><body>"]
    for url, other in links:
        before, anchor = " ".join(rng.sample(words, 6)), " ".join(rng.sample(other, 2))
        parts.append(f'<p>{before} <a href="{url}">{anchor}</a></p>')
    return "".join([*parts, f"<p>{' '.join(words)}</p>"])
