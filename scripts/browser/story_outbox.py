"""Letters that go out: what became of them, what one does about it, and how they are turned on."""
import re
import tempfile

from cases import story
from letters import add_letters
from server import Server
from support.letters import Postbox

OUTBOX = "/office/outbox"


def visit_letters(visit):
    """A server of this story alone, with letters in each state; gives its administrator."""
    server, root = Server(visit.server.program), "root@corp.example"
    visit.afterwards(server.stop)
    server.add_user(visit.user, "Ann", "Fund1")
    server.add_user(root, "Root", is_administrator=True)
    add_letters(server, visit.user)
    server.start()
    visit.server = server
    return root


def state(visit, name):
    """The mark of the letter to a person of `add_letters`."""
    return visit.row(f"{name}.person@").locator(".mark").get_attribute("class").split("is-")[1]


@story()
def letters(visit):
    """Letters in each state: one is sent anew, one dropped and brought back, one asked about first."""
    page = visit.page
    visit.sign_in(OUTBOX, user=visit_letters(visit))
    visit.expect("letters are off, and that is said", page.locator(".unset a[href$='/outbox/server']").count() == 1)
    visit.expect("how much waits is said in a sentence", re.match(r"\d|有", page.locator("main p.line").inner_text()))
    visit.expect("each letter is there", page.locator("ul.letters > li.row").count() == 7)
    visit.look("list")
    visit.press(".tabs a[href*='state=troubled']")
    visit.expect("two need a look", page.locator("ul.letters > li.row").count() == 2)
    visit.expect("the reply is told", "User unknown" in visit.row("failed.person@").inner_text())
    visit.look("troubled")
    visit.press(visit.row("failed.person@").locator("form[action$='/retry'] button"))
    visit.expect("what was done is said", page.locator(".done").count() == 1)
    visit.expect("it waits now", page.locator("ul.letters > li.row").count() == 1)

    uncertain = visit.row("uncertain.person@")
    uncertain.locator("summary").click()
    visit.look("twice")
    visit.press(uncertain.locator("details form button"))
    visit.expect("nothing needs a look any more", page.locator("ul.letters > li.row").count() == 0)
    visit.look("none")

    visit.press(".tabs a[href*='state=waiting']")
    visit.press(visit.row("deferred.person@").locator("form[action$='/drop'] button"))
    visit.expect("it is gone from here", visit.row("deferred.person@").count() == 0)
    visit.look("dropped")
    visit.press(".done form button")
    visit.open(OUTBOX + "?to=deferred.person%40partner.example")
    visit.expect("the undo brought it back", state(visit, "deferred") == "warning")
    visit.look("recipient")
    visit.press(visit.row("deferred.person@").locator("a").first)
    visit.look("letter")
    visit.press(".bar a[href*='/office/audit']")
    visit.expect("what was done is in the audit trail", page.locator("ul.entries li.row").count() == 2)
    visit.look("audit")
    visit.open("/office/health")
    visit.expect("health says that letters wait", page.locator("ul.checks a[href='/office/outbox']").count() == 1)
    visit.look("health")
    visit.expect("there is no other letter", visit.open(OUTBOX + "/letters/999").status == 404)


@story(sizes=("tablet", "phone"))
def letters_on(visit):
    """The server for letters is named, tried and written down; then people choose which letters they get."""
    page, root = visit.page, visit_letters(visit)
    folder = tempfile.TemporaryDirectory(prefix="fundmail-smtp-")
    taker = Postbox(f"{folder.name}/letters").start()
    visit.afterwards(taker.stop)
    visit.afterwards(folder.cleanup)
    visit.sign_in("/account", user=root)
    visit.expect("nothing can be chosen yet", page.locator("#receipts").count() == 0)
    visit.open(OUTBOX)
    visit.press(".unset a.primary")
    page.fill("#host", "localhost")
    page.select_option("#scheme", "local")
    page.click("summary")
    page.fill("#port", "1")
    page.fill("#from", "Fundmail <funds@corp.example")
    visit.press("main form .primary")
    visit.expect("the wrong field is told", page.locator("#from[aria-invalid]").count() == 1)
    page.fill("#from", "Fundmail <funds@corp.example>")
    visit.press("main form .primary")
    visit.expect("nothing listens there", page.locator(".findings .is-failure").count() == 1)
    visit.look("failed")
    page.fill("#port", str(taker.port))
    visit.press("main form .primary")
    visit.expect("it is in use", page.locator(".findings .is-failure").count() == 0)
    visit.look("on")
    visit.expect("a letter came", root in taker.recipients())
    visit.press(".acts a[href='/office/outbox']")
    visit.expect("letters are on", page.locator(".unset").count() == 0)
    visit.look("list")

    visit.open("/account")
    page.select_option("#receipts", "problems")
    visit.press("form[action='/account/receipts'] button")
    visit.expect("the choice is kept", page.locator("#receipts").input_value() == "problems")
    visit.look("account")
    visit.open(f"/office/people?q={visit.user}")
    visit.press("ul.rows a.name")
    page.select_option("#receipts", "all")
    visit.press("form[action$='/receipts'] button")
    visit.expect("the other person's, too", page.locator("#receipts").input_value() == "all")
    visit.look("person")
    visit.open("/office/audit")
    visit.look("audit")
