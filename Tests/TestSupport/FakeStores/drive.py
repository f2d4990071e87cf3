"""Google Drive, version 3 (developers.google.com/drive/api/reference/rest/v3). Names may repeat within a folder."""

import hashlib
import json
import re

from common import Store, when

FOLDER = "application/vnd.google-apps.folder"
DOCUMENT = "application/vnd.google-apps.document"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


class GoogleDrive(Store):
    hosts = ("www.googleapis.com", "oauth2.googleapis.com", "accounts.google.com")
    token_places = {("oauth2.googleapis.com", "/token")}
    authorize_path = "/o/oauth2/v2/auth"
    rotates = False

    def fill(self):
        tree = self.tree
        self.node(tree, tree.top, "Plan", False, b"exported words").media = DOCUMENT
        folder = self.node(tree, tree.top, "Twice", True)
        self.node(tree, folder, "same.txt", False, b"first")
        self.node(tree, folder, "same.txt", False, b"second")
        self.node(tree, folder, "other.txt", False, b"third")
        self.node(tree, self.node(tree, folder, "Box", True), "a.txt", False, b"a")
        self.node(tree, self.node(tree, folder, "Box", True), "b.txt", False, b"b")

    def item(self, node, orders):
        media = FOLDER if node.is_folder else node.media or "text/plain"
        fields = {
            "id": f"n{node.id}", "name": node.name, "mimeType": media, "modifiedTime": when(node),
            "createdTime": when(node), "trashed": False, "parents": [f"n{node.parent.id}"] if node.parent else [],
            "webViewLink": "https://docs.google.com/document/d/x", "exportLinks": {},
        }
        if media == DOCUMENT:
            fields["exportLinks"] = {WORD: f"https://www.googleapis.com/export/n{node.id}"}
        elif not node.is_folder:
            fields |= {
                "size": str(self.size(node, orders)), "md5Checksum": hashlib.md5(node.data).hexdigest(),
            }
        return fields

    def find(self, name):
        return self.tree.top if name == "root" else self.tree.nodes.get(int(name[1:]))

    def problem(self, status, reason):
        return self.reply(status, {"error": {
            "code": status, "message": reason, "errors": [{"domain": "global", "reason": reason, "message": reason}]}})

    def unauthorized(self):
        return self.problem(401, "authError")

    def answer(self, method, host, path, query, fields, body, orders):
        if path == self.authorize_path:
            return self.sign_in(query)
        tree = self.tree
        if path.startswith("/export/"):
            return self.reply(200, self.find(path.split("/")[-1]).data, {"Content-Type": WORD})
        if path.startswith("/upload/session/"):
            return self.part(path.split("/")[-1], fields, body, orders)
        is_upload = path.startswith("/upload/")
        parts = path.removeprefix("/upload").removeprefix("/drive/v3/").split("/")
        if parts == ["about"]:
            return self.reply(200, {
                "storageQuota": {"limit": "10000000000", "usage": str(tree.used()), "usageInDrive": str(tree.used())},
                "exportFormats": {DOCUMENT: [WORD]}, "importFormats": {},
                "user": {"permissionId": str(orders.get("account", 1)), "emailAddress": "ann@google.example"},
            })
        if parts == ["files"] and method == "GET":
            return self.list(query, orders)
        if is_upload:
            return self.upload(method, parts, query, fields, body, orders)
        if parts == ["files"]:
            asked = json.loads(body)
            node = self.node(tree, self.find(asked["parents"][0]), asked["name"], asked["mimeType"] == FOLDER)
            return self.reply(200, self.item(node, orders))
        node = self.find(parts[1])
        if node is None:
            return self.problem(404, "notFound")
        if parts[2:] == ["export"]:
            return self.reply(200, node.data, {"Content-Type": WORD})
        if method == "PATCH":
            change = json.loads(body)
            if change.get("trashed"):
                answer = self.item(node, orders)
                tree.remove(node)
                return self.reply(200, answer)
            node.name = change.get("name", node.name)
            node.parent = self.find(query["addParents"]) if query.get("addParents") else node.parent
            return self.reply(200, self.item(node, orders))
        if method == "DELETE":
            tree.remove(node)
            return self.reply(204)
        if query.get("alt") == "media":
            return self.reply(200, node.data, {"X-Name": node.name})
        return self.reply(200, self.item(node, orders))

    def list(self, query, orders):
        wanted = query.get("q", "")
        nodes = [node for node in self.tree.nodes.values() if node.parent]
        folders = re.findall(r"'([^']*)' in parents", wanted)
        if folders:
            nodes = [node for node in nodes if f"n{node.parent.id}" in folders or
                     node.parent is self.tree.top and "root" in folders]
        names = [re.sub(r"\\(.)", r"\1", name) for name in re.findall(r"name='((?:[^'\\]|\\.)*)'", wanted)]
        if names:
            nodes = [node for node in nodes if node.name in names]
        if f"(mimeType='{FOLDER}' or" in wanted:
            nodes = [node for node in nodes if node.is_folder]
        if f"mimeType!='{FOLDER}'" in wanted:
            nodes = [node for node in nodes if not node.is_folder]
        start = int(query.get("pageToken") or 0)
        answer = {"files": [self.item(node, orders) for node in nodes[start : start + 2]], "incompleteSearch": False}
        if start + 2 < len(nodes):
            answer["nextPageToken"] = str(start + 2)
        return self.reply(200, answer)

    def upload(self, method, parts, query, fields, body, orders):
        node = self.find(parts[1]) if len(parts) > 1 else None
        if query.get("uploadType") == "multipart":
            mark = b"--" + fields["Content-Type"].split("boundary=")[1].strip('"').encode()
            about, data = [part.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n") for part in body.split(mark)[1:3]]
            return self.keep(node, json.loads(about), data, orders)
        number = str(len(self.tree.sessions) + 1)
        self.tree.sessions[number] = [node, json.loads(body or "{}"), b""]
        return self.reply(200, b"", {"Location": f"https://www.googleapis.com/upload/session/{number}"})

    def part(self, number, fields, body, orders):
        session = self.tree.sessions[number]
        session[2] += body
        total = fields["Content-Range"].rpartition("/")[2]
        if total != "*" and len(session[2]) >= int(total):
            return self.keep(*session, orders)
        return self.reply(308, b"", {"Range": f"bytes=0-{len(session[2]) - 1}"})

    def keep(self, node, about, data, orders):
        if node is None:
            node = self.node(self.tree, self.find(about["parents"][0]), about["name"], False)
        node.data = data
        return self.reply(200, self.item(node, orders))
