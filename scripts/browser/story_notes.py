"""Notes, and two people or two devices that write the same one."""
from cases import story


def write(visit, title, content):
    visit.page.fill("#title", title)
    visit.page.fill("#content", content)
    visit.page.locator("form.panel button.primary").click()
    visit.page.wait_for_load_state()


@story()
def notes(visit):
    page = visit.page
    visit.sign_in()
    visit.open_fund(tab="/notes")
    page.click("main a[href$='/new-note']")
    visit.look("new")
    write(visit, "Call with the harbour", "first\n\nsecond")
    visit.expect("it is kept", page.input_value("#content") == "first\n\nsecond")
    visit.look("saved")
    other = visit.another()
    other.page.goto(page.url.split("?")[0])
    write(other, "Call with the harbour", "theirs")
    other.close()
    write(visit, "Call with the harbour", "mine")
    visit.expect("the other version is shown", page.locator("section.other").is_visible())
    visit.expect("and one's own is kept", page.input_value("#content") == "mine")
    visit.look("conflict")
    page.locator("form.panel button.primary").click()
    page.wait_for_selector(".done")
    page.goto(visit.fund + "/notes")
    visit.look("list")
    visit.row("Call with the harbour").first.locator("a.name").click()
    page.wait_for_selector("#content")
    visit.expect("one's own is saved now", page.input_value("#content") == "mine")
    page.click("form[action='/library/delete'] button.danger")
    page.wait_for_selector(".done")
    visit.look("deleted")
