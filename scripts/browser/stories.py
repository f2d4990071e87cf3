"""Stories of people on the pages, told to a real Chromium; see scripts/pages."""
import email.message
import os
import re
import shutil
import subprocess
import sys
import tempfile

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

PROGRAM = os.environ["FUNDMAIL_BINARY"]
SHOTS = ".build/pages/shots"
ANN, PASSWORD = "ann@example.com", "correct horse battery"
HOSTILE = '<img src=x onerror=alert(1)> & "q" {{csrf}}'
CASES = {
    "tablet": {"viewport": {"width": 1024, "height": 768}, "color_scheme": "light", "locale": "en-GB", "has_touch": True},
    "upright": {"viewport": {"width": 768, "height": 1024}, "color_scheme": "dark", "locale": "zh-CN"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light", "locale": "en-GB", "has_touch": True},
    "plain": {"viewport": {"width": 1024, "height": 768}, "locale": "en-GB", "java_script_enabled": False},
}


class Server:
    """A served store: Ann with two funds and some mail."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="fundmail-pages-")
        self.run("init", self.folder, configured=False)
        with open(f"{self.folder}/fundmail.yaml", "a") as file:
            file.write('server: {listen: "127.0.0.1:0"}\n')
        self.run("user", "add", ANN, "--name", "Ann Archer")
        for fund in ("Fund1", "绿洲基金"):
            self.run("fund", "add", fund, "--owner", ANN)
        self.run("user", "passwd", ANN, input=PASSWORD + "\n")
        os.mkdir(f"{self.folder}/mail")
        self.mail(1, "[Fund1] Capital call notice", "Dear all,\n\nthe notice is attached.\n", "notice.pdf", b"%PDF-1.4\n%%EOF")
        self.mail(2, f"[Fund1] {HOSTILE}", "<b>not bold</b>\n", "evil <script>.txt", b"text\n")
        self.mail(3, "[绿洲基金] 季度报告", "您好，附件为季度报告。\n", "季度报告 2026 Q3 a name that is long and has to wrap.docx", b"docx")
        self.mail(4, "[Fnud1] typed wrong", "Where does this go?\n", "lost.pdf", b"%PDF-1.4\n%%EOF")
        self.run("replay", f"{self.folder}/mail")
        self.process = subprocess.Popen(
            [PROGRAM, "--config", f"{self.folder}/fundmail.yaml", "serve"], stderr=subprocess.PIPE, text=True)
        self.address = re.search(r"http://[0-9.:]+", self.process.stderr.readline()).group()

    def run(self, *words, input=None, configured=True):
        command = [PROGRAM] + (["--config", f"{self.folder}/fundmail.yaml"] if configured else []) + list(words)
        subprocess.run(command, input=input, text=True, check=True, stdout=subprocess.DEVNULL)

    def mail(self, number, subject, text, name, content):
        message = email.message.EmailMessage()
        message["From"], message["To"], message["Subject"] = f"Ann Archer <{ANN}>", "funds@example.com", subject
        message["Date"], message["Message-ID"] = "Fri, 20 Nov 2026 09:14:00 +0000", f"<{number}@example.com>"
        message.set_content(text)
        message.add_attachment(content, maintype="application", subtype="pdf" if name.endswith("pdf") else "octet-stream", filename=name)
        with open(f"{self.folder}/mail/{number}.eml", "wb") as file:
            file.write(bytes(message))

    def stop(self):
        self.process.terminate()
        errors = [line for line in self.process.stderr if " error " in line or " critical " in line]
        shutil.rmtree(self.folder)
        return errors


class Visit:
    """One browser, and what is wrong with what it shows."""

    def __init__(self, browser, name, server):
        self.name, self.server, self.problems = name, server, []
        context = browser.new_context(**CASES[name])
        self.has_scripts = CASES[name].get("java_script_enabled", True)
        self.page = context.new_page()
        self.page.set_default_timeout(10_000)
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.problems.append(f"script: {error}"))
        self.page.on("request", self.asked)

    def heard(self, message):
        # A page that answers 4xx is told as an error, too.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.problems.append(f"console: {message.text}")

    def asked(self, request):
        own = (self.server.address, "data:", "blob:", "chrome-extension:")
        if not request.url.startswith(own):
            self.problems.append(f"asked elsewhere: {request.url}")

    def open(self, path):
        self.page.goto(self.server.address + path)

    def look(self, shot):
        self.page.wait_for_load_state("networkidle")
        self.page.screenshot(path=f"{SHOTS}/{self.name}-{shot}.png", full_page=True)
        if not self.has_scripts:
            return
        for violation in Axe().run(self.page).response["violations"]:
            if violation["impact"] in ("serious", "critical"):
                self.problems.append(f"{shot}: axe {violation['id']}: {violation['nodes'][0]['html'][:200]}")
        if self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            self.problems.append(f"{shot}: wider than the screen")

    def expect(self, what, holds):
        if not holds:
            self.problems.append(f"not so: {what} ({self.page.url})")

    def story(self):
        page = self.page
        self.open("/library/trash")
        self.look("sign-in")
        page.fill("#username", ANN)
        page.fill("#password", "wrong")
        page.click("main button")
        self.look("sign-in-wrong")
        page.fill("#password", PASSWORD)
        page.click("main button")
        self.expect("one lands where one wanted", page.url.endswith("/library/trash"))
        self.look("trash-empty")
        page.click("a.brand")
        self.look("home")
        page.fill("#name", f"New {self.name}")
        page.click("form[action='/library/funds'] button")
        self.expect("a new fund is empty", page.locator(".empty").count() == 1)
        self.look("fund-empty")

        self.open("/library")
        page.click("a.name:has-text('Fund1')")
        fund = page.url
        self.look("files")
        own = f"{self.server.folder}/{self.name}.txt"
        with open(own, "w") as file:
            file.write("uploaded\n")
        page.set_input_files("#file", own)
        page.click(".upload button.primary")
        page.wait_for_selector(f"li.row:has-text('{self.name}.txt')")
        self.look("uploaded")
        if self.has_scripts:
            page.set_input_files("#file", own)
            page.click(".upload button.primary")
            page.click(".progress button >> nth=0")  # keep both
            page.wait_for_selector(f"li.row:has-text('{self.name}(1).txt')")
        page.click(f"li.row:has-text('{self.name}.txt') a.name")
        self.look("file")
        with page.expect_download() as download:
            page.click("main a.primary")
        self.expect("what comes back is what was sent", open(download.value.path()).read() == "uploaded\n")
        page.go_back()
        page.check(f"li.row:has-text('{self.name}.txt') input")
        page.click("button.danger")
        self.expect("it is gone", page.locator(f"li.row:has-text('{self.name}.txt')").count() == 0)
        self.look("deleted")
        page.click(".done button")
        self.expect("it is back", page.locator(f"li.row:has-text('{self.name}.txt')").count() == 1)
        page.click(f"li.row:has-text('{self.name}.txt') a.more")
        self.look("change")
        page.fill("#name", f"renamed-{self.name}.txt")
        page.click(".panel button.primary >> nth=0")
        self.expect("it has its new name", page.locator(f"li.row:has-text('renamed-{self.name}.txt')").count() == 1)
        page.fill("#folder-name", f"Legal {self.name}")
        page.click("form[action$='/folders'] button")
        self.look("folder")
        page.goto(fund)
        with page.expect_download() as download:
            page.click(".title a[download]")
        self.expect("the fund comes as a zip file", open(download.value.path(), "rb").read(2) == b"PK")

        page.goto(fund + "/mail")
        self.look("mail")
        page.click("li.row:has-text('onerror') a.name")
        self.expect("markup is text", page.locator("h1").inner_text().endswith(HOSTILE))
        self.expect("no picture came of it", page.locator("main img").count() == 0)
        self.look("letter")
        page.goto(fund + "/notes")
        page.click("main a.primary")
        page.fill("#title", f"Call {self.name}")
        page.fill("#content", "first\n\nsecond")
        page.click("form.panel button.primary")
        self.expect("the note is kept", page.input_value("#content") == "first\n\nsecond")
        self.look("note")
        self.open("/library/search?q=notice")
        self.expect("it is found", page.locator("mark").count() > 0)
        self.look("search")
        self.open("/library/sent?subject=%5BFnud1%5D%20x")
        self.expect("the fund that was meant is named", page.locator(".panel .tag:has-text('Fund1')").count() > 0)
        self.look("sent")
        self.open("/account")
        page.fill("#label", "rclone")
        page.click("form[action='/account/app-passwords'] button")
        self.expect("the password is shown", page.locator("code.big").count() == 1)
        self.look("account")
        self.open("/library/funds/999999")
        self.look("not-there")
        page.click("header form button")
        self.expect("one is signed out", page.locator("#password").count() == 1)
        self.open("/library")
        self.expect("and stays it", page.locator("#password").count() == 1)


def main():
    shutil.rmtree(SHOTS, ignore_errors=True)
    os.makedirs(SHOTS)
    failed, server = 0, Server()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
            for name in sys.argv[1:] or CASES:
                visit = Visit(browser, name, server)
                try:
                    visit.story()
                except Exception as error:  # the story cannot go on; the next one can
                    visit.problems.append(f"{type(error).__name__}: {str(error)[:800]}")
                    visit.page.screenshot(path=f"{SHOTS}/{name}-stopped.png", full_page=True)
                print(f"{'ok    ' if not visit.problems else 'FAILED'}  {name}")
                for problem in visit.problems:
                    print(f"          {problem}")
                failed += bool(visit.problems)
            browser.close()
    finally:
        errors = server.stop()
    for line in errors:
        print(f"FAILED  the server said: {line.strip()}")
    return 1 if failed or errors else 0


if __name__ == "__main__":
    sys.exit(main())
