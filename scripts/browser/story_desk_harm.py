"""Mail at the desk that means harm: forged senders, and texts that would act."""
import email.message

from cases import story
from server import elsewhere
from story_desk import Desk, NEWS, REPORT
from support.processes import wait_until
from support.samples import MARKUP, OVERRIDE, mail


@story()
def desk_forged(visit):
    """Mail that may be forged: to put it aside is first, the keys that file are deaf, and filing asks once."""
    page, mailbox, root = visit.page, visit.server.mailbox, "root@office.example"
    user = f"doubted-{visit.case.name}"
    trust = "trust: {authserv_id: mx.example.com, require: dmarc}"
    settings = mailbox.mailbox(user).replace("trust: {require: none}", trust)
    with elsewhere(visit, settings, root) as server:
        mailbox.deliver(*(
            b"Authentication-Results: mx.example.com; dmarc=fail header.from=example.com\r\n"
            + mail(visit.user, f"[Fund1] New bank details {number}", "Please pay here.\n", REPORT)
            for number in range(2)), user=user)

        def left():
            return server.api(root).call("GET", "/admin/misrouted?limit=1&attention=waiting")["total"]

        wait_until(lambda: left() == 2, "both wait")
        visit.sign_in("/desk", user=root)
        visit.expect("no fund stands in the list", page.locator("[data-groups] button.into").count() == 0)
        page.locator("[data-groups] a.name").first.click()
        page.wait_for_selector("article[data-message]")
        visit.look("message")
        visit.expect("it warns", page.locator("article [data-danger]").is_visible())
        filled = page.locator("article .primary")
        visit.expect("only the way aside is filled", filled.count() == 1 and filled.get_attribute("value") == "reject")
        deaf = page.locator(",".join(f"[data-press='{key}']" for key in "12345am"))
        visit.expect("no key files it", deaf.count() == 0 and page.locator("article [name=remember]").count() == 0)
        if visit.has_scripts:
            address = page.url
            for key in "1am":
                page.keyboard.press(key)
            # What a key had done would stand before what this one does.
            page.keyboard.press("?")
            page.wait_for_selector("dialog[open] .keylist")
            keys = page.locator("dialog [data-when*='data-press'] kbd").all_inner_texts()
            visit.expect(f"nor does the list name them: {keys}", "d" in keys and not {"1", "a", "m"} & set(keys))
            page.keyboard.press("Escape")
            visit.expect("keys are deaf", left() == 2 and page.url == address)
            visit.expect("nothing is chosen", page.locator("[data-finder] input").count() == 0)
        desk = Desk(visit, "f")
        desk.ask("article button[name=anyway]")
        visit.look("question")
        visit.expect("the question warns", desk.question.locator("[data-danger]").is_visible() and left() == 2)
        if visit.has_scripts:
            focused = page.evaluate("document.activeElement.closest('form').elements.kind?.value")
            visit.expect(f"Enter would put it aside: {focused}", focused == "reject")
            page.fill("[data-sheet] [name=q]", f"Fund1 {visit.user.split('@')[0]}@")
            page.keyboard.press("Enter")
            visit.until("document.querySelectorAll('[data-sheet] [name=fund]').length === 1")
            visit.expect("and none files it", left() == 2)
        desk.act("[data-sheet] [data-funds] button")
        visit.expect("filed after one question", left() == 1)
        visit.expect("it is there", len(server.api(visit.user).emails()) == 1)
        visit.open("/desk")
        page.locator("[data-groups] a.name").first.click()
        page.wait_for_selector("article[data-message]")
        message = page.locator("article[data-message]").get_attribute("data-message")
        button = page.locator("article button[value=reject]").first
        if visit.has_scripts and visit.case.has_panes:
            button.click()
            page.wait_for_selector(NEWS)
        else:
            visit.press(button)
        visit.expect("put aside", left() == 0)
        visit.open(f"/desk/messages/{message}")
        visit.look("aside")
        visit.expect("it says so", page.locator("[data-settled]").is_visible())
        visit.expect("and files nothing", page.locator("#filing, article button[name=fund]").count() == 0)


@story()
def desk_hostile(visit):
    """What a mail says is text in every list and pane."""
    desk, page = Desk(visit, "x"), visit.page
    mark = desk.mark
    evil = f"evil.{mark}.{visit.case.sender}"
    message = mail(evil, f"{mark} {MARKUP} {OVERRIDE}", MARKUP, (OVERRIDE + "<b>.html", b"<script>alert(1)</script>"))
    letter = email.message.EmailMessage()
    letter["From"], letter["Subject"] = evil, f"{mark} in HTML"
    letter.set_content(
        f"<p>{mark}</p><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
        "<form action=/desk/acts method=post><button name=kind value=reject>x</button></form>"
        "<a href='https://elsewhere.example/'>a link</a>", subtype="html")
    desk.begin([message, bytes(letter).replace(b"\n", b"\r\n"), mail(visit.case.sender, f"[{MARKUP}] {mark}", "x\n")])
    for number in range(3):
        visit.open(desk.address)
        page.locator("[data-groups] a.name").nth(number).click()
        page.wait_for_selector("article[data-message]")
        html = page.locator("article a[data-view]")
        if html.count():
            html.last.click()
            page.wait_for_selector("article iframe")
            page.wait_for_timeout(300)
        visit.look(f"message{number}")
        visit.expect("no picture of the mail's", page.locator("main img").count() == 0)
        visit.expect("nothing ran", "taken" not in page.title())
    visit.open("/desk/digest")
    visit.expect("nothing in the digest", page.locator("main img, main b > b").count() == 0)
