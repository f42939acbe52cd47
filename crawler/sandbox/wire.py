"""What a confined child and its parent send each other over two pipes."""

from dataclasses import dataclass, field, replace
from struct import Struct

from crawler.knowledge.ontology.concepts import OntologyProblem
from crawler.knowledge.ontology.parsed_ontology import ParsedOntology
from crawler.page.parsed import MAX_VOCABULARY, Blocks, ParsedPage
from crawler.reasons import Reason
from focusweb.plugin_files import PluginSource

#: Before each message: its length in bytes. The first answers the set-up: the child is ready.
HEADER = Struct("<I")
#: The first byte of an answer: the handler's answer follows, or the traceback of its error.
ANSWERED, FAILED = b"\0", b"\1"
#: Before an answer: the plugin that is called now, and its hook; empty when it has returned.
CALLING = b"\2"
#: Exit status of a child that ran out of memory.
OUT_OF_MEMORY = 4


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """What one request may cost.

    Attributes
    ----------
    cpu_s : int
        CPU seconds, >= 1; starting the child does not count.
    wall_s : float
        Seconds by the clock.
    memory_bytes : int
        Address space of the child. A page reader has about 190 MiB of code, dictionaries
        and reserved ranges (resident: 80 MiB); the worst pages known take 350 MiB.
    n_files : int
        Open files of the child.
    start_s : float
        Seconds the child may take to load.
    """

    cpu_s: int = 5
    wall_s: float = 10.0
    memory_bytes: int = 512 * 1024 * 1024
    n_files: int = 64
    start_s: float = 60.0


@dataclass(frozen=True, slots=True)
class ParseRequest:
    """A page to parse: the arguments of `parse_page`."""

    body: bytes
    url: str
    content_type: str = ""
    robots_header: str = ""
    site_frame: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PageSetup:
    """By what a child reads pages: the plugins with extractors or language readers.

    Attributes
    ----------
    folder : str
        The plugin folder.
    cpu_limit_s, time_limit_s : float
        Processor time, and time by the clock, that one call of a plugin may take.
    """

    folder: str = ""
    plugins: tuple[PluginSource, ...] = ()
    cpu_limit_s: float = 2.0
    time_limit_s: float = 5.0

    @property
    def has_plugins(self) -> bool:
        """True if it has more than our own parts."""
        return not all(plugin.is_own for plugin in self.plugins)

    def without_plugins(self) -> "PageSetup":
        """Return the same with our own parts alone."""
        own = tuple(plugin for plugin in self.plugins if plugin.is_own)
        return replace(self, plugins=own)


#: A plugin, its hook, and what went wrong.
PluginFailure = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class ParseAnswer:
    """A parsed page, or the reason why there is none; and the errors of plugins."""

    page: ParsedPage | None = None
    reason: Reason | None = None
    detail: str = ""
    failures: list[PluginFailure] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class OntologyAnswer:
    """An ontology, or the problem with its file."""

    ontology: ParsedOntology | None = None
    problem: OntologyProblem | None = None
    detail: str = ""


def without_blocks(page: ParsedPage) -> ParsedPage:
    """Return the page as it is sent: its terms hold the tokens of its blocks a second time."""
    is_whole = len(page.terms.vocabulary) < MAX_VOCABULARY
    return replace(page, blocks=[]) if is_whole else page


def with_blocks(page: ParsedPage) -> ParsedPage:
    """Undo `without_blocks`."""
    return page if page.blocks else replace(page, blocks=Blocks(page.terms, page.spans))


def framed(message: bytes) -> bytes:
    """Put a message's length before it."""
    return HEADER.pack(len(message)) + message
