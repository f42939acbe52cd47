"""Read the imports of the project's own code and say which break the rules of the house.

Each check takes source text, so that tests can show it what must be found.
"""

import ast
import fnmatch
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

APPS = ("crawler", "topics", "focusweb")
#: Class names with several homes: a value and the row that stores it, and names that plugins or
#: the schema of the API use.
SAME_THING = frozenset({"Concept", "Label", "Relation", "Document", "Token"})
FORBIDDEN_WORDS = frozenset({"services", "utils", "util", "helpers", "managers", "common"})

#: From top to bottom; imports point down or sideways. A new module goes into its row.
#: `x.**` means the package x and everything in it, `*` any one name.
TABLE = """
wiring      focusweb.testing focusweb.settings focusweb.urls focusweb.wsgi *.apps topics.urls
edge        *.views.** *.forms.** *.admin.** *.management.** topics.templatetags.**
edge        topics.middleware.**
tasks       crawler.tasks topics.tasks topics.timer crawler.api.tasks
operations  crawler.checks.** crawler.crawl.** crawler.fetch.** crawler.judging.** crawler.lab.**
operations  crawler.replay.** crawler.sandbox.** crawler.sources.** crawler.store.**
operations  crawler.api.judging crawler.api.runs crawler.api.sources crawler.api.sites
operations  crawler.api.replay crawler.api.checks crawler.api.ontologies focusweb.demo.**
operations  crawler.api.outgoing crawler.api.machines
operations  crawler.builtin topics.builtin topics.search.** focusweb.runtime.supervisor
operations  topics.topic_file.** topics.profile.** topics.pages.** topics.sources.** topics.runs.**
operations  topics.home.** topics.feeds.** topics.changes.**
operations  topics.delivery.** topics.installation.** topics.charts.**
operations  topics.accounts.**
models      crawler.models.** topics.models.** crawler.api.tables
rules       crawler.messages
rules       topics.rules.** topics.reasons
core        crawler.page.** crawler.text.** crawler.knowledge.** crawler.ranking.**
core        crawler.strategies.** crawler.revisit.**
core        crawler.api.profiles crawler.api.text crawler.api.pages crawler.api.ranking
leaves      crawler.api crawler.api.reasons
leaves      crawler topics focusweb crawler.errors crawler.problems crawler.reasons topics.errors
leaves      crawler.search_providers crawler.api.searches
leaves      focusweb.hookspecs focusweb.plugins focusweb.plugin_calls focusweb.plugin_states
leaves      focusweb.plugin_files focusweb.plugin_reads focusweb.part_shapes focusweb.parameters
leaves      focusweb.plugin_settings focusweb.environment focusweb.database_faults focusweb.login
leaves      focusweb.command_line focusweb.client focusweb.mail_server focusweb.failpoints
leaves      focusweb.database focusweb.clock focusweb.charts.** focusweb.runtime.**
leaves      focusweb.prepared focusweb.package_data focusweb.web.**
"""

_PURE_STANDARD = frozenset(
    {
        *("__future__", "abc", "array", "bisect", "calendar", "codecs", "collections"),
        *("contextlib", "copy"),
        *("dataclasses", "datetime", "decimal", "email", "enum", "fractions", "functools"),
        *("graphlib", "hashlib", "heapq", "html", "io", "ipaddress", "itertools", "json", "math"),
        *("operator", "random", "re", "statistics", "string", "struct", "sys.byteorder", "types"),
        *("typing", "unicodedata", "urllib.parse", "zlib", "zoneinfo"),
    }
)
#: What each package of the core may import besides the standard library's pure part.
PURE: Mapping[str, frozenset[str]] = {
    "crawler.page": frozenset(
        {
            *("ada_url", "charset_normalizer", "lxml", "msgspec", "numpy", "tldextract"),
            *("ctypes", "pypdfium2"),
        }
    ),
    "crawler.text": frozenset({"Stemmer", "jieba", "numpy", "opencc", "rjieba", "stopwordsiso"}),
    "crawler.knowledge": frozenset({"msgspec", "numpy", "rdflib", "xml.parsers.expat", "xml.sax"}),
    "crawler.strategies": frozenset({"msgspec", "numpy"}),
    "crawler.ranking": frozenset({"numpy"}),
    "crawler.revisit": frozenset({"numpy"}),
}
#: Modules with an SQLite file that is not the database of the tables.
OWN_SQLITE_FILE = frozenset(
    {"topics.installation.backup", "topics.installation.restore", "topics.search.fts5.backend"}
)
_OF_ONE_DATABASE = frozenset(
    {"sqlite3", "psycopg", "django.db.backends", "django.contrib.postgres"}
)
#: What of Django's connections and transactions depends on the database.
_OF_A_CONNECTION = frozenset({"cursor", "vendor", "ops", "features", "atomic"})
#: Ways of Django to hand a statement on as it is.
_WRITTEN_OUT = frozenset({"RawSQL", "RunSQL", "cursor", "extra", "raw"})
#: Functions that reach a file, a socket, the clock or global random state from pure libraries.
IMPURE_CALLS = (
    *("builtins.open", "builtins.print", "builtins.input", "builtins.exec", "builtins.eval"),
    *("builtins.__import__", "io.open", "io.FileIO", "codecs.open"),
    *("datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today"),
    *("datetime.date.today", "random.SystemRandom"),
    *("numpy.load", "numpy.save*", "numpy.loadtxt", "numpy.genfromtxt", "numpy.fromfile"),
    *("numpy.memmap", "lxml.etree.parse", "lxml.html.parse", "tldextract.extract"),
)
_SEEDED = frozenset({"Random", "Generator", "SeedSequence", "default_rng", "PCG64", "BitGenerator"})

_NETWORK = frozenset(
    {
        *("socket", "socketserver", "ssl", "http.client", "http.server", "urllib.request"),
        *("urllib3", "requests", "httpx", "aiohttp", "asyncio", "ftplib", "smtplib", "imaplib"),
        *("poplib", "telnetlib", "xmlrpc", "websockets"),
    }
)
#: The fetch door; modules that only listen on, or resolve, an address of this machine; mail; the
#: API client.
MAY_USE_NETWORK = (
    "crawler.fetch.*",
    "focusweb.demo.loopback_server",
    "focusweb.runtime.address",
    # Mail goes to the operator's own server, which one setting names.
    "topics.delivery.smtp",
    "topics.delivery.smtp_check",
    # The command-line client of the API: what its user names, and no crawl.
    "focusweb.client",
)


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name: the module, what of it, and where."""

    module: str
    name: str
    line: int
    level: int = 0

    @property
    def full(self) -> str:
        """Dotted name as far as the import says it."""
        return f"{self.module}.{self.name}" if self.name else self.module


@cache
def imports_of(source: str) -> tuple[Import, ...]:
    """Every import of a module, also inside functions and under TYPE_CHECKING."""
    found: list[Import] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [Import(alias.name, "", node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            found += [Import(module, alias.name, node.lineno, node.level) for alias in node.names]
    return tuple(found)


def _read_table(table: str) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for line in table.strip().splitlines():
        name, *patterns = line.split()
        rows.setdefault(name, []).extend(patterns)
    return rows


ROWS = _read_table(TABLE)
ORDER = list(ROWS)


def row_of(module: str) -> str:
    """The module's row; empty if it is in none."""
    for row, patterns in ROWS.items():
        if any(_is_in(module, pattern) for pattern in patterns):
            return row
    return ""


def _is_in(module: str, pattern: str) -> bool:
    package = pattern.removesuffix(".**")
    if fnmatch.fnmatchcase(module, package):
        return True
    return package != pattern and fnmatch.fnmatchcase(module, f"{package}.*")


def modules_of(root: Path) -> dict[str, str]:
    """Name and source of each module of ours; migrations are Django's."""
    found = {}
    for app in APPS:
        for file in sorted((root / app).rglob("*.py")):
            parts = file.relative_to(root).with_suffix("").parts
            if "migrations" in parts:
                continue
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = file.read_text("utf-8")
    return found


def ours(entry: Import, modules: Mapping[str, str]) -> str | None:
    """The module of ours that an import loads; None if it is foreign."""
    if entry.module.partition(".")[0] not in APPS:
        return None
    return entry.full if entry.full in modules else entry.module


def row_violations(modules: Mapping[str, str]) -> Iterator[str]:
    """Modules in no row, with a word-of-all-work for a name, or that import upwards."""
    for name, source in modules.items():
        row = row_of(name)
        if not row:
            yield f"{name} is in no row: add it to TABLE in tests/import_rules.py"
            continue
        if FORBIDDEN_WORDS & set(name.split(".")):
            yield f"{name}: name it after what it does"
        for entry in imports_of(source):
            target = ours(entry, modules)
            if target and not _may_import(row, row_of(target)):
                yield f"{name}:{entry.line} ({row}) imports {target}, which is not below it"


def _may_import(row: str, target: str) -> bool:
    """Nothing of ours imports the wiring, but for the wiring itself."""
    if target == "wiring":
        return row == "wiring"
    return target != "" and ORDER.index(row) <= ORDER.index(target)


def side_violations(modules: Mapping[str, str]) -> Iterator[str]:
    """R1: the crawler knows no user and no web page of ours. R5: imports are absolute."""
    for name, source in modules.items():
        for entry in imports_of(source):
            if entry.level:
                yield f"{name}:{entry.line} imports relatively"
            if name.startswith("crawler") and entry.module.partition(".")[0] == "topics":
                yield f"{name}:{entry.line} imports {entry.full}: crawler never imports topics"


def api_violations(modules: Mapping[str, str]) -> Iterator[str]:
    """R6: topics imports the crawler's public interface only."""
    for name, source in modules.items():
        for entry in imports_of(source):
            inside = f"{entry.full}.".startswith("crawler.")
            if inside and name.startswith("topics") and not entry.module.startswith("crawler.api."):
                yield f"{name}:{entry.line} imports {entry.full}: use a module of crawler.api"


def rings(modules: Mapping[str, str]) -> list[str]:
    """Modules that import each other in a circle; empty if there is none."""
    graph = {
        name: {
            target
            for entry in imports_of(source)
            if (target := ours(entry, modules)) and target != name
        }
        for name, source in modules.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [str(name) for name in error.args[1]]
    return []


def package_of(module: str) -> str:
    """The package that a module belongs to: `crawler.page`, `topics.views`, `focusweb`."""
    if module.startswith("focusweb.testing"):
        return "focusweb.testing"  # for authors of plugins; nothing else imports it
    app, _, rest = module.partition(".")
    return app if app == "focusweb" or not rest else f"{app}.{rest.partition('.')[0]}"


def package_rings(modules: Mapping[str, str]) -> list[str]:
    """Packages that import each other, directly or by way of others; empty if there are none."""
    graph: dict[str, set[str]] = {}
    for name, source in modules.items():
        own = package_of(name)
        targets = (ours(entry, modules) for entry in imports_of(source))
        packages = {package_of(target) for target in targets if target}
        graph.setdefault(own, set()).update(packages - {own})
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [str(name) for name in error.args[1]]
    return []


def lab_violations(modules: Mapping[str, str]) -> Iterator[str]:
    """Modules that import the lab: only the lab itself and management commands may."""
    for name, source in modules.items():
        if name.startswith(("crawler.lab", "crawler.management.commands")):
            continue
        for entry in imports_of(source):
            if f"{entry.full}.".startswith("crawler.lab."):
                yield f"{name}:{entry.line} imports {entry.full}: the product does without the lab"


def network_violations(modules: Mapping[str, str]) -> Iterator[str]:
    """R3: only the fetch door talks to the network."""
    for name, source in modules.items():
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in MAY_USE_NETWORK):
            continue
        for entry in imports_of(source):
            if _is_one_of(entry, _NETWORK):
                yield f"{name}:{entry.line} imports {entry.full}: only crawler.fetch may"


def database_violations(modules: Mapping[str, str]) -> Iterator[str]:
    """R7: statements written out, and whatever suits one database only, have one home."""
    for name, source in modules.items():
        if name == "focusweb.database":
            continue
        if name not in OWN_SQLITE_FILE:
            for entry in imports_of(source):
                if _is_one_of(entry, _OF_ONE_DATABASE):
                    yield f"{name}:{entry.line} imports {entry.full}: use focusweb.database"
        known = _local_names(source)
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in _WRITTEN_OUT:
                    yield f"{name}:{node.lineno} calls {node.func.attr}: use focusweb.database"
            elif isinstance(node, ast.Attribute) and node.attr in _OF_A_CONNECTION:
                path = _dotted(node, known)
                if path.startswith("django.db."):
                    yield f"{name}:{node.lineno} uses {path}: use focusweb.database"


def purity_violations(name: str, source: str) -> Iterator[str]:
    """R2: the core touches no Django, file, socket, clock or global random state."""
    package = ".".join(name.split(".")[:2])
    if package not in PURE:
        return
    allowed = PURE[package] | _PURE_STANDARD
    for entry in imports_of(source):
        if entry.module.partition(".")[0] not in APPS and not _is_one_of(entry, allowed):
            yield f"{name}:{entry.line} imports {entry.full}, which a pure package may not"
    yield from _impure_calls(name, source)


def twin_classes(modules: Mapping[str, str]) -> Iterator[str]:
    """Yield each public class name that several modules give to different things."""
    homes: dict[str, list[str]] = defaultdict(list)
    for name, source in modules.items():
        if name.endswith(".views.api.shapes") or ".commands." in name:
            continue
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    for name, places in sorted(homes.items()):
        if len(places) > 1 and name not in SAME_THING:
            yield f"{name} is a class of {' and '.join(places)}"


def _is_one_of(entry: Import, names: frozenset[str]) -> bool:
    parts = entry.full.split(".")
    return any(".".join(parts[:length]) in names for length in range(1, len(parts) + 1))


def _impure_calls(name: str, source: str) -> Iterator[str]:
    known = _local_names(source)
    tree = ast.parse(source)
    called = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute | ast.Name):
            continue
        path = _dotted(node, known)
        call = called.get(id(node))
        unseeded = path.endswith(("Random", "default_rng")) and call and not _has_arguments(call)
        if unseeded or _is_global_random(path) or _matches(path, IMPURE_CALLS):
            yield f"{name}:{node.lineno} uses {path}; give it as an argument"


def _has_arguments(call: ast.Call) -> bool:
    return bool(call.args or call.keywords)


def _matches(path: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def _is_global_random(path: str) -> bool:
    for module in ("numpy.random.", "random."):
        if path.startswith(module):
            return path.removeprefix(module).partition(".")[0] not in _SEEDED
    return False


def _local_names(source: str) -> dict[str, str]:
    """What each imported name stands for, and each builtin function that is not shadowed."""
    known = {
        name: f"builtins.{name}"
        for name in ("open", "print", "input", "exec", "eval", "__import__")
    }
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                known[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return known


def _dotted(node: ast.AST, known: Mapping[str, str]) -> str:
    if isinstance(node, ast.Name):
        return known.get(node.id, "")
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value, known)
        return f"{base}.{node.attr}" if base else ""
    return ""
