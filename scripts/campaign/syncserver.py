"""The server of campaign/sync, which is killed and started again on the same port."""
import hashlib
import http.client
import sqlite3
import urllib.parse

from support.serve import Ours, web_call


def digest(content):
    return hashlib.sha256(content).hexdigest()


class Store:
    """The server, which is killed and started again on the same port."""

    def __init__(self, program):
        self.server = Ours(program, "sync", funds=())
        self.kills = 0

    def kill(self):
        self.kills += 1
        self.server.kill()
        self.server.start()

    def call(self, token, method, path, body=None, content_type="application/json", headers=None):
        """Gives the status and what the JSON says; None and nothing when the server is gone."""
        fields = {"Authorization": f"Bearer {token}", **(headers or {})}
        try:
            status, _, answer = web_call(self.server.port, method, path, body, content_type, fields, timeout=60)
            return status, answer
        except (OSError, http.client.HTTPException):
            return None, None

    def dav(self, run, method, path, body=None, **headers):
        """Gives the status; None when the server is gone."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        try:
            connection.request(method, f"/dav/{urllib.parse.quote(path)}", body, {**run.dav_headers, **headers})
            response = connection.getresponse()
            response.read()
            return response.status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def digests(self, email):
        """Of all files of a user, deleted ones and old versions, too."""
        with sqlite3.connect(f"file:{self.server.database}?mode=ro", uri=True, timeout=30) as db:
            rows = db.execute(
                """SELECT DISTINCT lower(hex(blob.digest)) FROM file JOIN blob ON blob.id = file.blob_id
                   JOIN fund ON fund.id = file.fund_id JOIN user ON user.id = fund.owner_id WHERE user.email = ?""",
                [email])
            return {row[0] for row in rows}
