import FundCore
import Synchronization
import TestSupport

@testable import DriveBridge

/// A WebDAV server behind TLS that does what the names of its files and folders say. It has the files that it is told,
/// all at its top.
///
/// - `stuck…` is asked for, and never answered.
/// - `slow…` comes in pieces of 5,000 bytes with pauses, which end when the client leaves.
/// - `endless` is a folder that never ends.
/// - `423…`, and the like, is a file that it tells of and answers with this status.
/// - A file that is written is never taken whole, and its part is never removed.
final class ScriptedStore: Sendable {
    let port: Int
    private let process: ServerProcess

    /// - Parameter files: sizes by name.
    init(_ files: [String: Int] = [:]) throws {
        let authority = try TestAuthority.shared.get()
        let list = files.map { name, size in
            "\(name.utf8.map { String($0, radix: 16) }.joined(separator: "-")):\(size)"
        }
        let process = try ServerProcess(
            [
                "python3", "-c", Self.script, authority.certificatePath(.wrongHost), authority.keyPath(.wrongHost),
                list.joined(separator: ","),
            ], folder: try TestFile.makeFolder("scripted"))
        self.process = process
        port = try firstResult(orElse: process.log) {
            process.log.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
        }
    }

    var log: String { process.log }

    func stop() { process.stop() }

    /// Waits until so many requests of a method are never answered.
    func waitForHeld(_ count: Int, _ method: String = "PROPFIND") async throws {
        try await eventually {
            log.split(separator: "held \(method) ", omittingEmptySubsequences: false).count > count
        }
    }

    private static let script = """
        import http.server, select, ssl, sys, urllib.parse
        files, parts = {}, set()
        for item in filter(None, sys.argv[3].split(",")):
            name, size = item.split(":")
            files[bytes(int(code, 16) for code in name.split("-")).decode()] = int(size)
        END = "</D:multistatus>"
        def entry(path, size):
            kind = "<D:collection/>" if size is None else ""
            length = "" if size is None else f"<D:getcontentlength>{size}</D:getcontentlength>"
            return (f"<D:response><D:href>{urllib.parse.quote(path)}</D:href><D:propstat><D:prop>"
                f"<D:resourcetype>{kind}</D:resourcetype>{length}"
                "<D:getlastmodified>Sun, 29 Nov 2026 10:00:00 GMT</D:getlastmodified>"
                "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>")
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def answer(self, status, body=b""):
                self.send_response(status); self.send_header("Content-Length", str(len(body))); self.end_headers()
                if self.command != "HEAD": self.wfile.write(body)
            def hold(self):
                sys.stdout.write(f"held {self.command} {self.path}\\n"); sys.stdout.flush()
                while self.rfile.read1(65536): pass
                self.close_connection = True
            def name(self): return urllib.parse.unquote(self.path)[1:].rstrip("/")
            def do_PROPFIND(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                name, head = self.name(), '<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">'
                if name.startswith("stuck"): return self.hold()
                if name in parts: return self.answer(207, (head + entry("/" + name, 1) + END).encode())
                if name in files: return self.answer(207, (head + entry("/" + name, files[name]) + END).encode())
                if name == "endless": return self.endless(head + entry("/endless/", None))
                if name: return self.answer(404)
                found = "".join(entry("/" + name, files[name]) for name in files)
                self.answer(207, (head + entry("/", None) + found + END).encode())
            def endless(self, head):
                self.send_response(207); self.send_header("Connection", "close"); self.end_headers()
                self.close_connection = True
                self.wfile.write(head.encode())
                number = 0
                while True:
                    number += 1000
                    self.wfile.write("".join(entry(f"/endless/{number + n}", 1) for n in range(1000)).encode())
            def do_GET(self):
                name = self.name()
                if name not in files: return self.answer(404)
                if name[:3].isdigit(): return self.answer(int(name[:3]))
                size = files[name]
                body = (name.encode() * (size // len(name.encode()) + 1))[:size]
                if self.command == "HEAD" or not name.startswith("slow"): return self.answer(200, body)
                self.send_response(200); self.send_header("Content-Length", str(size)); self.end_headers()
                self.close_connection = True
                for start in range(0, size, 5000):
                    self.wfile.write(body[start:start + 5000])
                    if select.select([self.connection], [], [], 0.1)[0]: return
            do_HEAD = do_GET
            def do_PUT(self):
                parts.add(self.name())
                self.hold()
            def do_DELETE(self): self.hold()
            def do_MKCOL(self): self.answer(201)
            def log_message(self, *arguments): pass
        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64
            def handle_error(self, *arguments): pass
        server = Server(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        print("port", server.server_port, flush=True); server.serve_forever()
        """
}
