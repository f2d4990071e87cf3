"""Drives: a store is added, browsed and changed, and files go between it and a fund."""
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

HOST, USER, PASSWORD = "store.example", "ann", "a long password of the store"
ROWS = "main .rows.files > li"


@contextlib.contextmanager
def with_store(visit):
    """A WebDAV server of rclone behind TLS, under a name that this server alone resolves."""
    with tempfile.TemporaryDirectory(prefix="fundmail-store-") as folder:
        os.makedirs(f"{folder}/files/Reports/2026")
        for name, size in (("Reports/q3.pdf", 81_000), ("Reports/q4 <b>draft.txt", 12), ("plan.txt", 5_000)):
            with open(f"{folder}/files/{name}", "wb") as file:
                file.write(b"x" * size)
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
    """Until nothing is on its way; the page loads itself again meanwhile."""
    def has_ended():
        visit.open("/library/drives/transfers")
        return visit.page.locator("main .rows progress").count() == 0
    wait_until(has_ended, "a transfer does not end")


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
        file = visit.download(lambda: row(page, "q3.pdf").locator("a.name").click())
        visit.expect("a file is downloaded whole", len(file) == 81_000)
        visit.press(page.locator("nav.crumbs a").first)
        page.fill("#q", "q3")
        visit.press("form[role=search].filter button")
        visit.expect("a file is found below", row(page, "q3.pdf").count() == 1)
        visit.look("found")
        visit.press("form[role=search].filter a.button")
        visit.press(row(page, "Reports").locator(".end a.button"))
        visit.look("entry")
        visit.press("form[action$='/take'] button.primary")
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
        page.fill("#place", "Back")
        visit.press("form[action$='/move'] button.primary")
        visit.expect("the file is moved", os.path.exists(f"{files}/Back/plan.txt"))
        visit.press(row(page, "plan.txt").locator(".end a.button"))
        visit.press("form[action$='/delete'] button.danger")
        visit.look("delete")
        visit.expect("nothing is gone before it is named", os.path.exists(f"{files}/Back/plan.txt"))
        visit.press("form[action$='/delete'] button.danger")
        visit.expect("it is gone", not os.path.exists(f"{files}/Back/plan.txt"))
        watch_a_folder(visit, files)
