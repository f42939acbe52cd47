"""The benchmark's web: framed pages of about 30 KB with 40 links, on five hosts of this machine.

Every second page is Chinese. As on real pages, most of a page is not text: of 250 real ones the
median has a tenth of its bytes in text, three tenths in scripts and styles, and seven tags a
kilobyte. Requested as h0.bench.test, ... it links to those names; requested by address and port, as
a crawler without our map of hosts must, it links to the five ports. The pages are otherwise the
same. nginx serves them from files where it is installed, so that the server leaves the processors
to the crawlers; else a server of the standard library does.

    python -m bench.site N_PAGES

prints the ports when the web is ready, and serves until standard input ends.
"""

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import accumulate
from pathlib import Path
from random import Random

from focusweb.demo.loopback_server import LoopbackServer, Request, Response

N_HOSTS = 5
N_LINKS = 40
PAGE_BYTES, ARTICLE_BYTES, SCRIPT_BYTES = 30_000, 4_500, 9_000
#: Addresses of one pattern: a crawl enters at most 500 of each pattern and host.
_SECTION = 2_000
#: Links of a page's menu, article and list of related pages.
_MENU, _RELATED = 10, 8
_SYLLABLES = "ra lo mi ten sor dal vek una pri cho bel gan tur sia nof wem".split()
_CHARACTERS = (
    "电网能源储存系统研究技术发展市场公司政府城市水火土木金石山川风云雨雪日月星光学校医院"
    "工厂农业机器软件数据信息安全管理服务产品价格经济社会文化历史地理语言文字音乐图书新闻"
)
_TREES = "names", "ports"
_START_S = 10.0


def vocabulary(size: int = 6000) -> list[str]:
    """Made-up words, the same ones every time."""
    rng = Random(1)
    return ["".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))) for _ in range(size)]


def chinese_vocabulary(size: int = 6000) -> list[str]:
    """Made-up Chinese words of one to three characters, the same ones every time."""
    rng = Random(2)
    return ["".join(rng.choices(_CHARACTERS, k=rng.choice((1, 2, 2, 2, 3)))) for _ in range(size)]


def path_of(number: int) -> str:
    """Return the path of a page: one of its section, which has a name of letters."""
    section = number // _SECTION
    letters = "p"
    while section:
        section, letter = divmod(section, 26)
        letters += chr(ord("a") + letter)
    return f"/{letters}/{number}"


class _Language:
    """Text in one language. As in prose, few words make up most of it."""

    def __init__(self, code: str, words: Sequence[str], space: str) -> None:
        self.code, self._words, self._space = code, words, space
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(len(words))))

    def prose(self, rng: Random, n_words: int) -> str:
        """Return so many words."""
        return self._space.join(rng.choices(self._words, cum_weights=self._weights, k=n_words))


class BenchSite:
    """`n_pages` pages; page 0 leads to all. A link's host is `%N%`, to be filled in."""

    def __init__(self, n_pages: int) -> None:
        self._n_pages = n_pages
        self._languages = (
            _Language("en", vocabulary(), " "),
            _Language("zh-CN", chinese_vocabulary(), ""),
        )
        self._frames = [self._frame(host) for host in range(N_HOSTS)]

    def page(self, number: int) -> str:
        """Return one page: its host's frame around an article."""
        rng, language = Random(number), self._languages[number % 2]
        targets = [8 * number + child for child in range(1, 9)]
        targets += [rng.randrange(self._n_pages) for _ in range(N_LINKS - 8)]
        links = [
            f'<a href="%{target % N_HOSTS}%{path_of(target)}">{language.prose(rng, 3)}</a>'
            for target in targets
            if target < self._n_pages
        ]
        menu, related, inside = links[:_MENU], links[-_RELATED:], links[_MENU:-_RELATED]
        parts, n_bytes = [f"<h1>{language.prose(rng, 6)}</h1>"], 0
        for link in inside:
            text = f"{language.prose(rng, 12)} {link} {language.prose(rng, 8)}"
            parts.append(_block(text, rng))
            n_bytes += len(text.encode())
        while n_bytes < ARTICLE_BYTES:
            text = language.prose(rng, 60)
            parts.append(_block(text, rng))
            n_bytes += len(text.encode())
        above, below = self._frames[number % N_HOSTS]
        body = (
            f"<title>{language.prose(rng, 5)}</title></head><body>{above}"
            f"<nav><ul>{_items(menu)}</ul></nav><main><article>{''.join(parts)}</article></main>"
            f"<aside><h2>Related</h2><ul>{_items(related)}</ul></aside>{below}</body></html>"
        )
        head = f"<!doctype html><html lang={language.code}><head><meta charset=utf-8>"
        padding = PAGE_BYTES - len(head.encode()) - len(body.encode()) - SCRIPT_BYTES
        style = "".join(f".c{n} {{ margin: 0 {n % 9}px }}\n" for n in range(max(padding, 0) // 26))
        script = "".join(f"window.q[{n}] = {{ id: {n}, on: false }};\n" for n in range(230))
        return f"{head}<style>{style}</style><script>{script}</script>{body}"

    def _frame(self, host: int) -> tuple[str, str]:
        """What stands above and below each article of a host."""
        rng, language = Random(-1 - host), self._languages[0]
        sections = _items([language.prose(rng, 2) for _ in range(30)])
        footer = "".join(f"<p>{language.prose(rng, 40)}</p>" for _ in range(3))
        above = f"<header><p>{language.prose(rng, 4)}</p><ul>{sections}</ul></header>"
        return above, f"<footer>{footer}</footer>"


def _block(text: str, rng: Random) -> str:
    """A paragraph in the boxes that such pages have around it."""
    name = f"block block--text u-m{rng.randrange(9)} grid__cell grid__cell--{rng.randrange(12)}"
    return (
        f'<div class="{name}" data-id="{rng.randrange(10**9)}"><div class="block__inner">'
        f'<p class="block__text is-visible">{text}</p><span class="block__rule"></span>'
        f"</div></div>"
    )


def _items(parts: Sequence[str]) -> str:
    return "".join(f'<li class="list__item"><div class="cell">{part}</div></li>' for part in parts)


def _bases(ports: Sequence[int], *, names: bool) -> list[str]:
    if names:
        return [f"http://h{host}.bench.test" for host in range(N_HOSTS)]
    return [f"http://127.0.0.1:{port}" for port in ports]


def _filled_in(page: str, bases: Sequence[str]) -> str:
    for host, base in enumerate(bases):
        page = page.replace(f"%{host}%", base)
    return page


def serve(n_pages: int) -> None:
    """Serve until standard input ends; prints the ports when ready."""
    site = BenchSite(n_pages)
    with served(site, n_pages) as ports:
        print(*ports, flush=True)
        sys.stdin.read()


@contextmanager
def served(site: BenchSite, n_pages: int) -> Iterator[list[int]]:
    """Serve a site; gives the ports of its hosts."""
    if shutil.which("nginx"):
        with (
            tempfile.TemporaryDirectory(prefix="bench-site-") as folder,
            _by_nginx(site, n_pages, Path(folder)) as ports,
        ):
            yield ports
        return
    pages = [site.page(number) for number in range(n_pages)]
    numbers = {path_of(number): number for number in range(n_pages)}
    ports = []

    def answer(request: Request) -> Response:
        number = numbers.get(request.target)
        if number is None:
            return Response(404, b"nothing here")
        bases = _bases(ports, names=request.host.endswith(".bench.test"))
        return Response(200, _filled_in(pages[number], bases).encode())

    with ExitStack() as stack:
        for _ in range(N_HOSTS):
            ports.append(stack.enter_context(LoopbackServer(answer)).port)
        yield ports


@contextmanager
def _by_nginx(site: BenchSite, n_pages: int, folder: Path) -> Iterator[list[int]]:
    ports = _free_ports()
    folder.chmod(0o755)  # nginx reads as a user of its own
    for number in range(n_pages):
        page = site.page(number)
        for tree in _TREES:
            text = _filled_in(page, _bases(ports, names=tree == "names"))
            path = folder / tree / path_of(number)[1:]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    file = folder / "nginx.conf"
    file.write_text(_configuration(folder, ports), encoding="utf-8")
    process = subprocess.Popen(["nginx", "-c", file, "-e", "stderr"])
    try:
        for port in ports:
            _await(port, process)
        yield ports
    finally:
        process.terminate()
        process.wait(_START_S)


def _free_ports() -> list[int]:
    with ExitStack() as stack:
        probes = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(N_HOSTS)
        ]
        return [probe.getsockname()[1] for probe in probes]


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until something listens; `SystemExit` if nginx ended or takes too long."""
    deadline = time.monotonic() + _START_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit(f"nginx does not listen on port {port}; what it said stands above.")


def _configuration(folder: Path, ports: Sequence[int]) -> str:
    listens = "\n".join(f"    listen 127.0.0.1:{port};" for port in ports)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "\n".join(f"  {kind}_temp_path {folder}/{kind};" for kind in kinds)
    return f"""daemon off;
pid {folder}/nginx.pid;
error_log stderr crit;
worker_processes 1;
events {{ worker_connections 512; }}
http {{
  access_log off;
  sendfile on;
  types {{ }}
  default_type "text/html; charset=utf-8";
{temporary}
  map $http_host $tree {{
    default ports;
    ~\\.bench\\.test names;
  }}
  server {{
{listens}
    root {folder}/$tree;
  }}
}}
"""


if __name__ == "__main__":
    serve(int(sys.argv[1]))
