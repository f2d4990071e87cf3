"""From a mail to the file that its receipt leads to: a mailbox, the program, a mail server that takes letters, a browser."""
import contextlib
import re
import tempfile

from cases import story
from server import MailServer, Server
from support.letters import AUTHORITY, Postbox
from support.processes import wait_until
from support.samples import mail, pdf
from support.serve import PASSWORD

REPORT = pdf("Q3 of the harbour")
# Time within which the sender of a mail hears of it.
SECONDS = 30
# Whoever checked the sender of a mail says so on top of it.
PROVED = f"Authentication-Results: {AUTHORITY}; dmarc=pass header.from=example.com\r\n".encode()


@contextlib.contextmanager
def answering(visit):
    """A server of this story alone that answers mail of its mailbox; gives it with the mail server that takes letters."""
    with tempfile.TemporaryDirectory(prefix="fundmail-smtp-") as folder:
        taker, mails = Postbox(f"{folder}/letters").start(), MailServer()
        mails.lines = mails.lines.replace(
            "trust: {require: none}", f"trust: {{authserv_id: {AUTHORITY}, require: dmarc, own_received: 0}}")
        mails.lines += "    receipts: all\n"
        server = Server(visit.server.program, mails, taker.configuration)
        server.add_user(visit.user, "Ann Archer", "Fund1")
        server.start()
        ours, visit.server = visit.server, server
        visit.allowed.append(server.address)
        try:
            yield server, taker
        finally:
            visit.problems += [f"the server said: {line}" for line in server.stop()]
            visit.server = ours
            mails.stop()
            taker.stop()


def receipt(visit, taker, count):
    """The text of the last of so many letters, once it is there; and the paths of its links."""
    wait_until(lambda: taker.count >= count, f"no receipt {count} came", SECONDS)
    letter = taker.messages()[-1]
    visit.expect("it goes to who wrote the mail", taker.recipients()[-1] == visit.user)
    visit.expect("it says that a program wrote it", letter["Auto-Submitted"] == "auto-replied")
    text = letter.get_content()
    return text, re.findall(re.escape(visit.server.address) + r"(/\S+)", text)


@story(sizes=("tablet", "phone"))
def from_mail_to_receipt(visit):
    """A mail comes in and its sender hears of it; the link in the receipt asks who comes, and opens the file."""
    page = visit.page
    with answering(visit) as (server, taker):
        server.mailbox.deliver(PROVED + mail(visit.user, "[Fund1] Q3 report", "Here it is.\n", ("q3.pdf", REPORT)))
        text, links = receipt(visit, taker, 1)
        visit.expect(f"it names the fund and the file: {text}", "[Fund1]" in text and "q3.pdf" in text)
        files = [link for link in links if link.startswith("/library/files/")]
        visit.expect(f"it has a link to the file: {links}", len(files) == 1)
        # Who is not signed in sees nothing, and comes there by signing in.
        visit.open(files[0])
        visit.expect("it is not open to everybody", page.locator("#password").count() == 1)
        visit.expect("nothing is said of the file", "q3.pdf" not in page.content())
        page.fill("#username", visit.user)
        page.fill("#password", PASSWORD)
        visit.press("main form[action='/sign-in'] button")
        # A wide window shows it beside the list of its fund.
        number = files[0].rsplit("/", 1)[1]
        visit.expect(
            "one lands where one wanted", visit.path.startswith(files[0]) or f"open=f{number}" in page.url)
        visit.expect("the file is shown", "q3.pdf" in page.locator("main").inner_text().replace("\n", ""))
        visit.look("file")
        answer = page.request.get(f"{server.address}{files[0]}/content")
        visit.expect(f"it is the file that was sent: {answer.status}", answer.ok and answer.body() == REPORT)
        # Mail that cannot be filed: why, and what to do.
        server.mailbox.deliver(PROVED + mail(visit.user, "Q4 report", "No fund.\n", ("q4.pdf", REPORT)))
        text, links = receipt(visit, taker, 2)
        visit.expect(f"it says what to do: {text}", "[Fund1]" in text and "Q4 report" in text)
        for link in links:
            visit.open(link)
            visit.expect(f"{link} opens", page.locator("main h1").count() == 1)
        visit.look("kept")
