"""Cloud stores by id with OAuth 2.0, on one port of this machine: python3 store.py CERTIFICATE KEY FOLDER

The name of the host tells which store is asked. What happened is printed, a line each, without secrets but those of the
fake itself. The file FOLDER/orders holds one JSON object, which each request reads anew:

    revoked: access tokens up to this number are refused        grants_revoked: all refresh tokens are refused
    life: seconds for which an access token is good             busy: so many requests get 429 (counted down here)
    lie: {name: size that the store claims}                     cut: {name: bytes after which downloads break off}
    hold: name of a file whose download stops in the middle until the orders no longer say so
    token_down: the token endpoint answers 503                  wait_token: refreshes wait while this is set
    token_odd: the token endpoint answers 200 without a token   account: the number of the one that signs in
"""

import base64
import hashlib
import http.server
import json
import os
import ssl
import sys
import threading
import time
import urllib.parse

from box import Box
from drive import GoogleDrive
from dropbox import Dropbox
from onedrive import OneDrive
from pcloud import PCloud

LOCK = threading.RLock()
BUSY_USED = [0]


class Node:
    def __init__(self, tree, parent, name, is_folder, data=b""):
        tree.last += 1
        self.id, self.parent, self.name, self.is_folder, self.data = tree.last, parent, name, is_folder, data
        self.modified, self.media = 1_700_000_000, None
        tree.nodes[self.id] = self


class Tree:
    """What one store has. Names may repeat within a folder: the stores that forbid it look first."""

    def __init__(self):
        self.nodes, self.last, self.sessions = {}, 0, {}
        self.top = Node(self, None, "", True)

    def children(self, folder):
        return [node for node in self.nodes.values() if node.parent is folder]

    def child(self, folder, name):
        return next((node for node in self.children(folder) if node.name.lower() == name.lower()), None)

    def at(self, path):
        node = self.top
        for name in [part for part in path.split("/") if part]:
            node = node and self.child(node, name)
        return node

    def path(self, node):
        return "" if node.parent is None else self.path(node.parent) + "/" + node.name

    def remove(self, node):
        for child in self.children(node):
            self.remove(child)
        del self.nodes[node.id]

    def used(self):
        return sum(len(node.data) for node in self.nodes.values())


class Tokens:
    """Access and refresh tokens of one store. Each refresh rotates both, and an old refresh token is refused."""

    def __init__(self, rotates):
        self.rotates, self.codes, self.number, self.refresh = rotates, {}, 0, None
        self.expiries = {}

    def issue(self, orders, refresh):
        self.number += 1
        life = orders.get("life", 3600)
        self.expiries[self.number] = time.time() + life
        answer = {"access_token": f"canary-access-{self.number}", "token_type": "bearer", "expires_in": life}
        if refresh:
            self.refresh = f"canary-refresh-{self.number}"
            answer["refresh_token"] = self.refresh
        return answer

    def is_good(self, token, orders):
        number = token.rpartition("-")[2]
        if not token.startswith("canary-access-") or not number.isdigit() or int(number) > self.number:
            return False
        return int(number) > orders.get("revoked", 0) and time.time() < self.expiries.get(int(number), 0)


class Reply:
    def __init__(self, status, body=b"", fields=None):
        self.status, self.fields = status, dict(fields or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            self.fields.setdefault("Content-Type", "application/json")
        self.body = body


STORES = [kind(Tree(), Tokens(kind.rotates), Node, Reply) for kind in (Box, Dropbox, GoogleDrive, OneDrive, PCloud)]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def orders(self):
        try:
            with open(os.path.join(sys.argv[3], "orders")) as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def note(self, *words):
        print(*words, flush=True)

    def handle_any(self):
        host = self.headers.get("Host", "").split(":")[0]
        address = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(address.query, keep_blank_values=True))
        path = urllib.parse.unquote(address.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) if not self.is_chunked() else self.chunks()
        store = next((store for store in STORES if store.serves(host)), None)
        if store is None:
            return self.send(Reply(404, {"error": f"no host {host}"}))
        orders = self.orders()
        if (host, path) in store.token_places:
            return self.send(self.token(store, orders, body, query))
        open_to_all = store.is_open(host, path)
        token = self.headers.get("Authorization", "").partition(" ")[2]
        number = token.rpartition("-")[2] if token else "none"
        self.note(store.name, self.command, path, "token", number, "range", self.headers.get("Range", "-"))
        if not open_to_all and not store.tokens.is_good(token, orders):
            return self.send(store.unauthorized())
        with LOCK:
            if BUSY_USED[0] < orders.get("busy", 0):
                BUSY_USED[0] += 1
                return self.send(store.busy())
        with LOCK:
            reply = store.answer(self.command, host, path, query, self.headers, body, orders)
        self.send(reply, orders)

    def is_chunked(self):
        return self.headers.get("Transfer-Encoding", "").lower() == "chunked"

    def chunks(self):
        body = b""
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            part = self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                return body
            body += part

    def token(self, store, orders, body, query):
        form = {**query, **dict(urllib.parse.parse_qsl(body.decode()))}
        grant = form.get("grant_type", "authorization_code")
        self.note("token", store.name, grant, "client", form.get("client_id", "-"))
        if orders.get("token_down"):
            return Reply(503, {"error": "temporarily_unavailable"}, {"Retry-After": "1"})
        if orders.get("token_odd"):
            return Reply(200, b"<p>We are back soon.")
        if form.get("client_secret") != "canary-client" and not (store.is_public and "client_secret" not in form):
            return Reply(401, {"error": "invalid_client"})
        if grant == "refresh_token":
            while self.orders().get("wait_token"):
                time.sleep(0.02)
        with LOCK:
            tokens = store.tokens
            if grant == "authorization_code":
                proof = form.get("code_verifier", "")
                code = form.get("code", "")
                is_known = code in tokens.codes
                challenge, redirect = tokens.codes.pop(code, (None, None))
                digest = hashlib.sha256(proof.encode()).digest()
                is_proved = base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == challenge
                if not is_known or store.proves and not is_proved or form.get("redirect_uri") != redirect:
                    return Reply(400, {"error": "invalid_grant", "error_description": "canary-description"})
                return Reply(200, store.token_answer(tokens.issue(orders, store.refreshes), orders))
            if orders.get("grants_revoked") or form.get("refresh_token") != tokens.refresh:
                self.note("token", store.name, "refused")
                return Reply(400, {"error": "invalid_grant", "error_description": "canary-description"})
            self.note("token", store.name, "rotated")
            return Reply(200, store.token_answer(tokens.issue(orders, store.rotates), orders))

    def send(self, reply, orders=None):
        body = reply.body
        name, orders = reply.fields.pop("X-Name", None), orders or {}
        begin, status, total = 0, reply.status, len(body)
        wanted = self.headers.get("Range", "")
        if name is not None and status == 200 and wanted.startswith("bytes="):
            first, _, last = wanted[6:].partition("-")
            begin, end = int(first), min(int(last) if last else total - 1, total - 1)
            status, body = 206, body[begin : end + 1]
            reply.fields["Content-Range"] = f"bytes {begin}-{end}/{total}"
        self.send_response(status)
        for field, value in reply.fields.items():
            self.send_header(field, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD" or status == 204:
            return
        cut = orders.get("cut", {}).get(name)
        if name is not None and cut is not None and cut > begin:
            self.wfile.write(body[: max(cut - begin, 0)])
            self.wfile.flush()
            self.close_connection = True
            return
        if name is not None and orders.get("hold") == name:
            half = len(body) // 2
            self.wfile.write(body[:half])
            self.wfile.flush()
            self.note("holding", name)
            while self.orders().get("hold") == name:
                time.sleep(0.02)
            number = self.headers.get("Authorization", "").rpartition("-")[2]
            if self.orders().get("revoked", 0) >= int(number if number.isdigit() else 0):
                self.close_connection = True
                return
            body = body[half:]
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_PATCH = do_HEAD = handle_any


def fill(store):
    """The same few files everywhere."""
    tree = store.tree
    folder = Node(tree, tree.top, "Reports", True)
    Node(tree, folder, "q3 404.txt", False, b"third quarter")
    big = bytes(number * 31 // 8 % 256 for number in range(65536)) * 144
    Node(tree, tree.top, "big.bin", False, big)
    store.fill()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, ssl.SSLError)):
            super().handle_error(request, client_address)


def main():
    for store in STORES:
        fill(store)
    server = Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print("port", server.server_port, flush=True)
    server.serve_forever()


main()
