"""What is opened beside its list: with scripts without another page, without them as a page with both."""
import time

from cases import story
from engines import INTERCEPTION, TOUCH
from support.samples import mail, pages_pdf, pdf

FOCUS = "document.activeElement?.id || document.activeElement?.textContent.trim()"
MARKED = "[...document.querySelectorAll('a.name[aria-current]')].map((one) => one.textContent.trim())"


def shelf(visit, count=4):
    """A fund of files; gives its name."""
    api = visit.server.api(visit.user)
    name = f"Beside {time.time_ns()}"
    api.call("POST", "/funds", {"name": name})
    for number in range(count):
        api.upload(name, f"letter-{number:02}.txt", f"Letter {number}\n".encode() * 40, "text/plain")
    return name


@story()
def beside_the_list(visit):
    page, is_wide = visit.page, visit.case.has_panes
    visit.sign_in()
    name = shelf(visit)
    visit.open_fund(name, "?view=list&sort=name")
    page.evaluate("window.isSame = true")
    visit.press(visit.row("letter-01").locator("a.name"))
    page.wait_for_selector(".detail")
    visit.expect("its address is that of the list", "open=f" in page.url and "/library/funds/" in page.url)
    visit.expect(f"its name is the title: {page.title()}", page.title().startswith("letter-01.txt"))
    visit.expect("the list is beside it, or out of sight", page.locator("ul.files").is_visible() == is_wide)
    visit.expect("the bar at the bottom makes way", not page.locator("nav.tabbar").is_visible())
    visit.look("opened")
    if is_wide and visit.has_scripts:
        with_keys(visit)
    else:
        address = page.url
        visit.press(page.locator(".detail a[rel=next]"))
        visit.expect("the next one by a link", page.locator("#opened").inner_text().startswith("letter-02"))
        visit.press(page.locator(".detail a[rel=prev]"))
        visit.expect("and back", page.url.split("#")[0] == address.split("#")[0])
        page.locator("details.info summary").click()
        visit.expect("what is known of it unfolds", page.locator(".drawer").is_visible())
        visit.look("drawer")
        page.goto(page.url.split("#")[0].replace("&info=1", "") + "&info=1")
        visit.expect("also by its address", page.locator(".drawer").is_visible())
        visit.press(page.locator("[data-shut]"))
        visit.expect("the list is there again", page.locator("ul.files").is_visible() and not page.locator(".detail").count())


def with_keys(visit):
    page = visit.page
    visit.expect("no page was loaded", page.evaluate("window.isSame"))
    visit.expect("the focus is at its name", page.evaluate(FOCUS) == "opened")
    visit.expect("its row is marked", page.evaluate(MARKED) == ["letter-01.txt"])
    # Where there is room for all it stays as it is.
    width = {"tablet": 64, "desktop": 232}[visit.case.size]
    visit.expect("the sidebar made room", page.locator("nav.side").bounding_box()["width"] == width)
    steps = page.evaluate("history.length")

    def is_at(name):
        visit.until(f"document.querySelector('#opened')?.textContent.trim() === '{name}'")
        visit.expect(f"{name} is marked", page.evaluate(MARKED) == [name])

    for key, name in (("j", "letter-02.txt"), ("]", "letter-03.txt"), ("k", "letter-02.txt"), ("[", "letter-01.txt"),
                      ("ArrowRight", "letter-02.txt"), ("ArrowLeft", "letter-01.txt")):
        page.keyboard.press(key)
        is_at(name)
    visit.expect("no step of them is one for Back", page.evaluate("history.length") == steps)
    # From its row one steps through the list, and stays there.
    page.locator("a.name[aria-current]").focus()
    page.keyboard.press("ArrowDown")
    is_at("letter-02.txt")
    visit.expect("the focus stays in the list", page.evaluate(FOCUS) == "letter-02.txt")
    page.keyboard.press("i")
    visit.expect("a key opens the drawer", page.locator(".drawer").is_visible())
    visit.look("drawer")
    page.keyboard.press("Escape")
    visit.expect("the drawer closes first", not page.locator(".drawer").is_visible() and page.locator(".detail").count() == 1)
    # The list goes on beside it.
    api = visit.server.api(visit.user)
    fund = page.locator(".list .bar h1").inner_text()
    api.upload(fund, "later.txt", b"later", "text/plain")
    visit.row("later.txt").wait_for()
    visit.expect("what is open stays, and is marked", page.evaluate(MARKED) == ["letter-02.txt"]
                 and page.locator(".detail").count() == 1)
    address = page.url
    page.go_back()
    page.wait_for_selector(".detail", state="detached")
    visit.expect("one Back closes it", "open=" not in page.url and page.evaluate("window.isSame"))
    visit.expect("the focus is at its row", page.evaluate(FOCUS) == "letter-02.txt")
    visit.expect("the title is that of the list", not page.title().startswith("letter"))
    page.go_forward()
    is_at("letter-02.txt")
    visit.expect("forward opens it again", page.url == address)
    page.reload()
    is_at("letter-02.txt")
    page.keyboard.press("Escape")
    page.wait_for_selector(".detail", state="detached")
    visit.expect("loaded again it closes, too", "open=" not in page.url)
    page.goto(address)
    is_at("letter-02.txt")
    page.click("[data-shut]")
    page.wait_for_selector(".detail", state="detached")
    visit.expect("and so does a link to it", "open=" not in page.url)
    page.keyboard.press("j")
    visit.expect("a key goes on in the list", page.evaluate(FOCUS) == "letter-03.txt")
    page.keyboard.press("o")
    is_at("letter-03.txt")
    page.keyboard.press("f")
    visit.until("document.querySelector('.detail .bar .star').ariaPressed === 'true'")
    page.keyboard.press("Escape")
    page.wait_for_selector(".detail", state="detached")
    keys_of_lists(visit)


KEYS = "[...document.querySelectorAll('dialog kbd')].map((one) => one.textContent)"


def keys_of_lists(visit):
    """With the focus at the row of letter-03."""
    page = visit.page
    chosen = page.locator("li.row .pick input:checked")
    page.keyboard.press("Shift+K")
    visit.expect("the selection grows upwards", chosen.count() == 2 and page.evaluate(FOCUS) == "letter-02.txt")
    page.keyboard.press("*")
    visit.expect("all are chosen", chosen.count() == page.locator("li.row").count())
    page.keyboard.press("*")
    visit.expect("and none", chosen.count() == 0)
    page.keyboard.press("Shift+J")
    visit.expect("and downwards", chosen.count() == 2 and page.evaluate(FOCUS) == "letter-03.txt")
    page.keyboard.press("Backspace")
    page.wait_for_selector(".toasts .done")
    visit.expect("what is chosen goes", visit.row("letter-02").count() + visit.row("letter-03").count() == 0)
    page.keyboard.press("z")
    visit.row("letter-03").wait_for()
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open] .keylist")
    keys = page.evaluate(KEYS)
    visit.expect(f"the list has what works here: {keys}", {"j", "J", "*", "u", "⇧N", "⌫"} <= set(keys))
    visit.expect("and nothing else", not {"i", "v", "d", "Space"} & set(keys))
    visit.look("keys")
    page.evaluate("""document.querySelector('#file').addEventListener('click', (event) => {
      event.preventDefault();
      window.asked = (window.asked ?? 0) + 1;
    })""")
    page.keyboard.press("u")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    visit.expect("keys are deaf in a dialog", page.evaluate("window.asked === undefined"))
    page.keyboard.press("u")
    visit.expect("files can be chosen", page.evaluate("window.asked === 1"))
    page.keyboard.press("Shift+N")
    visit.expect("a folder can be named", page.evaluate("document.activeElement.id") == "folder-name")
    page.keyboard.type("un")
    visit.expect("keys are deaf in a field", page.input_value("#folder-name") == "un" and page.evaluate("window.asked === 1"))
    page.keyboard.press("Escape")
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press("n")
    visit.expect("a note is begun", visit.path.endswith("/new-note"))


@story()
def a_letter_beside_the_list(visit):
    page, subject = visit.page, f"Notice {time.time_ns()}"
    visit.server.deliver(visit.user, mail(
        visit.user, f"[Fund1] {subject}", "Please pay.\n", ("notice.pdf", pdf("Notice")), ("terms.txt", b"Terms")))
    visit.sign_in()
    visit.open_fund(tab="/mail")
    visit.press(visit.row(subject).locator("a.name"))
    page.wait_for_selector(".letter")
    visit.expect("its subject is its name", subject in page.locator("#opened").inner_text())
    visit.expect("both its times are told", page.locator(".dates time").count() == 2)
    if visit.has_scripts:
        visit.until("document.querySelector('.to:not([data-again])')?.textContent.includes('@')")
    visit.expect(f"and to whom it was sent: {page.locator('.to').all_inner_texts()}", page.locator(".to bdi").count() > 0)
    visit.expect("each file has its name and a way to take it", page.locator(".letter .clip a.name").count() == 2
                 and page.locator(".letter .clip a[download]").count() == 2)
    visit.look("letter")
    visit.press(page.locator(".letter .clip a.name").filter(has_text="terms"))
    visit.expect("a file leads to where it was filed", "open=f" in page.url)
    visit.expect("and is open there", page.locator("#opened").inner_text().startswith("terms"))


@story(sizes=("tablet", "phone"))
def favourites_and_trash(visit):
    """They open beside their lists, too. What is deleted is looked at, and restored."""
    page, is_wide, name = visit.page, visit.case.has_panes, f"kept {time.time_ns()}"
    api = visit.server.api(visit.user)
    files = [api.upload("Fund1", f"{name} {number}.txt".replace(" ", "%20"), f"Page {number}\n".encode() * 9)
             for number in range(2)]
    for file in files:
        api.call("PUT", f"/favourites/file/{file['id']}")
    visit.sign_in("/library/favourites")
    visit.look("favourites")
    in_place = is_wide and visit.has_scripts

    def opens(what):
        page.evaluate("window.isSame = true")
        (page.locator(what).click if in_place else lambda: visit.press(what))()
        page.wait_for_selector(".detail")
        visit.expect("it is open beside its list", "open=f" in page.url)
        visit.expect("without another page", page.evaluate("window.isSame === true") == in_place)

    opens(f"li.row a.name:has-text('{name} 1')")
    visit.look("favourite")
    if in_place:
        page.keyboard.press("j")
        visit.until(f"document.querySelector('#opened')?.textContent.includes('{name} 0')")
        page.keyboard.press("Escape")
        page.wait_for_selector(".detail", state="detached")
    else:
        visit.press("[data-shut]")
    visit.expect("the list is there again", visit.path == "/library/favourites")
    for file in files:
        api.call("DELETE", f"/files/{file['id']}")
    visit.open("/library/trash")
    visit.look("trash")
    opens(f"li.row a.name:has-text('{name} 1')")
    visit.expect("what was in it is shown", "Page 1" in page.frame_locator(".detail iframe").locator("body").inner_text())
    visit.expect("to be restored, and nothing else", page.locator(".detail .acts form button").count() == 1)
    visit.look("deleted")
    visit.act(".detail .acts form button")
    page.wait_for_selector(".detail", state="detached")
    visit.expect("it is back", visit.row(f"{name} 1").count() == 0 and visit.row(f"{name} 0").count() == 1)


@story(needs_scripts=True, sizes=("tablet",))
def yesterdays_attachment(visit):
    """Two steps: Latest, and the file. The list stays."""
    page, name = visit.page, f"attached-{time.time_ns()}.txt"
    visit.server.deliver(visit.user, mail(visit.user, "[Fund1] With a file", "Here it is.\n", (name, b"the file")))
    visit.sign_in("/library")
    visit.step(lambda: visit.press("nav.side a[href='/library/latest']"))
    page.evaluate("window.isStill = true")
    visit.step(lambda: page.locator("li.clip a.name").filter(has_text=name).click())
    page.wait_for_selector(".detail")
    visit.expect_steps("yesterday's attachment", 2)
    visit.is_still()
    visit.expect("it is open beside what arrived", "/library/latest?open=f" in page.url and page.locator("ul.arrivals").first.is_visible())
    visit.look("open")
    page.keyboard.press("Escape")
    page.wait_for_selector(".detail", state="detached")
    visit.open("/library/search?q=letter")
    if page.locator("ul.hits a.name").count() > 1:
        visit.press(page.locator("ul.hits a.name").first)
        page.wait_for_selector(".detail")
        visit.look("hit")


@story(needs_scripts=True, sizes=("tablet",))
def keys_are_off(visit):
    """Who dictates turns single keys off: none does anything, and Escape still closes."""
    page = visit.page
    visit.sign_in()
    name = shelf(visit, 2)
    visit.context.add_cookies([{"name": "fundmail-keys", "value": "off", "url": visit.server.address}])
    visit.open_fund(name, "?view=list&sort=name")
    visit.press(visit.row("letter-00").locator("a.name"))
    page.wait_for_selector(".detail")
    for key in ("j", "]", "i", "k"):
        page.keyboard.press(key)
    page.wait_for_timeout(200)
    visit.expect("no key did anything", page.locator("#opened").inner_text().startswith("letter-00")
                 and not page.locator(".drawer").is_visible())
    page.keyboard.press("Escape")
    page.wait_for_selector(".detail", state="detached")


FOCUS_IN_LIST = "document.activeElement.matches('[data-rows] a.name')"


@story(needs_scripts=True, sizes=("tablet",), needs=(INTERCEPTION, TOUCH))
def keys_at_need(visit):
    """A page that is touched loads no keys; the first key loads them, and counts; and what cannot be loaded is said."""
    page, asked = visit.page, []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/keyboard.js") else None)
    visit.sign_in()
    name = shelf(visit, 2)
    visit.open_fund(name, "?view=list&sort=name")
    visit.row("letter-00").locator("a.more").tap()
    page.wait_for_selector("#rowmenu [data-for=move]")
    visit.expect("a finger needs no keys", not asked)
    visit.open_fund(name, "?view=list&sort=name")
    page.keyboard.press("j")
    visit.until(FOCUS_IN_LIST)
    visit.expect("the first key loads them, and counts", len(asked) == 1)
    page.route("**/keyboard.js", lambda route: route.abort())
    page.route("**/rowmenu.js", lambda route: route.abort())
    visit.open_fund(name, "?view=list&sort=name")
    page.keyboard.press("j")
    page.wait_for_selector(".toasts .loss")
    page.click(".toasts .loss button")
    visit.row("letter-00").locator("a.more").tap()
    page.wait_for_selector(".toasts .loss")
    page.unroute("**/keyboard.js")
    page.unroute("**/rowmenu.js")
    page.keyboard.press("j")
    visit.until(FOCUS_IN_LIST)
    # Two keys that were pressed before.
    visit.open_fund(name, "?view=list&sort=name")
    page.keyboard.press("g")
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press("f")
    visit.expect("both count", page.url.endswith("/library/favourites"))
