"""Small web servers of this machine, each on a thread of its own."""
import contextlib
import http.server
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers requests, and says nothing of them."""

    def answer(self, body=b"", kind="text/plain", status=200):
        """Sends a whole answer. A client that went meanwhile is no failure."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body)

    def log_message(self, *_):
        pass


def start(handler, host="127.0.0.1", port=0):
    """A server that answers until its `shutdown`; a port is chosen unless one is given."""
    server = http.server.ThreadingHTTPServer((host, port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@contextlib.contextmanager
def served(handler, host="127.0.0.1", port=0):
    """`start` for the time of a block, with the address of the server."""
    server = start(handler, host, port)
    try:
        yield f"http://{host}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
