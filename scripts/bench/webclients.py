"""Downloads from `fundmail serve` in the ways that people take."""
import base64
import hashlib
import ssl
import sys
import urllib.request

from support.serve import Ours

WAYS, CARRIERS = ("webdav", "page"), ("plain", "tls", "proxy")


def basic(ours):
    password = ours.app_password()
    return "Authorization: Basic " + base64.b64encode(f"{Ours.USER}:{password}".encode()).decode()


class Downloads:
    """Our server over a store with these contents as files, started anew for each carrier.

    :param lines: by way, what wrk asks for
    """

    def __init__(self, program, name, parts):
        self.parts = parts
        self.server = ours = Ours(program, name)
        fund = ours.call("GET", "/api/v1/funds")["funds"][0]["id"]
        stored = [ours.call("POST", f"/api/v1/funds/{fund}/files?name=file{number:04d}.pdf", content, "application/pdf")
                  for number, content in enumerate(parts)]
        self.lines = {"webdav": [("GET", f"/dav/Fund1/file{number:04d}.pdf") for number in range(len(parts))],
                      "page": [("GET", f"/library/files/{file['id']}/content") for file in stored]}
        # The cookie of a page holds a token of the web API.
        self.basic, self.token = basic(ours), ours.api(ours.USER).bearer.split()[1]
        with open(ours.configuration) as file:
            self.settings = file.read()

    def start(self, carrier, certificate=("", "")):
        """Starts the server, and compares every file once by each way.

        :param certificate: files of a chain and its key, for `tls`
        """
        ours = self.server
        ours.end()
        further = {"plain": "", "proxy": ", behind_proxy: true",
                   "tls": f', tls: {{certificate: "{certificate[0]}", key: "{certificate[1]}"}}'}[carrier]
        scheme = "https" if carrier == "tls" else "http"
        with open(ours.configuration, "w") as file:
            file.write(self.settings.replace(
                f'public_url: "{ours.address}"}}', f'public_url: "{scheme}://{ours.authority}"{further}}}'))
        ours.scheme = scheme
        ours.start()
        for way in WAYS:
            for (_, path), content in zip(self.lines[way], self.parts):
                headers = dict(field.split(": ", 1) for field in self.headers(way, carrier))
                request = urllib.request.Request(ours.url(path), headers=headers)
                with urllib.request.urlopen(request, timeout=60, context=ssl._create_unverified_context()) as answer:
                    if hashlib.sha256(answer.read()).digest() != hashlib.sha256(content).digest():
                        sys.exit(f"{path} gives other bytes than were stored")

    def headers(self, way, carrier):
        name = "fundmail" if carrier == "plain" else "__Host-fundmail"
        forwarded = ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https"] if carrier == "proxy" else []
        return [self.basic if way == "webdav" else f"Cookie: {name}={self.token}", *forwarded]
