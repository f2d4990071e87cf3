"""What the IMAP and the POP3 server of faulty.py share: accounts with their mailboxes, and a connection."""
import socketserver
import threading

# What Courier sends instead of a message whose file it cannot open.
PLACEHOLDER = (b"From: System Administrator <root@localhost>\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\n"
               b"To: undisclosed-recipients:;\r\nSubject: message unavailable\r\n\r\n"
               b"This message is no longer available on the server.\r\n")


class Box:
    def __init__(self):
        self.validity, self.next, self.messages = 7, 1, {}

    def add(self, text):
        uid = self.next
        self.messages[uid] = [set(), text]
        self.next += 1
        return uid


class Account:
    def __init__(self):
        self.lock = threading.RLock()
        self.boxes = {"INBOX": Box()}
        self.subscribed, self.bodies, self.done = set(), 0, set()

    def once(self, what):
        """True when it is asked for the first time with this key."""
        fresh = what not in self.done
        self.done.add(what)
        return fresh


class Lost(Exception):
    """The server closes the connection without an answer."""


class Session(socketserver.StreamRequestHandler):
    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")
        self.wfile.flush()

    def line(self):
        data = self.rfile.readline()
        if not data:
            raise Lost
        return data.rstrip(b"\r\n").decode("utf-8", "replace")

    def handle(self):
        try:
            self.talk()
        except (Lost, ConnectionError):
            pass
