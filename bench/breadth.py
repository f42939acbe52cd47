"""What a cap on the pages of one site costs, and what it brings, on a web snapshot.

    python bench/breadth.py FOLDER [N_TOPICS]

Crawls the largest topics with 2 fetches per page of the topic, under several caps; prints
the mean recall, sites with a relevant page that were found, and the largest site's share.
"""

import os
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
django.setup()

from django.conf import settings as site_settings  # noqa: E402

from crawler.knowledge.profile import CrawlSettings  # noqa: E402
from crawler.lab.evaluating import LAB, N_KNOWN, known_pages, topic_profile  # noqa: E402
from crawler.page.url import site_of  # noqa: E402
from crawler.ranking import breadth  # noqa: E402
from crawler.replay.parsed_snapshot import parse_snapshot  # noqa: E402
from crawler.replay.replay import replay  # noqa: E402
from crawler.replay.snapshot import read_snapshot  # noqa: E402

#: At least so many pages of a site, and such a share of the run; None for no cap.
CAPS: tuple[tuple[int, float] | None, ...] = (None, (20, 0.25), (10, 0.1), (5, 0.05))


def main(folder: str, n_topics: int) -> None:
    """Print one line a cap."""
    snapshot = read_snapshot(Path(folder))
    pages = parse_snapshot(snapshot, cache=site_settings.DATA_DIR / "parsed")
    topics = sorted(snapshot.topics, key=lambda topic: -topic.pages)[:n_topics]
    print("least share | recall at 2x | sites found | share of the largest site")
    for cap in CAPS:
        rows = []
        for topic in topics:
            if cap is not None:
                breadth._CAPS[breadth.BALANCED] = cap
            settings = CrawlSettings(
                n_pages=2 * topic.pages,
                max_depth_hops=len(pages),
                breadth=breadth.DEEP if cap is None else breadth.BALANCED,
            )
            profile = replace(topic_profile(topic))
            background = known_pages(pages, exclude=topic.seeds, seed=0, most=N_KNOWN)
            urls = replay(
                pages, profile, settings, profile.seeds, limits=LAB.limits, background=background
            ).urls
            relevant = snapshot.pages_with(topic.name)
            found = [url for url in urls if url.partition("://")[2] in relevant]
            sites = Counter(site_of(url) for url in urls)
            rows.append(
                (
                    len(found) / topic.pages,
                    len({site_of(url) for url in found}),
                    max(sites.values()) / len(urls),
                )
            )
        means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        print(f"{cap} | {means[0]:.3f} | {means[1]:.1f} | {means[2]:.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 6)
