"""The first start by a stopwatch: from no store to the first mail on the page, by a person who reads each page first."""
import re
import time

from cases import story
from server import Server
from story_setup import code_of
from support.samples import mail

# Seconds that a person may take of the three minutes. The machine has the rest, and needs half of it where this story has a
# processor to itself: that is told and not judged, since several stories share it.
MOST = 160
# Estimates: 240 words a minute are read, and 52 typed by people who are not typists.
WORDS_A_SECOND = 240 / 60
# Characters of Chinese that are read as one word of it.
CHINESE = re.compile(r"[\u4e00-\u9fff]")
CHARACTERS_A_WORD = 1.5
CHARACTERS_A_SECOND = 52 * 5 / 60
# To go to a field or a button and to press there, which was found by reading; to copy something from another window; to
# wait for a mail program.
PRESS, PASTE, PROGRAM = 1.5, 5, 3
# Without the choices of menus that are closed.
LINES = """main => {
  const closed = new Set([...main.querySelectorAll('option:not(:checked)')].map((one) => one.textContent.trim()));
  return main.innerText.split('\\n').map((line) => line.trim()).filter((line) => line && !closed.has(line));
}"""


class Newcomer:
    """Counts what a person takes besides the machine, without waiting for it."""

    def __init__(self, visit):
        self.visit, self.page = visit, visit.page
        self.began, self.seconds = time.monotonic(), {"reading": 0, "typing": 0, "pressing": 0}
        self.known = set()

    def count(self, what, seconds):
        self.seconds[what] += seconds

    def read(self):
        """The page, as far as it is open; labels and hints among it. What stood on a page before is not read again."""
        lines = set(self.page.locator("main").evaluate(LINES))
        text, self.known = "\n".join(lines - self.known), self.known | lines
        words = len(CHINESE.sub(" ", text).split()) + len(CHINESE.findall(text)) / CHARACTERS_A_WORD
        self.count("reading", words / WORDS_A_SECOND)

    def type(self, field, text, instead_of=None):
        """
        :param instead_of: a longer text that a person would type here
        """
        self.page.fill(field, text)
        self.count("pressing", PRESS)
        self.count("typing", len(instead_of or text) / CHARACTERS_A_SECOND)

    def paste(self, field, text):
        self.page.fill(field, text)
        self.count("pressing", PASTE)

    def choose(self, what):
        self.page.click(what)
        self.count("pressing", PRESS)

    def press(self, what):
        """Leads to another page, which is read."""
        self.visit.press(what)
        self.count("pressing", PRESS)
        self.read()

    def total(self):
        """Seconds of the person alone."""
        parts = {"machine": time.monotonic() - self.began, **self.seconds}
        print(f"first start: {sum(parts.values()):.0f} s (" + ", ".join(
            f"{what} {seconds:.0f}" for what, seconds in parts.items()) + ")", flush=True)
        return sum(self.seconds.values())


@story(needs_scripts=True, sizes=("tablet",))
def first_in_three_minutes(visit):
    page, case, mailbox = visit.page, visit.case, visit.server.mailbox
    person = Newcomer(visit)
    server = Server(visit.server.program)
    visit.afterwards(server.stop)
    server.start()
    code = code_of(server)
    visit.server = server
    account, own = f"first-{case.name}@corp.example", "root@corp.example"

    visit.open("/")
    person.read()
    person.press("a[href='/setup']")
    person.paste("#code", code)
    person.press("main form button")
    person.type("#email", own)
    for field in ("#new", "#again"):
        person.type(field, "rain on tin roofs")
    person.press("main form button")

    person.type("#host", "localhost", "mail.corp.example")
    person.type("#user", account)
    person.type("#password", "sesame")
    person.choose("input[name=trust][value=none]")
    # What a provider's server does not need: its port is the usual one, and its certificate of a public authority.
    page.click("summary")
    page.fill("#port", str(mailbox.ports["imaps"]))
    with open(mailbox.authority) as file:
        page.fill("#authority", file.read())
    person.press("main form .primary")
    person.press(".acts a[href='/setup/person']")
    # One's own address: the mail comes from the program that is at hand.
    person.type("#email", own)
    person.type("#fund", "Fund1")
    person.press("main form .primary")
    line = page.locator("code.copy").first.inner_text()
    address = page.locator("a[href^='mailto:']").first.get_attribute("href")
    visit.expect("a press begins the mail, with address and subject", address.startswith(
        f"mailto:{account.replace('@', '%40')}?subject=%5BFund1%5D") or address.startswith(f"mailto:{account}?subject=%5BFund1%5D"))
    person.count("pressing", PRESS + PROGRAM + PRESS)
    person.count("typing", len("report" + "A first report.") / CHARACTERS_A_SECOND)

    # The page shows by itself that it came: nothing is loaded by hand.
    mailbox.deliver(mail(own, f"{line} report", "A first report."), user=account)
    visit.until("Boolean(document.querySelector('.came'))", 60)
    total = person.total()
    visit.expect(f"a person takes {total:.0f} s, and at most {MOST}", total <= MOST)
    visit.look("came")
