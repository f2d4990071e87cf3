"""What the stories visit: `fundmail serve` over a store of its own, with a Dovecot whose mail it files as it arrives."""
import contextlib
import http.client
import imaplib
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import time

PASSWORD = "correct horse battery"
# A debug build takes seconds to hash a password as often as is usual; a release build does not know this.
# Nor that previews in the background do not wait for a machine that has nothing else to do.
ENVIRONMENT = {**os.environ, "FUNDMAIL_HASH_LOG_ROUNDS": "4", "FUNDMAIL_PROCESSOR_PRESSURE": "100"}
SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class MailServer:
    """A real Dovecot on this machine, with one mailbox: scripts/mailserver."""

    def __init__(self):
        self.process = subprocess.Popen(
            [os.path.join(SCRIPTS, "mailserver")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        lines = []
        while not lines or "trust:" not in lines[-1]:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("scripts/mailserver does not start")
            lines.append(line)
        #: For fundmail.yaml.
        self.configuration = "".join(lines)
        self.port = int(re.search(r"localhost:(\d+)", self.configuration)[1])
        self.authority = re.search(r"tls_ca_file: (.+)", self.configuration)[1]

    def deliver(self, *messages, user="funds"):
        """Puts them into the mailbox (APPEND, RFC 9051 §6.3.12), where IDLE tells of them."""
        context = ssl.create_default_context(cafile=self.authority)
        with imaplib.IMAP4_SSL("localhost", self.port, ssl_context=context, timeout=30) as session:
            session.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            session.login(user, "sesame")
            for message in messages:
                done, said = session.append("INBOX", None, None, message)
                if done != "OK":
                    raise RuntimeError(f"APPEND: {said}")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


class API:
    """The web API for one user: what a story needs to know or to have, without being about it."""

    def __init__(self, authority, user):
        self.authority, self.user = authority, user
        self.sign_in()

    def sign_in(self):
        self.token = None
        self.token = self.call("POST", "/session", {"username": self.user, "password": PASSWORD})["token"]

    def call(self, method, path, body=None, content_type="application/json"):
        connection = http.client.HTTPConnection(self.authority, timeout=60)
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if body is not None:
            headers["Content-Type"] = content_type
        content = json.dumps(body) if body is not None and content_type == "application/json" else body
        try:
            connection.request(method, "/api/v1" + path, content, headers)
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        if response.status == 401 and self.token:  # a story ended the session
            self.sign_in()
            return self.call(method, path, body, content_type)
        if response.status >= 300:
            raise RuntimeError(f"{method} {path}: {response.status} {content[:400]}")
        is_json = (response.getheader("Content-Type") or "").startswith("application/json")
        return json.loads(content) if is_json else content

    def fund(self, name):
        """The number of a fund."""
        return next(fund["id"] for fund in self.call("GET", "/funds")["funds"] if fund["name"] == name)

    def emails(self):
        return self.call("GET", "/emails?limit=500")["emails"]

    def upload(self, fund, name, content, content_type="text/plain"):
        return self.call("POST", f"/funds/{self.fund(fund)}/files?name={name}", content, content_type)


class Server:
    """
    :param mailbox: None serves without one
    :param settings: further lines of fundmail.yaml
    """

    def __init__(self, program, mailbox=None, settings=""):
        self.program, self.mailbox = program, mailbox
        self.folder = tempfile.mkdtemp(prefix="fundmail-pages-")
        # The listener's port is known before the first start, so that another start has the same.
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.authority = f"127.0.0.1:{self.port}"
        self.address = f"http://{self.authority}"
        self.run("init", self.folder, configured=False)
        with open(f"{self.folder}/fundmail.yaml", "a") as file:
            file.write(f'server: {{listen: "{self.authority}", public_url: "http://{self.authority}"}}\n')
            file.write((mailbox.configuration if mailbox else "") + settings)
        os.chmod(f"{self.folder}/fundmail.yaml", 0o600)  # the password of the mailbox is in it
        self.log = f"{self.folder}/log"
        self.process = None
        self.apis = {}
        #: Cookies of users who signed in, which is what few stories are about.
        self.sessions = {}

    def run(self, *words, input=None, configured=True):
        command = [self.program] + (["--config", f"{self.folder}/fundmail.yaml"] if configured else []) + list(words)
        done = subprocess.run(command, input=input, text=True, capture_output=True, env=ENVIRONMENT)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: exit {done.returncode}\n{done.stderr[-2000:]}")
        return done.stdout

    def add_user(self, email, name, *funds, is_administrator=False):
        self.run("user", "add", email, "--name", name, *(["--admin"] if is_administrator else []))
        for fund in funds:
            self.run("fund", "add", fund, "--owner", email)
        self.run("user", "passwd", email, input=PASSWORD + "\n")

    def api(self, user):
        if user not in self.apis:
            self.apis[user] = API(self.authority, user)
        return self.apis[user]

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                [self.program, "--config", f"{self.folder}/fundmail.yaml", "serve"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=ENVIRONMENT)
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    with open(self.log) as log:
                        raise RuntimeError(f"fundmail serve does not listen:\n{log.read()[-2000:]}") from None
                time.sleep(0.05)

    def deliver(self, user, *messages):
        """Puts mail into the mailbox, and waits until it is filed as this user's."""
        api = self.api(user)
        before = len(api.emails())
        self.mailbox.deliver(*messages)
        end = time.monotonic() + 60
        while len(api.emails()) < before + len(messages):
            if time.monotonic() > end:
                raise RuntimeError(f"not filed: {len(api.emails()) - before} of {len(messages)} messages")
            time.sleep(0.1)

    def keep(self, administrator, words, *messages):
        """Puts mail into the mailbox that cannot be filed, and waits until so much waits that has these words."""
        api = self.api(administrator)
        self.mailbox.deliver(*messages)
        end = time.monotonic() + 60
        while (count := api.call("GET", f"/admin/misrouted?limit=1&q={words}")["total"]) < len(messages):
            if time.monotonic() > end:
                raise RuntimeError(f"not kept: {count} of {len(messages)} messages")
            time.sleep(0.1)

    def end(self):
        """As an administrator does who starts it anew."""
        self.process.terminate()
        self.process.wait(60)

    def kill(self):
        self.process.kill()
        self.process.wait(60)

    def stop(self):
        """Ends it for good; gives what it told as errors."""
        if self.process and self.process.poll() is None:
            self.end()
        errors = []
        if os.path.exists(self.log):
            with open(self.log, errors="replace") as log:
                errors = [line.strip() for line in log if " error " in line or " critical " in line]
        shutil.rmtree(self.folder, ignore_errors=True)
        return errors


@contextlib.contextmanager
def elsewhere(visit, settings="", administrator=None):
    """A server of this story alone, where the visitor has a fund, Fund1."""
    server = Server(visit.server.program, settings=settings)
    server.add_user(visit.user, "Ann", "Fund1")
    if administrator:
        server.add_user(administrator, "Root", is_administrator=True)
    server.start()
    ours, visit.server = visit.server, server
    visit.allowed.append(server.address)  # what is still on its way when the story is over
    try:
        yield server
    finally:
        visit.problems += [f"the server said: {line}" for line in server.stop()]
        visit.server = ours
