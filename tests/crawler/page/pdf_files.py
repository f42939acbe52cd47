"""PDF files for tests, written by hand: only so much of the format as they need."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

#: Height of a line of body text in points, and the columns of a page of two.
LEADING = 12
COLUMNS = (60, 320)


@dataclass(frozen=True)
class Text:
    """A line at a place of the page; characters outside ASCII are set in a Chinese font."""

    x: float
    y: float
    text: str
    size: float = 10
    upwards: bool = False


@dataclass(frozen=True)
class Link:
    """An area of the page that leads to an address."""

    url: str
    box: tuple[float, float, float, float]


def pdf_file(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """Number the objects from 1, the first is the root; add the table of their places."""
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    n = len(objects) + 1
    return bytes(
        out
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (n, table)
        + b"trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (n, trailer, len(out))
    )


def stream(data: bytes, entries: bytes = b"", *, packed: bool = False) -> bytes:
    """A stream object."""
    if packed:
        data, entries = zlib.compress(data, 9), entries + b"/Filter/FlateDecode"
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(data), data)


LATIN_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
#: A font that the file names and does not hold; its codes are those of Unicode.
CHINESE_FONT = (
    b"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts["
    b"<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/DW 1000"
    b"/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>"
    b"/FontDescriptor<</Type/FontDescriptor/FontName/STSong-Light/Flags 6/Ascent 880/Descent -120"
    b"/CapHeight 880/ItalicAngle 0/StemV 58/FontBBox[-25 -254 1000 880]>>>>]>>"
)


def text_pdf(
    pages: Sequence[Sequence[Text]],
    *,
    info: Mapping[str, str] | None = None,
    links: Sequence[Link] = (),
    language: str = "",
    trailer: bytes = b"",
) -> bytes:
    """A file of pages with lines of text; the links are on the first page."""
    objects = [b"", b"", LATIN_FONT, CHINESE_FONT, b"<<%s>>" % _entries(info or {})]
    kids = []
    for number, lines in enumerate(pages):
        annotations = b" ".join(map(_annotation, links)) if number == 0 else b""
        kids.append(b"%d 0 R" % (len(objects) + 1))
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Annots[%s]"
            b"/Resources<</Font<</L 3 0 R/C 4 0 R>>>>>>" % (len(objects) + 2, annotations),
            stream(b"".join(map(_shown, lines)), packed=True),
        ]
    tag = b"/Lang(%s)" % language.encode() if language else b""
    objects[0] = b"<</Type/Catalog/Pages 2 0 R%s>>" % tag
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(kids))
    return pdf_file(objects, b"/Info 5 0 R" + trailer)


def paper(
    paragraphs: Sequence[str],
    title: Sequence[str] = ("Layered solar cells at low light",),
    *,
    width: int = 42,
    head: str = "Journal of Solar Studies 12 (2026)",
    **more: object,
) -> bytes:
    """A paper of two columns: title on top, a running head and a page number on each page."""
    pages: list[list[Text]] = []
    column, y = 2, 0.0
    for paragraph in paragraphs:
        for index, line in enumerate(_wrapped(paragraph, width)):
            if y < 80:
                column, y = column + 1, 720.0
                if column > 1:
                    pages.append(_furniture(head, len(pages) + 1))
                    column = 0
                if len(pages) == 1:
                    y -= 80
                    if column == 0:
                        pages[0] += [
                            Text(60, 740 - 22 * row, text, 18) for row, text in enumerate(title)
                        ]
            indent = 12 if index == 0 else 0
            pages[-1].append(Text(COLUMNS[column] + indent, y, line))
            y -= LEADING
    return text_pdf(pages, **more)  # type: ignore[arg-type]


def _wrapped(paragraph: str, width: int) -> list[str]:
    if paragraph.isascii():
        return wrap(paragraph, width)
    return [paragraph[place : place + width] for place in range(0, len(paragraph), width)]


def _furniture(head: str, number: int) -> list[Text]:
    return [Text(60, 800, head, 8), Text(290, 30, str(number), 8)]


def _shown(line: Text) -> bytes:
    turn = b"0 1 -1 0" if line.upwards else b"1 0 0 1"
    if line.text.isascii():
        font = b"/L"
        escaped = line.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        text = b"(%s)" % escaped.encode()
    else:
        font, text = b"/C", b"<%s>" % line.text.encode("utf-16-be").hex().encode()
    return b"BT %s %f Tf %s %f %f Tm %s Tj ET\n" % (font, line.size, turn, line.x, line.y, text)


def _entries(info: Mapping[str, str]) -> bytes:
    return b"".join(
        b"/%s<feff%s>" % (key.encode(), value.encode("utf-16-be").hex().encode())
        for key, value in info.items()
    )


def _annotation(link: Link) -> bytes:
    box = b" ".join(b"%f" % edge for edge in link.box)
    return b"<</Type/Annot/Subtype/Link/Rect[%s]/A<</S/URI/URI(%s)>>>>" % (box, link.url.encode())
