#!/usr/bin/env python3
"""Takes the pictures of README.md, and writes them below docs/pictures; see scripts/pages --pictures. They show what
`fundmail serve --demo` does."""
import os
import sys

from playwright.sync_api import sync_playwright

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cases import Case  # noqa: E402
from demo import ANN, Demo, OFFICE  # noqa: E402
from engines import CHROMIUM  # noqa: E402
from support.processes import wait_until  # noqa: E402
from visit import Visit  # noqa: E402

PICTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "pictures")


def sign_in(browser, demo, email):
    """A visit of one of the people whose logins the page offers."""
    visit = Visit(browser, Case("tablet", "en"), "pictures", demo)
    demo.sign_in(visit, email)
    visit.page.set_viewport_size({"width": 1024, "height": 768})
    return visit


def show(visit, path, name, waits_for):
    """One picture of the window, not of the whole page."""
    visit.open(path)
    visit.page.wait_for_selector(waits_for)
    visit.page.wait_for_timeout(500)  # thumbnails fade in
    visit.page.screenshot(path=os.path.join(PICTURES, name + ".png"))


def main():
    os.makedirs(PICTURES, exist_ok=True)
    demo = Demo(os.path.abspath(os.environ["FUNDMAIL_BINARY"]))
    try:
        wait_until(demo.has_all_previews, "pictures are still made")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM)
            ann = sign_in(browser, demo, ANN)
            ann.press("a:has-text('Harbour Growth II')")
            fund = ann.path
            for scheme in ("light", "dark"):
                ann.page.emulate_media(color_scheme=scheme)
                show(ann, fund, f"fund-{scheme}", "li.row")
            ann.page.emulate_media(color_scheme="light")
            show(ann, "/library/sent", "my-mail", "main")
            office = sign_in(browser, demo, OFFICE)
            office.open("/desk")
            office.press("main li.row:has-text('Covenant certificate') a.name")
            show(office, office.path, "desk", "main")
            browser.close()
    finally:
        demo.stop()
    for name in sorted(os.listdir(PICTURES)):
        print(f"docs/pictures/{name}  {os.path.getsize(os.path.join(PICTURES, name)) // 1000} kB")


if __name__ == "__main__":
    main()
