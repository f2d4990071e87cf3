"""The misrouted desk: an administrator files what the rules could not."""
import urllib.parse

from cases import story
from server import elsewhere
from support.processes import wait_until
from support.samples import MARKUP, OVERRIDE, mail, pdf

REPORT = ("report.pdf", pdf())
# What was said of the last act, and what is said of the next.
SEEN = "for (const one of document.querySelectorAll('.toasts .done')) one.dataset.seen = ''"
NEWS = ".toasts .done:not([data-seen])"


def visible_rows(page):
    return page.evaluate("[...document.querySelectorAll('[data-groups] li.row')].filter((row) => !row.hidden).length")


def automatic(sender, subject):
    return mail(sender, subject, "I am away.\n").replace(b"Subject:", b"Auto-Submitted: auto-replied\r\nSubject:", 1)


def mixed(user, mark):
    """30 messages in seven causes. The mark keeps what one story teaches from the mail of the others."""
    stranger, assistant = f"stranger.{mark}.{user}", f"assistant.{mark}.{user}"
    return [
        *(mail(user, f"[Fund1{mark}] {mark} capital call {number}", "Please file.\n", REPORT) for number in range(6)),
        *(mail(user, f"[绿州基金{mark}] {mark} 季度报告 {number}", "请归档。\n", REPORT) for number in range(4)),
        *(mail(user, f"{mark} distribution notice {number}", "No fund in the subject.\n", REPORT) for number in range(6)),
        *(mail(stranger, f"{mark} opportunity {number}", "Hello.\n") for number in range(5)),
        *(mail(assistant, f"[Fund1] {mark} signed form {number}", "Signed.\n", REPORT) for number in range(4)),
        *(automatic(user, f"{mark} out of office {number}") for number in range(3)),
        mail(assistant, f"{mark} {MARKUP} {OVERRIDE}", MARKUP + OVERRIDE, (OVERRIDE, b"2"), (MARKUP + ".pdf", b"3")),
        mail(stranger, f"{mark} " + "a subject of five kilobytes " * 180, "word" * 5000 + "\n", ("n" * 5000 + ".txt", b"1")),
    ]


class Desk:
    """One administrator at the desk, where only the mail of this story is shown."""

    def __init__(self, visit, story, who="root"):
        self.visit, self.page = visit, visit.page
        self.mark = f"{story}{visit.case.name.replace('-', '')}"
        self.user = f"{who}.{visit.case.name}@office.example"
        self.words = urllib.parse.quote(self.mark)
        self.address = f"/desk?q={self.words}"

    def begin(self, messages):
        """Signs in where they wait."""
        self.visit.server.keep(self.user, self.words, *messages)
        self.visit.sign_in(self.address, user=self.user)

    def left(self):
        api = self.visit.server.api(self.user)
        return api.call("GET", f"/admin/misrouted?limit=1&attention=waiting&q={self.words}")["total"]

    @property
    def is_beside(self):
        """Whether list and message stand beside each other, and scripts do what is done."""
        return self.visit.has_scripts and self.visit.case.has_panes

    def ask(self, what, for_what="[data-sheet]"):
        """Presses what asks first: in the dialog with scripts, else on a page."""
        if not self.visit.has_scripts:
            return self.visit.press(what)
        self.page.locator(what).first.click()
        self.page.wait_for_selector(f"dialog[open] {for_what}", state="attached")

    @property
    def question(self):
        return self.page.locator("dialog[open]" if self.visit.has_scripts else "main")

    def act(self, what):
        """Presses what does something, and waits for what came of it."""
        if self.is_beside:
            self.page.evaluate(SEEN)
            self.page.locator(what).first.click()
            self.page.wait_for_selector(NEWS)
        elif self.visit.has_scripts:
            # Where something is left to be said the dialog says it, else another page.
            self.page.evaluate("window.isBefore = true")
            self.page.locator(what).first.click()
            self.visit.until("!window.isBefore || document.querySelector('dialog[open] [data-sheet]')?.dataset.sheet > ''")
            self.page.wait_for_load_state()
        else:
            self.visit.press(self.page.locator(what).first)
            self.page.wait_for_selector("main .done, main h1")


@story(needs_scripts=True, sizes=("tablet",))
def desk_by_keys(visit):
    """30 messages, by keys alone."""
    desk, page = Desk(visit, "k"), visit.page
    desk.begin(mixed(visit.case.sender, desk.mark))
    visit.look("list")
    presses = waits = 0

    def press(*keys):
        nonlocal presses
        for key in keys:
            page.keyboard.press(key)
            presses += 1

    def settle(count):
        """What was done is said, and as many wait."""
        nonlocal waits
        waits += 1
        page.wait_for_selector(NEWS)
        visit.until(f"[...document.querySelectorAll('[data-groups] li.row')].filter((row) => !row.hidden).length === {count}")
        page.evaluate(SEEN)
        page.wait_for_timeout(450)  # numbers are deaf for a moment, so that none is pressed twice

    press("j")
    page.wait_for_selector("article[data-message]")
    visit.look("message")
    press("*", "1")
    settle(24)
    press("z")
    page.wait_for_timeout(100)
    visit.until("[...document.querySelectorAll('[data-groups] li.row')].filter((row) => !row.hidden).length === 30")
    press("[", "[", "[", "[", "[", "[", "[")
    page.wait_for_timeout(300)
    press("*", "1")
    settle(24)
    left = 24
    for count in (4, 6):
        press("*", "1")
        left -= count
        settle(left)
    # Nothing is known of strangers: any fund, by its name and its owner's.
    for count in (6, 5):
        press("*", "a")
        page.wait_for_selector("[data-finder] input")
        page.keyboard.type(f"Fund1 sal.{visit.case.name}@")
        presses += len(f"Fund1 sal.{visit.case.name}@")
        page.wait_for_timeout(500)
        visit.until("document.querySelectorAll('[data-finder] button').length === 1")
        press("Enter")
        left -= count
        settle(left)
    visit.expect("automatic mail is left", left == 3)
    press("]", "*", "d")
    settle(0)
    visit.expect("nothing waits", desk.left() == 0)
    visit.look("nothing")
    print(f"          30 messages with {presses} keys, {waits} times waiting for the page", flush=True)


@story()
def desk_by_hand(visit):
    """By touch, or by links and forms: out of the list, out of the message, to any fund, later, and back."""
    desk, page = Desk(visit, "h"), visit.page
    desk.begin(mixed(visit.case.sender, desk.mark))
    visit.look("list")
    visit.expect("a row says how many files wait", "1" in page.inner_text("[data-groups] li.row .end .num >> nth=0"))
    # Several that are ticked go to a fund that is chosen.
    page.locator("[data-groups] li.row input").first.check()
    desk.ask(".chosen button[formaction='/desk/choose']")
    desk.act("[data-sheet] button[name=fund]")
    visit.expect("filed out of the list", desk.left() == 29)
    visit.open(desk.address)
    page.locator("[data-groups] a.name").first.click()
    page.wait_for_selector("article[data-message]")
    visit.look("message")
    visit.expect("the file can be looked at", page.locator("article .clip a[href$='/view']").count() == 1)
    desk.act("button.choice")
    visit.expect("filed out of the message", desk.left() == 28)
    visit.look("filed")
    desk.act(".done form button")
    visit.expect("undone", desk.left() == 29)
    # Another person's fund asks once, and names both.
    visit.open(desk.address)
    page.locator("[data-groups] a.name").first.click()
    page.wait_for_selector("article[data-message]")
    # A phone has room for one offer; the others are behind a button at its foot.
    other = "article button.instead" if visit.case.size == "phone" else "article button.any"
    if desk.is_beside:
        page.locator(other).first.click()
    else:
        desk.ask(other)
    field = "[data-finder] input" if desk.is_beside else "[data-sheet] [name=q]"
    page.wait_for_selector(field)
    page.fill(field, "office Long")
    if not visit.has_scripts:
        visit.press("button[formaction='/desk/choose']")
    found = "[data-finder] button" if desk.is_beside else "[data-sheet] [name=fund]"
    visit.until(f"document.querySelectorAll('{found}').length === 1")
    if not desk.is_beside:
        visit.look("choose")
    desk.ask(found, "[name=confirm_owner]")
    visit.look("question")
    asked = desk.question.inner_text()
    visit.expect("both are named", visit.case.sender in asked and "office@example.com" in asked)
    visit.expect("and nothing is done before", desk.left() == 29)
    if desk.is_beside:
        page.keyboard.press("1")
        page.keyboard.press("Escape")
        visit.until("!document.querySelector('dialog[open]')")
        visit.expect("no key goes through it, and the mail is back", desk.left() == 29 and visible_rows(page) == 29)
    # All of a cause: filed, learnt, undone.
    visit.open(desk.address)
    visit.press("[data-group] a.all")
    visit.look("cause")
    desk.act("article button.choice")
    visit.expect("all of the cause", desk.left() in (23, 24, 25))
    visit.open("/desk/learnt")
    visit.look("learnt")
    visit.press(page.locator("li.row").filter(has_text=desk.mark).locator("a.button").first)
    visit.look("takeback")
    visit.press("main button.danger")
    visit.expect("taken back", page.locator("main .done").count() == 1)
    visit.open("/desk/done")
    visit.look("done")
    # Another case's administrators are at work, too.
    visit.press(page.locator("li.row").filter(has_text=desk.user).locator("button").first)
    visit.expect("undone from the list", desk.left() >= 29)
    # Several: put off, and shown again.
    visit.open(desk.address)
    for number in range(3):
        page.locator("[data-groups] li.row input").nth(number).check()
    visit.look("chosen")
    desk.act(".chosen button[value=later]")
    visit.open(f"/desk/later?q={desk.words}")
    visit.expect("put off", page.locator("[data-groups] li.row").count() == 3)
    visit.look("later")
    visit.open("/desk/rehearsal")
    visit.look("rehearsal")
    visit.open("/desk/digest")
    visit.look("digest")


@story()
def desk_causes(visit):
    """A new address of a known person, and a fund that is missing: each put right once, and one undo takes it back."""
    desk, page = Desk(visit, "c"), visit.page
    sender = visit.case.sender
    private = f"private.{desk.mark}@mail.example"
    subjects = [f"[Fund1] {desk.mark} one", f"[绿洲基金] {desk.mark} two", f"{desk.mark} no tag"]
    missing = f"Missing {desk.mark}"
    desk.begin([
        *(mail(private, subject, "From home.\n", REPORT) for subject in subjects),
        *(mail(sender, f"[{missing}] {desk.mark} paper {number}", "Text.\n", REPORT) for number in range(2)),
    ])
    visit.press(page.locator("section.cause").filter(has_text=private).locator("a.all").first)
    page.wait_for_selector("#person")
    page.fill("#person", sender)
    visit.look("register")
    desk.act(".register .field button")
    visit.look("registered")
    visit.expect("each found its own fund", desk.left() == 3)
    desk.act("form[action$='/undo'] button")
    visit.expect("all of it is undone", desk.left() == 5)
    visit.open(desk.address)
    visit.press(page.locator("section.cause").filter(has_text=missing).locator("a.all").first)
    page.wait_for_selector("button[value=create]")
    visit.look("create")
    desk.act("button[value=create]")
    visit.expect("both are filed", desk.left() == 3)
    desk.act("form[action$='/undo'] button")
    funds = visit.server.api(sender).call("GET", "/funds")["funds"]
    visit.expect("the fund is gone with the act", desk.left() == 5 and missing not in [fund["name"] for fund in funds])


@story(needs_scripts=True, sizes=("tablet",))
def desk_of_two(visit):
    """Two administrators: each sees what the other reads and does, and the second is told who was first."""
    desk, page = Desk(visit, "b"), visit.page
    desk.begin([mail(visit.case.sender, f"{desk.mark} paper {number}", "Text.\n") for number in range(3)])
    page.keyboard.press("j")
    page.wait_for_selector("article[data-message]")
    other = visit.another(f"bo.{visit.case.name}@office.example")
    other.open(desk.address)
    other.page.keyboard.press("j")
    other.page.wait_for_selector("article[data-message]")
    visit.until("document.querySelector('article [data-readers]').textContent.includes('Bo')")
    visit.look("read")
    other.page.keyboard.press("1")
    visit.until("document.querySelectorAll('[data-groups] li.row').length === 2")
    visit.expect("what one reads stays", page.locator("article[data-message]").count() == 1)
    page.keyboard.press("1")
    page.wait_for_selector(".toasts .done")
    visit.expect("the first is named", "filed it into" in page.inner_text(".toasts"))
    visit.look("late")
    other.close()


@story()
def desk_cause_in_two_steps(visit):
    """A cause of nine is filed in two steps from any page, and the next cause is open."""
    page, mailbox, root = visit.page, visit.server.mailbox, "root@office.example"
    user = f"nine-{visit.case.name}"
    with elsewhere(visit, mailbox.mailbox(user), root) as server:
        mailbox.deliver(*(
            *(mail(visit.user, f"[Fnud1] capital call {number}", "Please file.\n", REPORT) for number in range(9)),
            *(mail("stranger@nowhere.example", f"hello {number}", "Hello.\n") for number in range(2)),
            automatic(visit.user, "out of office")), user=user)

        def left():
            return server.api(root).call("GET", "/admin/misrouted?limit=1&attention=waiting")["total"]

        wait_until(lambda: left() == 12, "all wait")
        visit.sign_in("/library/latest", user=root)
        bar = "nav.tabbar" if visit.case.size == "phone" else "nav.side"
        visit.step(lambda: visit.press(f"{bar} a[href='/desk']"))
        visit.look("list")
        button = page.locator(".cause button.into[name=all]").first
        visit.expect("it says how many and where", "9" in button.inner_text() and "Fund1" in button.inner_text())
        is_beside = visit.has_scripts and visit.case.has_panes
        if is_beside:
            page.evaluate(SEEN)
            visit.step(button.click)
            page.wait_for_selector(NEWS)
            page.wait_for_selector("article[data-message]")
        else:
            visit.step(lambda: visit.press(button))
        visit.expect_steps("to file a cause of nine", 2)
        visit.expect(f"nine are filed: {left()}", left() == 3)
        if is_beside:
            opened = page.inner_text("article .from")
            visit.expect(f"the next cause is open: {opened}", "stranger@nowhere.example" in opened)
            visit.until("/1.*3/.test(document.querySelector('[data-place]').textContent)")
            deck, done = page.locator(".deck").bounding_box(), page.locator(".toasts .done").bounding_box()
            visit.expect("the toast lies beside the deck", done["x"] + done["width"] <= deck["x"])
        visit.look("next")
