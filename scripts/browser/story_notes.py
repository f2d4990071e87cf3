"""Notes, and two people or two devices that write the same one."""
from cases import story
from server import elsewhere


def write(visit, title, content):
    visit.page.fill("#title", title)
    visit.page.fill("#content", content)
    visit.press(visit.page.locator("form.panel button.primary"))
    visit.page.wait_for_load_state()


@story()
def notes(visit):
    page = visit.page
    visit.sign_in()
    visit.open_fund(tab="/notes")
    visit.in_menu("new", "a[href$='/new-note']")
    visit.look("new")
    write(visit, "Call with the harbour", "first\n\nsecond")
    visit.expect("it is kept", page.input_value("#content") == "first\n\nsecond")
    visit.look("saved")
    other = visit.another()
    other.page.goto(page.url.replace("&done=saved", ""))
    write(other, "Call with the harbour", "theirs")
    other.close()
    write(visit, "Call with the harbour", "mine")
    visit.expect("the other version is shown", page.locator("section.other").is_visible())
    visit.expect("and one's own is kept", page.input_value("#content") == "mine")
    visit.look("conflict")
    visit.press(page.locator("form.panel button.primary"))
    page.wait_for_selector(".done")
    page.goto(visit.fund + "/notes")
    visit.look("list")
    visit.press(visit.row("Call with the harbour").first.locator("a.name"))
    page.wait_for_selector("#content")
    visit.expect("one's own is saved now", page.input_value("#content") == "mine")
    visit.press("form[action='/library/delete'] button.danger")
    page.wait_for_selector(".done")
    visit.look("deleted")


@story(needs_scripts=True, sizes=("tablet",))
def saved_later(visit):
    """A note is saved while the server is started again: the text stays on the page, and goes when the server is back."""
    with elsewhere(visit) as server:
        visit.sign_in()
        visit.open_fund()
        page = visit.page
        page.goto(visit.fund + "/new-note")
        page.fill("#title", "Call with the harbour")
        page.fill("#content", "first")
        server.end()
        page.click("form.panel button.primary")
        page.locator(".away").wait_for()
        visit.expect("the text is here", page.input_value("#content") == "first")
        visit.look("away")
        # What is written meanwhile is saved, too.
        page.fill("#content", "first\n\nsecond")
        server.start()
        page.wait_for_selector(".done", timeout=60_000)
        visit.expect("it is saved", page.input_value("#content") == "first\n\nsecond")
        page.goto(visit.fund + "/notes")
        visit.expect("once", visit.row("Call with the harbour").count() == 1)
