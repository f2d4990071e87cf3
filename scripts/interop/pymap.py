"""pymap, an IMAP server in Python that keeps mail in memory; from PyPI, in a virtual environment."""
import os
import shutil
import subprocess
import sys

from chroot import Missing
from support.environment import new_folder, WORK
from support.dovecot import PASSWORD
from support.processes import free_port, guarded
from server import encoded, quoted, Server


class Pymap(Server):
    name = "pymap"
    # It has one user, so each check empties the mailbox first.
    user = "demo"

    def __init__(self, chroots):
        environment = os.path.join(WORK, "interop", "pymap-venv")
        self.program = os.path.join(environment, "bin", "pymap")
        if not os.path.exists(self.program):
            made = subprocess.run([sys.executable, "-m", "venv", environment], capture_output=True)
            pip = [os.path.join(environment, "bin", "pip"), "install", "-q", "pymap"]
            if made.returncode or subprocess.run(pip, capture_output=True).returncode:
                shutil.rmtree(environment, ignore_errors=True)
                raise Missing("pymap (PyPI)")

    def login(self, user):
        return self.user

    def start(self):
        self.imap = free_port()
        self.log = new_folder("i-pymap-log")
        with open(self.log, "w") as log:
            self.process = guarded(
                [self.program, "--host", "127.0.0.1", "--port", str(self.imap), "--no-service", "admin", "--debug",
                 "dict", "--demo-data", "--demo-user", self.user, "--demo-password", PASSWORD], stdout=log, stderr=log)
        self.wait()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()

    def fill(self, user, messages, folder="INBOX"):
        session = self.session(user)
        session.select(quoted(encoded(folder)))
        session.store("1:*", "+FLAGS.SILENT", "\\Deleted")
        session.expunge()
        session.logout()
        super().fill(user, messages, folder)
