"""Read an uploaded ontology in a child process that cannot take more than its share."""

import logging
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec

from crawler.knowledge.concepts import OntologyError, OntologyProblem
from crawler.knowledge.ontology import ReadOntology

logger = logging.getLogger(__name__)

_PROJECT = Path(__file__).resolve().parents[2]
_REFUSED, _OUT_OF_MEMORY = 3, 4  # as in `crawler.agents.rdf_child`, which loads rdflib


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What reading one ontology may cost.

    Attributes
    ----------
    cpu_s, wall_s : int
        Seconds of processor and of waiting, >= 1.
    memory_bytes : int
        Address space of the child.
    """

    cpu_s: int = 10
    wall_s: int = 30
    memory_bytes: int = 512 * 1024 * 1024


def read_ontology(data: bytes, *, limits: ReadLimits | None = None) -> ReadOntology:
    """Read an ontology as `crawler.knowledge.rdf.read_rdf` does, in a child process.

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
    command = [sys.executable, "-m", "crawler.agents.rdf_child"]
    command += [str(limits.cpu_s), str(limits.memory_bytes)]
    try:
        # No environment: passwords and addresses of ours are none of its business.
        child = subprocess.run(
            command,
            input=data,
            capture_output=True,
            timeout=limits.wall_s,
            check=False,
            cwd=_PROJECT,
            env={},
        )
    except subprocess.TimeoutExpired as error:
        raise _took_too_long(f"{limits.wall_s} s") from error
    if child.returncode == 0:
        return msgspec.msgpack.decode(child.stdout, type=ReadOntology)
    raise _failure(child, limits)


def _failure(child: subprocess.CompletedProcess[bytes], limits: ReadLimits) -> OntologyError:
    if child.returncode == _REFUSED:
        problem, detail = msgspec.msgpack.decode(child.stdout, type=tuple[OntologyProblem, str])
        return OntologyError(problem, detail)
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return _took_too_long(f"{limits.cpu_s} s of processor time")
    if child.returncode == _OUT_OF_MEMORY or b"MemoryError" in child.stderr:
        return OntologyError(
            OntologyProblem.MEMORY_LIMIT,
            f"reading the file took more than {limits.memory_bytes >> 20} MiB of memory; "
            "nothing was imported; import a part of it",
        )
    last_line = child.stderr.decode(errors="replace").strip().rpartition("\n")[2][:300]
    logger.error("rdf child ended with %s: %s", child.returncode, last_line)
    return OntologyError(
        OntologyProblem.READER_FAILED,
        "reading the file broke the reader; nothing was imported; "
        "save it again as Turtle with another program",
    )


def _took_too_long(limit: str) -> OntologyError:
    return OntologyError(
        OntologyProblem.TIME_LIMIT,
        f"reading the file took more than {limit}; nothing was imported; import a part of it",
    )
