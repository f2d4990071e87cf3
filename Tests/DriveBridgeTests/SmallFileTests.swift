import FundCore
import Synchronization
import TestSupport
import Testing

@testable import DriveBridge

/// Small files, which one child reads one after the other.
@Suite(.startsPrograms) struct SmallFileTests {
    /// A WebDAV server of files `TOLD-SENT`: they have `SENT` bytes, and the server says that it is `TOLD`.
    private static let script = """
        import http.server, ssl, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def answer(self, status, body):
                self.send_response(status); self.send_header("Content-Length", str(len(body))); self.end_headers()
                self.wfile.write(body)
            def do_PROPFIND(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                kind = "<D:resourcetype/><D:getcontentlength>" + self.path[1:].split("-")[0] + "</D:getcontentlength>"
                self.answer(207, ('<D:multistatus xmlns:D="DAV:"><D:response><D:href>' + self.path + "</D:href>"
                    "<D:propstat><D:prop>" + kind + "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>"
                    "</D:response></D:multistatus>").encode())
            def do_GET(self):
                self.answer(200, b"x" * int(self.path.split("-")[1]))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print("port", server.server_port, flush=True); server.serve_forever()
        """

    /// A store is asked once what a file is, and once for its bytes; what is not as long as it said is no file.
    @Test func twoRequestsForEachFile() async throws {
        let authority = try TestAuthority.shared.get()
        let process = try ServerProcess(
            ["python3", "-c", Self.script, authority.certificatePath(.wrongHost), authority.keyPath(.wrongHost)],
            folder: try TestFile.makeFolder("small"))
        defer { process.stop() }
        let port = try firstResult(orElse: process.log) {
            process.log.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
        }
        let (drives, _) = try TestStore.drives(port)
        @Sendable func count(_ name: String) async throws -> Int {
            let count = Mutex(0)
            try await drives.read(try #require(DrivePath(name)), from: 0, of: OneDrive.id, OneDrive.user) { bytes in
                count.withLock { $0 += bytes.count }
            }
            return count.withLock { $0 }
        }
        let sizes = [0, 1, 512, 32768, 100_000]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for size in sizes {
                group.addTask { () async throws in
                    let came = try await count("\(size)-\(size)")
                    #expect(came == size)
                }
            }
            try await group.waitForAll()
        }
        for size in sizes {
            let requests = process.log.split(separator: "\n").filter { $0.contains(" /\(size)-\(size) HTTP") }
            #expect(requests.count == 2, "\(requests)")
        }
        // Around the pieces in which rclone passes bytes on.
        for (told, sent) in [(0, 1), (100, 5000), (512, 513), (32768, 32769), (33280, 33281), (100_000, 900_000)] {
            await #expect(throws: DriveError.self, "\(told)-\(sent)") { try await count("\(told)-\(sent)") }
        }
    }
}
