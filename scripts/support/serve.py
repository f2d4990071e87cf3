"""`fundmail serve` over a store of its own, and a client of its web API."""
import hashlib
import http.client
import json
import os
import sys

from support.environment import new_folder, run
from support.processes import free_port, Listener

PASSWORD = "correct horse battery"


def web_call(port, method, path, body=None, content_type="application/json", headers=None, timeout=60):
    """One request; gives the status, the bytes of the answer, and what its JSON says, or the bytes."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        headers = dict(headers or {})
        if body is not None:
            headers["Content-Type"] = content_type
            if content_type == "application/json":
                body = json.dumps(body).encode()
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        content = response.read()
        is_json = (response.getheader("Content-Type") or "").startswith("application/json")
        return response.status, content, json.loads(content) if is_json else content
    finally:
        connection.close()


class API:
    """The web API for one user, who signs in when it is first asked, and again when the session has ended."""

    def __init__(self, port, user, password=PASSWORD):
        self.port, self.user, self.password, self.token = port, user, password, None

    def sign_in(self):
        credentials = {"username": self.user, "password": self.password}
        status, content, answer = web_call(self.port, "POST", "/api/v1/session", credentials)
        if status >= 300:
            raise RuntimeError(f"signing in: {status} {content[:400]}")
        self.token = answer["token"]
        return self.token

    @property
    def bearer(self):
        return f"Bearer {self.token or self.sign_in()}"

    def call(self, method, path, body=None, content_type="application/json"):
        """Gives what the JSON says, or bytes; RuntimeError for a status from 300 on.

        :param path: below /api/v1, or all of it
        """
        path = path if path.startswith("/api/") else "/api/v1" + path
        for is_last in (False, True):
            status, content, answer = web_call(
                self.port, method, path, body, content_type, {"Authorization": self.bearer}, timeout=120)
            if status != 401 or is_last:
                break
            self.sign_in()
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {status} {content[:2000].decode(errors='replace')}")
        return answer

    def fund(self, name):
        """The number of a fund."""
        return next(fund["id"] for fund in self.call("GET", "/funds")["funds"] if fund["name"] == name)

    def emails(self):
        return self.call("GET", "/emails?limit=500")["emails"]

    def upload(self, fund, name, content, content_type="text/plain"):
        return self.call("POST", f"/funds/{self.fund(fund)}/files?name={name}", content, content_type)


class Serve(Listener):
    """A store that `init` made, and the server over it, which listens on the same port after each start.

    :param folder: where the configuration, the store and the log are, a new folder
    :param settings: further lines of fundmail.yaml
    """

    def __init__(self, program, folder, settings="", environment=None):
        self.program, self.folder, self.environment = program, folder, environment
        self.configuration = os.path.join(folder, "fundmail.yaml")
        run([program, "init", folder])
        super().__init__("fundmail", self.command("serve"), free_port(), os.path.join(folder, "log"), environment)
        self.authority = f"127.0.0.1:{self.port}"
        self.address = f"http://{self.authority}"
        self.configure(f'server: {{listen: "{self.authority}", public_url: "{self.address}"}}\n{settings}')
        self.apis = {}

    def configure(self, lines):
        """Adds lines to fundmail.yaml, which nobody else may read: passwords of mailboxes are in it."""
        with open(self.configuration, "a") as file:
            file.write(lines)
        os.chmod(self.configuration, 0o600)

    def replace(self, line):
        """Puts a line in the place of the one with the same key that `init` wrote."""
        key = line.split(":")[0] + ":"
        with open(self.configuration) as file:
            lines = [other for other in file.read().splitlines() if not other.startswith(key)]
        with open(self.configuration, "w") as file:
            file.write("\n".join([*lines, line, ""]))

    @property
    def database(self):
        return os.path.join(self.folder, "store", "fundmail.sqlite")

    def command(self, *words):
        return [self.program, "--config", self.configuration, *words]

    def run(self, *words, **options):
        """One command of the program; gives its output."""
        return run(self.command(*words), env=self.environment, **options)

    def add_user(self, email, name, *funds, is_administrator=False):
        self.run("user", "add", email, "--name", name, *(["--admin"] if is_administrator else []))
        for fund in funds:
            self.run("fund", "add", fund, "--owner", email)
        self.run("user", "passwd", email, input=PASSWORD + "\n")

    def app_password(self, email):
        return self.run("user", "token", "add-app", email).strip()

    def api(self, user):
        if user not in self.apis:
            self.apis[user] = API(self.port, user)
        return self.apis[user]


class Ours(Serve):
    """A store that `init` made, with one user and funds, being served.

    :param prepare: called with this before the server starts
    """

    USER = "ann@example.com"

    def __init__(self, program, name, funds=("Fund1",), prepare=None):
        super().__init__(program, new_folder(name))
        self.add_user(self.USER, "Ann", *funds)
        if prepare:
            prepare(self)
        self.start()

    @property
    def bearer(self):
        """A field of a request's header."""
        return f"Authorization: {self.api(self.USER).bearer}"

    def app_password(self):
        return super().app_password(self.USER)

    def call(self, *words):
        """One request of the web API; gives what the JSON says, or bytes."""
        return self.api(self.USER).call(*words)

    def check(self, path, content):
        """Downloads a file once and compares it; afterwards the server has hashed it, as after any first request."""
        if hashlib.sha256(self.call("GET", path)).digest() != hashlib.sha256(content).digest():
            sys.exit(f"{path} gives other bytes than were stored")
