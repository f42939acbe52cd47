"""The rows of the threat list on ontology files, from the upload to the tables."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from crawler.knowledge.ontology.concepts import OntologyError, OntologyProblem
from crawler.models import Concept, Label, Ontology, Relation
from crawler.sandbox.ontology_reader import ReadLimits, read_ontology
from tests.topics.factories import NOON, topic_of
from tests.topics.profile.test_ontologies import TURTLE, read
from tests.topics.views.test_concept_pages import upload
from tests.topics.views.test_knowledge_pages import said
from topics.profile import concepts, ontologies

SKOS = "http://www.w3.org/2004/02/skos/core#"
LABEL = f"{SKOS}prefLabel"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XML = f'<r:RDF xmlns:r="{RDF}" xmlns:s="{SKOS}">%s</r:RDF>'
PREFIX = f"@prefix s: <{SKOS}> .\n"


@pytest.fixture
def editor(as_ann: Client, ann: User) -> Client:
    ann.user_permissions.add(Permission.objects.get(codename="add_ontology"))
    as_ann.get("/ontologies/")  # The page of the form gives the cookie that lets large files in.
    return as_ann


def rows() -> tuple[int, ...]:
    return tuple(m._default_manager.count() for m in (Ontology, Concept, Label, Relation))


def refused(client: Client, data: bytes, **more: str) -> str:
    """Upload a file that is refused at its field; the page, after which nothing is stored."""
    before = rows()
    answer = upload(client, data, **more)
    assert answer.status_code == 422
    assert rows() == before
    html = said(answer)
    assert "errorlist" in html
    return html


def saved(client: Client, data: bytes, **more: str) -> Any:
    """Upload a file and save it; the page that was shown before."""
    shown = upload(client, data, **more)
    assert shown.status_code == 200
    client.post("/ontologies/save", {"token": shown.context["token"]})
    return shown


# --- R1: what takes long --------------------------------------------------------------------------


def bomb(levels: int) -> bytes:
    """An RDF/XML file whose one entity stands for 10 ** levels letters."""
    entities = "".join(
        f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x"}">' for n in range(levels + 1)
    )
    body = XML % f'<s:Concept r:about="urn:a"><s:prefLabel>&e{levels};</s:prefLabel></s:Concept>'
    return f'<?xml version="1.0"?><!DOCTYPE r:RDF [{entities}]>{body}'.encode()


@pytest.mark.parametrize("levels", [2, 5, 8])
def test_r1_entities_of_several_levels_are_refused(editor: Client, levels: int) -> None:
    assert "declares XML entities that are more" in refused(editor, bomb(levels))


def test_r1_a_literal_of_many_lines_ends_with_the_time_for_it() -> None:
    slow = f'<urn:a> <{LABEL}> """'.encode() + b"ab\n" * 500_000 + b'""" .'
    with pytest.raises(OntologyError) as caught:
        read_ontology(slow, limits=ReadLimits(cpu_s=1))
    assert caught.value.problem is OntologyProblem.TIME_LIMIT
    assert (ReadLimits().cpu_s, ReadLimits().memory_bytes) == (10, 512 << 20)


# --- R2, R3: what leads elsewhere -----------------------------------------------------------------


@pytest.mark.parametrize("kind", ["http", "file", "relative", "nested", "import"])
def test_r2_a_context_elsewhere_is_refused_and_not_opened(
    editor: Client, tmp_path: Path, kind: str
) -> None:
    context = tmp_path / "context.jsonld"
    context.write_text(json.dumps({"@context": {"name": LABEL}}), "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as canary:
        canary.settimeout(0.1)
        where = f"http://127.0.0.1:{canary.getsockname()[1]}/c"
        contexts: dict[str, Any] = {
            "http": where,
            "file": context.as_uri(),
            "relative": str(context),
            "nested": {"part": {"@id": "urn:part", "@context": where}},
            "import": {"@version": 1.1, "@import": context.as_uri()},
        }
        document = {"@context": contexts[kind], "@id": "urn:a", "name": "sentinel"}
        html = refused(editor, json.dumps(document).encode())
        with pytest.raises(TimeoutError):
            canary.accept()
    assert "FocusWeb does not fetch" in html


def test_r3_what_is_named_elsewhere_is_listed_and_not_followed(editor: Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as canary:
        canary.settimeout(0.1)
        where = f"http://127.0.0.1:{canary.getsockname()[1]}/x"
        links = (
            f"<urn:cpu> <http://www.w3.org/2002/07/owl#imports> <{where}> ;"
            f" <http://www.w3.org/2000/01/rdf-schema#seeAlso> <{where}2> ."
        )
        shown = saved(editor, (TURTLE + links).encode())
        query = f"LOAD <{where}> ; SELECT * {{ SERVICE <{where}> {{ ?a ?b ?c }} }}"
        refused(editor, query.encode())
        with pytest.raises(TimeoutError):
            canary.accept()
    listed = {row.what for row in shown.context["ignored"] if row.reason == "link_not_followed"}
    assert listed == {
        "http://www.w3.org/2002/07/owl#imports",
        "http://www.w3.org/2000/01/rdf-schema#seeAlso",
    }


# --- R4: nesting ----------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [200, 5_000, 100_000])
@pytest.mark.parametrize(
    ("start", "level", "end", "stop"),
    [
        (f"{PREFIX}<urn:a> s:narrower ", "[ s:narrower ", "<urn:b>", "]"),
        (f"{PREFIX}<urn:a> s:narrower ", "( ", "<urn:b>", ")"),
        ('{"@id": "urn:a", "urn:p": ', '{"urn:p": ', "1", "}"),
        ('{"@id": "urn:a", "urn:p": ', "[", "1", "]"),
        ("", "<s:Concept><s:narrower>", "", "</s:narrower></s:Concept>"),
    ],
    ids=["blank nodes", "lists", "objects", "arrays", "elements"],
)
def test_r4_deep_nesting_is_named_whether_it_is_closed_or_not(
    editor: Client, start: str, level: str, end: str, stop: str, depth: int
) -> None:
    for closing in (stop * depth, ""):
        text = start + level * depth + end + closing
        if "<s:" in level:
            text = XML % text if closing else (XML % text).removesuffix("</r:RDF>")
        elif start.startswith("{"):
            text += "}" if closing else ""
        else:
            text += " ." if closing else ""
        html = refused(editor, text.encode())
        # The message may say that the file is incomplete.
        assert "The file is nested too deeply." in html or (not closing and "is incomplete" in html)


# --- R5: many, long and odd -----------------------------------------------------------------------


def test_r5_a_circle_is_shown_and_cut(editor: Client) -> None:
    circle = TURTLE + f"<urn:laptop> <{SKOS}narrower> <urn:computer> ."
    shown = saved(editor, circle.encode())
    assert "Removed cycles" in said(shown)
    assert len(shown.context["cut"]) == 1
    Ontology.objects.get().graph()


def test_r5_more_concepts_than_are_read_are_refused(editor: Client) -> None:
    many = b"".join(b'<u:%x> <%s> "a" .\n' % (n, LABEL.encode()) for n in range(50_000))
    assert "too large" in refused(editor, many)


def test_r5_long_and_many_labels_are_left_out_and_listed(editor: Client) -> None:
    text = TURTLE + f'<urn:cpu> <{SKOS}altLabel> "{"x" * 1_000_000}" .'
    text += "".join(f'<urn:laptop> <{SKOS}altLabel> "name {n}"@en .\n' for n in range(10_000))
    shown = saved(editor, text.encode())
    reasons = {str(row.reason) for row in shown.context["ignored"]}
    assert {"label_too_long", "too_many_labels"} <= reasons
    laptop = Concept.objects.get(iri="urn:laptop")
    assert laptop.labels.count() == 1000
    assert max(len(text) for text in Label.objects.values_list("text", flat=True)) <= 500


@pytest.mark.parametrize("odd", ["\0", "\\u0000"])
def test_r5_a_nul_reaches_no_table(editor: Client, odd: str) -> None:
    data = f'<urn:a> <{LABEL}> "ok"@en . <urn:b> <{LABEL}> "a{odd}b"@en .'.encode()
    answer = upload(editor, data)
    if answer.status_code == 200:
        editor.post("/ontologies/save", {"token": answer.context["token"]})
    assert not any("\0" in text for text in Label.objects.values_list("text", flat=True))


def test_r5_an_iri_is_text_and_never_a_link(editor: Client, ann: User) -> None:
    script = '<javascript:alert(1)> <%s> "press"@en ; <javascript:alert(2)> <javascript:alert(3)> .'
    shown = saved(editor, (script % LABEL).encode())
    topic = topic_of(ann)
    concepts.attach(topic, Concept.objects.get())
    pages = [shown, editor.get("/ontologies/"), editor.get("/topics/chips/concepts/")]
    for page in pages:
        html = said(page)
        assert 'href="javascript' not in html and "src=" not in html.partition("<main")[2]
    assert Concept.objects.get().iri == "javascript:alert(1)"


def test_r5_labels_of_many_languages_are_kept_apart(editor: Client) -> None:
    text = f'<urn:a> <{LABEL}> "chip"@en , "芯片"@zh-Hans , "晶片"@zh-Hant , "puce"@fr , "x" .'
    saved(editor, text.encode())
    assert Label.objects.values("language").distinct().count() == 5


# --- R6: half files, wrong names, twice -----------------------------------------------------------


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_r6_half_a_file_is_refused_as_a_whole(editor: Client, share: float) -> None:
    data = TURTLE.encode().rstrip()
    refused(editor, data[: int(len(data) * share)])


@pytest.mark.parametrize("file", ["x.rdf", "x.json", "x.exe", "x", "x.ttl.xml", ".ttl"])
def test_r6_what_a_file_is_called_does_not_matter(editor: Client, file: str) -> None:
    saved(editor, TURTLE.encode(), file=file)
    assert Ontology.objects.get().graph() == read().graph()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "gbk", "big5"])
def test_r6_another_encoding_is_named(editor: Client, encoding: str) -> None:
    text = f'<urn:a> <{LABEL}> "中央"@zh .'
    assert "UTF-8" in refused(editor, text.encode(encoding))


def test_r6_the_same_file_twice_changes_no_row(editor: Client) -> None:
    saved(editor, TURTLE.encode())
    before = [list(m._default_manager.order_by("pk").values()) for m in (Ontology, Label, Relation)]

    shown = saved(editor, TURTLE.encode())

    assert shown.context["changes"].total == 0
    after = [list(m._default_manager.order_by("pk").values()) for m in (Ontology, Label, Relation)]
    assert after == before


def test_r6_an_import_that_breaks_in_the_middle_leaves_what_was_there(ann: User) -> None:
    ontologies.save_ontology(read(), "Machines", NOON, owner=ann)
    before = rows()
    whole = read(TURTLE.replace("urn:", "urn:new:"))
    broken = type(whole)(
        whole.title, whole.concepts[:1], whole.relations, whole.n_triples, {}, {}, (), ()
    )
    with pytest.raises(KeyError):
        ontologies.save_ontology(broken, "Machines", NOON, owner=ann)
    assert rows() == before
    assert Ontology.objects.get().graph() == read().graph()


# --- R7: names of files, archives -----------------------------------------------------------------


@pytest.mark.parametrize(
    "file",
    [
        "../../etc/passwd.ttl",
        "..\\..\\x.ttl",
        "CON",
        "NUL.ttl",
        "x" * 400 + ".ttl",
        "a\0b.ttl",
        "%2e%2e%2fx.ttl",
        "a\r\nb.ttl",
    ],
)
def test_r7_the_name_of_a_file_is_no_path(editor: Client, data_folder: Path, file: str) -> None:
    unnamed = f'<urn:c> <{LABEL}> "Cell"@en .'.encode()

    saved(editor, unnamed, file=file)

    ontology = Ontology.objects.get()
    assert len(ontology.title) <= 200
    assert not {"/", "\\", "\n", "\r", "\0"} & set(ontology.slug + ontology.title)
    assert [path for path in data_folder.rglob("*") if path.suffix == ".ttl"] == []
    export = editor.get(f"/ontologies/{ontology.pk}/export")
    assert export.headers["Content-Disposition"] == (
        f'attachment; filename="ontology-{ontology.pk}.ttl"'
    )


def test_r7_a_name_longer_than_any_header_is_refused(editor: Client) -> None:
    assert upload(editor, TURTLE.encode(), file="x" * 4096 + ".ttl").status_code == 400
    assert rows() == (0, 0, 0, 0)


@pytest.mark.parametrize(
    "magic",
    [
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"\x1f\x8b\x08",
        b"BZh9",
        b"\xfd7zXZ\x00",
        b"7z\xbc\xaf\x27\x1c",
        b"Rar!\x1a\x07",
        b"\x28\xb5\x2f\xfd",
    ],
)
def test_r7_an_archive_is_refused_and_said_to_be_one(editor: Client, magic: bytes) -> None:
    assert "Unpack archives first" in refused(editor, magic + TURTLE.encode(), file="x.ttl")
