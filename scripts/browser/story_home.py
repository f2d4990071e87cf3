"""Funds: what is there, what is new, a new one, and what becomes of one that is deleted."""
from cases import story
from support.samples import mail


@story()
def home(visit):
    page = visit.page
    visit.sign_in("/library")
    visit.look("start")
    visit.menu("new")
    page.fill("#name", "Harbour")
    visit.press("form[action='/library/funds'] button")
    page.wait_for_url("**/library/funds/**")
    visit.expect("a new fund says how to fill it", page.locator(".empty").is_visible())
    visit.look("empty-fund")
    for tab in ("mail", "notes"):
        visit.press(f".tabs a[href$='/{tab}']")
        visit.expect("it is empty, too", page.locator(".empty").is_visible())
        visit.look(f"empty-{tab}")
    visit.open("/library")
    visit.menu("new")
    page.fill("#name", "harbour")
    visit.press("form[action='/library/funds'] button")
    visit.expect("a name that is taken is refused", page.locator(".failure").is_visible())
    visit.expect("and what was written is kept", page.input_value("#name") == "harbour")
    visit.look("name-taken")

    visit.open_fund("Harbour")
    visit.in_menu("fundmenu", "a[href$='/manage']")
    visit.look("manage")
    page.fill("#name", "Harbour Two")
    visit.press("form[action$='/name'] button")
    visit.open_fund("Harbour Two")
    visit.in_menu("fundmenu", "a[href$='/manage']")
    visit.press("form[action='/library/delete'] button")
    page.wait_for_selector(".done")
    visit.look("deleted")
    visit.expect("it is gone", page.locator("ul.funds bdi:text-is('Harbour Two')").count() == 0)
    visit.act(".done form button")
    visit.open_fund("Harbour Two")
    visit.in_menu("fundmenu", "a[href$='/manage']")
    visit.press("form[action='/library/delete'] button")


@story()
def what_is_new(visit):
    page = visit.page
    visit.sign_in()
    visit.open_fund("绿洲基金", "/mail")
    visit.open("/library/search")
    visit.server.deliver(visit.user, mail(visit.user, "[绿洲基金] 新邮件", "您好\n", ("通知.txt", "通知".encode())))
    visit.open("/library")
    row = visit.row("绿洲基金")
    visit.expect("what came is counted", row.locator(".new").count() == 1)
    visit.look("counted")
    visit.press(row.locator("a.name"))
    visit.expect("all of the fund has it first, above a line",
                 visit.row("新邮件").first.locator(".new").count() == 1 and page.locator("li.since").count() == 1)
    visit.look("since")
    visit.open_fund("绿洲基金", "/mail")
    visit.expect("what was seen there is not new here", page.locator("li.row .new").count() == 0)


@story()
def favourite_fund(visit):
    page = visit.page
    visit.sign_in("/library")
    # What is starred stands among the favourites, too.
    star = "ul.funds li.row:has(bdi:text-is('Fund1')) button.star"
    page.click(star)
    page.wait_for_selector(f"{star}[aria-pressed=true]")
    visit.look("starred")
    page.click(star)
    page.wait_for_selector(f"{star}[aria-pressed=false]")
