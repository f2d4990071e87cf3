"""The shell around every page: a sidebar, a rail or a bottom bar, by the width of the window."""
from cases import story
from server import ADDRESS

PLACES = ("/library", "/library/favourites", "/library/sent", "/library/trash", "/library/search", "/account")
# Pixels of every target of the shell, on screens that are touched.
LEAST = 44
SMALL = f"""[...document.querySelectorAll('.side a, .side button, .tabbar a, .tabbar button, .menu a, .menu button')]
  .filter((one) => one.checkVisibility() && !one.closest('.hidden')).map((one) => [one, one.getBoundingClientRect()])
  .filter(([, box]) => box.height > 0 && box.height < {LEAST})
  .map(([one, box]) => `${{Math.round(box.width)}}×${{Math.round(box.height)}} ${{one.outerHTML.slice(0, 80)}}`)"""

CUT = """[...document.querySelectorAll('.chip[popovertarget=address] :is(.to, bdi)')]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"""


@story()
def shell(visit):
    page = visit.page
    visit.sign_in("/library")
    side = page.locator("nav.side").bounding_box() if visit.case.size != "phone" else None
    width = {"desktop": 232, "tablet": 232, "upright": 64}.get(visit.case.size)
    visit.expect(f"as wide as there is room: {side}", side["width"] == width if side else width is None)
    visit.expect("a bar at the bottom on phones alone",
                 page.locator("nav.tabbar").is_visible() == (visit.case.size == "phone"))
    funds = page.locator("nav.side .shelves a.fund")
    shown = sum(each.is_visible() for each in funds.all())
    visit.expect(f"few funds are all in the sidebar: {shown} of {funds.count()}",
                 visit.case.size not in ("desktop", "tablet") or funds.count() > 8 or shown == funds.count())
    for path in PLACES:
        visit.open(path)
        marked = page.locator(f"nav.side a[href='{path}'][aria-current='page']").count()
        visit.expect(f"{path} is marked", marked > 0 or path == "/library/search")
        visit.expect(f"{path} has one heading of the first rank", page.locator("h1").count() == 1)
    if visit.case.size == "phone":
        visit.menu("everything")
        visit.look("more")
        visit.press("#everything a[href='/library/trash']")
    else:
        visit.press("nav.side a[href='/library/trash']")
    visit.expect("one is there", "/library/trash" in visit.path)
    for target in page.evaluate(SMALL) if visit.case.has_touch else []:
        visit.problems.append(f"small for a finger: {target}")
    visit.look("trash")


@story(sizes=("tablet", "upright"))
def search_from_everywhere(visit):
    """One step: the field stands on every page."""
    page = visit.page
    visit.sign_in("/library/sent")
    if visit.has_scripts:
        page.locator("h1").click()
        page.keyboard.press("/")
        visit.expect("a key goes to the field", page.evaluate("document.activeElement.matches('.find input')"))
        page.keyboard.press("Escape")
        page.locator("h1").click()
        page.keyboard.press("Control+k")
        page.wait_for_selector(".palette[open] [role=option]")
        visit.expect("another opens the palette", page.evaluate("document.activeElement.matches('.palette input')"))
        page.keyboard.press("Escape")
        page.locator("h1").click()
        visit.step(lambda: page.keyboard.press("/"))
    else:
        visit.step(lambda: page.focus(".find input"))
    with page.expect_navigation(wait_until="load"):
        page.keyboard.type("notice")
        page.keyboard.press("Enter")
    visit.expect("the hits are there", "/library/search?q=notice" in visit.path)
    visit.expect_steps("a search", 1)
    visit.expect("with what was asked for", page.input_value("#q") == "notice")


@story()
def what_was_done_is_in_sight(visit):
    """Undo stands where one looks, not above the list."""
    page = visit.page
    visit.sign_in()
    visit.open_fund()
    chip = page.locator(".chip[popovertarget=address]:visible")
    told = chip.locator("> :not(.hidden)").all_inner_texts()
    visit.expect(f"address and subject are one chip: {told}", told[:2] == [ADDRESS, "Fund1"])
    visit.expect("of which nothing is cut", page.evaluate(CUT) == [])
    chip.click()
    visit.look("address")
    page.keyboard.press("Escape")
    visit.menu("fundmenu")
    who = page.locator("#fundmenu a[href$='#who']")
    who.click() if visit.has_scripts else visit.press(who)
    page.locator("dialog #who p" if visit.has_scripts else "#who p").first.wait_for()
    visit.look("who")
    page.goto(visit.fund)
    page.check("li.row:has-text('notice.pdf') input[type=checkbox]")
    visit.act("form[data-list] button.danger")
    box, height = page.locator(".done").bounding_box(), page.viewport_size["height"]
    visit.expect(f"it is in the window: {box}", box["y"] > 0 and box["y"] + box["height"] <= height)
    visit.act(".done form button")
    visit.expect("undo brings it back", visit.row("notice.pdf").count() == 1)
