"""A stranger's own topic: few clicks, few fields, without script too."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect
from pytest_django import Settings

from crawler.models import Page
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from focusweb.demo.loopback_server import LoopbackServer, Request, Response
from tests.browser.conftest import Window
from tests.browser.test_every_page import AXE, faults
from tests.topics.factories import Scene
from topics.models import Thumb, Topic

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Window]


@pytest.fixture
def world() -> Iterator[LoopbackServer]:
    """A server at the address of every host: it has one page, and no robots.txt."""

    def answer(request: Request) -> Response:
        return Response(200, b"<p>A page") if request.target == "/" else Response(404)

    with LoopbackServer(answer) as server:
        yield server


@pytest.mark.parametrize("script", [True, False])
def test_a_topic_needs_three_clicks_and_two_fields(
    window: Open, scene: Scene, settings: Settings, world: LoopbackServer, *, script: bool
) -> None:
    settings.CONTACT_URL = "https://example.org/me"
    settings.CONNECT_TO = f"*=127.0.0.1:{world.port}"
    reader = window(script=script)
    reader.sign_in()
    reader.page.get_by_label("What do you want to follow?").fill("smart meters")
    reader.page.get_by_role("button", name="New topic").click()
    expect(reader.page.get_by_role("checkbox", name="smart meters")).to_be_checked()
    reader.page.get_by_label("Where to start").fill("www.example.org")
    reader.page.get_by_role("button", name="Start").click()
    expect(reader.page.locator("h1")).to_have_text("smart meters")
    assert Topic.objects.get(name="smart meters").seeds == "https://www.example.org/"


@pytest.mark.parametrize(
    ("locale", "said", "anyway"),
    [
        ("en-GB", "https://www.example.org/gone: The page does not exist", "Start anyway"),
        ("zh-CN", "https://www.example.org/gone：网页不存在", "仍然开始"),
    ],
)
def test_a_seed_that_is_missing_is_named_at_once(
    window: Open,
    scene: Scene,
    settings: Settings,
    world: LoopbackServer,
    locale: str,
    said: str,
    anyway: str,
) -> None:
    settings.CONTACT_URL = "https://example.org/me"
    settings.CONNECT_TO = f"*=127.0.0.1:{world.port}"
    reader = window(locale)
    reader.sign_in()
    reader.open("/new-topic/?words=meters")
    reader.page.locator("#id_places").fill("www.example.org/gone")
    reader.page.locator("form.new-topic button.main").click()
    expect(reader.page.locator(".errorlist")).to_contain_text(said)
    expect(reader.page.get_by_role("button", name=anyway)).to_be_visible()
    assert not Topic.objects.filter(name="meters").exists()


@pytest.mark.parametrize(
    ("locale", "said"),
    [("en-GB", "not an http or https URL: htp:/no"), ("zh-CN", "不是 http 或 https 网址：htp:/no")],
)
def test_a_mistake_has_the_focus(window: Open, scene: Scene, locale: str, said: str) -> None:
    reader = window(locale)
    reader.sign_in()
    reader.open("/new-topic/?words=meters")
    reader.page.locator("#id_places").fill("htp:/no")
    reader.page.locator("form.new-topic button.main").click()
    expect(reader.page.locator(".errorlist")).to_contain_text(said)
    expect(reader.page.locator("#id_places")).to_be_focused()


@pytest.fixture
def first_run(scene: Scene) -> Scene:
    """The topic in its first run, with finds on two sites."""
    scene.run.ended = None
    scene.run.save()
    for n in range(6):
        text = f"Computing 计算机: the turbine turns {n} times. The turbine stops."
        address = f"https://wind{n % 2}.test/{n}"
        scene.page(address, f"Wind {n}", score=0.5 + 0.01 * n, text=text)
        packed = pack_terms(text_terms(text))
        Page.objects.filter(url__url=address).update(packed_terms=packed)
    return scene


@pytest.mark.parametrize(
    ("locale", "yes", "add"),
    [
        ("en-GB", "Yes: Wind 5", "Add the term turbine"),
        ("zh-CN", "相关：Wind 5", "添加词语“turbine”"),
    ],
)
def test_a_first_run_asks_of_its_finds_and_offers_their_terms(
    window: Open, first_run: Scene, locale: str, yes: str, add: str
) -> None:
    reader = window(locale)
    reader.sign_in()
    reader.open("/topics/chips/")
    finds = reader.page.locator(".finds")
    finds.get_by_role("button", name=yes, exact=True).click()
    expect(finds.get_by_role("button", name=yes, exact=True)).to_have_count(0)
    expect(finds.locator("li")).to_have_count(3)
    assert Thumb.objects.get().url.url == "https://wind1.test/5"
    reader.page.get_by_role("button", name=add).click()
    expect(reader.page.locator(".message")).to_contain_text("turbine")
    assert first_run.topic.terms.get().text == "turbine"


@pytest.mark.parametrize(("locale", "theme"), [("en-GB", "light"), ("zh-CN", "dark")])
def test_a_first_run_is_accessible(window: Open, first_run: Scene, locale: str, theme: str) -> None:
    reader = window(locale, 390, theme)
    reader.sign_in()
    reader.page.add_init_script(AXE)
    reader.open("/topics/chips/")
    expect(reader.page.locator(".finds li")).to_have_count(3)
    expect(reader.page.locator(".found button").first).to_be_visible()
    assert faults(reader) == []


@pytest.mark.parametrize(("locale", "wish"), [("en-GB", "New topic"), ("zh-CN", "新建主题")])
def test_the_page_fits_a_narrow_screen(window: Open, scene: Scene, locale: str, wish: str) -> None:
    reader = window(locale, 360, "dark")
    reader.sign_in()
    reader.open("/new-topic/?words=smart+meters,电表")
    expect(reader.page.locator("h1")).to_have_text(wish)
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not reader.page.evaluate(wide)
