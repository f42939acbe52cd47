"""The examples of the documentation work: each is run as it stands there."""

import logging
import re
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.test import Client
from django.urls import path
from pytest_django import Settings

from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.fetch.config import FetchConfig, build_user_agent
from crawler.fetch.door import Door
from crawler.knowledge.profile import CrawlSettings
from crawler.models import Crawl, Harvest, Run
from crawler.sandbox.parse_pool import ParsePool
from crawler.sources.base import Inquiry
from focusweb import hookspecs, plugins
from tests.crawler.crawl.test_crawl_loop import crawl as crawl_all
from tests.crawler.web import NOON, PROFILE, PaperWeb
from tests.topics.factories import person, scene_of, topic_of
from topics.forms import topic as topic_forms

DOCS = Path(__file__).resolve().parent.parent / "docs"


def blocks_of(document: str, language: str) -> list[str]:
    """The examples of a page in one language, in their order."""
    text = (DOCS / document).read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def test_the_example_plugin_offers_a_part_for_each_hook(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "example.py").write_text("\n\n".join(blocks_of("plugins.md", "python")), "utf-8")
    (tmp_path / "readers.py").write_text("\n\n".join(blocks_of("plugins.md", "py")), "utf-8")

    loaded = plugins.load(["example", "readers"], tmp_path)
    with caplog.at_level(logging.WARNING):
        loaded.notify("pages_posted", run_id=7)
        loaded.notify("run_ended", run_id=7)
        loaded.notify("digest_sent", issue_id=7)

    assert loaded.failures == []
    offered = {
        hook: [name for name, offer in plugins.offers(hook, loaded).items() if offer.is_foreign]
        for hook in hookspecs.OFFERING
    }
    assert offered == {
        "judges": ["share"],
        "strategies": ["short_addresses"],
        "rankers": ["content_only"],
        "scorers": ["well_linked"],
        "sources": ["folders"],
        "search_providers": ["forum"],
        "search_backends": [],
        "extractors": ["first_post"],
        "language_readers": ["esperanto"],
        "date_readers": ["week_numbers"],
        "exporters": ["txt"],
        "term_suggesters": ["name_words"],
        "page_panels": ["length"],
        "home_tiles": ["topic_count"],
        "channels": ["kept"],
    }
    assert "run 7 has new pages" in caplog.text
    assert "run 7 has ended" in caplog.text
    assert "issue 7 was sent" in caplog.text


def test_the_example_plugin_is_seen_on_pages(
    client: Client, db: None, tmp_path: Path, settings: Settings
) -> None:
    (tmp_path / "example.py").write_text("\n\n".join(blocks_of("plugins.md", "python")), "utf-8")
    settings.PLUGINS_DIR, settings.LOAD_PLUGINS = tmp_path, ["example"]
    scene = scene_of(person("ann"))
    page = scene.page("https://notes.test/cache", "Cache", text="x" * 321)
    client.force_login(scene.topic.owner)

    about = client.get(f"/topics/chips/pages/{page.pk}/").content.decode()
    suggested = client.get("/topics/chips/profile/suggestions").content.decode()

    assert "321 characters" in about
    assert "1 topics" in client.get("/").content.decode()
    assert "a word of the name" in suggested
    assert "https://forum.test/search.rss" in client.get("/topics/chips/sources/").content.decode()
    assert (
        "format: csv, json, md, warc, txt" in client.get("/search/export?format=x").content.decode()
    )
    assert plugins.plugins().failures == []


def test_the_example_plugin_crawls(tmp_path: Path, db: None, settings: Settings) -> None:
    (tmp_path / "example.py").write_text("\n\n".join(blocks_of("plugins.md", "python")), "utf-8")
    settings.PLUGINS_DIR, settings.LOAD_PLUGINS = tmp_path, ["example"]
    wanted = CrawlSettings(judge="share", strategy="short_addresses", ranker="content_only")
    crawl = Crawl(key="solar", first_seen=NOON)
    crawl.describe(PROFILE, wanted)
    crawl.save()
    run = Run.objects.create(crawl=crawl, started=NOON, n_pages=50)

    crawl_all(DatabaseBlackboard(run), PaperWeb())

    kept = Harvest.objects.filter(crawl=crawl).kept().select_related("url")
    urls = {row.url.url for row in kept}
    assert {"http://solar.test/cells", "http://solar.test/panels"} <= urls
    assert "http://kitchen.test/soup" not in urls
    assert {row.explanation["judge"]["name"] for row in kept} == {"share"}
    assert {row.explanation["parts"][0]["value"] for row in kept} == {0.0}
    door = Door(FetchConfig(build_user_agent("http://us.test/")))
    found = plugins.by_name("sources")["folders"].find(Inquiry(PROFILE, door, crawl.pk, NOON))
    assert "http://solar.test/" in found.urls


def test_the_example_plugin_reads_pages(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "readers.py").write_text("\n\n".join(blocks_of("plugins.md", "py")), "utf-8")
    settings.PLUGINS_DIR, settings.LOAD_PLUGINS = tmp_path, ["readers"]
    post = '<p>Menu</p><div class="post">Ĉiuj ĝardenoj ĵaŭde, ŝajne ĉiam aŭ ĝis.</div><p>End</p>'
    with ParsePool(1) as pool:
        page = pool.parse(post.encode(), "http://forum.test/1")

    assert (page.text, page.language) == ("Ĉiuj ĝardenoj ĵaŭde, ŝajne ĉiam aŭ ĝis.", "eo")
    assert plugins.plugins().failures == []


def test_the_example_plugin_has_settings(tmp_path: Path, db: None, settings: Settings) -> None:
    (tmp_path / "example.py").write_text("\n\n".join(blocks_of("plugins.md", "python")), "utf-8")
    settings.PLUGINS_DIR, settings.LOAD_PLUGINS = tmp_path, ["example"]
    scene = scene_of(person("ann"))
    for number in range(3):
        scene.page(f"https://notes.test/{number}/cache", "Cache", score=0.9 - number / 10)
    inquiry = Inquiry(
        PROFILE, Door(FetchConfig(build_user_agent("http://us.test/"))), scene.crawl.pk, NOON
    )
    plugins.plugins().states.set_up("example", {"most": 2})

    def found(**topic: Any) -> tuple[str, ...]:
        offered = plugins.offers("sources", topic={"example": topic})
        urls: tuple[str, ...] = offered["folders"].item.find(inquiry).urls
        return urls

    assert found() == ("https://notes.test/0/", "https://notes.test/1/")
    assert found(most=1, with_start=True) == ("https://notes.test/0/", "https://notes.test/")


def imported(file: Path, code: str) -> Any:
    """The module that an example is."""
    file.write_text(code, "utf-8")
    spec = spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_page_works(
    client: Client,
    db: None,
    tmp_path: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    form, view = blocks_of("adding-a-page.md", "python")
    (template,) = blocks_of("adding-a-page.md", "html")
    head = "from django import forms\nfrom topics.models import Topic\n"
    window_form = imported(tmp_path / "window_form.py", head + form).WindowForm
    monkeypatch.setattr(topic_forms, "WindowForm", window_form, raising=False)
    made = imported(tmp_path / "window.py", view)
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics/topic_window.html").write_text(template, "utf-8")
    (usual,) = settings.TEMPLATES
    settings.TEMPLATES = [{**usual, "DIRS": [*usual["DIRS"], tmp_path]}]
    addresses = ModuleType("addresses_with_the_example")
    addresses.urlpatterns = [  # type: ignore[attr-defined]
        path("topics/<str:slug>/window/", made.topic_window, name="topic_window"),
        *import_module(str(settings.ROOT_URLCONF)).urlpatterns,
    ]
    settings.ROOT_URLCONF = addresses
    topic = topic_of(person("ann"))
    client.force_login(topic.owner)
    address = f"/topics/{topic.slug}/window/"

    assert "Window" in client.get(address).content.decode()
    assert client.post(address, {"fresh_days": "0"}).status_code == 422
    assert client.post(address, {"fresh_days": "9"}).status_code == 302
    topic.refresh_from_db()
    assert topic.fresh_days == 9
    client.force_login(person("bob"))
    assert client.get(address).status_code == 404
