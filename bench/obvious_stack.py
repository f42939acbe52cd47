"""The obvious crawler: requests, lxml, jieba, a row saved at a time, a Whoosh commit a page.

    python bench/obvious_stack.py FOLDER START_URL N_PAGES

It is what one would write in an afternoon, for comparison. It fetches breadth-first, keeps each
page's words, and indexes its text.
"""

import logging
import sqlite3
import sys
from collections import deque
from pathlib import Path
from urllib.parse import urljoin

import jieba
import lxml.html
import requests
from whoosh.fields import ID, TEXT, Schema
from whoosh.index import create_in


def crawl(folder: Path, start: str, n_pages: int) -> None:
    """Crawl so many pages into a folder."""
    jieba.setLogLevel(logging.WARNING)
    rows = sqlite3.connect(folder / "pages.sqlite3")
    rows.execute("CREATE TABLE page (url TEXT PRIMARY KEY, title TEXT, words TEXT)")
    (folder / "index").mkdir()
    index = create_in(folder / "index", Schema(url=ID(stored=True, unique=True), text=TEXT))
    waiting, known = deque([start]), {start}
    session = requests.Session()
    for _ in range(n_pages):
        url = waiting.popleft()
        tree = lxml.html.fromstring(session.get(url, timeout=10).content)
        for href in tree.xpath("//a/@href"):
            link = urljoin(url, href)
            if link not in known:
                known.add(link)
                waiting.append(link)
        words = " ".join(word for word in jieba.cut(tree.text_content()) if word.strip())
        title = tree.findtext(".//title")
        with rows:
            rows.execute("INSERT INTO page VALUES (?, ?, ?)", (url, title, words))
        writer = index.writer()
        writer.add_document(url=url, text=words)
        writer.commit()


if __name__ == "__main__":
    crawl(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
