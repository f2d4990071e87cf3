"""The parts that all stores share."""

import time
import urllib.parse


class Store:
    """One kind of store. `hosts` are its names; `token_places` the addresses that give tokens."""

    hosts, token_places, rotates, refreshes, proves, is_public = (), set(), True, True, True, False

    def __init__(self, tree, tokens, node, reply):
        self.tree, self.tokens, self.node, self.reply = tree, tokens, node, reply

    @property
    def name(self):
        return type(self).__name__.lower()

    def serves(self, host):
        return any(host == name or name.startswith(".") and host.endswith(name) for name in self.hosts)

    def is_open(self, host, path):
        return path == self.authorize_path

    authorize_path = "/authorize"

    def token_answer(self, answer, orders):
        return answer

    def unauthorized(self):
        return self.reply(401, {"error": "unauthorized"}, {"WWW-Authenticate": 'Bearer error="invalid_token"'})

    def busy(self):
        return self.reply(429, {"message": "too many"}, {"Retry-After": "1"})

    def fill(self):
        pass

    def sign_in(self, query):
        """The page where a person consents: it leads back at once."""
        code = f"canary-code-{len(self.tokens.codes) + 1}-{self.name}"
        self.tokens.codes[code] = (query.get("code_challenge"), query.get("redirect_uri"))
        back = urllib.parse.urlencode({"code": code, "state": query["state"]})
        return self.reply(302, b"", {"Location": f"{query['redirect_uri']}?{back}"})

    def size(self, node, orders):
        return orders.get("lie", {}).get(node.name, len(node.data))


def when(node):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(node.modified))
