"""Letters that Fundmail hands to a real Postfix: receipts, letters of people, what is refused, put off and given back."""
import email
import email.policy
import os
import subprocess
import time

from checks import expect
from postfixrelay import DOMAIN, GREYLIST_SECONDS, GREYLISTED, MAX_BYTES, PASSWORD, REFUSED, UNKNOWN
from support.environment import new_folder
from support.letters import AUTHORITY, mail, rows
from support.processes import wait_until
from support.serve import Serve

ANN, BOB = "ann@example.com", f"bob@{DOMAIN}"
SECONDS = 60


class Sender(Serve):
    """A served store that polls the mailbox `funds` and hands its letters to the relay."""

    def __init__(self, program, relay, password=PASSWORD):
        super().__init__(program, new_folder("i-relay"))
        with open(self.configuration) as file:
            # What `init` wrote, without its comments and settings that stand here.
            lines = [line for line in file.read().splitlines() if line.startswith(("store:", "server:"))]
        with open(self.configuration, "w") as file:
            file.write("\n".join(lines) + f"""
previews: off
smtp:
  url: smtp://localhost:{relay.submission}
  user: funds
  password: {password}
  tls_ca_file: {relay.authority}
  from: Fundmail <funds@{DOMAIN}>
mailboxes:
  - name: funds
    url: imap://funds@127.0.0.1:{relay.imap}/INBOX
    tls: off
    password: {PASSWORD}
    after: delete
    interval: 5s
    trust: {{authserv_id: {AUTHORITY}, require: dmarc, own_received: 0}}
    receipts: filed
""")
        self.add_user(ANN, "Ann", "Fund1")

    def letter(self, to, text="Hello.\n", **more):
        return self.api(ANN).call("POST", "/letters", {"to": to, "subject": f"To {to[0]}", "text": text, **more})

    def states(self, letter):
        """The states of a letter's recipients, with what the server said."""
        found = self.api(ANN).call("GET", f"/letters/{letter['id']}")["recipients"]
        return [(person["state"], person["note"] or "") for person in found]

    def wait(self, letter, *states):
        """Waits until the only recipient is in one of these states; gives it with the server's words."""
        seen = []

        def is_there():
            seen[:] = self.states(letter)
            return seen[0][0] in states

        wait_until(is_there, f"the letter does not become {states}", SECONDS)
        return seen[0]


def sending(check):
    """A check with a sender that is served meanwhile."""
    def run(program, relay):
        sender = Sender(program, relay)
        sender.start()
        try:
            check(sender, relay)
        finally:
            sender.stop()
    return run


def newest(relay, user, subject):
    """The message with this subject in the mailbox of a person, once it is there."""
    found = []

    def is_there():
        for data in relay.messages(user):
            message = email.message_from_bytes(data, policy=email.policy.default)
            if message["Subject"] == subject:
                found.append(message)
        return bool(found)

    wait_until(is_there, f"no {subject} came to {user}", SECONDS)
    return found[-1]


def login(program, relay):
    """`doctor` gets in by STARTTLS and a login, and says what is wrong with another password."""
    done = subprocess.run(Sender(program, relay).command("doctor"), capture_output=True, text=True, timeout=120)
    expect(done.stdout, done.returncode == 0 and "lets funds in" in done.stdout and "takes letters from" in done.stdout)
    wrong = subprocess.run(
        Sender(program, relay, "wrong").command("doctor"), capture_output=True, text=True, timeout=120)
    expect(wrong.stdout, wrong.returncode == 69 and "refuses the login of funds" in wrong.stdout)


@sending
def receipt(sender, relay):
    """Mail that comes in is filed, and its sender's receipt goes out with an empty return path."""
    sender.run("user", "address", "add", ANN, BOB)
    text = mail(1).replace(b"sender1@example.com", BOB.encode())
    text = text.replace(b"header.from=example.com", b"header.from=" + DOMAIN.encode())
    relay.fill("funds", [text])
    got = newest(relay, "bob", "Re: [Fund1] figures 1")
    expect(f"{got['Return-Path']}, {got['Auto-Submitted']}",
           got["Return-Path"] == "<>" and got["Auto-Submitted"] == "auto-replied")


@sending
def letter(sender, relay):
    """A person's letter with a file and a link arrives as it was written; Postfix changes nothing of it."""
    content = bytes(range(256)) * 400
    file = sender.api(ANN).upload("Fund1", "figures.bin", content, "application/octet-stream")
    words = "Dear Bob,\n.a dot\nFrom here on 基金 " + "x" * 1200 + "\n"
    sent = sender.letter([f"Bob 包 <{BOB}>"], words, items=[{"type": "file", "id": file["id"]}], way="attached")
    expect("sent", sender.wait(sent, "sent", "failed", "uncertain")[0] == "sent")
    got = newest(relay, "bob", f"To Bob 包 <{BOB}>")
    body = got.get_body(("plain",)).get_content()
    expect(repr(body[:200]), words.strip() in body.replace("\r\n", "\n"))
    files = [(part.get_filename(), part.get_payload(decode=True)) for part in got.iter_attachments()]
    expect("the attachment differs", files == [("figures.bin", content)])
    linked = sender.letter([BOB], items=[{"type": "file", "id": file["id"]}], way="link")
    expect("sent", sender.wait(linked, "sent", "failed", "uncertain")[0] == "sent")
    expect("no link in the letter", f"{sender.address}/s/" in newest(relay, "bob", f"To {BOB}").get_content())


@sending
def refused(sender, relay):
    """A recipient whom the server refuses fails at once, with its words."""
    state, note = sender.wait(sender.letter([REFUSED]), "failed", "sent", "uncertain")
    expect(f"{state}: {note}", state == "failed" and "no such person here" in note)


@sending
def greylisted(sender, relay):
    """A recipient whom the server puts off waits, and gets the letter once."""
    sent = sender.letter([GREYLISTED])
    wait_until(lambda: sender.states(sent)[0][1], "nothing is said", SECONDS)
    state, note = sender.states(sent)[0]
    expect(f"{state}: {note}", state in ("waiting", "delayed") and "reylist" in note)
    time.sleep(GREYLIST_SECONDS + 1)
    sender.run("outbox", "retry", "--state", "deferred")
    expect("not sent then", sender.wait(sent, "sent", "failed")[0] == "sent")
    newest(relay, "slow", f"To {GREYLISTED}")
    expect("more than once", len(relay.messages("slow")) == 1)


@sending
def large(sender, relay):
    """A letter above the limit that the server tells is not handed over; it fails, and others go out."""
    content = os.urandom(MAX_BYTES)
    file = sender.api(ANN).upload("Fund1", "large.bin", content, "application/octet-stream")
    sent = sender.letter([BOB], items=[{"type": "file", "id": file["id"]}], way="attached")
    state, note = sender.wait(sent, "failed", "sent", "uncertain")
    expect(f"{state}: {note}", state == "failed" and f"at most {MAX_BYTES}" in note)
    expect("the next letter", sender.wait(sender.letter([BOB], "Small.\n"), "sent", "failed")[0] == "sent")


@sending
def international(sender, relay):
    """Without SMTPUTF8 no address beyond ASCII is sent; the person hears why."""
    try:
        sent = sender.letter([f"用户@{DOMAIN}"])
    except RuntimeError as error:
        return expect(str(error), " 400 " in str(error) or " 422 " in str(error))
    state, note = sender.wait(sent, "failed", "sent", "uncertain")
    expect(f"{state}: {note}", state == "failed" and note)


@sending
def bounce(sender, relay):
    """A letter that Postfix takes and cannot deliver comes back by the mailbox, and its recipient shows as bounced."""
    sent = sender.letter([UNKNOWN])
    state, note = sender.wait(sent, "bounced", "failed")
    expect(f"{state}: {note}", state == "bounced" and "unknown" in note.lower())
    kept = rows(sender.database, "SELECT count(*) FROM misroute WHERE reason = 'bounce'")[0][0]
    expect(f"{kept} reports are kept as such", kept == 1)


def relay_checks(server):
    return {check.__name__: check for check in (login,)} | {
        "receipt": receipt, "letter": letter, "refused": refused, "greylisted": greylisted, "large": large,
        "international": international, "bounce": bounce}
