"""A browser's connection to the pages, without the browser."""
import http.client
import sys
import time
import urllib.parse


class Client:
    """A connection that stays, with the cookie of a session."""

    def __init__(self, ours):
        self.connection = http.client.HTTPConnection("127.0.0.1", ours.port, timeout=60)
        # As a browser opens a page: the style stands in it.
        self.headers = {"Cookie": f"fundmail={ours.cookie}", "Accept-Encoding": "gzip", "Accept-Language": "en",
                        "Sec-Fetch-Dest": "document"}

    def seconds(self, path):
        """That one page takes, read to its end."""
        began = time.perf_counter()
        self.connection.request("GET", path, headers=self.headers)
        response = self.connection.getresponse()
        size = len(response.read())
        if response.status != 200 or not size:
            sys.exit(f"GET {path}: {response.status}, {size} bytes")
        return time.perf_counter() - began

    def shared(self, ours, file):
        """Shares a file by a link, and opens that; gives the address of its page."""
        link = ours.call("POST", "/links", {"items": [{"type": "file", "id": file}]})
        path = urllib.parse.urlsplit(link["address"]).path
        self.connection.request("POST", f"{path}/open", "", {
            "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"})
        response = self.connection.getresponse()
        response.read()
        self.headers["Cookie"] += "; " + response.getheader("Set-Cookie").split(";")[0]
        return f"{path}/files/{file}"
