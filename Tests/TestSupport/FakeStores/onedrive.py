"""OneDrive by Microsoft Graph (learn.microsoft.com/graph/api/resources/onedrive)."""

import base64
import hashlib
import json
import urllib.parse

from common import Store, when


class OneDrive(Store):
    hosts = ("graph.microsoft.com", "login.microsoftonline.com", ".sharepoint.com")
    token_places = {("login.microsoftonline.com", "/canary-tenant/oauth2/v2.0/token")}
    authorize_path = "/canary-tenant/oauth2/v2.0/authorize"
    is_public = True

    def item(self, node, orders):
        fields = {
            "id": f"N!{node.id}", "name": node.name or "root", "createdDateTime": when(node),
            "lastModifiedDateTime": when(node), "eTag": f"e{node.id}", "size": self.size(node, orders),
            "fileSystemInfo": {"createdDateTime": when(node), "lastModifiedDateTime": when(node)},
            "parentReference": {"driveId": "b!canary", "id": f"N!{node.parent.id}" if node.parent else ""},
        }
        if node.is_folder:
            fields["folder"] = {"childCount": len(self.tree.children(node))}
        else:
            digest = base64.b64encode(hashlib.sha1(node.data).digest()).decode()
            fields["file"] = {"mimeType": "text/plain", "hashes": {"quickXorHash": digest}}
        return fields

    def problem(self, status, code):
        return self.reply(status, {"error": {"code": code, "message": code}})

    def unauthorized(self):
        return self.problem(401, "InvalidAuthenticationToken")

    def is_open(self, host, path):
        return path == self.authorize_path or host.endswith(".sharepoint.com")

    def answer(self, method, host, path, query, fields, body, orders):
        if path == self.authorize_path:
            return self.sign_in(query)
        tree = self.tree
        if host.endswith(".sharepoint.com"):
            kind, number = path.strip("/").split("/")
            if kind == "up":
                return self.part(method, number, fields, body, orders)
            node = tree.nodes[int(number)]
            return self.reply(200, node.data, {"X-Name": node.name})
        if path == "/v1.0/me/drive":
            owner = {"user": {"displayName": "Ann", "email": "ann@microsoft.example"}}
            return self.reply(200, {
                "id": f"b!{orders.get('account', 'canary')}", "driveType": "business", "owner": owner})
        path = path.removeprefix("/v1.0/drives/b!canary")
        if path in ("", "/"):
            return self.reply(200, {"id": "b!canary", "driveType": "business", "quota": {
                "total": 10_000_000_000, "used": tree.used(), "remaining": 10_000_000_000 - tree.used(), "deleted": 0}})
        node, folder, leaf, action = self.locate(path)
        if action == "children" and method == "POST":
            asked = json.loads(body)
            if tree.child(node, asked["name"]):
                return self.problem(409, "nameAlreadyExists")
            return self.reply(201, self.item(self.node(tree, node, asked["name"], True), orders))
        if action in ("content", "createUploadSession") and method in ("PUT", "POST"):
            if action == "content":
                return self.keep(node, folder, leaf, body, orders)
            number = str(len(tree.sessions) + 1)
            tree.sessions[number] = [node, folder, leaf, b""]
            return self.reply(200, {
                "uploadUrl": f"https://corp-my.sharepoint.com/up/{number}", "expirationDateTime": when(tree.top)})
        if node is None:
            return self.problem(404, "itemNotFound")
        if action == "children":
            return self.children(node, query, orders)
        if action == "content":
            return self.reply(302, b"", {"Location": f"https://corp-my.sharepoint.com/down/{node.id}"})
        if method == "DELETE":
            tree.remove(node)
            return self.reply(204)
        if method == "PATCH":
            change = json.loads(body)
            if change.get("name"):
                parent = change.get("parentReference", {}).get("id")
                target = tree.nodes[int(parent.split("!")[1])] if parent else node.parent
                if tree.child(target, change["name"]) not in (None, node):
                    return self.problem(409, "nameAlreadyExists")
                node.parent, node.name = target, change["name"]
            return self.reply(200, self.item(node, orders))
        return self.reply(200, self.item(node, orders))

    def locate(self, path):
        """The item that an address names, its folder and name, and what is asked of it."""
        tree, rest = self.tree, path.strip("/")
        base, rest = tree.top, rest.removeprefix("root")
        if path.startswith("/items/"):
            word, _, rest = path.removeprefix("/items/").partition("/")
            number = word.rstrip(":").split("!")[1]
            base = tree.top if number == "root" else tree.nodes.get(int(number))
            if not word.endswith(":"):
                return base, None, None, rest.strip("/")
            rest = ":/" + rest
        if not rest.startswith(":"):
            return base, None, None, rest.strip("/")
        inner, _, action = rest[1:].partition(":")
        names = [name for name in inner.split("/") if name]
        folder = base
        for name in names[:-1]:
            folder = folder and tree.child(folder, name)
        if not names:
            return base, None, None, action.strip("/")
        return folder and tree.child(folder, names[-1]), folder, names[-1], action.strip("/")

    def children(self, folder, query, orders):
        nodes, start = self.tree.children(folder), int(query.get("$skiptoken") or 0)
        answer = {"value": [self.item(node, orders) for node in nodes[start : start + 2]]}
        if start + 2 < len(nodes):
            link = f"https://graph.microsoft.com/v1.0/drives/b!canary/items/N!{folder.id}/children"
            answer["@odata.nextLink"] = link + "?" + urllib.parse.urlencode({"$skiptoken": start + 2})
        return self.reply(200, answer)

    def part(self, method, number, fields, body, orders):
        if method == "DELETE":
            self.tree.sessions.pop(number, None)
            return self.reply(204)
        session = self.tree.sessions[number]
        session[3] += body
        if len(session[3]) >= int(fields["Content-Range"].rpartition("/")[2]):
            return self.keep(*session, orders)
        return self.reply(202, {"nextExpectedRanges": [f"{len(session[3])}-"]})

    def keep(self, node, folder, leaf, data, orders):
        if node is None:
            node = self.node(self.tree, folder, leaf, False)
        node.data = data
        return self.reply(201, self.item(node, orders))
