"""What the mail servers of scripts/interop have in common: accounts, IMAP and POP3 sessions, mailbox names,
messages."""
import base64
import imaplib
import poplib
import re
import socket
import time

from chroot import Chroot, ready
from support.dovecot import PASSWORD
from support.processes import free_ports

# One account for each check, so that no check sees what another did; `bob` shares a folder.
USERS = ["keep", "flag", "move", "delete", "names", "idle", "raw", "unreadable", "quota", "rights", "oauth", "bob",
         "pop-keep", "pop-delete", "pop-raw"]


class Failed(Exception):
    """A check failed; the message says what was seen."""


def encoded(name):
    """Modified UTF-7 (RFC 3501 §5.1.3)."""
    def shifted(run):
        return "&" + base64.b64encode(run.group().encode("utf-16-be")).decode().rstrip("=").replace("/", ",") + "-"
    return re.sub(r"[^\x20-\x7e]+", shifted, name.replace("&", "&-"))


def quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def message(number, padding=0):
    """A message to file, with the line ends of the network."""
    text = (f"From: ann@example.com\nTo: funds@example.com\nSubject: [Fund1] report {number}\n"
            f"Message-ID: <{number}@interop>\nDate: Fri, 20 Nov 2026 10:00:00 +0000\n\n"
            f"Number {number}.\n.a line with a dot\nFrom here on it is only text.\n")
    text += ("padding " * 9 + "\n") * padding
    return text.replace("\n", "\r\n").encode()


def mbox(messages):
    """The messages as the contents of an mbox file."""
    def entry(text):
        text = text.replace(b"\r\n", b"\n").replace(b"\nFrom ", b"\n>From ")
        return b"From ann@example.com Fri Nov 20 10:00:00 2026\n" + text + b"\n"
    return b"".join(map(entry, messages))


class Server:
    """A server with its ports (None for a protocol that it does not speak) and the prefix of its personal namespace."""
    name = "?"
    prefix, separator = "", "/"
    imap = pop3 = None
    adds_fields = False  # to the header of the messages that it sends
    log = ""
    warned = ()  # what `doctor` rightly warns about
    skipped = {}  # check → why it is not for this server

    def start(self):
        raise NotImplementedError

    def stop(self):
        pass

    def login(self, user):
        return user

    def wait(self, user="keep", seconds=30):
        """Until a user can log in."""
        last = None
        for _ in range(seconds * 10):
            try:
                if self.imap:
                    self.session(user).logout()
                if self.pop3 and not self.imap:
                    self.pop(user).quit()
                return
            except (OSError, EOFError, imaplib.IMAP4.error, poplib.error_proto) as error:
                last = error
                time.sleep(0.1)
        raise RuntimeError(f"does not start: {last}")

    def session(self, user):
        session = imaplib.IMAP4("127.0.0.1", self.imap, timeout=30)
        # imaplib sends a literal and its line end in two segments: without this each APPEND waits for a delayed ACK.
        session.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        session.login(self.login(user), PASSWORD)
        return session

    def pop(self, user):
        session = poplib.POP3("127.0.0.1", self.pop3, timeout=30)
        session.user(self.login(user))
        session.pass_(PASSWORD)
        return session

    def folder(self, name):
        """The full name of a folder of the account."""
        return name if name == "INBOX" else self.prefix + name

    def create(self, user, name):
        session = self.session(user)
        done, said = session.create(quoted(encoded(name)))
        session.logout()
        if done != "OK":
            raise RuntimeError(f"CREATE {name}: {said}")

    def fill(self, user, messages, folder="INBOX"):
        session = self.session(user)
        for text in messages:
            done, said = session.append(quoted(encoded(folder)), None, None, text)
            if done != "OK":
                raise RuntimeError(f"APPEND to {folder}: {said}")
        session.logout()

    def left(self, user, folder="INBOX", criterion="UNDELETED"):
        """How many messages are in a folder; None when it does not exist."""
        session = self.session(user)
        try:
            done, _ = session.select(quoted(encoded(folder)), readonly=True)
            if done != "OK":
                return None
            return len(session.search(None, criterion)[1][0].split())
        finally:
            session.logout()

    def pop_left(self, user):
        session = self.pop(user)
        count, _ = session.stat()
        session.quit()
        return count

    def subscribed(self, user):
        session = self.session(user)
        names = b"".join(line for line in session.lsub()[1] if isinstance(line, bytes))
        session.logout()
        return names.decode()

    def acl(self, owner, folder, user, rights):
        session = self.session(owner)
        done, said = session.setacl(quoted(encoded(folder)), self.login(user), rights)
        session.logout()
        if done != "OK":
            raise RuntimeError(f"SETACL {folder}: {said}")


class InChroot(Server):
    """A server in a chroot of a Debian release."""
    release, packages, shell = "bookworm", [], ""

    def __init__(self, chroots):
        self.short = type(self).__name__.lower()
        self.root = Chroot(ready(chroots, self.short, self.release, self.packages), self.short)
        self.log = self.root.log

    def configure(self):
        """Writes the configuration into `self.root`, and gives the shell command that starts the server."""
        raise NotImplementedError

    def start(self):
        self.root.start(self.configure())
        self.wait()

    def stop(self):
        self.root.stop()


class WithQuota(InChroot):
    """A server of both protocols that gives the account `quota` 60 KiB."""
    quota_kibibytes = 60

    def __init__(self, chroots):
        super().__init__(chroots)
        self.imap, self.pop3 = free_ports(2)

    def fill_quota(self, user):
        """Fills two thirds of it, so that a copy does not fit; gives the number of messages."""
        self.fill(user, [message(number, padding=90) for number in range(6)])
        return 6


class BelowInbox(WithQuota):
    """A server whose folders all stand below `INBOX.`."""
    prefix, separator = "INBOX.", "."
