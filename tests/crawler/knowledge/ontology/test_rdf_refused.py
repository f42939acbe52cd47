"""Ontology files that cannot be read, and what is said about each."""

import pytest

from crawler.knowledge.ontology import parsed_ontology, rdf, rdf_parse
from crawler.knowledge.ontology.concepts import Label, OntologyError, OntologyProblem
from crawler.knowledge.ontology.rdf import read_rdf
from tests.crawler.knowledge.ontology.test_rdf import XML, turtle

RDF_NS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


def problem_of(data: bytes) -> OntologyProblem:
    with pytest.raises(OntologyError) as caught:
        read_rdf(data)
    assert caught.value.detail
    return caught.value.problem


def with_entity(declaration: str) -> bytes:
    body = XML % '<s:Concept r:about="urn:x:a"><s:prefLabel>&e;</s:prefLabel></s:Concept>'
    return f'<?xml version="1.0"?><!DOCTYPE r:RDF [{declaration}]>{body}'.encode()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", OntologyProblem.EMPTY),
        (b" \n\t ", OntologyProblem.EMPTY),
        (b"# only a comment", OntologyProblem.EMPTY),
        (turtle("x:a x:b x:c ."), OntologyProblem.EMPTY),
        (b"{}", OntologyProblem.EMPTY),
        (b"PK\x03\x04rest", OntologyProblem.BAD_FORMAT),
        (b"\x1f\x8b\x08", OntologyProblem.BAD_FORMAT),
        (b"%PDF-1.7", OntologyProblem.BAD_FORMAT),
        (b"<!DOCTYPE html><title>x</title>", OntologyProblem.BAD_FORMAT),
        (b"<html lang=en>", OntologyProblem.BAD_FORMAT),
        (b"<?xml version='1.0'?><rss/>", OntologyProblem.BAD_FORMAT),
        ("电脑".encode("utf-16"), OntologyProblem.BAD_FORMAT),
        (
            turtle('x:a skos:prefLabel "电脑"@zh .').decode().encode("gbk"),
            OntologyProblem.BAD_ENCODING,
        ),
        (
            f'<?xml version="1.0" encoding="GB18030"?><a x="{RDF_NS}"/>'.encode(),
            OntologyProblem.BAD_ENCODING,
        ),
        (turtle('x:a skos:prefLabel "a\0" .'), OntologyProblem.BAD_ENCODING),
        (b"name,parent\ncpu,computer\n", OntologyProblem.SYNTAX),
        (turtle('x:a skos:prefLabel "a" . x:b skos:prefLabel "b'), OntologyProblem.SYNTAX),
        (turtle('x:a skos:prefLabel "a" ;'), OntologyProblem.SYNTAX),
        (b"<urn:a> <urn:b> <urn:c> .\n<urn:a> <urn:b", OntologyProblem.SYNTAX),
        ((XML % "<s:Concept>")[:-20].encode(), OntologyProblem.SYNTAX),
        (b'{"@id": "urn:a"', OntologyProblem.SYNTAX),
        (b'{"@id": "urn:a", "urn:p": ' + b"9" * 5000 + b"}", OntologyProblem.SYNTAX),
        (b'{"@context": "http://127.0.0.1:9/c"}', OntologyProblem.REMOTE_CONTEXT),
        (b'{"@context": ["context.jsonld"]}', OntologyProblem.REMOTE_CONTEXT),
        (b'{"@context": {"@import": "file:///etc/passwd"}}', OntologyProblem.REMOTE_CONTEXT),
        (b'[{"a": [{"@context": "c"}]}]', OntologyProblem.REMOTE_CONTEXT),
        (b'{"@context": {"a": {"@id": "u:a", "@context": "c"}}}', OntologyProblem.REMOTE_CONTEXT),
        (with_entity('<!ENTITY e SYSTEM "file:///etc/passwd">'), OntologyProblem.ENTITIES),
        (with_entity('<!ENTITY f "x"><!ENTITY e "&f;&f;">'), OntologyProblem.ENTITIES),
        (with_entity('<!ENTITY % p "x"><!ENTITY e "x">'), OntologyProblem.ENTITIES),
        (turtle("x:a skos:narrower " + "[ skos:narrower " * 300), OntologyProblem.NESTED_TOO_DEEP),
        (turtle("x:a skos:narrower " + "( " * 100_000), OntologyProblem.NESTED_TOO_DEEP),
        ((XML % ("<s:Concept><s:narrower>" * 200)).encode(), OntologyProblem.NESTED_TOO_DEEP),
        (b'{"a":' * 200 + b"1" + b"}" * 200, OntologyProblem.NESTED_TOO_DEEP),
        (b'{"a":' + b"[" * 100_000, OntologyProblem.NESTED_TOO_DEEP),
        (b"#" * (parsed_ontology.MAX_BYTES + 1), OntologyProblem.TOO_LARGE),
        (turtle("x:a x:p " + "1," * rdf_parse.MAX_TRIPLES + "1 ."), OntologyProblem.TOO_LARGE),
        (
            b"\n".join(
                b"<urn:%d> <%stype> <http://www.w3.org/2004/02/skos/core#Concept> ."
                % (i, RDF_NS.encode())
                for i in range(rdf.MAX_CONCEPTS + 1)
            ),
            OntologyProblem.TOO_LARGE,
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, OntologyProblem) else repr(value[:40]),
)
def test_what_cannot_be_read_is_refused_with_its_problem(
    data: bytes, problem: OntologyProblem
) -> None:
    assert problem_of(data) is problem


def test_a_short_entity_for_a_namespace_is_fine() -> None:
    parsed_ontology = read_rdf(with_entity('<!ENTITY e "电脑">'))

    assert parsed_ontology.concepts[0].labels == (Label("电脑"),)


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"\xff\n", 1),
        ("# a\n# 电脑\nx".encode() + b"\xe7\x94 y", 3),
        (b"# a\n\0", 2),
    ],
)
def test_a_wrong_encoding_names_the_line(data: bytes, line: int) -> None:
    with pytest.raises(OntologyError, match=f"line {line} "):
        read_rdf(data)


def test_a_damaged_file_is_quoted_in_short() -> None:
    with pytest.raises(OntologyError) as caught:
        read_rdf(b"<urn:a> <urn:b> <urn:c> .\n" + b"<urn:a> nonsense" * 10_000)
    assert len(caught.value.detail) < 500
