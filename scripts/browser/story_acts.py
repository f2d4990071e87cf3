"""Acts on rows: the menu, the name that is edited in place, the dialog, what is taken back. With scripts nothing is loaded."""
import time

from cases import story
from story_files import choose


def prepare(visit, *names):
    visit.sign_in()
    visit.open_fund()
    choose(visit, *((name, name.encode()) for name in names))
    for name in names:
        visit.row(name).first.wait_for()
    visit.page.goto(visit.fund)
    if visit.has_scripts:
        visit.page.evaluate("window.isStill = true")


def row(name):
    return f"li.row:has(a.name:has-text('{name}'))"


def folder(visit, name, parent=None):
    """A new folder of the fund; its place, as forms name it."""
    api = visit.server.api(visit.user)
    number = api.fund("Fund1")
    made = api.call("POST", f"/funds/{number}/folders", {"name": name, **({"parent": parent} if parent else {})})
    return f"{number}-{made['id']}"


def has_focus(visit, name):
    return visit.page.evaluate("(name) => document.activeElement.closest('li')?.textContent.includes(name) ?? false", name)


@story(needs_scripts=True)
def renames_in_place(visit):
    page, name = visit.page, f"plan {time.time_ns()}"
    prepare(visit, f"{name}.txt", f"{name} taken.txt")
    stem = f"{row(name + '.txt')} .rename input"
    visit.open_menu(page.locator(row(name + ".txt")))
    visit.look("menu")
    page.locator("#rowmenu [data-for=rename]").click()
    page.wait_for_selector(".rename input")
    visit.expect("what ends the name stays apart", page.input_value(".rename input") == name)
    visit.look("field")
    page.keyboard.press("Escape")
    visit.expect("Escape gives up", page.locator(".rename").count() == 0 and has_focus(visit, name))
    visit.steps = 0
    visit.step(lambda: visit.choose(row(name + ".txt"), "rename"))
    page.fill(".rename input", f"{name} taken")
    page.keyboard.press("Enter")
    page.wait_for_selector(".rename .problem:not([hidden])")
    visit.expect("what was typed is still there", page.input_value(".rename input") == f"{name} taken")
    visit.look("refused")
    page.fill(".rename input", f"{name} new")
    page.keyboard.press("Enter")
    page.wait_for_selector(row(f"{name} new.txt"))
    page.wait_for_selector(".toasts .done")
    visit.expect_steps("a new name", 1)
    visit.is_still()
    visit.expect("the focus is in the row", has_focus(visit, f"{name} new"))
    visit.look("renamed")
    visit.act(".toasts form button")
    page.wait_for_selector(row(name + ".txt"))
    visit.expect("and it is taken back", page.locator(row(f"{name} new.txt")).count() == 0)
    if visit.case.has_panes:
        page.locator(row(name + ".txt")).locator("a.name").focus()
        page.keyboard.press("F2")
        page.wait_for_selector(stem)


@story(needs_scripts=True)
def moves_by_dialog(visit):
    page, name = visit.page, f"deed {time.time_ns()}"
    prepare(visit, f"{name} 1.txt", f"{name} 2.txt")
    box = f"Box {time.time_ns()}"
    place = folder(visit, box)
    page.goto(visit.fund)
    page.evaluate("window.isStill = true")
    first, dialog = row(f"{name} 1.txt"), page.locator("dialog")
    visit.step(lambda: visit.choose(first, "move"))
    page.wait_for_selector("dialog[open] .tree")
    visit.look("tree")
    visit.expect("the focus is within", page.evaluate("document.querySelector('dialog').contains(document.activeElement)"))
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="hidden")
    visit.expect("Escape closes, and the focus is back in the row", has_focus(visit, f"{name} 1"))
    visit.steps = 0
    visit.step(lambda: visit.choose(first, "move"))
    page.wait_for_selector("dialog[open] .tree")
    visit.step(lambda: dialog.locator(f"label:has(input[value='{place}'])").click())
    visit.step(lambda: dialog.locator(".acts button.primary").click())
    page.wait_for_selector(".toasts .done")
    visit.expect_steps("a move", 3)
    visit.is_still()
    page.wait_for_selector(first, state="detached")
    visit.expect("the focus is on the next row", page.evaluate("document.activeElement.matches('li a.name')"))
    visit.look("moved")
    visit.act(".toasts form button")
    page.wait_for_selector(first)
    # Into a new folder, by keyboard.
    visit.choose(first, "move")
    page.wait_for_selector("dialog[open] .tree")
    fund = dialog.locator(f"[name=at][value='{place.split('-')[0]}']")
    fund.focus()
    page.keyboard.press("ArrowLeft")
    visit.until("!document.querySelector('dialog .tree .in1')")
    page.keyboard.press("ArrowRight")
    visit.until("document.querySelector('dialog .tree .in1')")
    visit.expect("the focus stays where the branch is", page.evaluate(
        "(value) => document.activeElement.closest('li')?.querySelector('input').value === value", place.split("-")[0]))
    fund.check(force=True)
    dialog.locator("#dialog-new-folder").fill(box)
    dialog.locator(".acts button.primary").click()
    page.wait_for_selector("dialog .problem")
    visit.expect("what was typed is there again", page.input_value("#dialog-new-folder") == box)
    visit.look("folder-taken")
    dialog.locator("#dialog-new-folder").fill(f"New {name}")
    dialog.locator(".acts button.primary").click()
    page.wait_for_selector(row(f"New {name}"))
    page.wait_for_selector(first, state="detached")
    visit.is_still()


@story()
def names_that_are_taken(visit):
    """Both files by date and size, each with an answer of its own, or all with one."""
    page, name = visit.page, f"bond {time.time_ns()}"
    prepare(visit, f"{name} 1.txt", f"{name} 2.txt")
    place = folder(visit, f"Safe {time.time_ns()}")
    api = visit.server.api(visit.user)
    fund, number = place.split("-")
    for one in (1, 2):
        api.call("POST", f"/funds/{fund}/files?name={name.replace(' ', '%20')}%20{one}.txt&folder={number}", b"older", "text/plain")
    page.goto(visit.fund)
    for one in (1, 2):
        page.check(f"{row(f'{name} {one}.txt')} input[type=checkbox]", force=True)
    where = "dialog" if visit.has_scripts else "main"
    if visit.has_scripts:
        page.evaluate("window.isStill = true")
        page.click(".chosen [data-do=move]")
        page.wait_for_selector("dialog[open] .tree")
    else:
        visit.press(".chosen [data-do=move]")
    page.locator(f"{where} label:has(input[value='{place}'])").click()
    move = page.locator(f"{where} .acts button.primary")
    move.click() if visit.has_scripts else visit.press(move)
    page.wait_for_selector(f"{where} .pairs")
    visit.expect("both are named by size", page.locator(f"{where} .pairs dd").count() == 4)
    visit.look("asks")
    page.locator(f"{where} .pairs li:has-text('{name} 2')").locator("input[value=skip]").check()
    visit.act(f"{where} .acts button.primary")
    page.goto(visit.fund)
    visit.expect("one stayed where it was", page.locator(row(f"{name} 2.txt")).count() == 1
                 and page.locator(row(f"{name} 1.txt")).count() == 0)


@story(needs_scripts=True)
def stays_where_one_was(visit):
    """Deleting and taking back: the row goes, the focus is on the next, the place in the list stays."""
    page, name = visit.page, f"row {time.time_ns()}"
    prepare(visit, *(f"{name} {number}.txt" for number in range(4)))
    second = row(f"{name} 1.txt")
    visit.step(lambda: visit.choose(second, "delete"))
    page.wait_for_selector(".toasts .done")
    visit.expect_steps("to delete", 1)
    page.wait_for_selector(second, state="detached")
    visit.expect("the focus is in the list", page.evaluate("document.activeElement.matches('li a.name')"))
    visit.is_still()
    visit.look("deleted")
    visit.act(".toasts form button")
    page.wait_for_selector(second)
    visit.expect("the focus is in what is back", has_focus(visit, f"{name} 1"))
    # The next act takes the toast of the one before away.
    visit.choose(row(f"{name} 2.txt"), "delete")
    page.wait_for_selector(row(f"{name} 2.txt"), state="detached")
    visit.expect("one toast", page.locator(".toasts .done").count() == 1)
    # All of a list that gets empty, and one row for good in the trash.
    visit.open("/library/trash")
    page.evaluate("window.isStill = true")
    page.check(f"{row_of_trash(name + ' 2.txt')} input[type=checkbox]", force=True)
    page.click(".chosen button.danger")
    page.wait_for_selector("dialog[open]")
    visit.look("for-good")
    visit.act("dialog .acts button.danger")
    visit.expect("it is gone", page.locator(row_of_trash(name + " 2.txt")).count() == 0)


def row_of_trash(name):
    return f"li.row:has-text('{name}')"


@story(sizes=("tablet", "phone"))
def acts_on_a_fund(visit):
    """The menu of a fund's bar: its forms in the dialog, or the page that has them."""
    page, name = visit.page, f"Old {time.time_ns()}"
    visit.sign_in()
    visit.open("/library")
    visit.menu("new")
    page.fill("#name", name)
    visit.press("form[action='/library/funds'] button")
    page.wait_for_url("**/library/funds/**")
    address = page.url.split("?")[0].removesuffix("/all")
    where = "dialog" if visit.has_scripts else "main"

    def open_form(part):
        visit.menu("fundmenu")
        visit.look(f"menu-{part}")
        link = page.locator(f"#fundmenu a[href$='#{part}']")
        link.click() if visit.has_scripts else visit.press(link)
        if visit.has_scripts:
            page.wait_for_selector("dialog[open] form")

    open_form("rename")
    visit.look("rename")
    page.fill(f"{where} input[name=name]", "Fund1")
    button = page.locator(f"{where} form[action$='/name'] button.primary")
    button.click() if visit.has_scripts else visit.press(button)
    page.wait_for_selector(f"{where} .problem")
    visit.expect("what was typed is there", page.input_value(f"{where} input[name=name]") == "Fund1")
    visit.look("taken")
    page.fill(f"{where} input[name=name]", f"{name} two")
    visit.press(page.locator(f"{where} form[action$='/name'] button.primary"))
    visit.expect("it has the new name", f"{name} two" in page.locator("h1").first.inner_text())
    open_form("archive")
    visit.press(page.locator(f"{where} form[action$='/archive'] button"))
    visit.expect("it is out of sight", page.locator(f"ul.funds li:has-text('{name} two')").count() == 0)
    visit.act(".done form button")
    page.goto(address)
    open_form("delete")
    visit.look("delete")
    visit.press(page.locator(f"{where} form[action='/library/delete'] button"))
    visit.expect("it is deleted", page.locator(".done form button").count() == 1)
