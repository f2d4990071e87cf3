"""The first start: from the code of the console to the first filed mail, on an empty store of its own."""
import re

from cases import story
from support.processes import wait_until
from support.samples import mail
from server import Server
from support.serve import PASSWORD


def code_of(server):
    """What `serve` wrote to its console."""
    def found():
        with open(server.log) as log:
            return re.search(r"/setup and type this code: (\S+)", log.read())
    wait_until(found, "serve prints no code", pause=0.05)
    return found()[1]


@story(sizes=("tablet", "phone"))
def first_start(visit):
    page, case = visit.page, visit.case
    server = Server(visit.server.program)
    visit.afterwards(server.stop)
    server.start()
    code = code_of(server)
    with open(f"{server.folder}/fundmail.yaml") as file:
        template = file.read()
    visit.server, mailbox = server, visit.server.mailbox
    # An account of its own: the mail of other stories is not for this store.
    account = f"setup-{case.name}"

    visit.open("/")
    visit.expect("signing in leads to the set-up", page.locator("a[href='/setup']").count() == 1)
    visit.look("sign-in")
    visit.press("a[href='/setup']")
    page.fill("#code", "0000-0000-0000-0000-0000")
    visit.press("main form button")
    visit.expect("a wrong code is told", page.locator("#code-problem").is_visible())
    visit.look("code")
    page.fill("#code", code)
    visit.press("main form button")
    visit.expect("the code is in no address", code not in page.url)
    page.fill("#email", "root@corp.example")
    page.fill("#name", "Root")
    page.fill("#new", PASSWORD)
    page.fill("#again", PASSWORD + "x")
    visit.press("main form button")
    visit.expect("two passwords are told", page.locator("#again-problem").is_visible())
    visit.look("administrator")
    page.fill("#new", PASSWORD)
    page.fill("#again", PASSWORD)
    visit.press("main form button")
    visit.expect("one is signed in", visit.path == "/office/mailboxes/new?setup=1")
    visit.look("mailbox")

    page.fill("#host", "localhost")
    page.fill("#user", account)
    page.fill("#password", "wrong")
    page.check("input[name=trust][value=none]")
    page.click("summary")
    page.fill("#port", str(mailbox.ports["imaps"]))
    visit.press("main form .primary")
    visit.expect("the certificate is doubted", page.locator(".findings .is-failure").count() == 1)
    visit.look("unknown-authority")
    with open(mailbox.authority) as file:
        page.fill("#authority", file.read())  # where the port was typed, all fields are open again
    visit.press("main form .primary")
    visit.expect("a wrong password is told", page.locator(".findings .is-failure").count() == 1)
    with open(f"{server.folder}/fundmail.yaml") as file:
        visit.expect("nothing was written", file.read() == template)
    page.fill("#password", "sesame")
    visit.press("main form .primary")
    visit.expect("it is added", page.locator(".findings .is-failure").count() == 0)
    visit.look("mailbox-added")
    with open(f"{server.folder}/fundmail.yaml") as file:
        text = file.read()
    visit.expect("the password is in a file of its own", "sesame" not in text)
    lines = iter(text.splitlines())
    visit.expect("each line stays", all(line in lines for line in template.splitlines()))
    visit.press(".acts a[href='/setup/person']")

    person = f"new.{case.name}@example.com"
    page.fill("#email", person)
    page.fill("#name", "New Person")
    page.fill("#fund", "基金 [1]")
    visit.press("main form .primary")
    visit.expect("brackets are told", page.locator("#problem").is_visible())
    page.fill("#fund", "First")
    visit.look("person")
    visit.press("main form .primary")
    visit.expect("the subject line is there", "[First]" in page.locator("code.copy").first.inner_text())
    visit.look("waiting")
    mailbox.deliver(mail(person, "[First] Q3 report", "The figures."), user=account)
    visit.wait(lambda: page.locator(".came").count() == 1, "it came",
               lambda: visit.press(".acts a[href^='/setup/done']"))
    visit.look("came")
    visit.press(".acts a[href='/office/outbox/server?setup=1']")
    visit.expect("letters are a step that can be left out", page.locator("#from").count() == 1)
    visit.look("letters")
    visit.press(".acts a[href='/desk']")
    visit.expect("the next step is the desk", visit.path == "/desk")
    visit.expect("and the page is gone", visit.open("/setup").status == 404)
