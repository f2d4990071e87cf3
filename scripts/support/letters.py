"""Letters that go out: an SMTP server that keeps them, mail whose senders get receipts, and the rows of the outbox."""
import collections
import email
import email.policy
import email.utils
import json
import os
import re
import sqlite3
import time

from support.environment import SCRIPTS, run
from support.processes import Listener, free_port

SENDERS = 20
AUTHORITY = "mx.corp.example"
# So many that no limit holds any back.
LIMITS = "  per_hour: 1000000\n  per_recipient: 1000000\n  per_person: 1000000\n"


class Postbox(Listener):
    """A real SMTP server on loopback (aiosmtpd), which listens on the same port after each start and keeps each letter in
    a file of its folder.

    :param folder: a new one
    """

    def __init__(self, folder):
        self.folder, port = folder, free_port()
        os.makedirs(folder)
        with open(os.path.join(folder, "token"), "w") as file:
            file.write("none")
        super().__init__(
            "aiosmtpd", [os.path.join(SCRIPTS, "support", "aiosmtpd"), folder, "plain"], port, folder + ".log",
            dict(os.environ, FUNDMAIL_SMTP_PORT=str(port)))

    @property
    def configuration(self):
        """The section of fundmail.yaml for this server."""
        return (f"smtp:\n  url: smtp://localhost:{self.port}\n  tls: off\n  from: Fundmail <funds@corp.example>\n" + LIMITS)

    @property
    def count(self):
        return sum(name.endswith(".eml") for name in os.listdir(self.folder))

    def names(self):
        """The files of the letters, in the order in which they came."""
        names = [name for name in os.listdir(self.folder) if name.endswith(".eml")]
        return [os.path.join(self.folder, name) for name in sorted(names, key=lambda name: int(name[:-4]))]

    def recipients(self):
        """The recipients of the letters, in the order in which they came."""
        found = []
        for name in self.names():
            with open(name[:-3] + "json", encoding="utf-8") as file:
                found += json.load(file)["to"]
        return found

    def refuse(self, *addresses):
        """Refuses these recipients from now on, and no others."""
        with open(os.path.join(self.folder, "refused"), "w", encoding="utf-8") as file:
            file.write("\n".join(addresses))

    def messages(self):
        """The letters as programs read them, in the order in which they came."""
        found = []
        for name in self.names():
            with open(name, "rb") as file:
                found.append(email.message_from_bytes(file.read(), policy=email.policy.default))
        return found

    def marks(self):
        """How often each letter is there, by the first part of its Message-ID."""
        marks = collections.Counter()
        for name in self.names():
            with open(name, "rb") as file:
                found = re.search(rb"^Message-ID: <([0-9a-f]{32})@corp\.example>\r?$", file.read(), re.MULTILINE)
            marks[found.group(1).decode() if found else name] += 1
        return marks


def sender(number):
    return f"sender{number % SENDERS}@example.com"


def add_senders(command):
    """Registers the senders, each with the fund `Fund1`.

    :param command: gives the words of a command of the program
    """
    for number in range(SENDERS):
        run(command("user", "add", sender(number)))
        run(command("fund", "add", "Fund1", "--owner", sender(number)))


def mail(number):
    """A mail that is filed, whose sender is proved and gets a receipt."""
    return (
        f"Authentication-Results: {AUTHORITY}; dmarc=pass header.from=example.com\r\n"
        f"Received: from out.example.com by {AUTHORITY} with ESMTPS id {number}; {email.utils.formatdate()}\r\n"
        f"Date: {email.utils.formatdate()}\r\nFrom: Sender <{sender(number)}>\r\nTo: funds@corp.example\r\n"
        f"Subject: [Fund1] figures {number}\r\nMessage-ID: <{number}@example.com>\r\nMIME-Version: 1.0\r\n"
        f"Content-Type: multipart/mixed; boundary=cut\r\n\r\n--cut\r\nContent-Type: text/plain\r\n\r\nFigures {number}.\r\n"
        f"--cut\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=figures-{number}.csv\r\n\r\n"
        f"{number},{number * 7}\r\n--cut--\r\n").encode()


def mailbox(dovecot, user, receipts):
    """The section of fundmail.yaml for a mailbox of this Dovecot, with receipts as `receipts` says."""
    lines = dovecot.mailbox(user).replace(
        "trust: {require: none}", f"trust: {{authserv_id: {AUTHORITY}, require: dmarc, own_received: 0}}")
    return f"{lines}    receipts: {receipts}\n"


def rows(database, sql, *arguments):
    """The rows of a question to the store's database, also while the program writes."""
    end = time.monotonic() + 60
    while True:
        try:
            connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)
            try:
                return connection.execute(sql, arguments).fetchall()
            finally:
                connection.close()
        except sqlite3.OperationalError:
            # The database is being opened by a program that was just started.
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
