"""The child process that reads one ontology: `python -m crawler.agents.rdf_child`.

It gets the file on its standard input and answers in MessagePack on its
standard output: the `ReadOntology` and exit status 0, or the problem and its
sentence as a pair and `REFUSED`. Whatever the file makes rdflib try, it can
open nothing: an audit hook refuses files, sockets and processes.
"""

import logging
import resource
import sys

import msgspec

from crawler.knowledge.concepts import OntologyError
from crawler.knowledge.ontology import MAX_BYTES
from crawler.knowledge.rdf import read_rdf

REFUSED = 3
OUT_OF_MEMORY = 4

_FORBIDDEN = ("open", "socket.", "subprocess.", "os.", "shutil.", "ctypes.", "urllib.", "http.")

# One concept in each format: reading them loads every module that rdflib
# brings in late, as nothing can be loaded once opening is forbidden.
_WARM_UP = (
    b'<u:a> <http://www.w3.org/2000/01/rdf-schema#label> "a"@en .',
    b'@prefix r: <http://www.w3.org/2000/01/rdf-schema#> . <u:a> r:label "a"@en , 1 .',
    b'{"@id": "u:a", "http://www.w3.org/2000/01/rdf-schema#label": "a"}',
    b'<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    b'xmlns:s="http://www.w3.org/2000/01/rdf-schema#">'
    b'<s:Class r:about="u:a"><s:label xml:lang="en">a</s:label></s:Class></r:RDF>',
)


def _forbid(event: str, arguments: tuple[object, ...]) -> None:
    if event.startswith(_FORBIDDEN):
        raise PermissionError(f"reading an ontology may not do this: {event} {arguments!r:.200}")


def _limit(cpu_s: int, memory_bytes: int) -> None:
    """Let the kernel stop this process; the CPU time used so far does not count."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu_limit = int(used.ru_utime + used.ru_stime) + cpu_s
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_limit, cpu_limit + 1))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def main(cpu_s: int, memory_bytes: int) -> int:
    """Read the ontology on standard input; return the exit status."""
    logging.getLogger("rdflib").setLevel(logging.CRITICAL)  # a line per odd IRI otherwise
    for sample in _WARM_UP:
        read_rdf(sample)
    _limit(cpu_s, memory_bytes)
    sys.addaudithook(_forbid)
    status = 0
    try:
        answer = msgspec.msgpack.encode(read_rdf(sys.stdin.buffer.read(MAX_BYTES + 1)))
    except OntologyError as error:
        answer = msgspec.msgpack.encode((error.problem, error.detail))
        status = REFUSED
    except MemoryError:
        return OUT_OF_MEMORY
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
    return status


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
