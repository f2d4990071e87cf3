"""Running the place: people and funds, and who did what."""
from cases import story
from support.samples import MARKUP, OVERRIDE
from support.serve import PASSWORD
from visit import Visit


@story()
def people(visit):
    """A person is added, sets a password by a link that is good once, gets a fund, and is disabled."""
    page, mark = visit.page, visit.case.name
    new, next_owner = f"new.{mark}@example.com", f"next.{mark}@example.com"
    visit.sign_in("/office/people", user=f"root.{mark}@office.example")
    for address, name in ((new, f"New {MARKUP}{OVERRIDE}"), (next_owner, "Next")):
        visit.open("/office/people")
        page.fill("#email", address)
        page.fill("#name", name)
        visit.press("form[action='/office/people'][method='post'] button")
    visit.look("person")
    visit.open(f"/office/people?q={new}")
    visit.look("people")
    visit.press("ul.rows a.name")
    person = page.url
    visit.press("form[action$='/reset'] button")
    link = page.inner_text("code.copy")
    visit.look("link")

    other = Visit(visit.context.browser, visit.case, visit.story, visit.server)
    other.problems = visit.problems
    other.page.goto(link)
    other.look("reset")
    for field in ("#new", "#again"):
        other.page.fill(field, PASSWORD)
    other.press("main form button")
    visit.expect("one is led to sign in", other.path.startswith("/sign-in"))
    other.page.goto(link)
    visit.expect("the link is good once", other.page.locator("#new").count() == 0)
    other.look("reset-gone")
    other.sign_in(user=new, is_another=True)

    page.goto(person)
    visit.press("a[href*='/office/funds?owner=']")
    page.fill("#name", f"Alpha {mark}")
    visit.press("form[action='/office/funds'][method='post'] button")
    visit.look("fund")
    other.open("/library")
    visit.expect("the fund is theirs", other.page.locator("ul.funds").get_by_text(f"Alpha {mark}").count() == 1)
    page.fill("#owner", "stranger@nowhere.example")
    visit.press("form[action$='/give'] button")
    visit.expect("there is no such person", page.locator("#owner-problem").count() == 1)
    page.fill("#owner", next_owner)
    visit.press("form[action$='/give'] button")
    visit.expect("it has another owner", page.locator("main .line a").inner_text() == next_owner)
    other.open("/library")
    visit.expect("and is gone here", other.page.get_by_text(f"Alpha {mark}").count() == 0)

    page.goto(person)
    visit.press("button[value='disabled']")
    visit.look("disabled")
    other.open("/library")
    visit.expect("who is disabled is signed out", other.path.startswith("/sign-in"))
    other.close()

    visit.open(f"/office/audit?actor=root.{mark}@")
    # People are called by their names there, and lead to what was done to them.
    visit.expect("all of it is in the audit trail", all(
        page.locator(f"main a[title='{address}']").count() for address in (new, next_owner)))
    visit.look("audit")
    visit.expect("nothing of a name became markup", page.locator("main img, main script").count() == 0)


@story()
def archived(visit):
    """A fund gets an alias, is archived, found among the archived ones, and restored."""
    page, mark = visit.page, visit.case.name
    # No case's name is the beginning of another's here.
    owner, name = f"arch.{mark}@example.com", f"{mark} shelved"
    visit.sign_in("/office/people", user=f"root.{mark}@office.example")
    page.fill("#email", owner)
    visit.press("form[action='/office/people'][method='post'] button")
    visit.open("/office/funds")
    page.fill("#name", name)
    page.fill("#owner", owner)
    visit.press("form[action='/office/funds'][method='post'] button")
    fund = page.url.split("?")[0]
    page.fill("#alias", "SHV")
    visit.press("form[action$='/aliases'] button")
    visit.expect("the alias is there", page.locator("button[name=alias][value=SHV]").count() == 1)
    page.fill("#alias", "a[b]")
    visit.press("form[action$='/aliases'] button")
    visit.expect("no such alias", page.locator("#alias-problem").count() == 1)
    page.goto(fund)
    visit.look("alias")
    visit.press("form[action$='/aliases/remove'] button[value=SHV]")
    visit.expect("and gone", page.locator("button[name=alias]").count() == 0)
    visit.press("form[action$='/archive'] button")
    visit.open(f"/office/funds?archived=1&q={mark}")
    visit.look("list")
    visit.press(visit.row(name).locator("a.name"))
    visit.expect("an archived fund is opened", page.url.split("?")[0] == fund)
    visit.look("archived")
    visit.open("/office/funds")
    page.fill("#name", name)
    page.fill("#owner", owner)
    visit.press("form[action='/office/funds'][method='post'] button")
    page.goto(fund)
    visit.press("form[action$='/restore'] button")
    visit.expect("it can be archived again", page.locator("form[action$='/archive']").count() == 1)
    visit.expect("it says under which name it is there", f"{name}(1)" in page.inner_text("main .done"))
    visit.open(f"/office/audit?subject={mark}")
    # Other cases have names with this one in it, and are told at the same time.
    rows = page.locator("ul.entries li.row").filter(has_text=name)
    done = [row.get_attribute("data-action") for row in rows.all()]
    visit.expect(f"all of it is told: {done}", done[:6] == [
        "fund.restore", "fund.add", "fund.archive", "fund.alias.remove", "fund.alias", "fund.add"])
    visit.look("audit")


@story()
def imported(visit):
    """A table is tried before it is taken: one wrong line, and nothing is changed."""
    page, mark = visit.page, visit.case.name
    visit.sign_in("/office/import", user=f"root.{mark}@office.example")
    table = f"email,name,funds,hobby\nimp.{mark}@example.com,{MARKUP},Alpha;Beta,golf\n"
    page.fill("#table", table + "no address,x,,\n")
    visit.press("button[value=preview]")
    visit.expect("the wrong line is named", page.locator("li.row .wrong").count() == 1)
    visit.expect("and nothing can be taken", page.locator("button[value=import]").count() == 0)
    visit.look("wrong")
    page.fill("#table", table)
    visit.press("button[value=preview]")
    visit.look("preview")
    visit.press("button[value=import]")
    visit.expect("they are there", page.locator("main .done").count() == 1)
    visit.open(f"/office/people?q=imp.{mark}@")
    visit.expect("under their address", page.locator("ul.rows li.row").count() == 1)


@story()
def running(visit):
    """How the mailboxes, the program and its figures fare, and a run that is asked for."""
    page = visit.page
    visit.sign_in("/office/mailboxes", user=f"bo.{visit.case.name}@office.example")
    visit.look("mailboxes")

    def poll():
        visit.open("/office/mailboxes")
        visit.press("form[action$='/poll'] button")
    poll()
    # Another case may have asked for it less than ten seconds ago.
    visit.wait(lambda: page.locator("main .done").count() == 1, "what came of it is said", poll)
    visit.look("polled")
    visit.open("/office/doctor")
    visit.look("doctor")
    visit.press("form[action='/office/doctor'] button")
    visit.expect("the mail server was asked", page.locator("ul.findings").nth(1).locator(".is-ok").count() > 0)
    visit.look("asked")
    for period in ("hour", "day", "week"):
        visit.open(f"/office/health?period={period}")
        visit.look(period)
    visit.expect("the checks are there", page.locator("ul.checks li").count() >= 4)
    for path in ("/office/mailboxes", "/office/doctor", "/office/health"):
        visit.expect(f"{path} is one of the place's", page.goto(visit.server.address + path).status == 200)
