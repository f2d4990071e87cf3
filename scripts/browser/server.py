"""What the stories visit: `fundmail serve` over a store of its own, with a Dovecot whose mail it files as it arrives."""
import contextlib
import imaplib
import os
import shutil
import socket
import ssl
import tempfile
import urllib.parse

from support.dovecot import Dovecot, PASSWORD as MAIL_PASSWORD
from support.processes import wait_until
from support.serve import Serve, web_call

# A debug build takes seconds to hash a password as often as is usual; a release build does not know this.
# Nor that previews in the background do not wait for a machine that has nothing else to do, and that feeds may come from
# an address of this machine.
ENVIRONMENT = {**os.environ, "FUNDMAIL_HASH_LOG_ROUNDS": "4", "FUNDMAIL_PROCESSOR_PRESSURE": "100", "FUNDMAIL_NEWS_LOCAL": "1"}

# The address to which people mail: the user name of the mailbox
ADDRESS = "funds@harbour.example"


class MailServer(Dovecot):
    """A real Dovecot on this machine, with one mailbox."""

    def __init__(self):
        super().__init__(tempfile.mkdtemp(prefix="fundmail-mailserver-"))
        #: For fundmail.yaml.
        self.lines = self.mailbox("funds").replace("//funds@", f"//{urllib.parse.quote(ADDRESS, safe='')}@")

    def deliver(self, *messages, user=ADDRESS):
        """Puts them into the mailbox (APPEND, RFC 9051 §6.3.12), where IDLE tells of them."""
        context = ssl.create_default_context(cafile=self.authority)
        with imaplib.IMAP4_SSL("localhost", self.ports["imaps"], ssl_context=context, timeout=30) as session:
            session.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            session.login(user, MAIL_PASSWORD)
            for message in messages:
                done, said = session.append("INBOX", None, None, message)
                if done != "OK":
                    raise RuntimeError(f"APPEND: {said}")

    def stop(self):
        super().stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Server(Serve):
    """
    :param mailbox: None serves without one
    :param settings: further lines of fundmail.yaml
    """

    def __init__(self, program, mailbox=None, settings=""):
        self.mailbox = mailbox
        super().__init__(program, tempfile.mkdtemp(prefix="fundmail-pages-"),
                         (mailbox.lines if mailbox else "") + settings, ENVIRONMENT)
        #: Cookies of users who signed in, which is what few stories are about.
        self.sessions = {}

    def has_session(self, user):
        """Whether the session of a user who signed in goes on."""
        token = next((one["value"] for one in self.sessions.get(user, []) if one["name"] == "fundmail"), None)
        if token is None:
            return False
        status, _, _ = web_call(self.port, "GET", "/api/v1/funds", headers={"Authorization": f"Bearer {token}"})
        return status == 200

    def deliver(self, user, *messages):
        """Puts mail into the mailbox, and waits until it is filed as this user's."""
        api = self.api(user)
        before = len(api.emails())
        self.mailbox.deliver(*messages)
        wait_until(lambda: len(api.emails()) >= before + len(messages), f"not all of {len(messages)} messages are filed")

    def keep(self, administrator, words, *messages):
        """Puts mail into the mailbox that cannot be filed, and waits until so much waits that has these words."""
        api = self.api(administrator)
        self.mailbox.deliver(*messages)
        wait_until(lambda: api.call("GET", f"/admin/misrouted?limit=1&q={words}")["total"] >= len(messages),
                   f"not all of {len(messages)} messages are kept")

    def stop(self):
        """Ends it for good; gives what it told as errors."""
        super().stop()
        errors = []
        if os.path.exists(self.log):
            with open(self.log, errors="replace") as log:
                errors = [line.strip() for line in log if " error " in line or " critical " in line]
        shutil.rmtree(self.folder, ignore_errors=True)
        return errors


@contextlib.contextmanager
def elsewhere(visit, settings="", administrator=None, prepare=None):
    """A server of this story alone, where the visitor has a fund, Fund1.

    :param prepare: is given the server before it is started
    """
    server = Server(visit.server.program, settings=settings)
    server.add_user(visit.user, "Ann", "Fund1")
    if administrator:
        server.add_user(administrator, "Root", is_administrator=True)
    if prepare:
        prepare(server)
    server.start()
    ours, visit.server = visit.server, server
    visit.allowed.append(server.address)  # what is still on its way when the story is over
    try:
        yield server
    finally:
        visit.problems += [f"the server said: {line}" for line in server.stop()]
        visit.server = ours
