"""What axe finds on a page."""

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import BrowserContext, Page

_AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# Every rule looks at everything; what it found in order is counted and not told, for telling it takes most of the time.
_RUN = """() => typeof axe === "undefined" ? null : axe.run(document, {resultTypes: ["violations"]})
    .then(({violations, passes}) => [
        passes.length, violations.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 200)}`)])"""


def watched(context: BrowserContext) -> Page:
    """Open a page in which axe is there from the first moment of every address."""
    page = context.new_page()
    page.add_init_script(_AXE)
    return page


def barriers(page: Page) -> list[str]:
    """Let axe look at the page with every rule; name what it finds."""
    looked = page.evaluate(_RUN)
    if looked is None:
        page.evaluate(_AXE)
        looked = page.evaluate(_RUN)
    passed, found = looked
    assert passed, "axe looked at nothing"
    return list(found)
