"""Ontology files to concepts and relations, and what is said about the rest."""

import json

import pytest

from crawler.knowledge.ontology import rdf, rdf_parse
from crawler.knowledge.ontology.concepts import (
    Concept,
    Label,
    OntologyError,
    Relation,
    RelationKind,
)
from crawler.knowledge.ontology.parsed_ontology import Ignored, IgnoredReason
from crawler.knowledge.ontology.rdf import read_rdf

SYNONYM, HAS, ONE_OF, IS_A, KIND_OF = RelationKind

PREFIXES = """
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix schema: <https://schema.org/> .
@prefix iso: <http://purl.org/iso25964/skos-thes#> .
@prefix fw: <urn:focusweb:ontology#> .
@prefix x: <urn:x:> .
"""
TWO = 'x:a skos:prefLabel "a" . x:b skos:prefLabel "b" . '

XML = (
    '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:s="http://www.w3.org/2004/02/skos/core#">%s</r:RDF>'
)


def turtle(text: str) -> bytes:
    return (PREFIXES + text).encode()


SAME_IN_EVERY_FORMAT = {
    "turtle": turtle(
        """
        x:a a skos:Concept ; skos:prefLabel "电脑"@zh , "computer"@en ; skos:narrower x:b .
        x:b a skos:Concept ; skos:prefLabel "laptop"@en ; skos:hiddenLabel "labtop"@en .
        """
    ),
    "nt": b"""
        <urn:x:a> <http://www.w3.org/2004/02/skos/core#prefLabel> "\\u7535\\u8111"@zh .
        <urn:x:a> <http://www.w3.org/2004/02/skos/core#prefLabel> "computer"@en .
        # a comment
        <urn:x:b> <http://www.w3.org/2004/02/skos/core#broader> <urn:x:a> .
        <urn:x:b> <http://www.w3.org/2004/02/skos/core#prefLabel> "laptop"@en .
        <urn:x:b> <http://www.w3.org/2004/02/skos/core#hiddenLabel> "labtop"@en .
    """,
    "xml": (
        '<?xml version="1.0" encoding="UTF-8"?>'
        + XML
        % """<s:Concept r:about="urn:x:a"><s:prefLabel xml:lang="zh">电脑</s:prefLabel>
        <s:prefLabel xml:lang="en">computer</s:prefLabel></s:Concept>
        <s:Concept r:about="urn:x:b"><s:broader r:resource="urn:x:a"/>
        <s:prefLabel xml:lang="en">laptop</s:prefLabel>
        <s:hiddenLabel xml:lang="en">labtop</s:hiddenLabel></s:Concept>"""
    ).encode(),
    "json-ld": json.dumps(
        {
            "@context": {"s": "http://www.w3.org/2004/02/skos/core#", "narrower": "s:narrower"},
            "@id": "urn:x:a",
            "s:prefLabel": [
                {"@value": "电脑", "@language": "zh"},
                {"@value": "computer", "@language": "en"},
            ],
            "narrower": {
                "@id": "urn:x:b",
                "s:prefLabel": {"@value": "laptop", "@language": "EN"},
                "s:hiddenLabel": {"@value": "labtop", "@language": "en"},
            },
        }
    ).encode(),
}


@pytest.mark.parametrize("name", SAME_IN_EVERY_FORMAT)
def test_every_format_gives_the_same_ontology(name: str) -> None:
    ontology = read_rdf(SAME_IN_EVERY_FORMAT[name])

    assert ontology.concepts == (
        Concept("urn:x:a", (Label("computer", "en"), Label("电脑", "zh"))),
        Concept("urn:x:b", (Label("laptop", "en"), Label("labtop", "en", "hidden"))),
    )
    assert ontology.relations == (Relation("urn:x:a", IS_A, "urn:x:b"),)
    assert ontology.labels_per_language == {"en": 3, "zh": 1}
    assert ontology.relations_per_kind == {"is_a": 1}
    assert ontology.ignored == ()


@pytest.mark.parametrize("name", SAME_IN_EVERY_FORMAT)
def test_a_byte_order_mark_changes_nothing(name: str) -> None:
    data = SAME_IN_EVERY_FORMAT[name]

    assert read_rdf(b"\xef\xbb\xbf" + data.lstrip()) == read_rdf(data)


@pytest.mark.parametrize(
    ("predicate", "relation"),
    [
        ("skos:exactMatch", Relation("urn:x:a", SYNONYM, "urn:x:b")),
        ("skos:closeMatch", Relation("urn:x:a", SYNONYM, "urn:x:b")),
        ("owl:sameAs", Relation("urn:x:a", SYNONYM, "urn:x:b")),
        ("owl:equivalentClass", Relation("urn:x:a", SYNONYM, "urn:x:b")),
        ("dcterms:hasPart", Relation("urn:x:a", HAS, "urn:x:b")),
        ("schema:hasPart", Relation("urn:x:a", HAS, "urn:x:b")),
        ("iso:narrowerPartitive", Relation("urn:x:a", HAS, "urn:x:b")),
        ("dcterms:isPartOf", Relation("urn:x:b", HAS, "urn:x:a")),
        ("schema:isPartOf", Relation("urn:x:b", HAS, "urn:x:a")),
        ("skos:narrower", Relation("urn:x:a", IS_A, "urn:x:b")),
        ("skos:broader", Relation("urn:x:b", IS_A, "urn:x:a")),
        ("rdfs:subClassOf", Relation("urn:x:b", IS_A, "urn:x:a")),
        ("rdf:type", Relation("urn:x:b", IS_A, "urn:x:a")),
    ],
)
def test_each_predicate_means_its_relation(predicate: str, relation: Relation) -> None:
    assert read_rdf(turtle(TWO + f"x:a {predicate} x:b .")).relations == (relation,)


@pytest.mark.parametrize(
    ("predicate", "kind"),
    [
        ("skos:prefLabel", "preferred"),
        ("rdfs:label", "preferred"),
        ("schema:name", "preferred"),
        ("dcterms:title", "preferred"),
        ("skos:altLabel", "alternative"),
        ("skos:hiddenLabel", "hidden"),
    ],
)
def test_each_label_predicate_means_its_kind(predicate: str, kind: str) -> None:
    ontology = read_rdf(turtle(f'x:a a skos:Concept ; {predicate} "a"@en .'))

    assert ontology.concepts == (Concept("urn:x:a", (Label("a", "en", kind),)),)


def test_a_language_that_no_table_can_hold_is_cut_between_its_parts() -> None:
    longer = "en-" + "-".join(["abcdefgh"] * 5)
    read = read_rdf(turtle(f'x:a skos:prefLabel "a"@{longer} , "b"@{"x" * 41} .'))

    assert [label.language for label in read.concepts[0].labels] == [
        "",
        "en-abcdefgh-abcdefgh-abcdefgh-abcdefgh",
    ]


def test_an_identifier_that_no_index_can_hold_is_left_out() -> None:
    name = "网" * 833
    read = read_rdf(turtle(f'<{name}> skos:prefLabel "a" . <{name}络> skos:prefLabel "b" .'))

    assert [concept.id for concept in read.concepts] == [name]
    assert [one.reason for one in read.ignored] == [IgnoredReason.BAD_ID]


def test_one_label_a_language_stays_preferred() -> None:
    ontology = read_rdf(
        turtle(
            'x:a rdfs:label "b"@en , "c"@en , "d"@fr ; skos:prefLabel "z"@en ; schema:name "b"@en .'
        )
    )
    assert ontology.concepts[0].labels == (
        Label("z", "en"),
        Label("d", "fr"),
        Label("b", "en", "alternative"),
        Label("c", "en", "alternative"),
    )


def test_owl_classes_and_their_members_are_concepts() -> None:
    ontology = read_rdf(
        turtle(
            """
            x:onto a owl:Ontology ; dcterms:title "Machines" ; owl:imports <http://other/> .
            x:machine a owl:Class ; rdfs:label "machine" .
            x:laptop a owl:Class ; rdfs:subClassOf x:machine , [ a owl:Restriction ] .
            x:mine a x:laptop , owl:NamedIndividual ; rdfs:label "my laptop" .
            x:weighs a owl:DatatypeProperty ; rdfs:label "weighs" .
            """
        )
    )
    assert ontology.title == "Machines"
    assert [c.id for c in ontology.concepts] == ["urn:x:laptop", "urn:x:machine", "urn:x:mine"]
    assert ontology.relations == (
        Relation("urn:x:laptop", IS_A, "urn:x:mine"),
        Relation("urn:x:machine", IS_A, "urn:x:laptop"),
    )


def test_a_class_of_concepts_is_no_concept_itself() -> None:
    ontology = read_rdf(
        turtle(
            """
            x:Subject rdfs:subClassOf skos:Concept ; rdfs:label "subject" .
            x:a a x:Subject ; skos:prefLabel "a" . x:b a x:Subject ; skos:prefLabel "b" .
            """
        )
    )
    assert [c.id for c in ontology.concepts] == ["urn:x:a", "urn:x:b"]
    assert ontology.relations == ()


def test_relative_names_stay_as_they_are() -> None:
    data = XML % '<s:Concept r:about="10.20"><s:prefLabel>a</s:prefLabel></s:Concept>'

    assert [c.id for c in read_rdf(data.encode()).concepts] == ["10.20"]


def test_what_was_ignored_is_listed_with_the_reason() -> None:
    ontology = read_rdf(
        turtle(
            TWO
            + f"""
            x:a owl:imports <http://127.0.0.1:9/x> ; rdfs:seeAlso <file:///etc/passwd> ;
                skos:related x:b ; skos:broader x:a , <http://elsewhere/> ; x:made "2020" .
            x:c skos:altLabel "left over" .
            x:d skos:prefLabel "{"d" * 501}" , x:b .
            [] skos:prefLabel "nameless" .
            """
        )
    )
    skos = "http://www.w3.org/2004/02/skos/core#"
    assert set(ontology.ignored) == {
        Ignored(IgnoredReason.LINK_NOT_FOLLOWED, "http://www.w3.org/2002/07/owl#imports", 1),
        Ignored(IgnoredReason.LINK_NOT_FOLLOWED, "http://www.w3.org/2000/01/rdf-schema#seeAlso", 1),
        Ignored(IgnoredReason.UNKNOWN_PREDICATE, skos + "related", 1),
        Ignored(IgnoredReason.UNKNOWN_PREDICATE, "urn:x:made", 1),
        Ignored(IgnoredReason.SELF_RELATION, "urn:x:a", 1),
        Ignored(IgnoredReason.OUTSIDE_CONCEPT, skos + "broader", 1),
        Ignored(IgnoredReason.NO_NAME, "neither type nor preferred label", 1),
        Ignored(IgnoredReason.LABEL_TOO_LONG, "urn:x:d", 1),
        Ignored(IgnoredReason.BAD_LABEL, skos + "prefLabel", 1),
        Ignored(IgnoredReason.BLANK_NODE, "concept without an IRI", 1),
    }


@pytest.mark.parametrize(
    ("predicate", "cut"),
    [
        ("skos:broader", Relation("urn:x:b", IS_A, "urn:x:a")),
        ("dcterms:hasPart", Relation("urn:x:c", HAS, "urn:x:a")),
        ("skos:related", None),
    ],
)
def test_a_cycle_is_cut_and_reported(predicate: str, cut: Relation | None) -> None:
    names = " ".join(f'x:{x} skos:prefLabel "{x}" .' for x in "abc")
    links = f"x:a {predicate} x:b . x:b {predicate} x:c . x:c {predicate} x:a ."

    ontology = read_rdf(turtle(names + links))

    assert ontology.cut == ((cut,) if cut else ())
    assert len(ontology.relations) == (2 if cut else 0)


def test_a_cycle_below_a_top_concept_is_cut_where_it_leads_back_up() -> None:
    names = " ".join(f'x:{x} skos:prefLabel "{x}" .' for x in "abz")
    links = "x:z skos:narrower x:b . x:b skos:narrower x:a . x:a skos:narrower x:b ."

    assert read_rdf(turtle(names + links)).cut == (Relation("urn:x:a", IS_A, "urn:x:b"),)


def test_a_very_long_cycle_is_cut() -> None:
    n = 5_000
    lines = [f'x:c{i} skos:prefLabel "{i}" ; skos:broader x:c{(i + 1) % n} .' for i in range(n)]

    ontology = read_rdf(turtle("\n".join(lines)))

    assert (len(ontology.cut), len(ontology.relations)) == (1, n - 1)


def test_a_degree_comes_from_the_statement_about_the_relation() -> None:
    said = "[] rdf:subject x:a ; rdf:predicate skos:broader ; rdf:object x:b ; fw:degree %s ."

    ontology = read_rdf(turtle(TWO + "x:a skos:broader x:b ." + said % '"0.25"'))
    assert ontology.relations == (Relation("urn:x:a", KIND_OF, "urn:x:b", 0.25),)

    for wrong in ('"7"', '"nan"', '"much"'):
        ontology = read_rdf(turtle(TWO + said % wrong))
        assert ontology.relations == ()
        assert [x.reason for x in ontology.ignored] == [IgnoredReason.BAD_DEGREE]


def test_labels_are_cleaned_and_a_script_address_stays_text() -> None:
    data = json.dumps(
        {
            "@id": "javascript:alert(1)",
            "http://www.w3.org/2004/02/skos/core#prefLabel": "a\ud800\x00\u202e \n b<script>",
        }
    ).encode()

    assert read_rdf(data).concepts == (Concept("javascript:alert(1)", (Label("a b<script>"),)),)


def test_a_concept_keeps_its_first_thousand_labels() -> None:
    labels = " , ".join(f'"{i:05}"' for i in range(10_000))
    ontology = read_rdf(turtle(f'x:a skos:prefLabel "z" ; skos:altLabel {labels} .'))

    assert len(ontology.concepts[0].labels) == rdf.MAX_LABELS_PER_CONCEPT
    assert ontology.concepts[0].labels[0] == Label("z")
    assert ontology.ignored == (Ignored(IgnoredReason.TOO_MANY_LABELS, "urn:x:a", 9001),)


@pytest.mark.parametrize("levels", [1, rdf_parse.MAX_NESTING])
def test_ordinary_nesting_is_read(levels: int) -> None:
    nested = "[ x:p " * levels + "1" + " ]" * levels
    assert len(read_rdf(turtle(f'x:a skos:prefLabel "a" ; x:p {nested} .')).concepts) == 1


@pytest.mark.parametrize("held", ['"%s"', "'%s'", '"""%s\n"""', "'''%s\n'''", '"\\"%s"'])
def test_brackets_inside_text_are_no_nesting(held: str) -> None:
    text = held % ("[(" * 2 * rdf_parse.MAX_NESTING)
    assert (
        len(read_rdf(turtle(f'x:a skos:prefLabel "a" ; x:p {text} . # {"[(" * 200}')).concepts) == 1
    )


def test_more_nesting_than_is_promised_is_refused() -> None:
    nested = "( " * (rdf_parse.MAX_NESTING + 1) + "1" + " )" * (rdf_parse.MAX_NESTING + 1)
    with pytest.raises(OntologyError, match="nested too deep"):
        read_rdf(turtle(f'x:a skos:prefLabel "a" ; x:p {nested} .'))
