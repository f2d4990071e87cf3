"""Drives that one signs in to on the page of their store: a Box that is none (Tests/TestSupport/FakeStores)."""
import contextlib
import json
import os
import re
import subprocess
import tempfile

import server as servers
from cases import story
from engines import INTERCEPTION
from server import elsewhere
from support.environment import run, SCRIPTS
from support.processes import wait_until

HOSTS = ("api.box.com", "upload.box.com", "dl.boxcloud.com")
PAGE = "https://account.box.com/"
FAKE = os.path.join(SCRIPTS, "..", "Tests", "TestSupport", "FakeStores", "store.py")


class Box:
    """
    :param folder: of its certificate, its orders and its log
    """

    def __init__(self, folder):
        self.folder, self.authority = folder, f"{folder}/ca.pem"
        names = ",".join(f"DNS:{host}" for host in HOSTS)
        run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=Box", "-addext",
             f"subjectAltName={names}", "-keyout", f"{folder}/key.pem", "-out", self.authority])
        with open(f"{folder}/secret", "w") as file:
            file.write("canary-client\n")
        os.chmod(f"{folder}/secret", 0o600)
        with open(f"{folder}/log", "wb") as log:
            self.process = subprocess.Popen(
                ["python3", "-B", "-u", FAKE, self.authority, f"{folder}/key.pem", folder], stdout=log, stderr=log)
        wait_until(lambda: self.port is not None, "the store does not start")

    @property
    def port(self):
        with open(f"{self.folder}/log") as log:
            found = re.search(r"^port (\d+)", log.read())
        return int(found.group(1)) if found else None

    def order(self, **orders):
        with open(f"{self.folder}/orders.new", "w") as file:
            json.dump(orders, file)
        os.replace(f"{self.folder}/orders.new", f"{self.folder}/orders")

    def show(self, route):
        """The page of the store: its link leads back, as its button does."""
        way = run(["curl", "--silent", "--insecure", "--http1.1", "--connect-to", f"::127.0.0.1:{self.port}", "--output",
                   "/dev/null", "--write-out", "%{redirect_url}", route.request.url])
        back = way.strip().replace("&", "&amp;")
        route.fulfill(content_type="text/html", body=f"<title>Box</title><a href='{back}'>Grant access</a>")

    def stop(self):
        self.process.terminate()
        self.process.wait()


@contextlib.contextmanager
def with_box(visit):
    """A server whose people may sign in to Box."""
    with tempfile.TemporaryDirectory(prefix="fundmail-box-") as folder:
        box = Box(folder)
        servers.ENVIRONMENT["FUNDMAIL_DRIVE_HOSTS"] = ",".join(f"{host}=127.0.0.1:{box.port}" for host in HOSTS)
        settings = (f"drives:\n  kinds: [box, webdav]\n  private_hosts: [{', '.join(HOSTS)}]\n"
                    f"  tls_ca_file: {box.authority}\n"
                    f"  box: {{client_id: canary-client-id, client_secret_file: {folder}/secret}}\n")
        try:
            with elsewhere(visit, settings=settings) as server:
                visit.server.sessions.clear()
                yield server, box
        finally:
            del servers.ENVIRONMENT["FUNDMAIL_DRIVE_HOSTS"]
            box.stop()


def grant(visit):
    """From the page that leads to the store, over its page, and back."""
    visit.press("main .acts a.primary")
    visit.expect("one is at the store", visit.page.url.startswith(PAGE))
    visit.press("a")
    # The server asks the store for tokens before it leads on.
    visit.page.wait_for_url(lambda url: not url.startswith(PAGE) and "/sign-in" not in url)


@story(needs=(INTERCEPTION,))
def drive_by_sign_in(visit):
    """A store is added on its own page; when it has ended the sign-in, the list says so, and one signs in anew."""
    page = visit.page
    with with_box(visit) as (_, box):
        visit.allowed.append(PAGE)
        page.route(f"{PAGE}**", box.show)
        visit.sign_in("/library/drives/new")
        visit.press("main .rows a[href$='kind=box']")
        visit.look("begin")
        visit.press("main form.panel button.primary")
        visit.look("way")
        grant(visit)
        rows = page.locator("main .rows.files > li")
        visit.expect("the top is shown", rows.filter(has_text="big.bin").count() == 1)
        visit.look("top")
        visit.open("/library/drives")
        drive = page.locator("main .rows > li")
        visit.expect("the list names the account", drive.filter(has_text="ann@box.example").count() == 1)
        visit.expect("and its room", drive.locator("progress").count() == 1)
        visit.look("list")

        box.order(revoked=1_000, grants_revoked=True)
        visit.press("main .rows a.name")
        visit.press(rows.filter(has_text="Reports").locator("a.name"))
        visit.expect("the store refuses", page.locator(".failure").count() == 1)
        visit.open("/library/drives")
        visit.expect("the list says so", drive.locator(".bad").count() == 1)
        visit.look("ended")
        box.order()
        visit.press("main .rows form[action$='/settings'] button")
        grant(visit)
        visit.open("/library/drives")
        visit.expect("nothing is wrong any more", drive.locator(".bad").count() == 0)
        visit.press("main .rows a.name")
        visit.press(rows.filter(has_text="Reports").locator("a.name"))
        visit.expect("its folders are there again", rows.filter(has_text="q3 404.txt").count() == 1)
