"""Files: up, down, into folders, away and back."""
import io
import zipfile

from cases import story


def choose(visit, *files):
    """Files to send. Scripts send them at once."""
    visit.menu("new")
    visit.page.set_input_files("#file", [
        {"name": name, "mimeType": "text/plain", "buffer": content} for name, content in files])
    if not visit.has_scripts:
        visit.page.click("form[data-upload] button.primary")


def move_about(visit):
    """With the first move on a page what sends files is loaded."""
    with visit.page.expect_response("**/upload.js"):
        visit.page.mouse.move(200, 300)


def change(visit, name):
    """Opens the page on which one changes it."""
    if visit.has_scripts:
        visit.row(name).first.locator("a.more").click()
        visit.press("#rowmenu [data-for=more]")
    else:
        visit.press(visit.row(name).first.locator("a.more"))
    visit.page.wait_for_selector("form[action='/library/delete']")


def put(visit, name, place, act):
    """To a folder, from the page of a file: by the tree that the dialog shows, too."""
    change(visit, name)
    visit.press("form[action='/library/move'] button")
    visit.page.locator(".tree li", has_text=place).first.locator("input").check()
    visit.press(f".acts button[value={act}]")


@story()
def up_and_down(visit):
    page = visit.page
    visit.sign_in()
    visit.open_fund()
    visit.look("list")
    choose(visit, ("terms.txt", b"sent\n"))
    visit.row("terms.txt").wait_for()
    visit.look("uploaded")
    visit.press(visit.row("terms.txt").locator("a.name"))
    page.wait_for_url("**open=f*")
    visit.look("file")
    content = visit.download(lambda: page.click(".detail a[download]"))
    visit.expect("what comes back is what was sent", content == b"sent\n")

    page.goto(visit.fund)
    if not visit.has_scripts:
        visit.menu("new")
        page.click("form[data-upload] button.primary")
        visit.expect("without a file nothing is sent", page.url.split("?")[0] == visit.fund)
        page.goto(visit.fund)
    page.check("li.row:has-text('notice.pdf') input[type=checkbox]")
    page.check("li.row:has-text('terms.txt') input[type=checkbox]")
    visit.look("selected")
    content = visit.download(lambda: page.click("button[formaction$='/zip']"))
    names = sorted(zipfile.ZipFile(io.BytesIO(content)).namelist())
    visit.expect(f"the selection as a zip file: {names}", names == ["notice.pdf", "terms.txt"])
    visit.menu("fundmenu")
    content = visit.download(lambda: page.click("#fundmenu a[download]"))
    whole = zipfile.ZipFile(io.BytesIO(content))
    visit.expect("nothing in the zip file is damaged", whole.testzip() is None)
    names = whole.namelist()
    visit.expect(f"its mail is in it: {names}", any(name.endswith(".eml") for name in names))


@story()
def changing(visit):
    page = visit.page
    visit.sign_in()
    visit.open_fund()
    choose(visit, ("draft.txt", b"draft\n"))
    visit.row("draft.txt").wait_for()
    visit.menu("new")
    page.fill("#folder-name", "Legal")
    visit.press("form[action$='/folders'] button")
    page.wait_for_selector(".done")
    visit.look("new-folder")
    visit.expect("one is in the folder", "folder=" in page.url)
    folder = page.url.split("folder=")[1].split("&")[0]
    visit.menu("new")
    page.fill("#folder-name", "Signed")
    visit.press("form[action$='/folders'] button")
    page.wait_for_selector(".done")
    visit.look("folder-in-folder")

    page.goto(visit.fund)
    change(visit, "draft.txt")
    visit.look("change")
    page.fill("#name", "notice.pdf")
    visit.press("form[action$='/name'] button")
    visit.expect("a name that is taken is refused", page.locator(".failure").is_visible())
    visit.look("name-taken")
    page.fill("#name", "final.txt")
    visit.press("form[action$='/name'] button")
    visit.row("final.txt").wait_for()
    put(visit, "final.txt", "Legal", "copy")
    page.wait_for_selector(".done")
    visit.expect("what is copied stays", visit.row("final.txt").count() == 1)
    put(visit, "final.txt", "Legal", "move")
    visit.expect("the copy is in the way", page.locator(".pairs").count() == 1)
    visit.look("in-the-way")
    visit.press("button[name=if_taken][value=number]")
    page.wait_for_selector(".done")
    visit.expect("what is moved is gone here", visit.row("final").count() == 0)
    page.goto(f"{visit.fund}?folder={folder}")
    older = page.locator("li.row.stack .versions li")
    visit.expect("both are kept, as versions of one", older.count() == 1)

    page.locator("li.row.stack summary").click()
    older.locator("input").check()
    visit.act("form[data-list] button.danger")
    visit.expect("it is gone", older.count() == 0)
    visit.look("deleted")
    visit.act(".done form button")
    visit.expect("undo brings it back", older.count() == 1)
    visit.expect("into its folder", f"folder={folder}" in page.url)

    page.goto(visit.fund)
    page.check("li.row:has-text('Legal') input[type=checkbox]")
    visit.act("form[data-list] button.danger")
    visit.open("/library/trash")
    visit.expect("the folder is in the trash", visit.row("Legal").count() == 1)
    visit.look("trash")
    page.check("li.row:has-text('Legal') input[type=checkbox]")
    visit.act("form[action='/library/restore'] button")
    visit.open(f"{visit.fund.removeprefix(visit.server.address)}?folder={folder}")
    visit.expect("all of it is back", older.count() == 1)
    page.goto(visit.fund)
    page.check("li.row:has-text('Legal') input[type=checkbox]")
    visit.act("form[data-list] button.danger")
    visit.open("/library/trash")
    asks = "a[href='/library/trash/empty']"
    if visit.has_scripts:
        page.click(asks)
        page.wait_for_selector("dialog[open]")
    else:
        visit.press(asks)
    question = page.locator("dialog" if visit.has_scripts else "main")
    visit.expect("it asks once, and names what goes", question.locator("li:has-text('Legal')").count() == 1)
    visit.look("trash-asks")
    visit.act("form[action='/library/trash/empty'] button")
    visit.open("/library/trash")
    visit.expect("the trash is empty", page.locator(".empty").is_visible())
    visit.look("trash-empty")


@story(sizes=("tablet", "phone"))
def sorting(visit):
    page = visit.page
    visit.sign_in()
    visit.open_fund()
    names = {}
    for sort in ("name", "-name", "size", "-size", "modified_at"):
        page.goto(f"{visit.fund}?sort={sort}")
        names[sort] = page.locator("ul.files a.name").all_inner_texts()
    visit.expect("by name, both ways", names["name"] == names["-name"][::-1])
    visit.expect("by size, both ways", names["size"] == names["-size"][::-1] != names["name"])
    page.goto(visit.fund)
    visit.in_menu("sorts", "a[href*='size']")
    visit.look("by-size")


@story()
def opening(visit):
    """Files that the page can show, and one that it cannot."""
    page = visit.page
    visit.sign_in()
    visit.open_fund()
    for name, shown in (("notice.pdf", "[data-leaf], iframe, main .touch a"), ("roof.png", "p.viewer img"),
                        ("minutes.wav", "audio"), ("minutes.txt", "iframe, main .touch a")):
        page.goto(visit.fund)
        visit.press(visit.row(name).locator("a.name"))
        page.wait_for_url("**open=f*")
        page.locator(f".detail > .body :is({shown})").first.wait_for()
        visit.look(name.replace(".", "-"))
    source = page.locator(".detail [src*='/content']").first.get_attribute("src")
    part = page.request.get(visit.server.address + source, headers={"Range": "bytes=0-3"})
    visit.expect("a player can jump within it", part.status == 206 and part.body() == b"Anwe")
    visit.open_fund("绿洲基金")
    visit.press(visit.row("docx").locator("a.name"))
    page.wait_for_url("**open=f*")
    visit.look("not-shown")
