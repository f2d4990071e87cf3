"""What is found while one types, the palette, filters of lists, versions, and how other devices reach the files."""
import time

from cases import story

# A field in which an input method is writing gets no answer until it has written.
COMPOSE = """() => {
  const field = document.querySelector(".palette input");
  field.value = "hui";
  field.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
  field.dispatchEvent(new InputEvent("input", { bubbles: true, isComposing: true }));
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, isComposing: true }));
}"""


def put(visit, *files):
    """Uploads files into the fund that is open."""
    page = visit.page
    visit.menu("new")
    page.set_input_files("#file", [{"name": name, "mimeType": "text/plain", "buffer": text} for name, text in files])
    if not visit.has_scripts:
        visit.press("form.upload button.primary")
    name = files[-1][0]
    page.wait_for_selector(f"li.row:has(input[aria-label$='{name}'])")


def new_fund(visit, name):
    visit.open("/library")
    visit.menu("new")
    visit.page.fill("#name", f"{name} {time.monotonic_ns()}")
    visit.press("form[action='/library/funds'] button")
    visit.fund = visit.page.url.split("?")[0].removesuffix("/all")


@story(needs_scripts=True)
def type_ahead(visit):
    page = visit.page
    visit.sign_in("/library/search")
    field = page.locator("main [data-search]")
    field.focus()
    field.press_sequentially("notice")
    option = page.locator(".found [role=option]:has(mark)").first
    visit.until("document.querySelector('.found a[data-all]')?.href.endsWith('q=notice')")
    visit.expect("the field is a combobox with a list", field.get_attribute("role") == "combobox"
                 and page.locator(f"#{field.get_attribute('aria-controls')}").get_attribute("role") == "listbox")
    visit.expect("hits show what was typed", "notice" in page.locator(".found mark").first.inner_text().lower())
    before = page.locator(".found small").first.evaluate("(part) => part.textContent.split(part.querySelector('mark').textContent)[0]")
    visit.expect(f"a hit begins at most three words before it: {before!r}", len(before.replace("…", "").split()) <= 3)
    visit.expect("pages and acts are the palette's", page.locator(".found [data-of-palette]").count() == 0)
    visit.look("hits")
    field.press("ArrowDown")
    chosen = page.locator(".found [aria-selected=true]")
    visit.expect("an arrow chooses, and the focus stays", chosen.count() == 1
                 and field.get_attribute("aria-activedescendant") == chosen.get_attribute("id"))
    field.press("ArrowUp")
    visit.expect("and back", page.locator(".found [aria-selected=true]").count() == 0)
    field.press("Escape")
    visit.expect("Escape closes the list, and keeps the words", not page.locator(".found").is_visible()
                 and field.input_value() == "notice")
    # One step: what one types, and Enter on what is found.
    field.press("ArrowDown")
    option.wait_for()
    while not page.locator(".found [aria-selected=true]:has(mark)").count():
        field.press("ArrowDown")
    with page.expect_navigation(wait_until="load"):
        field.press("Enter")
    visit.expect("search is one step: what was found is open", "open=" in page.url or "/library/search" not in page.url)
    visit.open("/library/search")
    field.fill("notice")
    with page.expect_navigation(wait_until="load"):
        field.press("Enter")
    visit.expect("Enter without a choice searches everything", page.locator("ul.hits mark").count() > 0)


@story(needs_scripts=True)
def palette(visit):
    page = visit.page
    visit.sign_in()
    visit.open_fund(tab="/all")
    name = page.locator("h1").first.inner_text()
    visit.open(page.locator("[data-rows] a.name[href*='open=f']").first.get_attribute("href"))
    visit.open("/library/latest")
    page.keyboard.press("Control+k")
    page.wait_for_selector(".palette [role=option]")
    options = page.locator(".palette [role=option]")
    visit.expect("what was opened last comes first", name in options.nth(1).inner_text())
    visit.expect("a file by its own address", options.first.get_attribute("href").startswith("/library/files/"))
    visit.look("recent")
    field = page.locator(".palette input")
    field.press_sequentially(name[:4])
    page.wait_for_selector(".palette [role=option]:has(.tag), .palette [role=option]:has(bdi)")
    visit.until("document.querySelector('.palette a[data-all]')?.href.includes('q=')")
    visit.look("typed")
    with page.expect_navigation(wait_until="load"):
        field.press("Enter")
    visit.expect("Enter opens the first", "/library/funds/" in page.url)
    page.keyboard.press("Control+k")
    page.wait_for_selector(".palette [role=option]")
    page.locator(".palette input").press("Escape")
    visit.expect("Escape closes it", not page.locator(".palette").is_visible())
    page.keyboard.press("Control+k")
    page.evaluate(COMPOSE)
    page.wait_for_timeout(300)
    visit.expect("what an input method writes is no question", page.locator(".palette a[data-all]").count() == 0
                 and page.locator(".palette").is_visible())
    word = {"en": "new folder", "zh": "新建文件夹"}[visit.case.language]
    page.locator(".palette input").fill(word)
    page.wait_for_selector(".palette [data-do=folder]")
    page.locator(".palette input").press("Enter")
    page.wait_for_selector("#folder-name")
    visit.expect("an act is done where it can be done", page.evaluate("document.activeElement.id") == "folder-name")
    visit.open("/library/latest")
    page.keyboard.press("g")
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press("f")
    visit.expect("g f leads to the favourites", page.url.endswith("/library/favourites"))
    visit.sign_out()
    visit.server.sessions.pop(visit.user, None)
    visit.expect("what was opened goes at signing out",
                 page.evaluate("Object.keys(localStorage).every((key) => !key.startsWith('recent '))"))


def open_filter(visit, part):
    """The menu of a part of the filter, which in a narrow list stands behind one chip."""
    slim = visit.page.locator(".filters .slim")
    if slim.is_visible():
        slim.click()
        visit.page.click(f"#filter-parts [popovertarget='filter-{part}']")
    else:
        visit.page.click(f".filters [popovertarget='filter-{part}']")


@story()
def filters(visit):
    page = visit.page
    visit.sign_in()
    new_fund(visit, "Filters")
    put(visit, ("a note.txt", b"a"), ("table.csv", b"1,2"), ("b note.txt", b"b"))
    page.goto(visit.fund)
    open_filter(visit, "kind")
    visit.press("#filter-kind a[href*='kind=document']")
    visit.expect("only files of the kind are listed", page.locator("li.row").count() == 2)
    chip = page.locator(".filters a.chip[aria-current=true]")
    visit.expect("a chip says so", chip.count() == 1)
    visit.look("kind")
    visit.in_menu("sorts", "a[href*='sort=size']")
    visit.expect("sorting keeps the filter", "kind=document" in page.url and page.locator("li.row").count() == 2)
    if visit.has_scripts:
        page.locator(".mode").click()
        page.locator("[data-choose-all]").click()
    else:
        visit.press("[data-choose-all]")
    visit.expect("all that is shown is chosen, and nothing else", page.locator("li.row input:checked").count() == 2)
    visit.press("li.row a.name")
    visit.expect("opening keeps the filter", "kind=document" in page.url)
    page.goto(f"{visit.fund}?kind=archive")
    visit.expect("an empty list says why, and leads to all", page.locator(".empty a").count() == 1)
    visit.look("nothing")
    visit.press(".empty a")
    visit.expect("all are back", page.locator("li.row").count() == 3)
    open_filter(visit, "since")
    page.fill("#since", "2000-01-01")
    page.fill("#until", "2001-01-01")
    visit.press("#filter-since form button")
    visit.expect("days narrow the list down", page.locator("li.row").count() == 0)
    visit.press(".filters a.chip[aria-current=true]")
    visit.expect("the chip takes the filter away", page.locator("li.row").count() == 3 and "since" not in page.url)
    visit.open_fund(tab="/mail")
    count = page.locator("li.row").count()
    open_filter(visit, "sender")
    page.wait_for_selector("#filter-sender")
    visit.look("senders")
    visit.press("#filter-sender > a")
    visit.expect("senders are offered", 0 < page.locator("li.row").count() <= count and "sender=" in page.url)


@story()
def all_of_a_fund(visit):
    """What opening a fund shows."""
    page, is_wide = visit.page, visit.case.has_panes
    visit.sign_in("/library")
    visit.press("ul.funds a.name:has(bdi:text-is('Fund1'))")
    visit.expect("it is the tab that is shown", page.locator(".tabs a[aria-current=page]").get_attribute("href") == visit.path)
    visit.expect("files, mail and notes stand in one list", page.locator("li.row[data-key^=file]").count() > 0
                 and page.locator("li.row[data-key^=email]").count() > 0)
    visit.look("all")
    page.check("li.row[data-key^=email] input[type=checkbox]")
    visit.expect("what is chosen is downloaded, moved, shared or deleted", page.locator(".chosen button:visible").count() == 4)
    visit.look("chosen")
    page.uncheck("li.row[data-key^=email] input[type=checkbox]")
    address = page.url
    visit.press("li.row[data-key^=email] a.name") if not visit.has_scripts else page.click("li.row[data-key^=email] a.name")
    page.wait_for_url("**/all?open=m*")
    visit.expect("what is opened keeps the list", page.url.startswith(address))
    page.wait_for_selector(".detail")
    visit.look("opened")
    if is_wide and visit.has_scripts:
        page.keyboard.press("j")
    else:
        visit.press(page.locator(".detail .beside a").first)
    page.wait_for_url(lambda url: "/all?open=" in url and "open=m" not in url or "#" not in url)
    page.goto(address)
    open_filter(visit, "kind")
    visit.press("#filter-kind a[href*='kind=pdf']")
    visit.expect("a filter leaves mail out", 0 < page.locator("li.row").count() == page.locator("li.row[data-key^=file]").count())
    visit.in_menu("sorts", "a[href*='sort=modified_at']")
    visit.expect("the order keeps it", "kind=pdf" in page.url and page.locator("li.row").count() > 0)
    visit.look("narrow")


@story()
def versions(visit):
    page = visit.page
    visit.sign_in()
    new_fund(visit, "Versions")
    # One after the other: the last is the latest.
    for name in ("report.txt", "report(1).txt", "report(2).txt", "other.txt"):
        put(visit, (name, name.encode()))
    page.goto(visit.fund)
    row = page.locator("li.row.stack")
    visit.expect("three versions are one row", page.locator("[data-rows] > li").count() == 2 and row.count() == 1)
    visit.expect("the latest stands for them", "report(2)" in row.locator("a.name").inner_text().replace("\n", ""))
    visit.look("folded")
    row.locator("summary").click()
    visit.expect("the older unfold", row.locator(".versions li").count() == 2 and row.locator(".versions li").first.is_visible())
    visit.look("unfolded")
    row.locator(".versions li input").first.check()
    visit.expect("choosing an older one leaves the row alone", not row.locator(".pick input").is_checked())
    if visit.has_scripts:
        visit.expect("and one is counted", "1" in page.locator("[data-chosen]").inner_text())
    with page.expect_navigation(wait_until="load") if not visit.has_scripts else page.expect_response("**/library/**"):
        page.locator(".chosen button.danger").click()
    page.wait_for_selector(".done")
    page.goto(visit.fund)
    visit.expect("that one is gone", page.locator("li.row.stack .versions li").count() == 1
                 and "report(2)" in page.locator("li.row.stack a.name").inner_text().replace("\n", ""))
    # The same bytes under another name.
    put(visit, ("sent again.txt", b"report.txt"))
    page.goto(visit.fund)
    visit.expect("the copy stands for them all", page.locator("[data-rows] > li").count() == 2
                 and "sent again" in page.locator("li.row.stack > .what a.name").inner_text().replace("\n", ""))
    row.locator("summary").click()
    visit.look("copy")
    visit.expect("the others unfold", row.locator(".versions li a").count() == 2)
    visit.press(row.locator(".versions li a").last)
    page.wait_for_selector("#opened")
    visit.expect("and open", page.locator("#opened").inner_text().replace("\n", "") == "report.txt")


@story()
def devices(visit):
    page = visit.page
    visit.sign_in("/account")
    visit.press("a[href='/account/devices']")
    visit.expect("each has this server's address", page.locator("code.copy", has_text="/dav/").count() >= 3)
    visit.look("devices")
    visit.press("a[href='/account#label']")
    visit.expect("an app password is one step away", page.locator("#label").is_visible())
