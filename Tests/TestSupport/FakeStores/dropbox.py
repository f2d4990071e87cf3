"""Dropbox (dropbox.com/developers/documentation/http)."""

import hashlib
import json

from common import Store, when

BLOCK = 4 << 20


class Dropbox(Store):
    hosts = ("api.dropboxapi.com", "content.dropboxapi.com", "www.dropbox.com")
    token_places = {("api.dropboxapi.com", "/oauth2/token")}
    authorize_path = "/oauth2/authorize"
    rotates = False

    def token_answer(self, answer, orders):
        return {**answer, "account_id": f"dbid:{orders.get('account', 1)}"}

    def item(self, node, orders):
        path = self.tree.path(node)
        fields = {
            ".tag": "folder" if node.is_folder else "file", "id": f"id:{node.id:022}", "name": node.name,
            "path_display": path, "path_lower": path.lower(),
        }
        if not node.is_folder:
            blocks = [node.data[start : start + BLOCK] for start in range(0, len(node.data), BLOCK)]
            digest = hashlib.sha256(b"".join(hashlib.sha256(block).digest() for block in blocks)).hexdigest()
            fields |= {
                "size": self.size(node, orders), "rev": f"{node.id:09x}", "client_modified": when(node),
                "server_modified": when(node), "content_hash": digest, "is_downloadable": True,
            }
        return fields

    def problem(self, *tags):
        error = tags[-1]
        if not isinstance(error, dict):
            error = {".tag": error}
        for tag in reversed(tags[:-1]):
            error = {".tag": tag, tag: error}
        summary = "/".join(tag if isinstance(tag, str) else tag[".tag"] for tag in tags)
        return self.reply(409, {"error_summary": summary + "/.", "error": error})

    def find(self, path):
        if path.startswith("id:"):
            return self.tree.nodes.get(int(path[3:]))
        return self.tree.at(path)

    def unauthorized(self):
        return self.reply(401, {"error_summary": "expired_access_token/.", "error": {".tag": "expired_access_token"}})

    def busy(self):
        error = {"reason": {".tag": "too_many_requests"}, "retry_after": 1}
        return self.reply(429, {"error_summary": "too_many_requests/.", "error": error}, {"Retry-After": "1"})

    def answer(self, method, host, path, query, fields, body, orders):
        if path == self.authorize_path:
            return self.sign_in(query)
        name, tree = path.removeprefix("/2/"), self.tree
        is_content = host.startswith("content.")
        if is_content:
            # Read as ISO 8859-1 (RFC 9110 §5.5), sent as UTF-8 or with escapes of JSON.
            words = fields["Dropbox-API-Arg"].encode("latin-1")
        asked = json.loads((words if is_content else body) or "null")
        if name == "users/get_current_account":
            return self.reply(200, {"account_id": f"dbid:{orders.get('account', 1)}", "email": "ann@dropbox.example"})
        if name == "users/get_space_usage":
            return self.reply(200, {
                "used": tree.used(), "allocation": {".tag": "individual", "allocated": 10_000_000_000}})
        if name == "files/list_folder":
            folder = self.find(asked["path"])
            if folder is None or not folder.is_folder:
                return self.problem("path", "not_folder" if folder else "not_found")
            return self.page(folder, 0, orders)
        if name == "files/list_folder/continue":
            number, start = asked["cursor"].split("/")
            return self.page(tree.nodes[int(number)], int(start), orders)
        if name == "files/get_metadata":
            node = self.find(asked["path"])
            return self.reply(200, self.item(node, orders)) if node else self.problem("path", "not_found")
        if name == "files/download":
            node = self.find(asked["path"])
            if node is None:
                return self.problem("path", "not_found")
            about = {"Dropbox-API-Result": json.dumps(self.item(node, orders)), "X-Name": node.name}
            return self.reply(200, node.data, about)
        if name == "files/upload":
            return self.keep(asked["path"], body, orders)
        if name == "files/upload_session/start":
            number = str(len(tree.sessions) + 1)
            tree.sessions[number] = body
            return self.reply(200, {"session_id": number})
        if name == "files/upload_session/append_v2":
            tree.sessions[asked["cursor"]["session_id"]] += body
            return self.reply(200, b"null", {"Content-Type": "application/json"})
        if name == "files/upload_session/finish":
            return self.keep(asked["commit"]["path"], tree.sessions[asked["cursor"]["session_id"]] + body, orders)
        if name == "files/create_folder_v2":
            folder, leaf = self.place(asked["path"])
            if tree.child(folder, leaf):
                return self.problem("path", "conflict", "folder")
            return self.reply(200, {"metadata": self.item(self.node(tree, folder, leaf, True), orders)})
        if name == "files/delete_v2":
            node = self.find(asked["path"])
            if node is None:
                return self.problem("path_lookup", "not_found")
            answer = self.item(node, orders)
            tree.remove(node)
            return self.reply(200, {"metadata": answer})
        if name == "files/move_v2":
            node = self.find(asked["from_path"])
            folder, leaf = self.place(asked["to_path"])
            if node is None:
                return self.problem("from_lookup", "not_found")
            if tree.child(folder, leaf) not in (None, node):
                return self.problem("to", "conflict", "file")
            node.parent, node.name = folder, leaf
            return self.reply(200, {"metadata": self.item(node, orders)})
        return self.reply(400, {"error": name})

    def page(self, folder, start, orders):
        children = self.tree.children(folder)
        return self.reply(200, {
            "entries": [self.item(node, orders) for node in children[start : start + 2]],
            "cursor": f"{folder.id}/{start + 2}", "has_more": start + 2 < len(children),
        })

    def place(self, path):
        """The folder of a path, which is made where it is missing, and the last name."""
        names = [name for name in path.split("/") if name]
        folder = self.tree.top
        for name in names[:-1]:
            folder = self.tree.child(folder, name) or self.node(self.tree, folder, name, True)
        return folder, names[-1]

    def keep(self, path, data, orders):
        folder, leaf = self.place(path)
        node = self.tree.child(folder, leaf) or self.node(self.tree, folder, leaf, False)
        if node.is_folder:
            return self.problem("path", "conflict", "folder")
        node.data = data
        return self.reply(200, self.item(node, orders))
