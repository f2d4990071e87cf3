#!/usr/bin/env python3
"""Takes the film of README.md, docs/pictures/film.webp: a mail arrives at `fundmail serve --demo`, is filed while its fund
is looked at, and its document is opened and found; see scripts/pages --film."""
import os
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cases import Case  # noqa: E402
from demo import ANN, Demo  # noqa: E402
from engines import CHROMIUM  # noqa: E402
from pictures import PICTURES  # noqa: E402
from server import ENVIRONMENT  # noqa: E402
from support.environment import run  # noqa: E402
from support.samples import mail  # noqa: E402
from visit import Visit  # noqa: E402

FILM = os.path.join(PICTURES, "film.webp")
WINDOW = {"width": 1024, "height": 640}
# Quality of a frame, of 100, and the most that the film may have: it is loaded with the page that shows it.
QUALITY, MOST_BYTES = 60, 1_000_000
# Seconds that pictures may take which a page waits for.
PATIENCE = 300
# Whether all thumbnails in sight are there, and a page of a document.
THUMBNAILS = """![...document.querySelectorAll('main [data-preview]')].some(
  (one) => one.getBoundingClientRect().top < innerHeight)"""
PAGE = """[...document.querySelectorAll('[data-leaf] img')].some(
  (one) => one.complete && one.naturalWidth > 300 && one.checkVisibility())"""
FUND = "Harbour Growth II"
NAME = "Distribution notice 8.pdf"
LETTER = """<style>body { font: 15px/1.6 serif; margin: 60px } h1 { font-size: 24px } td { padding: 4px 40px 4px 0 }</style>
<p>Harbour Growth Fund II<br>Luxembourg</p><h1>Distribution notice 8</h1>
<p>To the limited partners:</p><p>The sale of Quayside Logistics has closed. The fund distributes its proceeds.</p>
<table><tr><td>Distribution<td>EUR 1,250,000<tr><td>of which return of capital<td>EUR 800,000<tr><td>of which gain
<td>EUR 450,000<tr><td>Value date<td>15 December 2026</table><p>The statement of your account follows.</p>"""
# The pointer is none of the page's: a picture has no other.
POINTER = """([x, y]) => {
  let pointer = document.querySelector('#film-pointer');
  if (!pointer) {
    pointer = document.createElement('div');
    pointer.id = 'film-pointer';
    pointer.popover = 'manual';
    Object.assign(pointer.style, { position: 'fixed', margin: 0, border: '2px solid white', borderRadius: '50%', padding: 0,
      width: '18px', height: '18px', minWidth: 0, maxWidth: 'none', maxHeight: 'none', boxShadow: 'none',
      overflow: 'hidden', positionArea: 'none', background: 'rgb(220 40 40 / 70%)', pointerEvents: 'none', inset: 'auto' });
    document.body.append(pointer);
  }
  Object.assign(pointer.style, { left: `${x - 9}px`, top: `${y - 9}px` });
  pointer.hidePopover();
  pointer.showPopover();
}"""


class Film:
    """Frames, and how long each is shown.

    :param folder: where frames are kept
    """

    def __init__(self, page, folder):
        self.page, self.folder, self.frames = page, folder, []
        self.x, self.y = WINDOW["width"] // 2, WINDOW["height"] // 2

    @property
    def seconds(self):
        return sum(seconds for _, seconds in self.frames)

    def show(self, seconds):
        path = os.path.join(self.folder, f"{len(self.frames):04}.png")
        self.page.evaluate(POINTER, [self.x, self.y])
        self.page.screenshot(path=path)
        self.frames.append((path, seconds))

    def move(self, what, steps=6):
        """The pointer goes to something."""
        box = what.bounding_box()
        (x, y), (ends_x, ends_y) = (self.x, self.y), (box["x"] + min(box["width"] / 2, 80), box["y"] + box["height"] / 2)
        for step in range(1, steps + 1):
            self.x, self.y = x + (ends_x - x) * step / steps, y + (ends_y - y) * step / steps
            self.show(0.07)

    def type(self, field, text):
        for letter in text:
            field.press_sequentially(letter)
            self.show(0.12)

    def write(self):
        """One file of all frames, played three times: it stops by itself."""
        lines = "".join(f"file '{path}'\nduration {seconds}\n" for path, seconds in self.frames)
        listing = os.path.join(self.folder, "frames")
        with open(listing, "w") as file:
            file.write(lines + f"file '{self.frames[-1][0]}'\n")
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-f", "concat", "-safe", "0", "-i", listing, "-fps_mode", "vfr",
                        "-c:v", "libwebp_anim", "-quality", str(QUALITY), "-compression_level", "6", "-loop", "3", FILM],
                       check=True)


def letter(browser):
    """The document, as a PDF."""
    page = browser.new_page()
    page.set_content(LETTER)
    content = page.pdf(format="A4")
    page.close()
    return content


def send(demo, folder, document):
    """A mail comes to the demo."""
    path = os.path.join(folder, "mail.eml")
    with open(path, "wb") as file:
        file.write(mail(ANN, f"[{FUND}] Distribution notice 8", "Dear Ann,\n\nplease find our notice of distribution 8.\n",
                        (NAME, document)))
    run([demo.program, "replay", path, "--config", demo.configuration], env=ENVIRONMENT)


def tell(film, visit, demo, folder, document):
    """All that is to be seen."""
    page = visit.page
    visit.press(f"a:has-text('{FUND}')")
    page.wait_for_selector("li.row")
    visit.until(THUMBNAILS, PATIENCE)
    page.wait_for_timeout(700)
    film.show(3)
    send(demo, folder, document)
    row = page.locator("li.row").filter(has_text=NAME)
    row.wait_for()
    for _ in range(3):
        film.show(0.1)
    visit.until(THUMBNAILS, PATIENCE)
    page.wait_for_timeout(700)
    film.show(2.5)
    film.move(row.locator("a.name"))
    visit.press(row.locator("a.name"))
    visit.until(PAGE, PATIENCE)
    page.wait_for_timeout(700)
    film.show(4)
    page.keyboard.press("Control+k")
    page.locator("dialog[open] input").wait_for()
    film.show(1)
    film.type(page.locator("dialog[open] input"), "quayside")
    page.wait_for_timeout(1500)
    film.show(2.5)
    page.keyboard.press("Enter")
    page.wait_for_timeout(2000)
    visit.until(PAGE, PATIENCE)
    film.show(4)


def main():
    os.makedirs(PICTURES, exist_ok=True)
    demo = Demo(os.path.abspath(os.environ["FUNDMAIL_BINARY"]))
    try:
        with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
            browser = playwright.chromium.launch(executable_path=CHROMIUM)
            document = letter(browser)
            visit = Visit(browser, Case("desktop", "en"), "film", demo)
            demo.sign_in(visit, ANN)
            visit.page.set_viewport_size(WINDOW)
            film = Film(visit.page, folder)
            tell(film, visit, demo, folder, document)
            film.write()
            browser.close()
    finally:
        demo.stop()
    size = os.path.getsize(FILM)
    print(f"docs/pictures/film.webp  {film.seconds:.0f} s, {len(film.frames)} frames, {size // 1000} kB")
    return 1 if size > MOST_BYTES or visit.problems else 0


if __name__ == "__main__":
    sys.exit(main())
