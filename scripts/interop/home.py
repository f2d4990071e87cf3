"""A folder with the configuration and the store for one mailbox, and the commands of `fundmail` in it."""
import json
import os
import re
import subprocess
import time
import urllib.parse

from support.environment import new_folder, run
from support.dovecot import PASSWORD
from server import Failed


class Run:
    """The result of one run of `fundmail poll`."""

    def __init__(self, done, trace):
        self.exit, self.errors = done.returncode, done.stderr.strip()
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.messages = [line for line in lines if "outcome" in line]
        self.filed = sum(line["outcome"] == "filed" for line in self.messages)
        said = ""
        if os.path.exists(trace):
            with open(trace, errors="replace") as file:
                said = file.read()
            os.remove(trace)
        # The number of whole messages that the server sent.
        self.bodies = len(re.findall(r"S: \* \d+ FETCH \([^\n]*BODY\[\]", said)) + len(re.findall(r"C: RETR ", said))

    def __str__(self):
        errors = f": {self.errors[-400:]}" if self.errors else ""
        return f"exit {self.exit}, {self.filed} filed of {len(self.messages)}, {self.bodies} fetched{errors}"


class Home:
    def __init__(self, program, server, user, scheme="imap", folder="INBOX", after="keep", password=PASSWORD, extra="",
                 trust="{require: none}", port=None):
        self.server, self.folder = server, new_folder("i-home")
        run([program, "init", self.folder])
        configuration = os.path.join(self.folder, "fundmail.yaml")
        self.words = [program, "--config", configuration]
        secret = os.path.join(self.folder, "password")
        with open(secret, "w") as file:
            file.write(password)
        os.chmod(secret, 0o600)
        port = port or (server.imap if scheme == "imap" else server.pop3)
        path = "/" + urllib.parse.quote(folder, safe="") if scheme == "imap" else ""
        account = urllib.parse.quote(server.login(user), safe="")
        secret = extra or f"password_file: {secret}"
        with open(configuration, "w") as file:
            file.write(f"store: ./store\nmailboxes:\n  - name: box\n"
                       f"    url: {scheme}://{account}@127.0.0.1:{port}{path}\n    tls: off\n    {secret}\n"
                       f"    after: {after}\n    interval: 1h\n    trust: {trust}\n")
        run(self.words + ["user", "add", "ann@example.com"])
        run(self.words + ["fund", "add", "Fund1", "--owner", "ann@example.com"])

    def poll(self):
        trace = os.path.join(self.folder, "trace")
        words = self.words + ["poll", "--json", "--trace", trace]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        return Run(done, trace)

    def doctor(self):
        """The exit status, the warnings and errors but those that this configuration asks for, and the whole output."""
        done = subprocess.run(self.words + ["doctor"], capture_output=True, text=True, timeout=120)
        wanted = ("trust requires nothing", "tls is off", *self.server.warned)
        lines = [line for line in done.stdout.splitlines()
                 if not line.startswith("ok") and not any(words in line for words in wanted)]
        return done.returncode, "\n".join(lines) + done.stderr, done.stdout

    def status(self):
        done = subprocess.run(self.words + ["mailbox", "status", "--json"], capture_output=True, text=True, timeout=60)
        return json.loads(done.stdout.splitlines()[0])

    def watch(self):
        log = open(os.path.join(self.folder, "watch"), "w")
        return subprocess.Popen(self.words + ["watch", "--log-level", "info"], stdout=log, stderr=log)

    def filed_reaches(self, count, seconds):
        """Waits until so many messages are filed; gives the seconds that it took."""
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            if self.status()["filed"] >= count:
                return time.monotonic() - begin
            time.sleep(0.2)
        with open(os.path.join(self.folder, "watch")) as file:
            raise Failed(f"{self.status()['filed']} of {count} filed after {seconds} s\n{file.read()[-800:]}")
