"""Crafted PDF files, by name; see `tests.limits.hostile_inputs`."""

import zlib
from collections.abc import Callable, Mapping, Sequence

from tests.crawler.page.pdf_files import LATIN_FONT, pdf_file, stream

CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
SAID = b"BT /L 10 Tf 60 700 Td (before the crafted part) Tj ET "
GIB = 1 << 30


def page(
    content: bytes, resources: bytes = b"", more: Sequence[bytes] = (), entries: bytes = b""
) -> bytes:
    """One page: its content is object 5, what `more` holds follows from 6 on."""
    return pdf_file(
        [
            CATALOG,
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R%s"
            b"/Resources<</Font<</L 4 0 R>>%s>>>>" % (entries, resources),
            LATIN_FONT,
            content,
            *more,
        ]
    )


def tree(kids: bytes, count: int, *more: bytes) -> bytes:
    """A tree of pages with these roots."""
    root = b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, kids)
    return pdf_file([CATALOG, root, *more])


def nested_forms(depth: int, width: int) -> bytes:
    """Forms that show the next one so often, down to one that shows text."""
    head = b"/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</L 4 0 R>>"
    forms = [
        stream(
            b"/X Do " * width if level + 1 < depth else SAID,
            head + b"/XObject<</X %d 0 R>>>>" % (7 + level),
        )
        for level in range(depth)
    ]
    return page(stream(SAID + b"/X Do"), b"/XObject<</X 6 0 R>>", forms)


def many_pages(n: int) -> bytes:
    """So many pages, each with the same content."""
    kid = (
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
        b"/Resources<</Font<</L 3 0 R>>>>>>"
    )
    places = b" ".join(b"%d 0 R" % (5 + index) for index in range(n))
    root = b"<</Type/Pages/Count %d/Kids[%s]>>" % (n, places)
    return pdf_file([CATALOG, root, LATIN_FONT, stream(SAID), *[kid] * n])


def packed(unit: bytes, n_bytes: int, before: bytes = SAID, layers: int = 1) -> bytes:
    """A stream that unpacks to so many bytes."""
    packer = zlib.compressobj(9)
    piece = unit * (1_000_000 // len(unit))
    parts = [packer.compress(before)]
    parts += [packer.compress(piece) for _ in range(n_bytes // len(piece))]
    data = b"".join(parts) + packer.flush()
    for _ in range(layers - 1):
        data = zlib.compress(data, 9)
    return stream(data, b"/Filter[%s]" % (b"/FlateDecode" * layers))


def object_stream(n: int) -> bytes:
    """A file whose objects are all in one packed stream that names far more than it holds."""
    return pdf_file(
        [
            CATALOG,
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            stream(
                b"".join(b"%d 0 " % index for index in range(n)),
                b"/Type/ObjStm/N %d/First 5" % n,
                packed=True,
            ),
        ]
    )


#: Each gives the bytes of a file.
FILES: Mapping[str, Callable[[], bytes]] = {
    "a tree of pages that names itself": lambda: tree(b"2 0 R 2 0 R 2 0 R", 9),
    "two trees that name each other": lambda: tree(
        b"3 0 R 3 0 R", 1_000_000, b"<</Type/Pages/Count 1000000/Parent 2 0 R/Kids[2 0 R 2 0 R]>>"
    ),
    "two milliard pages": lambda: tree(b"3 0 R", (1 << 31) - 1, b"<</Type/Page/Parent 2 0 R>>"),
    "50,000 pages": lambda: many_pages(50_000),
    "a million arrays in each other": lambda: pdf_file(
        [CATALOG, b"<</Type/Pages/Count 0/Kids[]/X %s>>" % (b"[" * 1_000_000 + b"]" * 1_000_000)]
    ),
    "an object stream of a million": lambda: object_stream(1_000_000),
    "a form that shows itself": lambda: page(
        stream(SAID + b"/X Do"),
        b"/XObject<</X 6 0 R>>",
        [
            stream(
                b"/X Do /X Do",
                b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>",
            )
        ],
    ),
    "forms that show ten others, nine deep": lambda: nested_forms(9, 10),
    "forms that show two others, twenty deep": lambda: nested_forms(20, 2),
    "blanks that unpack to a gigabyte": lambda: page(packed(b" ", GIB)),
    "blanks that unpack twice": lambda: page(packed(b" ", GIB, layers=2)),
    "text that unpacks to 300 MB": lambda: page(packed(SAID, 300_000_000)),
    "a million letters in one place": lambda: page(
        packed(b"BT /L 10 Tf 60 700 Td (aaaaaaaaaa) Tj ET ", 4_500_000)
    ),
    "half a million lines": lambda: page(packed(b"(ab) Tj 0 -9 Td ", 8_000_000, SAID[:-3])),
    "50 million words in a string": lambda: page(packed(b"word ", 50_000_000, b"BT /L 10 Tf (")),
    "5 million saved states": lambda: page(packed(b"q ", 10_000_000)),
    "3 million strokes": lambda: page(packed(b"0 0 m 1 1 l S ", 42_000_000)),
    "200,000 links": lambda: page(
        stream(SAID),
        entries=b"/Annots[%s]"
        % (b"<</Subtype/Link/Rect[0 0 595 842]/A<</S/URI/URI(http://a.test/x)>>>> " * 200_000),
    ),
    "links over 100,000 addresses": lambda: page(
        packed(b"(http://a.test/ab ) Tj 0 -9 Td ", 3_100_000, SAID[:-3]),
        entries=b"/Annots[%s]"
        % (b"<</Subtype/Link/Rect[0 0 99 842]/A<</S/URI/URI(http://a.test/x)>>>> " * 1000),
    ),
    "rows of a milliard columns": lambda: page(
        stream(
            zlib.compress(b"\2" * 1_000_000),
            b"/Filter/FlateDecode"
            b"/DecodeParms<</Predictor 15/Columns 1000000000/Colors 32/BitsPerComponent 16>>",
        )
    ),
    "20 MB of LZW": lambda: page(stream(b"\x80" * 20_000_000, b"/Filter/LZWDecode")),
    "a title of 10 MB": lambda: pdf_file(
        [
            CATALOG,
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 5 0 R"
            b"/Resources<</Font<</L 4 0 R>>>>>>",
            LATIN_FONT,
            stream(SAID),
            b"<</Title(%s)>>" % (b"title " * 1_600_000),
        ],
        b"/Info 6 0 R",
    ),
    "20 MB without an end": lambda: b"%PDF-1.7\n" + b"1 0 obj\n<</A [" * 1_400_000,
}
