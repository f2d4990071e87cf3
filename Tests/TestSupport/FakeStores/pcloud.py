"""pCloud (docs.pcloud.com). Its access tokens do not expire, and there are no others."""

import hashlib
import time

from box import parts_of_form
from common import Store


class PCloud(Store):
    hosts = ("eapi.pcloud.com", "api.pcloud.com", "my.pcloud.com", ".pcloud.com")
    token_places = {("eapi.pcloud.com", "/oauth2_token")}
    authorize_path = "/oauth2/authorize"
    rotates, refreshes, proves = False, False, False

    def token_answer(self, answer, orders):
        return {
            "result": 0, "access_token": answer["access_token"], "token_type": "bearer",
            "uid": orders.get("account", 1),
        }

    def sign_in(self, query):
        reply = super().sign_in(query)
        reply.fields["Location"] += "&locationid=2&hostname=eapi.pcloud.com"
        return reply

    def unauthorized(self):
        return self.reply(200, {"result": 2094, "error": "Invalid 'access_token' provided."})

    def is_open(self, host, path):
        return path == self.authorize_path or path.startswith("/down/")

    def item(self, node, orders):
        moment = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(node.modified))
        fields = {
            "name": node.name, "isfolder": node.is_folder, "created": moment, "modified": moment, "ismine": True,
            "id": f"{'d' if node.is_folder else 'f'}{node.id if node.parent else 0}",
        }
        if not node.is_folder:
            fields |= {"fileid": node.id, "size": self.size(node, orders), "contenttype": "text/plain"}
        return fields

    def problem(self, code, text):
        return self.reply(200, {"result": code, "error": text})

    def folder(self, number):
        return self.tree.top if number == "0" else self.tree.nodes.get(int(number))

    def hashes(self, node):
        return {name: hashlib.new(name, node.data).hexdigest() for name in ("md5", "sha1", "sha256")}

    def done(self, node, orders, **more):
        return self.reply(200, {"result": 0, "metadata": self.item(node, orders), **more})

    def answer(self, method, host, path, query, fields, body, orders):
        if path == self.authorize_path:
            return self.sign_in(query)
        tree, name = self.tree, path.strip("/")
        if name.startswith("down/"):
            node = tree.nodes[int(name.split("/")[1])]
            return self.reply(200, node.data, {"X-Name": node.name})
        if name == "userinfo":
            return self.reply(200, {
                "result": 0, "quota": 10_000_000_000, "usedquota": tree.used(), "email": "ann@pcloud.example"})
        if name == "uploadfile":
            return self.upload(query, fields, body, orders)
        if "folderid" in query and name in ("listfolder", "createfolder", "deletefolder", "deletefolderrecursive"):
            folder = self.folder(query["folderid"])
            if folder is None:
                return self.problem(2005, "Directory does not exist.")
            if name == "createfolder":
                if tree.child(folder, query["name"]):
                    return self.problem(2004, "File or folder already exists.")
                return self.done(self.node(tree, folder, query["name"], True), orders)
            if name == "listfolder":
                return self.reply(200, {"result": 0, "metadata": self.listed(folder, "recursive" in query, orders)})
            tree.remove(folder)
            return self.done(folder, orders)
        node = self.folder(query.get("folderid") or query["fileid"])
        if node is None:
            return self.problem(2009, "File not found.")
        if name == "getfilelink":
            expires = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(time.time() + 3600))
            return self.reply(200, {
                "result": 0, "hosts": ["p-lux1.pcloud.com"], "path": f"/down/{node.id}", "expires": expires})
        if name == "checksumfile":
            return self.done(node, orders, **self.hashes(node))
        if name in ("renamefile", "renamefolder"):
            node.parent, node.name = self.folder(query["tofolderid"]), query["toname"]
            return self.done(node, orders)
        if name == "deletefile":
            tree.remove(node)
            return self.done(node, orders)
        return self.problem(1000, name)

    def listed(self, folder, is_deep, orders):
        fields = self.item(folder, orders)
        if folder.is_folder:
            fields["contents"] = [
                self.listed(node, True, orders) if is_deep else self.item(node, orders)
                for node in self.tree.children(folder)]
        return fields

    def upload(self, query, fields, body, orders):
        if fields.get("Content-Type", "").startswith("multipart/"):
            form = parts_of_form(fields["Content-Type"], body)
            query = {name: value.decode() for name, value in form.items() if name != "content"}
            body = form["content"]
        folder, name = self.folder(query["folderid"]), query["filename"]
        node = self.tree.child(folder, name) or self.node(self.tree, folder, name, False)
        node.data = body
        return self.reply(200, {
            "result": 0, "metadata": [self.item(node, orders)], "fileids": [node.id],
            "checksums": [self.hashes(node)]})
