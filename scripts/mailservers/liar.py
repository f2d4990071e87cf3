"""A server that lies: a small IMAP and POP3 server in which each account meets another fault. `fundmail poll` must lose nothing and file
nothing twice, whatever it says."""
import socketserver
import threading

from liar_imap import Imap
from liar_pop3 import Pop
from liar_session import Account, Box
from server import Server


class Listener(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


class Liar(Server):
    name = "a server that lies"

    def __init__(self, chroots=None):
        self.accounts, self.lock, self.healed = {}, threading.Lock(), False

    def account(self, user):
        with self.lock:
            return self.accounts.setdefault(user, Account())

    def start(self):
        self.listeners = []
        for kind in (Imap, Pop):
            listener = Listener(("127.0.0.1", 0), kind)
            listener.liar = self
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
