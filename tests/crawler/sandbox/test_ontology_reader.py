"""Reading an ontology in a child: limits hold, and nothing is opened."""

import json
import socket
import subprocess
import sys
import time

import pytest

from crawler.knowledge.ontology.concepts import OntologyError, OntologyProblem
from crawler.knowledge.ontology.rdf import read_rdf
from crawler.sandbox.ontology_reader import ReadLimits, read_ontology

LABEL = "http://www.w3.org/2004/02/skos/core#prefLabel"
TURTLE = f"""
<urn:a> <{LABEL}> "电脑"@zh , "computer"@en .
<urn:b> <{LABEL}> "laptop"@en ; <http://www.w3.org/2004/02/skos/core#broader> <urn:a> .
""".encode()

# Each line of a long literal makes rdflib start over: time grows with its square.
SLOW = f'@prefix x: <urn:x:> . x:a <{LABEL}> """'.encode() + b"ab\n" * 500_000 + b'""" .'


def test_the_child_reads_what_the_reader_reads() -> None:
    assert read_ontology(TURTLE) == read_rdf(TURTLE)


def test_the_childs_refusal_arrives_as_it_was_meant() -> None:
    with pytest.raises(OntologyError, match="the file is empty") as caught:
        read_ontology(b"")
    assert caught.value.problem is OntologyProblem.EMPTY


def test_processor_time_is_limited() -> None:
    started = time.monotonic()
    with pytest.raises(OntologyError, match="1 s of processor time") as caught:
        read_ontology(SLOW, limits=ReadLimits(cpu_s=1))
    assert caught.value.problem is OntologyProblem.TIME_LIMIT
    assert time.monotonic() - started < 20


def test_waiting_time_is_limited() -> None:
    with pytest.raises(OntologyError, match="more than 1 s;") as caught:
        read_ontology(SLOW, limits=ReadLimits(wall_s=1))
    assert caught.value.problem is OntologyProblem.TIME_LIMIT


def test_memory_is_limited() -> None:
    many = b"".join(b'<urn:%d> <%s> "label %d" .\n' % (i, LABEL.encode(), i) for i in range(19_000))
    limits = ReadLimits(memory_bytes=48 * 1024 * 1024)

    with pytest.raises(OntologyError) as caught:
        read_ontology(many, limits=limits)
    assert caught.value.problem is OntologyProblem.MEMORY_LIMIT
    assert "48 MiB" in caught.value.detail


def test_nothing_named_in_a_file_is_contacted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as canary:
        canary.settimeout(0.2)
        where = f"http://127.0.0.1:{canary.getsockname()[1]}/x"
        for data in (
            json.dumps({"@context": where, "@id": "urn:a", LABEL: "a"}).encode(),
            TURTLE + f"<urn:a> <http://www.w3.org/2002/07/owl#imports> <{where}> .".encode(),
            TURTLE + f"<urn:a> <http://www.w3.org/2000/01/rdf-schema#seeAlso> <{where}> .".encode(),
        ):
            try:
                read_ontology(data)
            except OntologyError as error:
                assert error.problem is OntologyProblem.REMOTE_CONTEXT
        with pytest.raises(TimeoutError):
            canary.accept()


@pytest.mark.parametrize(
    "deed",
    [
        "open('/etc/hostname')",
        "__import__('socket').socket()",
        "__import__('subprocess').Popen(['true'])",
        "os.system('true')",
        "os.remove('/nowhere')",
    ],
)
def test_the_child_can_open_nothing(deed: str) -> None:
    code = (
        "import os, socket, subprocess, sys\n"
        "from crawler.sandbox.child import confine\n"
        "from crawler.sandbox.ontology_handler import FORBIDDEN\n"
        "confine(1 << 30, 64, FORBIDDEN)\n"
        f"{deed}\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)

    assert b"PermissionError: a confined child may not do this" in done.stderr
