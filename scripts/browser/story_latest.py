"""What arrived over all funds, by day, and what was put out of sight: archive and trash."""
import time

from cases import story
from support.samples import mail


@story()
def latest(visit):
    page = visit.page
    visit.sign_in()
    subject = f"第四季度报告 {time.time_ns()}"
    visit.server.deliver(
        visit.user, mail(visit.user, f"[绿洲基金] {subject}", "请查收\n", ("Q4 report.txt", subject.encode())))
    visit.open("/library/latest")
    row = page.locator("li.arrival").filter(has_text=subject).first
    visit.expect("what came last stands first", page.locator("li.arrival").first.inner_text() == row.inner_text())
    visit.expect("with the mark of what is new", row.locator(".row.fresh").count() == 1)
    visit.expect("and its file below it", row.locator("li.clip a.name").count() == 1)
    visit.expect("below its day", page.locator("li.day").count() >= 1)
    visit.look("latest")
    arrival = f"li.arrival:has-text('{subject}')"
    if visit.has_scripts:
        visit.open_menu(page.locator(arrival))
        visit.expect("its menu has what a mail has", page.locator("#rowmenu [data-for=move]").is_visible()
                     and not page.locator("#rowmenu [data-for=rename]").is_visible())
        visit.look("menu")
        page.keyboard.press("Escape")
        visit.choose(arrival, "delete")
        page.wait_for_selector(arrival, state="detached")
        visit.act(".toasts form button")
        page.wait_for_selector(arrival)
    else:
        visit.press(f"{arrival} a.more")
        visit.expect("its page has what can be done", "/library/items/email/" in page.url)
        visit.open("/library/latest")
    # Yesterday's attachment is two steps away: this page, and the file.
    visit.press(f"{arrival} li.clip a.name")
    visit.expect("a file is one step away", "open=f" in page.url)
    visit.open("/library/latest")
    visit.act("form[action='/library/latest/seen'] button")
    visit.expect("nothing is new any more", page.locator(".row.fresh").count() == 0)
    visit.look("seen")
    visit.open("/library/latest?kind=uploads")
    visit.expect("the filter leaves mail out", page.locator("li.arrival .face").count() == 0)
    visit.look("uploads")


@story(sizes=("tablet", "phone"))
def archive(visit):
    page = visit.page
    visit.sign_in()
    visit.open("/library")
    visit.menu("new")
    page.fill("#name", "Closed")
    visit.press("form[action='/library/funds'] button")
    page.wait_for_url("**/library/funds/**")
    address = page.url.split("?")[0].removesuffix("/all")
    page.goto(f"{address}/manage")
    visit.press("form[action$='/archive'] button")
    page.wait_for_selector(".done")
    visit.open("/library/trash")
    visit.expect("what is archived is not in the trash", visit.row("Closed").count() == 0)
    visit.open("/library/archive")
    visit.expect("but in the archive", visit.row("Closed").count() == 1)
    visit.look("archive")
    visit.press("li.row:has-text('Closed') a.name")
    page.wait_for_url("**/library/archive/*")
    visit.expect("it opens to be looked at", page.locator("[popovertarget='new'], [data-upload]").count() == 0)
    visit.expect("with a way back", page.locator("form[action='/library/restore'] button").is_visible())
    visit.look("archived-fund")
    visit.open("/library/archive")
    visit.act("li.row:has-text('Closed') button")
    visit.expect("it is restored from there", visit.row("Closed").count() == 0)
    page.goto(address)
    visit.expect("with its page", "Closed" in page.locator("h1").first.inner_text())
    page.goto(f"{address}/manage")
    visit.press("form[action='/library/delete'] button")
