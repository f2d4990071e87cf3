"""Pages in states that are rare where one builds them: very many, very long, refused, and no server."""
import urllib.parse

from cases import story
from engines import ANSWERS, WORDS_OF_ERRORS
from office import MANY, OFFICE
from support.samples import LONG_NAME, OVERRIDE
from server import elsewhere
from story_files import choose, move_about


@story()
def thousand_files(visit):
    page = visit.page
    visit.sign_in("/library", user=OFFICE)
    visit.look("home")
    visit.open_fund("Many")
    visit.look("first-page")
    visit.expect("a part of them", 50 <= page.locator("ul.files li").count() < MANY)
    if not visit.has_scripts:
        visit.press(".paging a")
        page.wait_for_url("**cursor=**")
        visit.look("second-page")
    visit.menu("fundmenu")
    content = visit.download(lambda: page.click("#fundmenu a[download]"))
    visit.expect("all of them in one zip file", content.count(b"statement ") >= MANY)


@story()
def long_names(visit):
    page = visit.page
    visit.sign_in(user=OFFICE)
    visit.open_fund("Long")
    visit.look("files")
    visit.press(visit.row(LONG_NAME).locator("a.name"))
    page.wait_for_url("**open=f*")
    visit.look("file")
    page.goto(visit.fund)
    if visit.has_scripts:
        visit.open_menu(page.locator("li.row:has-text('folderfolder')"))
        visit.look("menu")
        visit.press("#rowmenu [data-for=more]")
    else:
        visit.press(page.locator("li.row:has-text('folderfolder') a.more"))
    visit.look("change")
    page.goto(visit.fund + "/mail")
    visit.look("mails")
    visit.press(visit.row("five kilobytes").locator("a.name"))
    page.wait_for_url("**open=m*")
    visit.look("mail")
    visit.open("/library/search?q=kilobytes")
    visit.look("search")
    visit.open("/library/sent?subject=" + urllib.parse.quote("[" + "x" * 900 + "] " + OVERRIDE))
    visit.look("sent")


@story(needs=(ANSWERS,))
def refused(visit):
    """Error pages: what is not there, forms that others sent, and what is too large."""
    page = visit.page
    visit.sign_in()
    visit.expect("404", visit.open("/library/funds/999999").status == 404)
    visit.look("not-found")
    visit.expect("404", visit.open("/library/no-such-page").status == 404)
    visit.open_fund(tab="/new-note")
    page.fill("#title", "A foreign form")
    page.eval_on_selector("form.panel input[name=csrf]", "one => one.value = 'x'")
    with page.expect_response(lambda response: response.request.method == "POST") as answer:
        visit.press("form.panel button.primary")
    visit.expect("403", answer.value.status == 403)
    page.wait_for_load_state()
    visit.expect("what was written is still there", page.input_value("#title") == "A foreign form")
    visit.look("foreign-form")
    page.goto(visit.fund + "/new-note")
    page.eval_on_selector("#content", "one => one.value = 'much '.repeat(600000)")
    with page.expect_response(lambda response: response.request.method == "POST") as answer:
        visit.press("form.panel button.primary")
    visit.expect("413", answer.value.status == 413)
    page.wait_for_load_state()
    visit.look("too-large")


def note_without_scripts(visit, server):
    """Where there are scripts the page itself keeps the text (`saved_later`)."""
    page = visit.page
    visit.open_fund(tab="/new-note")
    page.fill("#title", "Written meanwhile")
    page.fill("#content", "long text")
    server.end()
    try:
        visit.press("form.panel button.primary")
    except Exception as error:  # the browser's own page
        visit.expect(f"it says that nothing answers: {error}", "ERR_CONNECTION_REFUSED" in str(error))
    server.start()
    page.go_back()
    page.wait_for_selector("#content")
    visit.expect("Back shows what was written", page.input_value("#content") == "long text")
    visit.look("written")
    visit.press("form.panel button.primary")
    page.wait_for_selector(".done")


@story(sizes=("tablet",), needs=(WORDS_OF_ERRORS,))
def server_is_down(visit):
    """While somebody writes a note, and uploads."""
    if visit.case.language != "en":
        return
    with elsewhere(visit) as server:
        page = visit.page
        visit.sign_in()
        if not visit.has_scripts:
            note_without_scripts(visit, server)
        visit.open_fund()
        if visit.has_scripts:
            move_about(visit)
            server.end()
            choose(visit, ("later.txt", b"later"))
            visit.until(
                "document.querySelector('.tray li') && !document.querySelector('.tray progress')")
            visit.picture("server_is_down-upload")
