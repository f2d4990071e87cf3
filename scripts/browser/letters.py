"""Letters that go out: a store with some in each state."""
import sqlite3
import tempfile
import time

from support.samples import mail

STATES = ("queued", "sent", "deferred", "failed", "uncertain", "dropped")
REPLIES = {
    "sent": "250 2.0.0 Ok: queued as 4F1D2",
    "deferred": "451 4.7.1 <ann@example.com>: Recipient address rejected: Greylisted, try again in 300 seconds",
    "failed": "550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown in virtual mailbox table",
    "uncertain": "the connection was lost after the whole letter was sent",
}


def add_letters(server, owner):
    """One letter in each state about a mail that is filed, and one about kept mail; before the server starts.

    :param owner: has Fund1
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, subject in (("filed", "[Fund1] Q3 report, second draft"), ("kept", "Rechnung ohne Klammern")):
            with open(f"{folder}/{name}.eml", "wb") as file:
                file.write(mail(owner, subject, "The figures.\n", ("q3.pdf", b"%PDF-1.4")))
        server.run("replay", folder)
    now = int(time.time())
    with sqlite3.connect(server.database) as database:
        email, = database.execute("SELECT max(id) FROM email").fetchone()
        misroute, = database.execute("SELECT max(id) FROM misroute").fetchone()
        letters = [(f"{state}.person@partner.example", state, "filed", email) for state in STATES]
        letters.append((owner, "queued", "kept", misroute))
        for number, (recipient, state, kind, cause) in enumerate(letters):
            waits = state in ("queued", "deferred")
            database.execute(
                "INSERT INTO outbox (kind, cause, topic, recipient, mark, state, attempts, queued_at, due_at, changed_at,"
                " note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (kind, cause, str(number), recipient, f"{number:032x}", state, 0 if state == "queued" else 3,
                 now - 7500 + number, now + 2000 if waits else None, None if state == "queued" else now - 400,
                 REPLIES.get(state)))
    database.close()
