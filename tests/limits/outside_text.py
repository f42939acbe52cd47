"""Text from outside, by the function that reads it, in forms that may cost more than their length.

Each is made for a size n; `tests.limits.test_linear_time` measures twice and four times n.
"""

import gzip
from collections.abc import Callable
from typing import Final

from crawler.fetch.config import FetchConfig, build_user_agent
from crawler.fetch.fetched import Fetched
from crawler.fetch.redirect import redirect_target
from crawler.fetch.refusal import refusal
from crawler.fetch.retry_after import parse_retry_after
from crawler.fetch.robots import parse_robots
from crawler.knowledge.ontology.rdf import read_rdf
from crawler.page.charset.decoding import decode
from crawler.page.clean import clean_line, tidy
from crawler.page.dates.date_forms import read_date
from crawler.page.duplicates.near_duplicates import StoryFeatures
from crawler.page.linked_data import published_in_linked_data
from crawler.page.lists.feeds import read_feed
from crawler.page.lists.listing import listing_kind
from crawler.page.lists.reading_lists import read_reading_list
from crawler.page.lists.sitemaps import read_sitemap
from crawler.page.parse import parse_page
from crawler.page.robots_meta import read_directives, read_robots_header
from crawler.page.scope import is_worth_fetching
from crawler.page.traps import find_trap, template_of
from crawler.page.url import canonical_url, domain_of, normalise_link, shown_url
from crawler.text.fold import fold
from crawler.text.language import detect_language
from crawler.text.tokens import tokenize, url_tokens
from tests.crawler.web import NOON
from topics.delivery.mime import one_line
from topics.search.query import parse_query
from topics.search.snippet import cut_fragments

HOST = "http://a.test/"
SKOS = "http://www.w3.org/2004/02/skos/core#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
CONFIG = FetchConfig(build_user_agent("http://a.test/"))
SOLAR = parse_query("solar")
PHRASE = parse_query('"a a a a a a b"')

Case = tuple[str, Callable[[int], object], int]


def page(markup: str) -> object:
    return parse_page(markup.encode(), HOST)


def flat(markup: str) -> object:
    """Read a page that is too deep for the parser."""
    return page("<div>" * 600 + markup)


def turtle(text: str) -> object:
    return read_rdf(f"@prefix p: <http://a.test/> . {text}".encode())


def n_triples(text: str) -> object:
    return read_rdf(f"<http://a.test/a> <http://a.test/b> {text} .".encode())


def rdf_xml(text: str, names: str = "") -> object:
    body = f'<rdf:Description rdf:about="http://a.test/a">{text}</rdf:Description>'
    return read_rdf(
        f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:p="http://a.test/#" {names}>{body}</rdf:RDF>'.encode()
    )


def many(unit: str, n: int, between: str = "") -> str:
    """Join as many units, with each number in the place of %d."""
    return between.join(unit.replace("%d", str(number)) for number in range(n))


def json_contexts(n: int) -> object:
    terms = many('"t%d":"http://a.test/%d"', n, ",")
    objects = many('{"@context":{"x":"http://b.test/"},"x":"%d"}', n, ",")
    return read_rdf(f'{{"@context":{{{terms}}},"@graph":[{objects}]}}'.encode())


def answer(body: bytes, kind: str) -> object:
    return refusal(Fetched(HOST, 200, {"content-type": kind}, body))


def redirect(location: str) -> object:
    return redirect_target(HOST, {"location": location}, CONFIG)


def robots(text: str, url: str = HOST) -> object:
    return parse_robots(text.encode(), base=f"{HOST}robots.txt").allows(url)


def feed(item: str) -> object:
    link = "<link>http://a.test/x</link>"
    return read_feed(f"<rss><channel><item>{item}{link}</item></channel></rss>".encode(), HOST, "")


def sitemap(entries: str) -> object:
    return read_sitemap(f"<urlset>{entries}</urlset>".encode(), f"{HOST}sitemap.xml")


CASES: Final[list[Case]] = [
    # Addresses: links, redirects, seeds that were pasted, entries of lists.
    ("shown secret", lambda n: shown_url("http://[" + "?sig" * n), 2_000),
    ("shown user", lambda n: shown_url("//" + "@" * n + "//a" * n), 2_000),
    ("canonical secret", lambda n: canonical_url("http://[" + "?sig" * n), 500),
    ("canonical tabs", lambda n: canonical_url(HOST + "\t" * n), 2_000),
    ("canonical dots", lambda n: canonical_url(HOST + "a/../" * n), 400),
    ("canonical up", lambda n: canonical_url("../" * n, HOST + "a/" * 900), 600),
    ("canonical labels", lambda n: canonical_url("http://" + "a." * n), 500),
    ("canonical IDN", lambda n: canonical_url("http://" + "ü" * n + ".test/"), 500),
    ("canonical Punycode", lambda n: canonical_url(f"http://xn--{'a' * n}-kva.test/"), 500),
    ("canonical @", lambda n: canonical_url("http://" + "@" * n + "a.test/"), 2_000),
    ("tracking", lambda n: normalise_link(HOST + ";sid=" * n + "?" + "utm_a&" * n), 30_000),
    ("domain", lambda n: domain_of("http://" + "a." * n + "uk/"), 100_000),
    ("trap path", lambda n: find_trap(HOST + "/(a(" * n, 2026), 50_000),
    ("trap id", lambda n: find_trap(HOST + "1a" * n, 2026), 100_000),
    ("template", lambda n: template_of(HOST + "a1_" * n + "?" + "a1&" * n), 15_000),
    ("scope", lambda n: is_worth_fetching(HOST + "a.b/" * n), 100_000),
    ("redirect", lambda n: redirect("http://[" + "?sig" * n), 500),
    ("URL tokens", lambda n: url_tokens(HOST + "%e4%b8" * n), 15_000),
    ("URL Punycode", lambda n: url_tokens("http://xn--" + "9" * n + ".b/"), 16_000),
    ("URL labels", lambda n: url_tokens("http://" + "xn--a." * n + "b/"), 4_000),
    # Answers: headers, robots.txt, content types, refusal pages.
    ("Retry-After list", lambda n: parse_retry_after("1," * n + "x", NOON), 60_000),
    ("Retry-After digits", lambda n: parse_retry_after("1." * n, NOON), 100_000),
    ("X-Robots-Tag blanks", lambda n: read_robots_header("a" + " " * n), 100_000),
    ("X-Robots-Tag words", lambda n: read_robots_header("a " * n), 60_000),
    ("meta robots", lambda n: read_directives(" " * n + "x"), 100_000),
    ("content type", lambda n: answer(b"<p>", "text/" * n), 50_000),
    ("refusal comments", lambda n: answer(b"<!-- -->" * n, "text/x"), 50_000),
    ("robots agents", lambda n: robots("User-agent: *\n" * n + "Disallow: /"), 8_000),
    ("robots sitemaps", lambda n: robots("Sitemap: http://[?sig?sig\n" * n), 4_000),
    ("robots one sitemap", lambda n: robots("Sitemap: http://[" + "?sig" * n), 900),
    ("robots blanks", lambda n: robots("User-agent: *\nDisallow " + " \t" * n), 60_000),
    (
        "robots stars",
        lambda n: robots("User-agent: *\nDisallow: /" + "*a" * n + "$", HOST + "a" * 2000),
        2_000,
    ),
    ("robots escapes", lambda n: robots("User-agent: *\nDisallow: /" + "%41" * n), 1_200),
    ("robots Han", lambda n: robots("User-agent: *\n" + "Disallow: /电网\n" * n), 5_000),
    # Charset labels and guesses.
    ("charset header", lambda n: decode(b"\xffa", "charset" + " " * n), 100_000),
    ("charset meta", lambda n: decode(b"<meta " + b"a " * n + b">\xff", ""), 50_000),
    ("charset comments", lambda n: decode(b"<!--" * n + b"\xff", ""), 100_000),
    ("charset guess", lambda n: decode(b"\x81A\xff" * n, ""), 30_000),
    # Feeds, sitemaps, lists that were uploaded.
    ("sitemap name", lambda n: listing_kind(b"\x1f\x8b", HOST + "sitemap" * n), 1_000),
    ("lines name", lambda n: listing_kind(b"http://a", HOST + "sitemap" * n), 4_000),
    ("listing comments", lambda n: listing_kind(b"<!-- -->" * n, HOST), 50_000),
    ("feed type", lambda n: read_feed(b"<!DOCTYPE rss [" + b"]" * n + b"<rss>", HOST, ""), 99_000),
    ("feed ampersands", lambda n: feed("<title>" + "&" * n + "</title>"), 60_000),
    ("feed markup", lambda n: feed("<title>" + "&lt;" * n + "</title>"), 30_000),
    ("feed names", lambda n: feed("<a " + many("xmlns:a%d='1' ", n) + "/>"), 8_000),
    ("sitemap bad", lambda n: sitemap("<url><loc>http://[?sig?sig</loc></url>" * n), 1_000),
    ("sitemap nesting", lambda n: sitemap("<url>" + "<news>" * n), 100_000),
    (
        "sitemap gzip",
        lambda n: read_sitemap(gzip.compress(b"<urlset>" + b" " * n), f"{HOST}a.xml"),
        200_000,
    ),
    ("bookmarks", lambda n: read_reading_list("<a href='http://a.test/'>" + "<a " * n), 99_000),
    (
        "bookmark quotes",
        lambda n: read_reading_list("<a href='http://a.test/'><a " + 'href="' * n + ">"),
        90_000,
    ),
    ("pasted lines", lambda n: read_reading_list(HOST + " http://[?sig?sig" * n), 1_000),
    (
        "OPML",
        lambda n: read_reading_list("<opml><outline url='http://a.test/'/>" + "<outline " * n),
        1_000,
    ),
    (
        "OPML nesting",
        lambda n: read_reading_list("<opml><outline url='http://a.test/'/>" + "<outline a=''>" * n),
        50_000,
    ),
    (
        "OPML entities",
        lambda n: read_reading_list(
            "<!DOCTYPE opml ["
            + "<!ENTITY a '&a;&a;'>" * n
            + "]><opml><outline url='http://a.test/'/>"
        ),
        20_000,
    ),
    # Pages.
    ("blank segments", lambda n: page("<p>" + "text " * n + "<b> </b>" * n), 16_000),
    ("flat segments", lambda n: flat("text " * n + "<b> </b>" * n), 2_000),
    (
        "refresh digits",
        lambda n: page("<meta http-equiv=refresh content='" + "1" * n + "'>t"),
        99_000,
    ),
    (
        "refresh blanks",
        lambda n: page("<meta http-equiv=refresh content='1;" + " " * n + "'>t"),
        99_000,
    ),
    ("styles", lambda n: page("<p style='" + "; " * n + "x'>text"), 99_000),
    # As many that both sizes are larger than the processor's cache: where only the smaller
    # page fits into it, the larger one costs more than its share.
    ("classes", lambda n: page(many("<p class='a%d'>t</p>", n)), 8_000),
    ("times", lambda n: page("<h1>title</h1>" + many("<time datetime='%d'>x</time>", n)), 2_000),
    ("metas", lambda n: page("<meta name=date content=2026>" * n + "text"), 4_000),
    ("titles", lambda n: page("<title>x</title>" * n + "text"), 8_000),
    ("bad links", lambda n: page("text" + many("<a href='http://[%d?sig?sig'>w</a>", n)), 400),
    ("one bad link", lambda n: page("text<a href='http://[" + "?sig" * n + "'>w</a>"), 2_000),
    ("feeds", lambda n: page("text" + "<link rel=alternate href=/f>" * n), 4_000),
    ("noscript", lambda n: page("text" + "<noscript><a href=/x>x</a></noscript>" * n), 400),
    ("one long value", lambda n: page("<p x='" + "a " * n + "'>text"), 200_000),
    ("values", lambda n: page("<p " + 'a="b c"' * n + ">text"), 50_000),
    ("glued values", lambda n: page("<p " + many('a%d="b"', n) + ">text"), 50_000),
    ("open values", lambda n: page("<p " + "a= '" * n + ">text"), 50_000),
    ("flat attributes", lambda n: flat("<a " + "src " * n + ">text"), 50_000),
    ("flat scripts", lambda n: flat("text" + "<script>" * n), 50_000),
    ("flat tags", lambda n: flat("<a " * n + "text"), 50_000),
    ("linked data", lambda n: published_in_linked_data(['"datePublished"' * n]), 100_000),
    ("date", lambda n: read_date("2026-" * n, NOON), 100_000),
    ("language", lambda n: detect_language("abc", "en" + " " * n + "x"), 100_000),
    ("clean line", lambda n: tidy(" " * n + "a\u202e" * n), 60_000),
    ("title", lambda n: StoryFeatures.of(1, clean_line("a" + " \u3000" * n, 300), 1, "a"), 90_000),
    # Words.
    ("marks", lambda n: fold("a" + "\u0301\u0316" * n), 16_000),
    ("rare marks", lambda n: fold("a" + "\U0001d165\u0301" * n), 4_000),
    ("rarer marks", lambda n: fold("a" + "\U0001e000\U0001e8d0" * n), 4_000),
    ("wide", lambda n: fold("\ufdfa" * n), 8_000),
    *(
        (f"words {unit}", lambda n, unit=unit: tokenize(unit * n), 16_000)
        for unit in ("a-", "a/", "1.", "a'", "c++", "c#", ".net", "aß", "\x01 ")
    ),
    # Searches, digests.
    ("snippet", lambda n: cut_fragments("solar " * n, SOLAR), 1_000),
    ("snippet phrase", lambda n: cut_fragments("a a " * n, PHRASE), 2_000),
    ("snippet marks", lambda n: cut_fragments("solar\u0301" * n, SOLAR), 1_000),
    ("snippet word", lambda n: cut_fragments("a" * n, SOLAR), 20_000),
    ("mail line", lambda n: one_line(" \u202e" * n), 50_000),
    # Ontologies.
    ("RDF prefixes", lambda n: turtle(many("@prefix p%d: <http://a.test/%d#> .\n", n)), 1_000),
    ("RDF number", lambda n: turtle("p:a p:b " + "9" * n + ".5 ."), 100_000),
    ("RDF list", lambda n: turtle("p:a p:b (" + " 1" * n + ") ."), 500),
    ("RDF nodes", lambda n: turtle("p:a p:b " + "[] , " * n + "[] ."), 1_000),
    ("RDF escapes", lambda n: turtle('p:a p:b "' + "\\u0041" * n + '" .'), 8_000),
    ("RDF name", lambda n: turtle("p:a p:b p:" + "\\-" * n + " ."), 30_000),
    ("RDF open quote", lambda n: turtle('p:a p:b "' + "a" * n), 100_000),
    ("N-Triples escapes", lambda n: n_triples('"' + "\\u0041" * n + '"'), 16_000),
    ("N-Triples language", lambda n: n_triples('"a"@' + "a-" * n + "a"), 60_000),
    ("N-Triples node", lambda n: n_triples("_:a" + ".a" * n), 50_000),
    *(
        (
            f"RDF type {kind}",
            lambda n, kind=kind: n_triples(f'"{"1" * n}"^^<http://www.w3.org/{kind}>'),
            100_000,
        )
        for kind in (
            *("2001/XMLSchema#duration", "2001/XMLSchema#hexBinary", "2001/XMLSchema#decimal"),
            *("2001/XMLSchema#date", "2001/XMLSchema#dateTime", "2001/XMLSchema#double"),
        )
    ),
    ("RDF markup", lambda n: n_triples(f'"{"<a>" * n}"^^<{RDF}XMLLiteral>'), 30_000),
    ("RDF HTML", lambda n: n_triples(f'"{"<a>" * n}"^^<{RDF}HTML>'), 30_000),
    ("RDF/XML names", lambda n: rdf_xml("", many("xmlns:p%d='http://a.test/%d' ", n)), 2_000),
    ("RDF/XML text", lambda n: rdf_xml("<p:x>" + "a\n&amp;" * n + "</p:x>"), 12_000),
    (
        "RDF/XML markup",
        lambda n: rdf_xml('<p:x rdf:parseType="Literal">' + "<b>x</b>" * n + "</p:x>"),
        150,
    ),
    ("JSON-LD contexts", json_contexts, 900),
    ("JSON-LD list", lambda n: read_rdf(f'{{"x":[{many("%d", n, ",")}]}}'.encode()), 5_000),
    ("related", lambda n: turtle(f"p:a <{SKOS}related> " + many("p:c%d", n, ",") + " ."), 1_000),
]
