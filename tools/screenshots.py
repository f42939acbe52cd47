"""Take pictures of every page of a running FocusWeb: `python tools/screenshots.py URL FOLDER`.

It signs in, follows the links from the home page, and saves a picture of each kind of page in
both languages, light and dark, at 1200 and 390 pixels. FOCUSWEB_PASSWORD holds the password.
It only reads pages: no form is sent but that of signing in.
"""

import argparse
import os
import re
import shutil
import sys
from collections import deque
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

LANGUAGES = ("en-GB", "zh-CN")
THEMES = ("light", "dark")
WIDTHS = (1200, 390)
#: Pages that no link leads to.
UNLINKED = ("/search/?q=cache", "/no-such-page/")
#: Files, other hosts' pages, and the administration below its first page.
LEFT_OUT = re.compile(r"^/(?:static|demo|feeds|admin/.|api/|[^?]*\.(?:csv|json|svg|md|xml)$)")
#: Links of charts are SVG, whose `href` is not a text.
LINKS = "all => all.map(one => new URL(one.getAttribute('href') ?? '', document.baseURI).href)"


def kind_of(path: str, topic: str) -> str:
    """Return a name for all pages of one kind: paths that differ in a number or a key alone."""
    plain = urlsplit(path).path.replace(f"/topics/{topic}/", "/topic/")
    return re.sub(r"\d+|[A-Z0-9]{8,}", "N", plain).strip("/").replace("/", "-") or "home"


def is_wanted(path: str, topic: str) -> bool:
    """Return whether a link may lead to a page of ours that is not of another topic."""
    if LEFT_OUT.match(path):
        return False
    return not path.startswith("/topics/") or path.startswith(f"/topics/{topic}/")


def sign_in(page: Page, root: str, user: str) -> None:
    """Sign in by the form."""
    page.goto(f"{root}/login/")
    page.fill("#id_username", user)
    page.fill("#id_password", os.environ.get("FOCUSWEB_PASSWORD", ""))
    page.click("button.main")
    page.wait_for_url(lambda url: "/login/" not in url)


def find_pages(page: Page, root: str, topic: str) -> dict[str, str]:
    """Return the first path of each kind of page that links lead to, breadth-first from home."""
    found: dict[str, str] = {}
    queue = deque(["/", *UNLINKED])
    while queue:
        path = queue.popleft()
        kind = kind_of(path, topic)
        if kind in found:
            continue
        try:
            answer = page.goto(root + path)
        except Error:
            continue  # A download.
        if answer is None or not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        found[kind] = path
        for link in page.eval_on_selector_all("a", LINKS):
            target = link.removeprefix(root).partition("#")[0]
            if link.startswith(f"{root}/") and is_wanted(target, topic):
                queue.append(target)
    return found


def save_pictures(
    context: BrowserContext, root: str, pages: dict[str, str], folder: Path, *, full: bool
) -> None:
    """Save a picture of each page."""
    page = context.new_page()
    for name, path in pages.items():
        # Some parts come after the page, such as the preview of the profile.
        page.goto(root + path, wait_until="networkidle")
        page.screenshot(path=folder / f"{name}.png", full_page=full)


def photograph(browser: Browser, options: argparse.Namespace) -> int:
    """Save the pictures of each language, theme and width. Return how many."""
    root = options.url.rstrip("/")
    pages: dict[str, str] = {}
    looks = list(product(options.language, options.theme, options.width))
    for language, theme, width in looks:
        context = browser.new_context(
            locale=language,
            viewport={"width": width, "height": options.height},
            color_scheme="dark" if theme == "dark" else "light",
        )
        page = context.new_page()
        folder = options.folder / f"{language[:2]}-{theme}-{width}"
        folder.mkdir(parents=True, exist_ok=True)
        page.goto(f"{root}/login/")
        page.screenshot(path=folder / "sign-in.png")
        sign_in(page, root, options.user)
        if not pages:
            pages = find_pages(page, root, options.topic)
            pages = {name: path for name, path in pages.items() if name in (options.only or pages)}
        save_pictures(context, root, pages, folder, full=options.full)
        context.close()
    return (len(pages) + 1) * len(looks)


def main(arguments: Sequence[str]) -> int:
    """Take all pictures; 1 if there is no browser."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="address of the running FocusWeb")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--user", default="admin")
    parser.add_argument("--topic", default="computing", help="short name of the topic to show")
    parser.add_argument("--only", nargs="*", default=[], help="kinds of pages; all by default")
    parser.add_argument("--language", nargs="+", default=LANGUAGES)
    parser.add_argument("--theme", nargs="+", default=THEMES)
    parser.add_argument("--width", nargs="+", type=int, default=WIDTHS)
    parser.add_argument("--height", type=int, default=800)
    parser.add_argument("--full", action="store_true", help="whole pages, not the first screen")
    options = parser.parse_args(arguments)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        print("there is no chromium; on Debian: apt-get install chromium", file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        count = photograph(browser, options)
        browser.close()
    print(f"{count} pictures in {options.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
