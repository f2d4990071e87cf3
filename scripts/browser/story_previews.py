"""Files that are seen before they are opened: thumbnails in lists, documents page by page, and what cannot be shown.

What is told needs the programs that make previews of PDF and of pictures: scripts/setup demo.
"""
import time

from cases import story
from engines import SHIFTS
from support.samples import pages_pdf, png, wav

#: Of the long document.
PAGES = 40


def shelf(visit):
    """A fund of the visitor's with files of several kinds; gives its name."""
    api = visit.server.api(visit.user)
    name = f"Seen {time.time_ns()}"
    api.call("POST", "/funds", {"name": name})
    # Each has bytes of its own: what another story had made is there at once.
    mark = name.split()[1]
    for number in range(12):
        api.upload(name, f"letter-{number:02}.pdf", pages_pdf(f"Letter {number} {mark}"), "application/pdf")
        api.upload(name, f"photo-{number:02}.png", png(300 + number, 200), "image/png")
    api.upload(name, "report.pdf", pages_pdf(*(f"Page {page} {mark}" for page in range(1, PAGES + 1))), "application/pdf")
    api.upload(name, "broken.pdf", b"%PDF-1.4 " + mark.encode(), "application/pdf")
    api.upload(name, "noise.bin", bytes(range(256)) + mark.encode(), "application/octet-stream")
    return name


def state(visit, name):
    """What the web API says of the previews of the visitor's files, by name."""
    api = visit.server.api(visit.user)
    return {item["name"]: item.get("preview") for item in api.call("GET", f"/funds/{api.fund(name)}/items")["items"]}


def made(visit, name, seconds=180):
    """Waits until nothing is being made any more. False where there are no previews."""
    end = time.monotonic() + seconds
    while True:
        previews = state(visit, name)
        if None in previews.values():
            return False
        if all(preview["state"] != "making" for preview in previews.values()):
            return True
        if time.monotonic() > end:
            raise TimeoutError(f"still made: {[name for name, one in previews.items() if one['state'] == 'making']}")
        time.sleep(0.3)


def opened(visit, file):
    """Opens a file of a new shelf by its row, when all is made. False where there are no previews."""
    visit.sign_in()
    name = shelf(visit)
    if not made(visit, name):
        return False
    visit.open_fund(name, "?view=list&sort=name")
    visit.press(visit.row(file).locator("a.name"))
    return True


SHOWN = "[...document.querySelectorAll('.pic > img')].filter((one) => one.complete && one.naturalWidth > 0).length"
# Pictures that are in sight and not there.
BLANK = """[...document.querySelectorAll('.pic > img')].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.bottom > 0 && box.top < innerHeight && !(one.complete && one.naturalWidth);
}).length"""


@story()
def thumbnails(visit):
    """A list fills while it is looked at; without scripts it has what is ready."""
    page = visit.page
    visit.sign_in()
    name = shelf(visit)
    if not visit.has_scripts:
        if not made(visit, name):
            return
    visit.open_fund(name, "?view=grid&sort=name")
    rows = page.locator("ul.files li.row")
    visit.expect(f"all files are listed: {rows.count()}", rows.count() == 27)
    if visit.has_scripts:
        began = time.monotonic()
        visit.until(f"{SHOWN} > 1")
        visit.picture(f"thumbnails-first-after-{time.monotonic() - began:.1f}s")
        # As one who scrolls through: what is in sight is made first.
        for place in range(0, 4000, 400):
            page.evaluate(f"scrollTo(0, {place})")
            page.wait_for_timeout(150)
        visit.until(f"{SHOWN} === 25 || (scrollBy(0, 400), scrollY >= document.body.scrollHeight - innerHeight - 9"
                    " && scrollTo(0, 0), false)", 90)
        page.evaluate("scrollTo(0, 0)")
        visit.until(f"{BLANK} === 0")
    for lost in ("broken.pdf", "noise.bin"):
        badge = visit.row(lost).locator(".badge")
        badge.scroll_into_view_if_needed()
        if visit.has_scripts:
            visit.until(f"""[...document.querySelectorAll('li.row')].find((row) => row.textContent.includes('{lost}'))
              ?.querySelector('.badge').title""")
        why = badge.get_attribute("title")
        visit.expect(f"{lost} says why it has none", bool(why))
        # The badge is hidden from them.
        visit.expect(f"{lost} says so to screen readers", bool(why) and why in visit.row(lost).inner_text())
    page.mouse.wheel(0, -9999)
    visit.look("grid")
    visit.open_fund(name, "?view=list&sort=name")
    if visit.has_scripts:
        visit.until(f"{BLANK} === 0")
    visit.look("list")
    # The picture leads to the file, as its name does.
    visit.open_fund(name, "?view=grid&sort=name")
    badge = visit.row("letter-01.pdf").locator(".badge")
    badge.scroll_into_view_if_needed()
    with page.expect_navigation():
        box = badge.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    visit.expect("it is open", "open=f" in page.url)
    # Nothing is pushed about when the pictures come, and the box still chooses.
    visit.open_fund(name, "?view=grid&sort=name")
    page.locator("li.row input[type=checkbox]").first.check()
    visit.expect("it is chosen", page.locator("li.row input:checked").count() == 1)
    visit.open("/library/search?q=report")
    visit.look("hits")


@story(needs_scripts=True, sizes=("tablet",), needs=(SHIFTS,))
def stays_still(visit):
    """No row moves when its thumbnail comes, neither in a list nor in a grid."""
    page = visit.page
    visit.sign_in()
    for view in ("grid", "list"):
        name = shelf(visit)
        visit.open_fund(name, f"?view={view}")
        page.evaluate("""() => {
          window.shift = 0;
          new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shift += one.value; })
            .observe({ type: "layout-shift", buffered: true });
        }""")
        visit.until(f"{SHOWN} > 3")
        visit.until(f"{BLANK} === 0")
        shift = page.evaluate("window.shift")
        visit.expect(f"nothing moved in the {view}: {shift:.4f}", shift < 0.02)
    # What live.js loads anew looks like what is there: no row of these is tinted.
    tinted = page.evaluate("document.getAnimations().filter((one) => one.effect.target.matches('li.row')).length")
    visit.server.api(visit.user).upload(name, "later.txt", b"x")
    visit.row("later.txt").wait_for()
    now = page.evaluate("document.getAnimations().filter((one) => one.effect.target.matches('li.row')).length")
    visit.expect(f"only what came is tinted: {tinted}, {now}", now - tinted <= 1)


def look_and_return(visit, shot, go_back):
    """A picture of a whole page scrolls a document to its top where that scrolls, and not the opened item within it."""
    visit.look(shot)
    if not visit.case.has_panes:
        go_back()


@story()
def pages_below_each_other(visit):
    """A document is scrolled through; each page has its room, comes before it is seen, and is reached by its number."""
    page = visit.page
    visit.sign_in()
    api, name = visit.server.api(visit.user), f"Paper {time.time_ns()}"
    api.call("POST", "/funds", {"name": name})
    api.upload(name, "report.pdf", pages_pdf(*(f"Page {page} {name}" for page in range(1, PAGES + 1))), "application/pdf")
    if not made(visit, name):
        return
    visit.open_fund(name, "?view=list&sort=name")
    visit.press(visit.row("report.pdf").locator("a.name"))
    page.wait_for_selector("[data-viewer]")
    first = page.locator("[data-leaf='1'] img")
    if not visit.has_scripts:
        first.wait_for()
        visit.look("first-page")
        visit.expect("all pages are there", page.locator("[data-leaf]").count() == PAGES)
        if visit.case.size != "phone":
            page.goto(page.url.split("#")[0] + "&zoom=large")
            visit.expect("a size has an address of its own", page.get_attribute("[data-viewer]", "data-zoom") == "large")
            page.fill("#page", "40")
            with page.expect_navigation():
                page.press("#page", "Enter")
            visit.expect("and so has a page", "page=40" in page.url and "open=f" in page.url)
        visit.look("last-page")
        return
    there = "((one) => Boolean(one?.complete && one.naturalWidth > 0))(document.querySelector(\"[data-leaf='%d'] img\"))"
    visit.until(there % 1)
    top = page.evaluate("document.querySelector(\"[data-leaf='1']\").getBoundingClientRect().top")
    visit.expect(f"the first page begins within 80 pixels: {top}", visit.case.size == "phone" or top <= 80)
    visit.look("first-page")
    visit.until(there % 2)
    visit.expect("a page far below is not asked for yet", not page.evaluate(there % 40))
    shift = page.evaluate("document.querySelector(\"[data-leaf='30']\").offsetHeight")
    visit.expect(f"but has its room: {shift}", shift > 200)
    if visit.case.size == "phone":
        page.evaluate("document.querySelector(\"[data-leaf='40']\").scrollIntoView()")
        visit.until(there % 40)
        visit.until("location.search.includes('page=40') || location.search.includes('page=39')")
        visit.look("last-page")
        return
    page.locator("#opened").focus()
    before = page.evaluate("document.querySelector('.detail > .body, main').scrollTop + scrollY")
    page.keyboard.press("Space")
    visit.until(f"document.querySelector('.detail > .body').scrollTop + scrollY > {before} + 100"
                if visit.case.has_panes else "true")

    def go_to_last():
        page.fill("#page", "40")
        page.press("#page", "Enter")
        visit.until(there % 40)
        visit.until("location.search.includes('page=40')")

    go_to_last()
    look_and_return(visit, "last-page", go_to_last)
    page.locator("#opened").focus()
    page.keyboard.press("+")
    visit.expect("a key makes it larger", page.get_attribute("[data-viewer]", "data-zoom") == "large")
    visit.until("location.search.includes('zoom=large')")
    look_and_return(visit, "large", go_to_last)
    page.locator("#opened").focus()
    page.keyboard.press("-")
    page.keyboard.press("-")
    visit.expect("and smaller", page.get_attribute("[data-viewer]", "data-zoom") == "page")
    page.keyboard.press("i")
    visit.expect("another opens what is known of it", page.locator(".drawer").is_visible())
    visit.until("location.search.includes('info=1')")
    page.click(".wording summary")
    # Until it is read from the document the frame says that it is being made.
    text = page.frame_locator(".wording iframe").locator("pre").filter(has_text="Page ")
    text.wait_for()
    words = text.inner_text()
    visit.expect(f"the text of the page is there: {words[:80]}", "Page 40" in words or "Page 39" in words)
    look_and_return(visit, "drawer", go_to_last)
    page.reload()
    visit.until("document.querySelector('#page')?.value === '40'")
    visit.expect("loaded again, it is as it was", page.locator(".drawer").is_visible())
    page.go_back()
    page.wait_for_selector(".detail", state="detached")
    visit.expect("Back leads to the list", "open=" not in page.url and page.locator("ul.files").is_visible())


@story()
def sounds(visit):
    """How loud a sound is stands in the list and above its player."""
    api = visit.server.api(visit.user)
    visit.sign_in()
    name = f"Heard {time.time_ns()}"
    api.call("POST", "/funds", {"name": name})
    api.upload(name, "call.wav", wav() + name.encode(), "audio/wav")
    # With scripts the page is opened while it is being made.
    if not visit.has_scripts and not made(visit, name):
        return
    if None in state(visit, name).values():
        return
    visit.open_fund(name, "?view=grid")
    if visit.has_scripts:
        visit.until(f"{SHOWN} === 1")
    visit.look("list")
    visit.press(visit.row("call.wav").locator("a.name"))
    visit.until("document.querySelector('.wave > img')?.naturalWidth > 0")
    size = visit.page.evaluate("(one => [one.naturalWidth, one.naturalHeight])(document.querySelector('.wave img'))")
    visit.expect(f"it is drawn: {size}", size == [800, 80])
    visit.expect("it can be played", visit.page.locator("audio").count() == 1)
    visit.expect("it says how long it is", "0:01" in visit.page.locator(".detail").text_content())
    visit.look("sound")


@story()
def no_preview(visit):
    page = visit.page
    if not opened(visit, "broken.pdf"):
        return
    visit.expect("it says why", page.locator(".unseen p").is_visible())
    content = visit.download(lambda: page.click(".detail > .bar a[download]"))
    visit.expect("the file itself is there", content.startswith(b"%PDF-1.4 "))
    visit.look("broken")
