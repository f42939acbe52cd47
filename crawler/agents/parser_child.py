"""A parse child: reads pages on standard input, writes what is in them, owns nothing.

Fetched bytes are parsed nowhere else, because a crafted page can hold C code
for longer than any Python timeout can interrupt. Started by `ParsePool` as
``python -m crawler.agents.parser_child CPU_S MEMORY_BYTES N_FILES``.
"""

import gc
import math
import resource
import signal
import sys
from typing import BinaryIO

from crawler.agents.parse_wire import (
    HEADER,
    ParseAnswer,
    ParseRequest,
    decode_request,
    encode,
    framed,
)
from crawler.errors import ParseError
from crawler.page.parse import parse_page
from crawler.reasons import Reason

_FORBIDDEN_EVENTS = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system")


def _refuse(event: str, _arguments: tuple[object, ...]) -> None:
    if event.startswith(_FORBIDDEN_EVENTS):
        raise PermissionError(f"a parse child may not do this: {event}")


def confine(memory_bytes: int, n_files: int) -> None:
    """Give up what a parser does not need. There is no way back."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (n_files, n_files))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    sys.addaudithook(_refuse)


def _allow_cpu(seconds: int) -> None:
    """Let the process use so many more CPU seconds before the kernel stops it."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = math.ceil(usage.ru_utime + usage.ru_stime)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, hard))


def _answer(request: ParseRequest) -> ParseAnswer:
    try:
        page = parse_page(request.body, request.url, request.content_type, request.robots_header)
    except ParseError as error:
        return ParseAnswer(reason=error.reason, detail=error.detail)
    except MemoryError:
        return ParseAnswer(reason=Reason.PARSER_LIMIT, detail="out of memory")
    return ParseAnswer(page)


def serve(requests: BinaryIO, answers: BinaryIO, cpu_s: int) -> None:
    """Answer requests until there are no more; end of input means the parent is gone."""
    answers.write(framed(b""))
    answers.flush()
    while len(header := requests.read(HEADER.size)) == HEADER.size:
        message = requests.read(*HEADER.unpack(header))
        _allow_cpu(cpu_s)
        answer = encode(_answer(decode_request(message)))
        answers.write(framed(answer))
        answers.flush()


def main() -> None:
    """Confine this process and serve standard input."""
    cpu_s, memory_bytes, n_files = map(int, sys.argv[1:4])
    # Load what is loaded lazily while files can still be opened freely.
    parse_page("<title>warm</title><p>暖 up".encode(), "http://warm.test/")
    confine(memory_bytes, n_files)
    # Dictionaries and modules stay; looking through them again and again for
    # garbage takes a tenth of the time of parsing.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    serve(sys.stdin.buffer, sys.stdout.buffer, cpu_s)


if __name__ == "__main__":
    main()
