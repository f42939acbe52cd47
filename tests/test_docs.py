"""What drifts from the documentation: commands, settings, hooks, names and figures."""

import inspect
import json
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.management import get_commands

from crawler.knowledge.profile import CrawlSettings
from crawler.ranking.score import absolute_content, density_value, link_value
from focusweb import hookspecs, plugins
from tools import dev
from topics.models import Topic

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = sorted(name for name, app in get_commands().items() if app in ("crawler", "topics"))
VARIABLES = sorted(
    set(re.findall(r'"(FOCUSWEB_\w+|DATABASE_URL)"', (ROOT / "focusweb/settings.py").read_text()))
    | {"FOCUSWEB_SECRET_KEY"}
)


def text_of(document: str) -> str:
    """A page of the documentation."""
    return (ROOT / "docs" / document).read_text("utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_heading(command: str) -> None:
    assert f"\n## {command}\n" in text_of("commands.md")


def test_no_heading_is_left_of_a_command_that_is_gone() -> None:
    headings = re.findall(r"^## (\w+)$", text_of("commands.md"), re.MULTILINE)

    assert set(headings) <= set(COMMANDS)


@pytest.mark.parametrize("variable", VARIABLES)
def test_every_setting_is_explained(variable: str) -> None:
    assert f"| `{variable}` |" in text_of("operations.md")


def test_no_setting_is_explained_that_nobody_reads() -> None:
    explained = re.findall(r"^\| `([A-Z_]+)` \|", text_of("operations.md"), re.MULTILINE)

    assert sorted(explained) == VARIABLES


@pytest.mark.parametrize("task", sorted(dev.TASKS))
def test_every_make_target_is_explained(task: str) -> None:
    assert f"make {task}" in text_of("install.md")


HOOKS = sorted(
    name
    for name, function in inspect.getmembers(hookspecs, inspect.isfunction)
    if hasattr(function, f"{hookspecs.MARKER}_spec")
)


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_its_heading(hook: str) -> None:
    assert f"\n## {hook}\n" in text_of("plugins.md")


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_called_and_has_a_part_of_ours(hook: str) -> None:
    calls = rf'(?:offers|by_name|_find|_blocks|_offered|notify)\(\s*"{hook}"'
    modules = [file for app in ("crawler", "topics") for file in (ROOT / app).rglob("*.py")]

    assert [file for file in modules if re.search(calls, file.read_text("utf-8"))]
    assert any(hasattr(import_module(ours), hook) for ours in plugins.BUILT_IN) or hook in NO_PART


#: Nothing of FocusWeb itself has to do anything then.
NO_PART = {"digest_sent"}


def test_every_hook_offers_parts_or_brings_news() -> None:
    assert sorted([*hookspecs.OFFERING, *hookspecs.NEWS]) == HOOKS


def test_no_heading_is_left_of_a_hook_that_is_gone() -> None:
    headings = re.findall(r"^## ([a-z_]+)$", text_of("plugins.md"), re.MULTILINE)

    assert sorted(headings) == HOOKS


def test_the_defaults_of_a_topic_file_are_those_of_a_topic() -> None:
    rows = re.findall(
        r"^\| (`\w+`(?:, `\w+`)*) \| [^|]* \| ([^|:]+)(?::[^|]*)? \|$",
        text_of("topic-format.md").partition("**Settings**")[2].partition("**Sites**")[0],
        re.MULTILINE,
    )

    documented = {
        name.strip("`"): value.strip("`")
        for names, values in rows
        for name, value in zip(names.split(", "), values.split(", "), strict=True)
    }

    assert len(documented) > 15
    topic = Topic()
    defaults = {name: getattr(topic, name) for name in documented}
    assert documented == {
        name: value if isinstance(value, str) else f"{value:g}" if value else json.dumps(value)
        for name, value in defaults.items()
    }


PAGES = [
    "README.md",
    *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md")),
]


def test_every_page_is_in_an_index() -> None:
    indexes = [ROOT / "docs/README.md", ROOT / "docs/research/README.md"]
    linked = {
        (index.parent / target).resolve()
        for index in indexes
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", index.read_text("utf-8"))
    }

    assert {page.resolve() for page in (ROOT / "docs").rglob("*.md")} - linked <= {indexes[0]}


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    file = ROOT / page
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", file.read_text("utf-8"))

    assert [target for target in targets if not (file.parent / target).exists()] == []


def headings_of(file: Path) -> set[str]:
    """The anchors of a page's headings, as repository sites make them."""
    text = re.sub(r"```.*?```", "", file.read_text("utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES)
def test_links_to_headings_lead_somewhere(page: str) -> None:
    file = ROOT / page
    targets = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", file.read_text("utf-8"))
    broken = [
        f"{target}#{anchor}"
        for target, anchor in targets
        if anchor not in headings_of(file.parent / target if target else file)
    ]

    assert broken == []


@pytest.mark.parametrize("page", PAGES)
def test_no_line_is_longer_than_120_characters(page: str) -> None:
    lines = (ROOT / page).read_text("utf-8").splitlines()

    assert [number for number, line in enumerate(lines, 1) if len(line) > 120] == []


TOP = "crawler|topics|focusweb|tests|tools|bench"
FILES = rf"(?<![\w./-])(?:{TOP}|docs|templates|locale|fixtures)/[\w./-]*\w"
NAMES = rf"(?<![\w./-])(?:{TOP})(?:\.\w+)+"
#: Pages for people who change the program: what they name is there.
#: Pages, and how many names of modules each has at least.
FOR_AUTHORS = {
    "adding-a-page.md": 1,
    "architecture.md": 4,
    "contributing.md": 4,
    "plugins.md": 4,
    "testing.md": 0,
}


def named_in(document: str, pattern: str) -> Iterator[str]:
    """What a page names, but for its examples: those are run."""
    text = re.sub(r"```(?:python|py|html)\n.*?```", "", text_of(document), flags=re.DOTALL)
    yield from dict.fromkeys(re.findall(pattern, text))


def is_there(name: str) -> bool:
    """True if a dotted name is a module, or something in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        module = ".".join(parts[:length])
        try:
            found = find_spec(module) is not None
        except ModuleNotFoundError:
            continue
        if found:
            value: object = import_module(module)
            for part in parts[length:]:
                if not hasattr(value, part):
                    return False
                value = getattr(value, part)
            return True
    return False


@pytest.mark.parametrize(("document", "n_names"), FOR_AUTHORS.items())
def test_what_is_named_for_authors_is_there(document: str, n_names: int) -> None:
    names, files = list(named_in(document, NAMES)), list(named_in(document, FILES))

    assert len(names) >= n_names
    assert len(names) + len(files) > 3
    assert [name for name in names if not is_there(name)] == []
    assert [file for file in files if not (ROOT / file).exists()] == []


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("crawler.tasks", True),
        ("crawler.fetch.door.Door.fetch", True),
        ("crawler.fetch.door.Door.jump", False),
        ("crawler.tusks", False),
        ("tests.test_docs.is_there", True),
    ],
)
def test_a_name_is_found_or_not(name: str, there: bool) -> None:
    assert is_there(name) is there


def test_the_scores_that_the_page_on_alerts_names_are_those_of_the_formula() -> None:
    """Without stuffing, at the default weights: what a page counts, and what votes add."""
    usual, text = CrawlSettings(), " ".join(text_of("delivery.md").split())

    def content(relevance: float, dense: float) -> str:
        return f"{usual.content_weight * absolute_content(relevance, dense):.2f}"

    def votes(count: float) -> str:
        return f"{usual.link_weight * link_value(count, usual.link_scale):.3f}"

    assert f"that no other site links to scores at most {content(1, 1)}." in text
    typical, denser = content(0.95, density_value(1, 1)), content(0.99, density_value(1.5, 1))
    assert f"about {typical} if it is relevant (0.95)" in text
    assert f"about {denser} if it is surely relevant (0.99)" in text
    assert f"One vote of a linking site adds {votes(1)}, three add {votes(3)}." in text
