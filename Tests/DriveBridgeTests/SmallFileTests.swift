import FundCore
import Synchronization
import TestSupport
import Testing

@testable import DriveBridge

/// The requests for files: small ones, which one child reads one after the other, and large ones.
@Suite(.startsPrograms) struct SmallFileTests {
    /// A WebDAV server of files `TOLD-SENT`: they have `SENT` bytes, and the server says that it is `TOLD`.
    private static let script = """
        import http.server, ssl, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def answer(self, status, body):
                self.send_response(status); self.send_header("Content-Length", str(len(body))); self.end_headers()
                self.wfile.write(body)
            def entry(self, path, kind):
                return ("<D:response><D:href>" + path + "</D:href><D:propstat><D:prop>" + kind + "</D:prop>"
                    "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>")
            def do_PROPFIND(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                # rclone looks into the folder of a large file.
                found = self.entry("/", "<D:resourcetype><D:collection/></D:resourcetype>") if self.path == "/" else ""
                file = "/9000000-9000000" if self.path == "/" else self.path
                length = "<D:getcontentlength>" + file[1:].split("-")[0] + "</D:getcontentlength>"
                found += self.entry(file, "<D:resourcetype/>" + length)
                self.answer(207, ('<D:multistatus xmlns:D="DAV:">' + found + "</D:multistatus>").encode())
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
        @Sendable func count(_ name: String, size: Int64? = nil) async throws -> Int {
            let count = Mutex(0)
            let path = try #require(DrivePath(name))
            try await drives.read(path, from: 0, size: size, of: OneDrive.id, OneDrive.user) { bytes in
                count.withLock { $0 += bytes.count }
            }
            return count.withLock { $0 }
        }
        let sizes = [0, 1, 512, 32768, 100_000]
        func requests(_ name: String, _ method: String = "") -> [Substring] {
            process.log.split(separator: "\n").filter { $0.contains("\(method) /\(name) HTTP") }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for size in sizes {
                group.addTask { () async throws in
                    let came = try await count("\(size)-\(size)", size: size == 512 ? 512 : nil)
                    #expect(came == size)
                }
            }
            try await group.waitForAll()
        }
        for size in sizes {
            let requests = requests("\(size)-\(size)")
            #expect(requests.count == 2, "\(requests)")
        }
        // A large one of which the size is known is not opened twice.
        #expect(try await count("9000000-9000000", size: 9_000_000) == 9_000_000)
        #expect(requests("9000000-9000000", "GET").count == 1)
        for size in [8_999_999, 9_000_001, 9_500_000] as [Int64] {
            await #expect(throws: DriveError.self) { try await count("9000000-9000000", size: size) }
        }
        await #expect(throws: DriveError.self) { try await count("512-512", size: 511) }
        // Around the pieces in which rclone passes bytes on.
        for (told, sent) in [(0, 1), (100, 5000), (512, 513), (32768, 32769), (33280, 33281), (100_000, 900_000)] {
            await #expect(throws: DriveError.self, "\(told)-\(sent)") { try await count("\(told)-\(sent)") }
        }
    }
}
