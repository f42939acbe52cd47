"""Read an uploaded ontology in a child process that cannot take more than its share."""

from contextlib import closing
from dataclasses import dataclass

import msgspec

from crawler.knowledge.ontology.concepts import OntologyError, OntologyProblem
from crawler.knowledge.ontology.parsed_ontology import MAX_BYTES, ParsedOntology
from crawler.sandbox.process import Cause, ChildError, ChildProcess
from crawler.sandbox.wire import ChildLimits, OntologyAnswer


@dataclass(frozen=True, slots=True)
class ReadLimits(ChildLimits):
    """What reading one ontology may cost."""

    cpu_s: int = 10
    wall_s: float = 30.0


def read_ontology(data: bytes, *, limits: ReadLimits | None = None) -> ParsedOntology:
    """Read an ontology as `crawler.knowledge.ontology.rdf.read_rdf` does, in a child process.

    Parameters
    ----------
    data : bytes
        The whole file.
    limits : ReadLimits or None
        None for the usual ones.

    Raises
    ------
    OntologyError
        As `read_rdf`, and when a limit ends the child or the child breaks.
    """
    limits = limits or ReadLimits()
    try:
        with closing(ChildProcess("ontology_handler", limits)) as child:
            packed = child.request(data[: MAX_BYTES + 1])
    except ChildError as error:
        raise _failure(error.cause, limits) from error
    answer = msgspec.msgpack.decode(packed, type=OntologyAnswer)
    if answer.ontology is None:
        assert answer.problem is not None  # An answer has one or the other.
        raise OntologyError(answer.problem, answer.detail)
    return answer.ontology


def _failure(cause: Cause, limits: ReadLimits) -> OntologyError:
    if cause is Cause.CRASH:
        return OntologyError(
            OntologyProblem.READER_FAILED,
            "reading the file broke the reader; nothing was imported; "
            "save it again as Turtle with another program",
        )
    problem = OntologyProblem.TIME_LIMIT
    if cause is Cause.MEMORY:
        problem = OntologyProblem.MEMORY_LIMIT
        limit = f"{limits.memory_bytes >> 20} MiB of memory"
    elif cause is Cause.CPU_TIME:
        limit = f"{limits.cpu_s} s of processor time"
    else:
        limit = f"{limits.wall_s:g} s"
    return OntologyError(
        problem,
        f"reading the file took more than {limit}; nothing was imported; import a part of it",
    )
