"""A web of a dozen pages of every shape, crawled into the tables for tests of what is stored."""

import random
from collections.abc import Mapping

from crawler.crawl import manager
from crawler.crawl.collector import collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.manager import BatchLimits
from crawler.models import Crawl, Run
from tests.crawler.web import NOON, PAGES, SEED, PaperWeb

_ROOF = "".join(f"<li><a href=/roof/{n}>roof {n} of solar cells</a></li>" for n in range(4))
SHAPES: Mapping[str, str] = (
    PAGES
    | {
        "http://solar.test/panels": f"""<html lang=en><title>Panels &amp; "cells"</title>
        <meta name=description content="All about panels and cells">
        <h1>Solar panels</h1>
        <div>Words before <a href=/roof/0>one roof</a><p>A paragraph of solar cells</p>
        <br>and <a href="http://solar.test/cells"><img alt="a picture of cells"></a></div>
        <ul>{_ROOF}</ul>
        <table><tr><td>a &lt; b</td><td><a href="http://dianchi.test/">光伏电池</a></td></tr></table>
        <p>{"A long line on solar cells and how they are made. " * 30}
        <a href="http://kitchen.test/soup">soup</a></p><a href=/nothing></a>""",
        "http://dianchi.test/": """<html lang=zh><title>光伏电池是什么</title>
        <h2>光伏电池</h2><p>光伏电池把阳光变成电。 Solar cells 也叫太阳能电池。
        <a href="http://solar.test/cells">太阳能电池</a></p>""",
    }
    | {
        f"http://solar.test/roof/{n}": f"""<title>Roof {n}</title><p>Roof {n} carries solar cells
        on {n + 3} solar panels. <a href=/cells>solar cells</a> <a href="{SEED}">links</a></p>"""
        for n in range(4)
    }
)


def crawl_shapes(crawl: Crawl) -> Run:
    """Crawl the web from `SEED` to its end."""
    run = Run.objects.create(crawl=crawl, started=NOON, n_pages=50)
    board, web = DatabaseBlackboard(run), PaperWeb(SHAPES)
    manager.start(board, [SEED], NOON)
    answered: int | None = 0
    while answered is not None:
        manager.integrate(board, NOON)
        manager.plan(board, NOON, BatchLimits(), random.Random(1))
        answered = collect(board, web, "tester", lambda: NOON)
    return run
