"""A small IMAP and POP3 server with a different fault for each account: short answers, refused commands, lost
connections. `fundmail poll` must lose no message and file none twice before any of them."""
import socketserver
import threading

from faulty_imap import Imap
from faulty_pop3 import Pop
from faulty_session import Account, Box
from server import Server


class Listener(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


class FaultyServer(Server):
    name = "a faulty server"

    def __init__(self, chroots=None):
        self.accounts, self.lock, self.healed = {}, threading.Lock(), False

    def account(self, user):
        with self.lock:
            return self.accounts.setdefault(user, Account())

    def start(self):
        self.listeners = []
        for kind in (Imap, Pop):
            listener = Listener(("127.0.0.1", 0), kind)
            listener.faulty = self
            threading.Thread(target=listener.serve_forever, daemon=True).start()
            self.listeners.append(listener)
        self.imap, self.pop3 = (listener.server_address[1] for listener in self.listeners)

    def stop(self):
        for listener in self.listeners:
            listener.shutdown()

    def fill(self, user, messages, folder="INBOX"):
        box = self.account(user).boxes.setdefault(folder, Box())
        for text in messages:
            box.add(text)

    def left(self, user, folder="INBOX", criterion="UNDELETED"):
        box = self.account(user).boxes.get(folder)
        return None if box is None else sum("\\Deleted" not in flags for flags, _ in box.messages.values())
