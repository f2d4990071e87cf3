"""Drives: a store is added, browsed and changed, its files are seen, and go between it and a fund."""
import contextlib
import os
import subprocess
import tempfile
import urllib.parse

import server as servers
from cases import story
from server import elsewhere
from support.processes import free_port, wait_until
from support.environment import run
from support.samples import pages_pdf

HOST, USER, PASSWORD = "store.example", "ann", "a long password of the store"
ROWS = "main .rows.files > li"


@contextlib.contextmanager
def with_store(visit):
    """A WebDAV server of rclone behind TLS, under a name that this server alone resolves."""
    with tempfile.TemporaryDirectory(prefix="fundmail-store-") as folder:
        os.makedirs(f"{folder}/files/Reports/2026")
        samples = {
            "Reports/q3.pdf": pages_pdf("Third quarter", "Outlook"),
            "Reports/q4 <b>draft.txt": b"This is <b>not bold</b>.",
            "Reports/fees.csv": b"Fund,Fee\nHarbour,12\nPier,7\n", "plan.txt": b"x" * 5_000, "raw.bin": bytes(range(256)),
        }
        for name, content in samples.items():
            with open(f"{folder}/files/{name}", "wb") as file:
                file.write(content)
        run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN={HOST}",
             "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/ca.pem"])
        port = free_port()
        with open(f"{folder}/log", "wb") as log:
            store = subprocess.Popen(
                ["rclone", "serve", "webdav", f"{folder}/files", "--addr", f"127.0.0.1:{port}", "--cert",
                 f"{folder}/ca.pem", "--key", f"{folder}/key.pem", "--user", USER, "--pass", PASSWORD, "--config",
                 "/dev/null", "--dir-cache-time", "0s"],
                stdout=log, stderr=log)
        names = {"FUNDMAIL_DRIVE_HOSTS": f"{HOST}=127.0.0.1:{port}"}
        servers.ENVIRONMENT.update(names)
        settings = (f"drives:\n  kinds: [webdav, s3, b2, koofr]\n  private_hosts: [{HOST}]\n"
                    f"  tls_ca_file: {folder}/ca.pem\n")
        try:
            with elsewhere(visit, settings=settings) as server:
                visit.server.sessions.clear()
                yield server, f"{folder}/files"
        finally:
            for name in names:
                del servers.ENVIRONMENT[name]
            store.terminate()
            store.wait()


def fill_in(page, password):
    page.fill("#name", "Cloud")
    page.fill("#set-url", f"https://{HOST}/")
    page.fill("#set-user", USER)
    page.fill("#set-pass", password)


def row(page, text):
    return page.locator(ROWS, has_text=text)


def wait_for_end(visit):
    """Until nothing is on its way: with scripts the page that is open shows it by itself."""
    is_moving = visit.page.locator("main .rows progress")
    if visit.has_scripts:
        visit.until("!document.querySelector('main .rows progress')", seconds=90)
        return

    def has_ended():
        visit.open("/library/drives/transfers")
        return is_moving.count() == 0
    wait_until(has_ended, "a transfer does not end")


def see_files(visit, files):
    """Files of the folder Reports: pages as pictures, a table, a text, and one that cannot be shown."""
    page = visit.page

    def open_file(name):
        visit.press(row(page, name).locator("a.name"))
        # The page loads itself again while the file is on its way.
        wait_until(lambda: page.locator("main .leaf img, main table, main .words, main .empty:not([role])").count() > 0,
                   f"{name} is not shown")

    open_file("q3.pdf")
    picture = page.locator("main .leaf img").first
    wait_until(lambda: picture.evaluate("one => one.complete && one.naturalWidth > 0"), "no page is shown")
    visit.expect("both pages are there", page.locator("main .leaf").count() == 2)
    visit.look("file")
    with open(f"{files}/Reports/q3.pdf", "rb") as file:
        visit.expect("a file is downloaded whole", visit.download(lambda: page.click("a[download]")) == file.read())
    visit.press("header.bar a.ib")
    open_file("fees.csv")
    visit.expect("a table is one", page.locator("main td", has_text="Harbour").count() == 1)
    visit.look("table")
    visit.press("header.bar a.ib")
    open_file("q4")
    visit.expect("a text is text", page.locator("main .words", has_text="<b>not bold</b>").count() == 1)
    visit.look("text")
    visit.press("header.bar a.ib")
    visit.press(page.locator("nav.crumbs a").first)
    open_file("raw.bin")
    visit.look("unseen")
    visit.press("header.bar a.ib")


def copy_to_the_drive(visit, files):
    """From the selection bar of a fund's list, into a folder that is chosen step by step."""
    page = visit.page
    visit.open_fund()
    page.locator("main .rows li", has_text="Reports").locator(".pick input").check(force=True)
    visit.menu("sharing")
    if visit.has_scripts:
        page.click("#sharing button[formaction$='/copy']")
        page.wait_for_selector("dialog .tree")
        visit.look("copy")
        page.click("dialog .tree li:has(bdi:text-is('Back')) button")
        page.wait_for_selector("dialog .tree input[value$='/Back']:checked")
        visit.press("dialog .acts button.primary")
    else:
        visit.press("#sharing button[formaction$='/copy']")
        visit.look("copy")
        visit.press(".tree li:has(bdi:text-is('Back')) button")
        visit.expect("the folder is chosen", page.locator(".tree input[value$='/Back']:checked").count() == 1)
        visit.press("form.places .acts button.primary")
    wait_for_end(visit)
    visit.expect("the folder is in the drive", os.path.exists(f"{files}/Back/Reports/q3.pdf"))


def watch_a_folder(visit, files):
    """The folder Back is watched: what appears in it is filed once it holds still, and moved."""
    page = visit.page
    with open(f"{files}/Back/scan.txt", "w") as file:
        file.write("a page")
    visit.press("main a.button[href*='/watches/new']")
    page.locator("input[name=at]").first.check()
    page.select_option("#then", "move")
    visit.look("watch")
    page.fill("#minutes", "1")
    visit.press("form.places .acts button.primary")
    visit.expect("the folder is in the list", page.locator("main .rows li", has_text="Back").count() == 1)
    visit.look("watches")

    address = urllib.parse.urlsplit(page.url).path

    def is_moved():
        visit.open(address)
        visit.press("main .rows form[action$='/look'] button")
        return os.path.exists(f"{files}/Back/Filed/scan.txt")
    wait_until(is_moved, "the file is not filed and moved", seconds=180, pause=1)
    visit.open_fund()
    visit.expect("the file is in the fund", page.locator("main .rows li", has_text="scan.txt").count() == 1)


@story()
def drives(visit):
    """A wrong password is said at its field; a folder is taken into a fund, and a file of the fund copied back."""
    page = visit.page
    with with_store(visit) as (_, files):
        visit.sign_in("/library/drives")
        visit.look("none")
        visit.press("header.bar a.primary")
        visit.look("kinds")
        visit.press("main .rows a[href$='kind=webdav']")
        fill_in(page, "wrong")
        visit.press("main form.panel button.primary")
        visit.expect("the refusal stands at the password", page.locator("#set-pass[aria-invalid]").count() == 1)
        visit.expect("no secret comes back", page.input_value("#set-pass") == "")
        visit.look("refused")
        fill_in(page, PASSWORD)
        visit.press("main form.panel button.primary")
        visit.expect("the top is shown", row(page, "plan.txt").count() == 1 and row(page, "Reports").count() == 1)
        visit.press(row(page, "Reports").locator("a.name"))
        visit.expect("markup of names is text", page.locator(f"{ROWS} b b, {ROWS} .name b").count() == 0)
        visit.look("folder")
        see_files(visit, files)
        page.fill("#q", "q3")
        visit.press("form[role=search].filter button")
        visit.expect("a file is found below", row(page, "q3.pdf").count() == 1)
        visit.look("found")
        visit.press("form[role=search].filter a.button")
        visit.press(row(page, "Reports").locator(".end a.button"))
        visit.look("entry")
        visit.press("form[action$='/take'] button")
        visit.look("take")
        page.locator("input[name=at]").first.check()
        visit.press("form.places .acts button.primary")
        wait_for_end(visit)
        visit.look("transfers")
        visit.open_fund()
        visit.expect("the folder is in the fund", page.locator("main .rows li", has_text="Reports").count() == 1)
        visit.open("/library/drives")
        visit.press("main .rows a.name")
        page.fill("#folder-name", "Back")
        visit.press("form[action$='/folders'] button")
        visit.expect("the folder is made", os.path.isdir(f"{files}/Back"))
        visit.press(row(page, "plan.txt").locator(".end a.button"))
        visit.press(".tree li:has(bdi:text-is('Back')) button")
        visit.look("move")
        visit.press("form[action$='/move'] button.primary")
        visit.expect("the file is moved", os.path.exists(f"{files}/Back/plan.txt"))
        visit.press(row(page, "plan.txt").locator(".end a.button"))
        visit.press("form[action$='/delete'] button.danger")
        visit.look("delete")
        visit.expect("nothing is gone before it is named", os.path.exists(f"{files}/Back/plan.txt"))
        visit.press("form[action$='/delete'] button.danger")
        visit.expect("it is gone", not os.path.exists(f"{files}/Back/plan.txt"))
        copy_to_the_drive(visit, files)
        visit.open("/library/drives")
        visit.look("list")
        visit.press("main .rows a.name")
        visit.press(row(page, "Back").locator("a.name"))
        watch_a_folder(visit, files)
        os.rename(f"{files}/Back", f"{files}/Gone")
        visit.open("/library/drives")
        visit.press("main .rows a.name")
        address = page.url
        page.goto(f"{address}?path=Back/Deep")
        visit.expect("a folder that is gone offers nothing", page.locator("main form").count() == 0)
        visit.look("gone")
