"""Box (developer.box.com/reference)."""

import hashlib
import json

from common import Store, when


class Box(Store):
    hosts = ("api.box.com", "upload.box.com", "account.box.com", "dl.boxcloud.com")
    token_places = {("api.box.com", "/oauth2/token")}
    authorize_path = "/api/oauth2/authorize"
    proves = False

    def item(self, node, orders):
        fields = {
            "type": "folder" if node.is_folder else "file", "id": str(node.id if node.parent else 0), "etag": "1",
            "sequence_id": "1", "name": node.name, "item_status": "active", "created_at": when(node),
            "modified_at": when(node), "content_created_at": when(node), "content_modified_at": when(node),
        }
        if not node.is_folder:
            fields |= {"size": self.size(node, orders), "sha1": hashlib.sha1(node.data).hexdigest()}
        return fields

    def find(self, number):
        return self.tree.top if number == "0" else self.tree.nodes.get(int(number))

    def problem(self, status, code, info=None):
        return self.reply(status, {"type": "error", "status": status, "code": code, "context_info": info or {}})

    def answer(self, method, host, path, query, fields, body, orders):
        if path == self.authorize_path:
            return self.sign_in(query)
        parts, tree = path.removeprefix("/2.0").removeprefix("/api/2.0").strip("/").split("/"), self.tree
        if host == "dl.boxcloud.com":
            node = self.find(parts[-1])
            return self.reply(200, node.data, {"X-Name": node.name})
        if parts == ["users", "me"]:
            return self.reply(200, {
                "type": "user", "id": str(orders.get("account", 1)), "login": "ann@box.example", "created_at": when(tree.top),
                "modified_at": when(tree.top), "space_amount": 10_000_000_000, "space_used": tree.used(),
            })
        if parts[:2] == ["files", "content"] and method == "OPTIONS":
            return self.preflight(json.loads(body))
        if parts[0] == "files" and parts[-1] == "content" and method == "POST":
            return self.upload(parts, fields, body, orders)
        if "upload_sessions" in parts:
            return self.session(method, parts, fields, body, orders)
        if parts == ["folders"] and method == "POST":
            asked = json.loads(body)
            folder = self.find(asked["parent"]["id"])
            if tree.child(folder, asked["name"]):
                return self.problem(409, "item_name_in_use")
            return self.reply(201, self.item(self.node(tree, folder, asked["name"], True), orders))
        node = self.find(parts[1])
        if node is None or node.is_folder != (parts[0] == "folders"):
            return self.problem(404, "not_found")
        if parts[2:] == ["items"]:
            return self.items(node, query, orders)
        if parts[2:] == ["content"]:
            return self.reply(302, b"", {"Location": f"https://dl.boxcloud.com/d/{node.id}"})
        if method == "DELETE":
            if node.is_folder and tree.children(node) and query.get("recursive") != "true":
                return self.problem(400, "folder_not_empty")
            tree.remove(node)
            return self.reply(204)
        if method == "PUT":
            change = json.loads(body)
            if "name" in change:
                folder = self.find(change["parent"]["id"]) if "parent" in change else node.parent
                other = tree.child(folder, change["name"])
                if other is not None and other is not node:
                    return self.problem(409, "item_name_in_use")
                node.parent, node.name = folder, change["name"]
            return self.reply(200, self.item(node, orders))
        return self.reply(200, self.item(node, orders))

    def items(self, folder, query, orders):
        """Two entries a page, by marker: listings go on."""
        children = self.tree.children(folder)
        start = int(query.get("marker") or 0)
        answer = {"entries": [self.item(node, orders) for node in children[start : start + 2]]}
        if start + 2 < len(children):
            answer["next_marker"] = str(start + 2)
        return self.reply(200, answer)

    def preflight(self, asked):
        other = self.tree.child(self.find(asked["parent"]["id"]), asked["name"])
        if other is None:
            return self.reply(200, {"upload_token": "", "upload_url": "https://upload.box.com/"})
        kind = "folder" if other.is_folder else "file"
        return self.problem(409, "item_name_in_use", {"conflicts": {"type": kind, "id": str(other.id)}})

    def keep(self, node, folder, name, data, orders):
        if node is None:
            if self.tree.child(folder, name):
                return self.problem(409, "item_name_in_use")
            node = self.node(self.tree, folder, name, False)
        node.data = data
        return self.reply(201, {"total_count": 1, "entries": [self.item(node, orders)]})

    def upload(self, parts, fields, body, orders):
        form = parts_of_form(fields["Content-Type"], body)
        asked = json.loads(form["attributes"])
        node = self.find(parts[1]) if len(parts) == 3 else None
        return self.keep(node, self.find(asked["parent"]["id"]), asked["name"], form["contents"], orders)

    def session(self, method, parts, fields, body, orders):
        sessions, part_bytes = self.tree.sessions, 8 << 20
        if method == "POST" and parts[-1] == "upload_sessions":
            asked = json.loads(body)
            number = str(len(sessions) + 1)
            node = self.find(parts[1]) if len(parts) == 3 else None
            folder = self.find(asked["folder_id"]) if "folder_id" in asked else None
            sessions[number] = (node, folder, asked.get("file_name"), {})
            return self.reply(201, {
                "id": number, "part_size": part_bytes, "total_parts": -(-asked["file_size"] // part_bytes),
                "session_expires_at": when(self.tree.top),
            })
        number = parts[2]
        if method == "DELETE":
            sessions.pop(number, None)
            return self.reply(204)
        node, folder, name, came = sessions[number]
        if method == "PUT":
            offset = int(fields["Content-Range"].split()[1].split("-")[0])
            came[offset] = body
            digest = hashlib.sha1(body).hexdigest()
            return self.reply(200, {"part": {
                "part_id": str(offset), "offset": offset, "size": len(body), "sha1": digest}})
        data = b"".join(came[offset] for offset in sorted(came))
        return self.keep(node, folder, name, data, orders)


def parts_of_form(kind, body):
    """The fields of multipart/form-data (RFC 7578)."""
    mark = b"--" + kind.split("boundary=")[1].strip('"').encode()
    found = {}
    for part in body.split(mark)[1:-1]:
        head, _, data = part.partition(b"\r\n\r\n")
        name = head.split(b'name="')[1].split(b'"')[0].decode()
        found[name] = data.removesuffix(b"\r\n")
    return found
