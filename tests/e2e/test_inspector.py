"""The inspector in a real browser: it shows, jumps, compares, searches, and lets nothing in.

Screenshots are kept as artefacts where `RAG_SCREENSHOTS` names a folder.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from rag_chunker.heading_aware import HeadingAwareChunker
from rag_chunker.inspector import Chunking, render
from rag_core.testing.builders import make_context, make_document
from rag_core.types import Block, BlockType, ParsedDocument

pytestmark = pytest.mark.e2e

_CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
_WORDS = "The pump lifts water, and its seal keeps the water out of the motor. "


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if _CHROMIUM is None:
        pytest.skip("needs Chromium, which is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a document's page; at the end, the browser must have had nothing to complain about."""
    complaints: list[str] = []
    pages: list[Page] = []

    def open_page(parsed: ParsedDocument, **options: object) -> Page:
        path = tmp_path / "page.html"
        path.write_bytes(render(parsed, [_chunked(parsed, 96, 24), _chunked(parsed, 48, 12)]))
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 800}, **options})
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda request: complaints.append(request.url) if request.url != path.as_uri() else 0,
        )
        page.goto(path.as_uri())
        page.locator(".chunk.now").first.wait_for()
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert complaints == []


def _chunked(parsed: ParsedDocument, max_tokens: int, overlap_tokens: int) -> Chunking:
    chunks = HeadingAwareChunker(max_tokens, overlap_tokens).chunk_now(make_context(), parsed)
    return Chunking(chunks, max_tokens, overlap_tokens, "cl100k_base")


def _manual(sections: int = 12) -> ParsedDocument:
    blocks: list[Block | str] = ["# Manual", "Read this first."]
    for number in range(sections):
        blocks += [f"## Section {number}", _WORDS * 12]
        end = f"End of {number}. 😀"
        blocks.append(Block(type=BlockType.paragraph, text=end, attributes={"page": 3}))
    return make_document(blocks, title="Pump manual")


def _keep(page: Page, name: str) -> None:
    folder = os.environ.get("RAG_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"inspector-{name}.png")


def _now(page: Page) -> int:
    return int(page.locator(".pane").first.locator(".chunk.now").get_attribute("data-i") or -1)


def _is_in_view(page: Page, selector: str) -> bool:
    box = page.locator(selector).bounding_box()
    return box is not None and 0 <= box["y"] < 760


def test_shows_every_chunk_with_its_overlap_and_the_tree(show: Callable[..., Page]) -> None:
    parsed = _manual()
    page = show(parsed)
    chunks = _chunked(parsed, 96, 24).chunks
    assert page.locator(".chunk").count() == len(chunks)
    assert page.locator(".chunk .overlap").count() == sum(chunk.overlap > 0 for chunk in chunks)
    assert page.locator("#tree a").count() == 13
    assert page.title() == "Pump manual · chunks"
    shown = page.evaluate(
        "[...document.querySelectorAll('.chunk')].map(e => e.textContent.replace(/\\s+/g, ''))"
    )
    assert shown == ["".join((chunk.content or "").split()) for chunk in chunks]
    _keep(page, "light")


def test_pointing_and_focus_tell_position_tokens_parent_and_pages(
    show: Callable[..., Page],
) -> None:
    page = show(_manual())
    details = page.locator("#details")
    page.locator("#c4").hover()
    for fact in ("#4", "body", "of 96", "#2 Section 0", "Overlap"):
        assert fact in details.inner_text()
    page.locator("#c5").focus()
    page.locator("#c5").hover()
    assert "Page 3" in details.inner_text()
    details.locator("button").click()
    assert _now(page) == 2


def test_the_tree_jumps(show: Callable[..., Page]) -> None:
    page = show(_manual())
    page.locator("#tree a", has_text="Section 9").click()
    page.wait_for_timeout(200)
    assert "Section 9" in page.locator(".chunk.now").inner_text()
    assert _is_in_view(page, ".chunk.now")
    assert "Section 9" in page.locator("#tree a[aria-current]").inner_text()


def test_the_keyboard_reaches_everything(show: Callable[..., Page]) -> None:
    page = show(_manual(), color_scheme="dark")
    for key, expected in [("j", 1), ("ArrowDown", 2), ("j", 3), ("k", 2), ("ArrowUp", 1), ("p", 0)]:
        page.keyboard.press(key)
        assert _now(page) == expected, key
    page.keyboard.press("End")
    assert _now(page) == page.locator(".chunk").count() - 1
    page.wait_for_timeout(200)
    assert _is_in_view(page, ".chunk.now")
    _keep(page, "dark")
    page.keyboard.press("/")
    page.keyboard.type("end of 7")
    expect(page.locator("#hits")).to_have_text("1 / 1")
    assert "End of 7" in page.locator(".chunk.now").inner_text()
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    assert _now(page) == 0


def test_two_settings_stand_side_by_side_and_scroll_together(show: Callable[..., Page]) -> None:
    page = show(_manual())
    page.get_by_text("Compare", exact=True).click()
    assert page.locator(".pane").count() == 2
    page.locator("#tree a", has_text="Section 8").click()
    page.wait_for_timeout(300)
    assert ["Section 8" in text for text in page.locator(".chunk.now").all_inner_texts()] == [
        True,
        True,
    ]
    page.locator(".pane").nth(1).hover()
    page.mouse.wheel(0, 600)
    page.wait_for_timeout(400)
    tops = page.evaluate(
        """[...document.querySelectorAll('.text')].map((text) => {
            const top = text.getBoundingClientRect().top + 40;
            const heads = [...text.querySelectorAll('.chunk.head')];
            return heads.filter((head) => head.getBoundingClientRect().top < top).length;
        })"""
    )
    assert abs(tops[0] - tops[1]) <= 1
    _keep(page, "compare")
    page.keyboard.press("c")
    assert page.locator(".pane").count() == 1


def test_a_narrow_screen_needs_no_sideways_scrolling(show: Callable[..., Page]) -> None:
    page = show(_manual(), viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert not page.locator("#tree").is_visible()
    page.get_by_role("button", name="Headings").click()
    page.locator("#tree a", has_text="Section 3").click()
    assert not page.locator("#tree").is_visible()
    assert "Section 3" in page.locator(".chunk.now").inner_text()
    _keep(page, "narrow")


def test_a_hostile_document_stays_text(show: Callable[..., Page]) -> None:
    evil = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
    page = show(make_document([f"# {evil}", f"{evil} ${{window.hacked = 3}}"], title=evil))
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.locator("h1").inner_text() == evil
    page.keyboard.press("/")
    page.keyboard.type("</script>")
    expect(page.locator("#hits")).to_have_text("1 / 4")


def test_five_thousand_chunks_do_not_lag(show: Callable[..., Page]) -> None:
    """A tenth of a second is what feels instant; busy machines get three times that."""
    page = show(_manual(1300))
    assert page.locator(".chunk").count() > 5000
    page.keyboard.press("j")
    spent = page.evaluate(
        """async () => {
            const press = (key) => document.activeElement.dispatchEvent(
                new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
            const times = [];
            for (const key of [...'jjjjjjjj', 'End', 'Home', ...'jjjj']) {
                const start = performance.now();
                press(key);
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
                times.push(performance.now() - start);
            }
            return times.sort((a, b) => a - b)[times.length >> 1];
        }"""
    )
    assert spent < 300
